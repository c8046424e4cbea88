"""Authored answers get the hash of the question they answer, once, when they are written."""

from __future__ import annotations

import json
from typing import Any

from recordroom_pipeline.errors import Problem, ProblemsFound
from recordroom_pipeline.judging.question import recording_match
from recordroom_pipeline.orchestration.judging import load_sources, plan_questions
from recordroom_pipeline.orchestration.register import find_all
from recordroom_pipeline.store.atomic import write_bytes
from recordroom_pipeline.store.files import SpecFolder


def stamp_recordings(folder: SpecFolder) -> list[str]:
    """Fill every `match` that is null; one line a file on what was done.

    Raises:
        ProblemsFound: for answers whose output, eval or version does not exist.
    """
    matches = _matches(folder)
    lines = []
    for path in sorted(folder.recordings.glob("*.jsonl")):
        stamped, rows = 0, [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        problems = []
        for number, row in enumerate(rows, start=1):
            if row.get("kind") == "recording" or row.get("match") is not None:
                continue
            match = matches.get((row.get("version"), row.get("eval"), row.get("output")))
            if match is None:
                message = f"no question {row.get('eval')} about {row.get('output')} in version {row.get('version')}"
                remedy = "name an eval, an output and a version that exist"
                problems.append(
                    Problem(path=folder.project.shown(path), line=number, code="RR246", message=message, remedy=remedy)
                )
            row["match"], stamped = match, stamped + 1
        if problems:
            raise ProblemsFound(problems)
        write_bytes(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())
        lines.append(f"{folder.project.shown(path)}: {stamped} stamped, {len(rows) - stamped - 1} left as they were")
    return lines


def _matches(folder: SpecFolder) -> dict[tuple[Any, Any, Any], str]:
    found = find_all(folder)
    snapshot = folder.keep_snapshot()
    sources = load_sources(folder, snapshot.key)
    matches: dict[tuple[Any, Any, Any], str] = {}
    for version in found.versions:
        for question in plan_questions(version, snapshot, sources):
            match = recording_match(question)
            matches[version.spec.version, question.eval.id, question.output] = match
            if found.current is not None and version.key == found.current.key:
                matches[None, question.eval.id, question.output] = match
    return matches
