"""`recordroom run`: the same assets as in the UI, materialized in process, on the same instance, one after another.

Assets of different partitions cannot share a Dagster run, so this is a fixed sequence of runs: spec_version, corpus_snapshot
with evidence, verdicts (one run a version, over all its evals), run, review_batch with precision and flip_diff, version_diff,
warehouse.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from recordroom_pipeline.errors import (
    AlreadyWritten,
    Incomplete,
    JudgeUnavailable,
    NotFound,
    Problem,
    ProblemsFound,
    RecordRoomError,
    errors_in,
)
from recordroom_pipeline.judges.resolve import unused_keys
from recordroom_pipeline.orchestration.build import build_definitions
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.instance import open_instance
from recordroom_pipeline.orchestration.judging import judge_for
from recordroom_pipeline.orchestration.names import WAREHOUSE_KEY, asset_key
from recordroom_pipeline.orchestration.register import Found, find_all
from recordroom_pipeline.orchestration.report import RunReport, describe_corpus, read_flips, read_precision, read_version
from recordroom_pipeline.orchestration.resources import JudgeResource, Progress
from recordroom_pipeline.orchestration.runs import read_cells
from recordroom_pipeline.orchestration.sync import Registered, register, sync_folders
from recordroom_pipeline.spec.versions import base_version
from recordroom_pipeline.store.files import Project, Snapshot, SpecFolder, Version

_ERRORS: dict[str, type[RecordRoomError]] = {
    kind.__name__: kind for kind in (RecordRoomError, NotFound, AlreadyWritten, Incomplete, JudgeUnavailable)
}
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """What `recordroom run` was asked for."""

    name: str
    version: str | None = None
    """A version, a draft's key, ``all``; None for SPEC.md as it stands."""
    evals: tuple[str, ...] = ()
    corpus: str | None = None
    judge: str | None = None


def sync_specs(project: Project, names: Sequence[str]) -> list[Registered]:
    """Register every key of these specs on the project's instance."""
    return sync_folders([project.spec(name) for name in names], open_instance(project))


def drive(project: Project, order: RunOrder, *, progress: Progress | None = None) -> RunReport:
    """Materialize what was asked for, and report on it.

    Raises:
        ProblemsFound: when SPEC.md, the corpus, a recording or a review file is wrong.
        NotFound: when the version, an eval or the snapshot does not exist.
    """
    started = time.monotonic()
    folder = project.spec(order.name)
    problems = check_folder(folder)
    if errors_in(problems):
        raise ProblemsFound(problems)
    found = find_all(folder)
    versions = choose_versions(found, order.version, folder)
    snapshot = folder.snapshot(order.corpus) if order.corpus else folder.keep_snapshot()
    _check_evals(order.evals, versions)
    judge = judge_for(folder, order.judge)
    with open_instance(project) as instance:
        register(folder, instance, found)
        _add_missing(folder, instance, versions, snapshot)
        work = _Work(
            project=project, folder=folder, instance=instance, judge=order.judge or "", progress=progress or Progress()
        )
        unfinished = _sequence(work, found, versions, snapshot, order.evals)
    batch = list(found.batches)[-1] if found.batches else None
    return RunReport(
        name=folder.name,
        corpus=describe_corpus(snapshot),
        judge=judge.instrument(),
        documents_parsed=work.parsed,
        documents_reused=work.documents_reused,
        judged=work.judged,
        reused=work.reused,
        versions=tuple(
            read_version(version, work.run_ids.get(version.key), read_cells(folder, version.key, snapshot.key, judge))
            for version in versions
        ),
        batch=batch,
        precision=read_precision(folder, batch, versions) if work.run_ids else (),
        flips=read_flips(folder, work.run_ids),
        run_files=tuple(project.shown(folder.runs / f"{work.run_ids[v.key]}.json") for v in versions if v.key in work.run_ids),
        warnings=tuple(_warnings(problems, order)),
        unfinished=unfinished,
        seconds=time.monotonic() - started,
    )


