"""What `recordroom run` says at its end, read back from the tables that the assets wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from recordroom_pipeline.canonical import plain
from recordroom_pipeline.errors import Problem
from recordroom_pipeline.orchestration.reviews import run_pairs
from recordroom_pipeline.orchestration.runs import Cells
from recordroom_pipeline.spec.versions import is_draft
from recordroom_pipeline.store.files import Snapshot, SpecFolder, Version
from recordroom_pipeline.store.parquet import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """One eval's verdicts in one run."""

    LABELS: ClassVar[tuple[str, ...]] = ("pass", "fail", "not_applicable", "insufficient_evidence", "not_judgeable")
    eval: str
    severity: str
    by: str
    """Who decided: computed, authored, model or none."""
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionReport:
    """One version's run; ``run`` is None where only some evals were judged."""

    key: str
    draft: bool
    run: str | None
    missing: int
    """Output × eval pairs without a verdict; 0 where there is a run."""
    evals: tuple[EvalReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionReport:
    """One eval's precision under the newest version that has reviews of it."""

    eval: str
    version: str
    n: int
    precision: float | None
    low: float | None
    high: float | None
    agreement: float | None
    reviews: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipReport:
    """One verdict that changed."""

    eval: str
    output: str
    before: str
    after: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """The flips from one version to the next."""

    before: str
    after: str
    compared: int
    flips: tuple[FlipReport, ...]

    @property
    def marks(self) -> str:
        """``14 fixes, 2 breaks, 5 unreviewed``."""
        counts = Counter(flip.mark for flip in self.flips)
        return ", ".join(f"{counts[mark]} {mark}" for mark in ("fixes", "breaks", "disputed", "unreviewed") if counts[mark])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """What came of one order."""

    name: str
    corpus: str
    judge: Mapping[str, Any]
    documents_parsed: int
    documents_reused: int
    judged: int
    reused: int
    versions: tuple[VersionReport, ...]
    batch: str | None
    precision: tuple[PrecisionReport, ...]
    flips: tuple[DiffReport, ...]
    run_files: tuple[str, ...]
    warnings: tuple[Problem, ...]
    unfinished: str | None
    seconds: float

    @property
    def judge_line(self) -> str:
        """Who answers for evals that are not computed, in words."""
        if self.judge.get("origin") == "authored":
            people = "; ".join(f"{source['by']}, {source['on']}" for source in self.judge["recordings"])
            return f"recorded answers written by people ({people}); they say nothing of any model's accuracy"
        if self.judge.get("model"):
            return f"{self.judge['model']}, {self.judge['strategy']}"
        return "none configured: judged evals are na/not_judgeable; set RECORDROOM_JUDGE_MODEL or pass --judge MODEL"

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {"kind": "report", **plain(self), "marks": {diff.after: diff.marks for diff in self.flips}}


def describe_corpus(snapshot: Snapshot) -> str:
    """One line on a snapshot."""
    corpus = snapshot.corpus
    kind = {True: "synthesized", False: "real", None: "not declared as synthesized or real"}[corpus.synthesized]
    return f"snapshot {snapshot.key}: {len(corpus.tasks)} tasks, {len(corpus.outputs)} outputs ({kind})"


def read_version(version: Version, run: str | None, cells: Cells) -> VersionReport:
    """One version's verdicts by eval, as far as they are decided."""
    counts: dict[str, Counter[str]] = {}
    origins: dict[str, Counter[str]] = {}
    for question, decision in cells.decided():
        counts.setdefault(question.eval.id, Counter())[decision.finding.na_reason or decision.finding.verdict] += 1
        origins.setdefault(question.eval.id, Counter())[decision.origin] += 1
    evals = tuple(
        EvalReport(
            eval=eval_.id,
            severity=eval_.severity,
            by="computed" if eval_.check else _by(origins[eval_.id]),
            counts={label: counts[eval_.id][label] for label in EvalReport.LABELS},
        )
        for eval_ in version.spec.evals
        if eval_.id in counts
    )
    return VersionReport(key=version.key, draft=is_draft(version.key), run=run, missing=cells.gaps().total(), evals=evals)


def _by(origins: Counter[str]) -> str:
    """Who judged; rows settled by a missing source do not make a judged eval computed."""
    judged = [origin for origin, _ in origins.most_common() if origin != "computed"]
    return "+".join(sorted(judged)) or "computed"


def read_precision(folder: SpecFolder, batch: str | None, versions: Sequence[Version]) -> tuple[PrecisionReport, ...]:
    """For each eval, the newest of these versions under which reviews of it count."""
    path = folder.table_file("precision", batch) if batch else None
    if path is None or not path.is_file():
        return ()
    rows = [row for row in read_table([path], "precision").iter_rows(named=True) if row["verdict"] == "all"]
    by_place = {(row["version_key"], row["eval"]): row for row in rows}
    found = []
    for eval_id in dict.fromkeys(eval_.id for version in reversed(versions) for eval_ in version.spec.evals):
        mine = [row for version in reversed(versions) if (row := by_place.get((version.key, eval_id)))]
        row = next((row for row in mine if row["n_reviews"]), mine[0] if mine else None)
        if row is not None:
            found.append(_precision_report(row))
    return tuple(found)


def _precision_report(row: Mapping[str, Any]) -> PrecisionReport:
    return PrecisionReport(
        eval=row["eval"],
        version=row["version_key"],
        n=row["n"],
        precision=row["precision"],
        low=row["low"],
        high=row["high"],
        agreement=row["agreement"],
        reviews=row["n_reviews"],
    )


def read_flips(folder: SpecFolder, runs: Mapping[str, str]) -> tuple[DiffReport, ...]:
    """The flips between the runs of this report and those before them, as `version_diff` wrote them."""
    diffs = []
    for pair in run_pairs(folder):
        path = folder.kept("diffs", f"{pair.version_before}__{pair.version_after}.json")
        if pair.after not in runs.values() or not path.is_file():
            continue
        kept = {diff["corpus"]: diff["flips"] for diff in json.loads(path.read_bytes())}
        diffs.append(
            DiffReport(
                before=pair.version_before,
                after=pair.version_after,
                compared=_compared(folder, pair.before, pair.after),
                flips=tuple(_flip_report(flip) for flip in kept.get(pair.corpus, [])),
            )
        )
    return tuple(diffs)


def _flip_report(row: Mapping[str, Any]) -> FlipReport:
    return FlipReport(
        eval=row["eval"],
        output=row["output"],
        before=row["verdict_before"],
        after=row["verdict_after"],
        mark=row["mark"],
    )


def _compared(folder: SpecFolder, before: str, after: str) -> int:
    """Pairs of output and eval that both runs judged."""
    pairs = []
    for run in (before, after):
        rows = read_table([folder.table_file("verdicts", run)], "verdicts").select("output", "eval", "na_reason")
        pairs.append({(output, eval_id) for output, eval_id, reason in rows.iter_rows() if reason != "not_judgeable"})
    return len(pairs[0] & pairs[1])
