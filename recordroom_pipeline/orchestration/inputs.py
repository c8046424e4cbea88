"""Rows of what comes in: versions, snapshots and evidence; the work of the input assets, without dagster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from recordroom_pipeline.corpus.hygiene import contaminated_outputs
from recordroom_pipeline.corpus.model import Material, Output, Task
from recordroom_pipeline.evidence.model import Cell, Parsed, Segment
from recordroom_pipeline.orchestration.judging import parse_snapshot
from recordroom_pipeline.spec.model import Eval
from recordroom_pipeline.spec.versions import is_draft
from recordroom_pipeline.store.files import SpecFolder, Version
from recordroom_pipeline.store.parquet import write_table


def write_version(folder: SpecFolder, key: str) -> dict[str, Any]:
    """Rows of `specs` and `evals` for one version; dist/spec.json when it is what SPEC.md says."""
    version = folder.version(key)
    spec = version.spec
    write_table(folder.table_file("specs", key), "specs", [_spec_row(version)])
    rows = [_eval_row(version, place, eval_) for place, eval_ in enumerate(spec.evals)]
    write_table(folder.table_file("evals", key), "evals", rows)
    current, _ = folder.check()
    if current == spec:
        folder.write_spec_json(spec)
    return {
        "version": spec.version,
        "hash": version.hash,
        "adopted": not is_draft(key),
        "evals": len(spec.evals),
        "computed evals": sum(eval_.check is not None for eval_ in spec.evals),
    }


def _spec_row(version: Version) -> dict[str, Any]:
    spec = version.spec
    return {
        "spec": spec.name,
        "version_key": version.key,
        "version": spec.version,
        "hash": version.hash,
        "adopted": not is_draft(version.key),
        "description": spec.description,
        "maintainers": list(spec.maintainers),
        "license": spec.license,
        "forked_from": spec.forked_from,
        "n_evals": len(spec.evals),
    }


def _eval_row(version: Version, place: int, eval_: Eval) -> dict[str, Any]:
    return {
        "spec": version.spec.name,
        "version_key": version.key,
        "eval": eval_.id,
        "place": place,
        "task_group": eval_.task_group,
        "severity": eval_.severity,
        "sentence": eval_.sentence,
        "reads": list(eval_.reads),
        "fail_when": eval_.fail_when,
        "na_when": eval_.na_when,
        "check": eval_.check,
        "identity": eval_.identity,
        "pinned": [example.output for example in eval_.examples],
    }


def write_snapshot(folder: SpecFolder, key: str) -> dict[str, Any]:
    """Rows of `outputs` for one snapshot."""
    snapshot = folder.snapshot(key)
    tasks = {task.id: task for task in snapshot.corpus.tasks}
    rows = [_output_row(folder.name, key, tasks[output.task], output) for output in snapshot.corpus.outputs]
    write_table(folder.table_file("outputs", key), "outputs", rows)
    spec, _ = folder.check()
    contaminated = contaminated_outputs(spec, snapshot.corpus) if spec else []
    synthesized = {True: "yes", False: "no", None: "not declared"}[snapshot.corpus.synthesized]
    return {
        "hash": snapshot.hash,
        "tasks": len(tasks),
        "outputs": len(rows),
        "synthesized": synthesized,
        "contaminated outputs": len(contaminated),
    }


def _output_row(spec: str, corpus: str, task: Task, output: Output) -> dict[str, Any]:
    return {
        "spec": spec,
        "corpus": corpus,
        "output": output.id,
        "task": task.id,
        "task_title": task.title,
        "agent": output.agent.id,
        "agent_kind": output.agent.kind,
        "agent_model": output.agent.model,
        "n_turns": len(output.turns),
        "n_tool_calls": sum(turn.tool is not None for turn in output.turns),
        "final": output.final,
        "sha256": output.sha256,
    }


def write_evidence(folder: SpecFolder, key: str, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Rows of `documents`, `segments` and `cells` for one snapshot; each file is parsed once for each parse key."""
    snapshot = folder.snapshot(key)
    materials, count = parse_snapshot(folder, snapshot, progress=progress)
    documents, readings = [], {}
    for task in snapshot.corpus.tasks:
        for material in task.materials:
            parsed = materials[task.id, material.file]
            documents.append(_document_row(folder.name, key, task, material, parsed))
            # A file that several tasks share under one name is one content, and its segments stand once.
            readings[parsed.document.doc_id, material.file] = parsed
    place = {"spec": folder.name, "corpus": key}
    segments = [
        {**place, "doc_id": doc, "file": file, **_segment_row(segment)}
        for (doc, file), parsed in readings.items()
        for segment in parsed.segments
    ]
    cells = [
        {**place, "doc_id": doc, "file": file, **_cell_row(cell)}
        for (doc, file), parsed in readings.items()
        for cell in parsed.cells
    ]
    write_table(folder.table_file("documents", key), "documents", documents)
    write_table(folder.table_file("segments", key), "segments", segments)
    write_table(folder.table_file("cells", key), "cells", cells)
    return {
        "documents": len(documents),
        "documents parsed": count.parsed,
        "documents reused": count.reused,
        "segments": len(segments),
        "cells": len(cells),
        "status": dict(Counter(row["status"] for row in documents)),
    }


def _document_row(spec: str, corpus: str, task: Task, material: Material, parsed: Parsed) -> dict[str, Any]:
    document = parsed.document
    return {
        "spec": spec,
        "corpus": corpus,
        "task": task.id,
        "source": material.name,
        "file": material.file,
        "doc_id": document.doc_id,
        "media_type": document.media_type,
        "parser": document.parser,
        "parser_version": document.parser_version,
        "parse_key": document.parse_key,
        "status": document.status,
        "reason": document.reason,
        "size": document.size,
        "encoding": document.encoding,
        "n_pages": document.n_pages,
        "n_chars": document.n_chars,
        "flags": list(document.flags),
    }


def _segment_row(segment: Segment) -> dict[str, Any]:
    names = (
        "segment_id", "ordinal", "view", "kind", "locator", "text", "char_start", "char_end", "page", "row", "shown", "hidden",
    )  # fmt: skip
    return {name: getattr(segment, name) for name in names}


def _cell_row(cell: Cell) -> dict[str, Any]:
    names = (
        "segment_id",
        "row",
        "col_index",
        "col_name",
        "col_key",
        "raw",
        "char_start",
        "char_end",
        "number_kind",
        "currency",
        "is_total",
    )
    number = cell.number
    # The column holds 30 digits before the point; a longer "number" is an identifier and stays text in `raw`.
    fits = number is not None and number.is_finite() and abs(number) < 10**30
    return {
        **{name: getattr(cell, name) for name in names},
        "number": round(number, 8) if fits and number is not None else None,
    }