def _warnings(problems: list[Problem], order: RunOrder) -> list[Problem]:
    keys = unused_keys(order.judge, os.environ)
    if not keys:
        return problems
    message = f"{' and '.join(keys)} lies in the environment and is not used: no judge model was named"
    remedy = "set RECORDROOM_JUDGE_MODEL, or pass --judge MODEL, to use it"
    return [*problems, Problem(path="environment", level="warning", code="RR250", message=message, remedy=remedy)]


def choose_versions(found: Found, wanted: str | None, folder: SpecFolder) -> list[Version]:
    """The versions that an order means.

    Raises:
        NotFound: listing the versions that exist.
    """
    if wanted is None:
        assert found.current is not None
        return [found.current]
    if wanted == "all":
        return list(found.versions)
    exact = [version for version in found.versions if version.key == wanted]
    numbered = [version for version in found.versions if base_version(version.key) == wanted]
    return exact or numbered or [folder.version(wanted)]


def _check_evals(evals: Sequence[str], versions: Sequence[Version]) -> None:
    known = dict.fromkeys(eval_.id for version in versions for eval_ in version.spec.evals)
    for eval_id in evals:
        if eval_id not in known:
            raise NotFound(f"there is no eval '{eval_id}' in {versions[-1].key}; known: {', '.join(known)}")


def _add_missing(folder: SpecFolder, instance: dg.DagsterInstance, versions: Sequence[Version], snapshot: Snapshot) -> None:
    """Keys of older drafts and snapshots, which the folder as it stands no longer asks for."""
    for dimension, keys in (("versions", [version.key for version in versions]), ("corpora", [snapshot.key])):
        known = set(instance.get_dynamic_partitions(f"{folder.name}/{dimension}"))
        if new := [key for key in keys if key not in known]:
            instance.add_dynamic_partitions(f"{folder.name}/{dimension}", new)


