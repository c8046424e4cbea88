"""Assembling a run once every output × eval has its verdict; the work of the `run` asset, without dagster."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recordroom_pipeline.errors import Incomplete
from recordroom_pipeline.evidence.parse import PARSER_VERSION
from recordroom_pipeline.judges.runner import question_key
from recordroom_pipeline.judging.decision import Decision, Judge
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.orchestration.judging import cache_for, load_sources, plan_questions
from recordroom_pipeline.runs.assemble import instruments_of, params_of, results_of
from recordroom_pipeline.runs.model import Run, run_content_hash, run_document, run_id, totals_of
from recordroom_pipeline.store.atomic import create, create_same
from recordroom_pipeline.store.files import SpecFolder, json_bytes
from recordroom_pipeline.store.parquet import write_table
from recordroom_pipeline.store.run_rows import citation_rows, run_row, verdict_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """A run that stands, and whether it is new."""

    run: Run
    path: str
    is_new: bool

    def metadata(self) -> dict[str, Any]:
        """What the UI shows."""
        return {
            "run": self.run.id,
            "new": self.is_new,
            "path": self.path,
            **totals_of(self.run.results),
            "unjudged": sum(result.finding.na_reason == "not_judgeable" for result in self.run.results),
            "judge": str(self.run.instruments["judge"].get("model")),
        }


def finish_run(
    folder: SpecFolder, version_key: str, snapshot_key: str, judge: Judge, *, rejudge: str | None = None
) -> RunOutcome:
    """Assemble run.json and its rows; the same content under an existing run is that run.

    Raises:
        Incomplete: naming the launch to make, when a verdict is missing.
    """
    run = _assemble(folder, version_key, snapshot_key, judge)
    run, is_new = _claim(folder, run, rejudge)
    path = folder.runs / f"{run.id}.json"
    create_same(path, json_bytes(run_document(run)))
    shown = folder.project.shown(path)
    write_table(folder.table_file("verdicts", run.id), "verdicts", verdict_rows(run))
    write_table(folder.table_file("citations", run.id), "citations", citation_rows(run))
    write_table(folder.table_file("runs", run.id), "runs", [run_row(run, shown)])
    return RunOutcome(run=run, path=shown, is_new=is_new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Every output × eval of one version over one snapshot, and those of them that are decided."""

    questions: list[Question]
    keys: list[str]
    decisions: dict[str, Decision]

    def decided(self) -> list[tuple[Question, Decision]]:
        """Questions with their decisions; those that lack one are left out."""
        pairs = zip(self.questions, self.keys, strict=True)
        return [(question, self.decisions[key]) for question, key in pairs if key in self.decisions]

    def gaps(self) -> Counter[str]:
        """How many outputs of each eval lack a verdict."""
        pairs = zip(self.questions, self.keys, strict=True)
        return Counter(question.eval.id for question, key in pairs if key not in self.decisions)


def read_cells(folder: SpecFolder, version_key: str, snapshot_key: str, judge: Judge) -> Cells:
    """What is decided of a version over a snapshot, by this judge."""
    questions = plan_questions(folder.version(version_key), folder.snapshot(snapshot_key), load_sources(folder, snapshot_key))
    keys = [question_key(question, judge) for question in questions]
    return Cells(questions=questions, keys=keys, decisions=cache_for(folder, keys, questions).get(keys))


def _assemble(folder: SpecFolder, version_key: str, snapshot_key: str, judge: Judge) -> Run:
    version, snapshot = folder.version(version_key), folder.snapshot(snapshot_key)
    cells = read_cells(folder, version_key, snapshot_key, judge)
    _refuse_gaps(cells, version_key, snapshot_key)
    results = results_of(cells.questions, cells.keys, cells.decisions)
    return Run(
        spec=folder.name,
        spec_version=version.spec.version,
        spec_hash=version.hash,
        version_key=version_key,
        corpus_hash=snapshot.hash,
        corpus_key=snapshot_key,
        params=params_of(cells.questions),
        instruments=instruments_of(judge.instrument(), PARSER_VERSION, cells.questions, results),
        results=results,
    )


def _refuse_gaps(cells: Cells, version: str, snapshot: str) -> None:
    gaps = cells.gaps()
    if gaps:
        named = ", ".join(f"{eval_id} ({count})" for eval_id, count in gaps.items())
        raise Incomplete(
            f"{gaps.total()} verdicts of {version} over snapshot {snapshot} are missing: {named}; "
            f"materialize `verdicts` for spec_version {version} and all evals, with config snapshots: [{snapshot}]"
        )


def _claim(folder: SpecFolder, run: Run, rejudge: str | None) -> tuple[Run, bool]:
    """The run with its id and time: of two workers with the same content one makes the claim, and both write the same run.

    A crash after the claim leaves no half run: the next attempt writes the one that was claimed.
    """
    content = run_content_hash(run)
    created_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = content.removeprefix("sha256:") + (f"-{rejudge}" if rejudge else "")
    claim = folder.runs / ".claims" / f"{name}.json"
    is_new = create(claim, json_bytes({"id": _free_id(folder.runs, created_at, content), "created_at": created_at}))
    claimed = json.loads(claim.read_bytes())
    return replace(run, id=claimed["id"], created_at=claimed["created_at"]), is_new


def _free_id(runs: Path, created_at: str, content: str) -> str:
    """A run's id; two re-judges of one content within a second get different ones."""
    base = run_id(created_at, content)
    number, found = 1, base
    while (runs / f"{found}.json").exists():
        number += 1
        found = f"{base}-{number}"
    return found
