"""The sensor that finds new versions, evals, corpus states and review batches; one over all specs, running by default."""

from __future__ import annotations

import json

import dagster as dg

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.errors import RecordRoomError, errors_in
from recordroom_pipeline.orchestration.partitions import spec_partitions
from recordroom_pipeline.orchestration.register import find_all
from recordroom_pipeline.orchestration.sync import definition_of, missing_keys, wanted_keys
from recordroom_pipeline.store.files import Project, SpecFolder

INTERVAL_S = 15


def spec_sensor(project: Project) -> dg.SensorDefinition:
    """Registers keys, and judges, freezes and spends nothing."""

    @dg.sensor(name="spec_files", minimum_interval_seconds=INTERVAL_S, default_status=dg.DefaultSensorStatus.RUNNING)
    def spec_files(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        """Registers versions, evals, corpus snapshots and review batches of every spec as partitions."""
        seen: dict[str, str] = json.loads(context.cursor or "{}")
        requests, words = [], []
        for name in project.names():
            folder = project.spec(name)
            signature = files_signature(folder)
            if seen.get(name) == signature:
                continue
            try:
                found = find_all(folder)
                missing = missing_keys(name, wanted_keys(found), context.instance)
            except RecordRoomError as error:
                words.append(f"{name}: {error}")
                continue
            parts = spec_partitions(name)
            requests += [definition_of(parts, kind).build_add_request(keys) for kind, keys in missing.items() if keys]
            words += [str(problem) for problem in errors_in(found.problems)]
            seen[name] = signature
        if requests:
            return dg.SensorResult(dynamic_partitions_requests=requests, cursor=json.dumps(seen))
        context.update_cursor(json.dumps(seen))
        return dg.SkipReason("\n".join(words) or "nothing new in specs/")

    return spec_files


def files_signature(folder: SpecFolder) -> str:
    """Changes whenever a file of the spec does: names, sizes and times, so that an idle tick reads no file."""
    rows = [
        f"{path.relative_to(folder.path)} {stat.st_size} {stat.st_mtime_ns}"
        for path in sorted(folder.path.rglob("*"))
        if path.is_file() and "dist/runs" not in path.as_posix() and (stat := path.stat())
    ]
    return sha256_hex("\n".join(rows).encode())