@dataclass(slots=True, kw_only=True)
class _Work:
    """One order under way: materializes assets and counts what they report."""

    project: Project
    folder: SpecFolder
    instance: dg.DagsterInstance
    judge: str
    progress: Progress
    judged: int = 0
    reused: int = 0
    parsed: int = 0
    documents_reused: int = 0
    run_ids: dict[str, str] = field(default_factory=dict)
    new_runs: int = 0
    _definitions: dg.Definitions | None = None

    def materialize(
        self,
        assets: Sequence[str],
        *,
        partition: str | None = None,
        span: tuple[str, str] | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """One Dagster run over some assets, for one partition or one range.

        Raises:
            RecordRoomError: what an asset raised, when a user can mend it.
        """
        tags = {"dagster/asset_partition_range_start": span[0], "dagster/asset_partition_range_end": span[1]} if span else {}
        keys = [WAREHOUSE_KEY if name == "warehouse" else asset_key(self.folder.name, name) for name in assets]
        ops = {"__".join(key.path): {"config": dict(config)} for key in keys} if config else {}
        # The job that the UI launches too, so that history names assets and not an ephemeral job.
        job = self.definitions.resolve_implicit_global_asset_job_def()
        result = job.execute_in_process(
            asset_selection=keys,
            instance=self.instance,
            partition_key=partition,
            tags=tags,
            run_config={**_QUIET, "ops": ops},
            raise_on_error=False,
        )
        self._count(result)
        if not result.success:
            raise _error_of(result)

    @property
    def definitions(self) -> dg.Definitions:
        if self._definitions is None:
            resources = {"judge": JudgeResource(model=self.judge), "progress": self.progress}
            self._definitions = build_definitions(self.project, resources=resources)
        return self._definitions

    def _count(self, result: dg.ExecuteInProcessResult) -> None:
        for event in result.get_asset_materialization_events():
            materialization = event.step_materialization_data.materialization
            values = {key: value.value for key, value in materialization.metadata.items()}
            self.judged += int(values.get("judged", 0))  # type: ignore[arg-type]
            self.reused += int(values.get("reused", 0))  # type: ignore[arg-type]
            self.parsed += int(values.get("documents parsed", 0))  # type: ignore[arg-type]
            self.documents_reused += int(values.get("documents reused", 0))  # type: ignore[arg-type]
            self.new_runs += values.get("new") is True
            if "run" in values and materialization.partition:
                self.run_ids[str(materialization.partition).partition("|")[2]] = str(values["run"])


def _sequence(work: _Work, found: Found, versions: Sequence[Version], snapshot: Snapshot, evals: Sequence[str]) -> str | None:
    """All Dagster runs of an order, in order; returns why it is unfinished, if it is."""
    spans = _version_spans(work, versions)
    for first, last in spans:
        work.materialize(["spec_version"], span=(first, last))
    work.materialize(["corpus_snapshot", "evidence"], partition=snapshot.key)
    config = {"snapshots": [snapshot.key]}
    try:
        for first, last in spans:
            for start, end in _eval_spans(work, versions, evals):
                work.materialize(["verdicts"], span=(f"{start}|{first}", f"{end}|{last}"), config=config)
    except Incomplete as incomplete:
        return str(incomplete)
    if evals:
        return None
    for first, last in spans:
        work.materialize(["run"], span=(f"{snapshot.key}|{first}", f"{snapshot.key}|{last}"))
    if not work.new_runs and _is_current(work, found):
        return None
    if found.batches:
        keys = list(found.batches)
        work.materialize(["review_batch", "precision", "flip_diff"], span=(keys[0], keys[-1]))
    for first, last in spans:
        work.materialize(["version_diff"], span=(first, last))
    work.materialize(["warehouse"])
    return None


def _is_current(work: _Work, found: Found) -> bool:
    """Whether the warehouse was built after the last review file and what was computed from it."""
    tables = [work.folder.table_file(table, batch) for batch in found.batches for table in ("reviews", "precision", "flips")]
    database = work.project.database
    if not all(path.is_file() for path in [*tables, database]):
        return False
    built = database.stat().st_mtime_ns
    return all(path.stat().st_mtime_ns <= built for path in [*tables, *found.batches.values()])


def _version_spans(work: _Work, versions: Sequence[Version]) -> list[tuple[str, str]]:
    """The versions as ranges of registered keys; versions that do not follow each other there are ranges of their own."""
    registered = list(work.instance.get_dynamic_partitions(f"{work.folder.name}/versions"))
    places = sorted(registered.index(version.key) for version in versions)
    if places == list(range(places[0], places[-1] + 1)):
        return [(registered[places[0]], registered[places[-1]])]
    return [(registered[place], registered[place]) for place in places]


def _eval_spans(work: _Work, versions: Sequence[Version], evals: Sequence[str]) -> list[tuple[str, str]]:
    """Ranges of registered evals: one from the first to the last of the versions, or one for each that was named."""
    if evals:
        return [(eval_id, eval_id) for eval_id in evals]
    registered = list(work.instance.get_dynamic_partitions(f"{work.folder.name}/evals"))
    places = sorted(registered.index(eval_.id) for version in versions for eval_ in version.spec.evals)
    return [(registered[places[0]], registered[places[-1]])]


def _error_of(result: dg.ExecuteInProcessResult) -> RecordRoomError:
    """The error of the asset that failed, as it was raised; a bug keeps its traceback."""
    for event in result.all_events:
        if not event.is_step_failure:
            continue
        failure = event.step_failure_data
        if failure.user_failure_data is not None and failure.user_failure_data.description:
            return Incomplete(failure.user_failure_data.description)
        error = failure.error
        while error is not None and error.cause is not None:
            error = error.cause
        if error is not None and error.cls_name in _ERRORS:
            return _ERRORS[error.cls_name](error.message.partition(": ")[2].strip() or error.message)
        raise RuntimeError(f"{event.step_key} failed:\n{failure.error_display_string}")
    raise RuntimeError("a Dagster run failed before any step ran; see its log in the UI")
