"""Judging a version's evals over snapshots; the work of the `verdicts` asset, without dagster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordroom_pipeline.errors import NotFound
from recordroom_pipeline.judges.runner import judge_questions, question_key
from recordroom_pipeline.judging.decision import Decision, Judge, Usage
from recordroom_pipeline.orchestration.judging import cache_for, load_sources, plan_questions
from recordroom_pipeline.store.files import Snapshot, SpecFolder


@dataclass(slots=True)
class JudgedCells:
    """What judging some evals of one version did."""

    version: str
    snapshots: list[str]
    by_eval: dict[str, list[Decision]] = field(default_factory=dict)
    """Decisions of each eval, over all snapshots; absent where the version lacks the eval."""
    judged: Counter[str] = field(default_factory=Counter)
    """Verdicts decided now, by eval."""
    reused: Counter[str] = field(default_factory=Counter)
    """Verdicts that were decided before, by eval."""
    lacking: Counter[str] = field(default_factory=Counter)
    """Outputs that an outage left without a verdict, by eval."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def missing(self) -> int:
        """Output × eval pairs without a verdict."""
        return self.lacking.total()

    def complete(self, eval_ids: Sequence[str]) -> list[str]:
        """The evals that lack no verdict, those that this version does not have among them."""
        return [eval_id for eval_id in eval_ids if not self.lacking[eval_id]]

    def metadata(self, eval_id: str) -> dict[str, Any]:
        """What the UI shows for one eval."""
        if eval_id not in self.by_eval:
            return {"cell": "absent: this version has no such eval", "verdicts": 0}
        decisions = self.by_eval[eval_id]
        labels: Counter[str] = Counter(decision.finding.na_reason or decision.finding.verdict for decision in decisions)
        usage = sum((decision.usage for decision in decisions), Usage())
        return {
            "verdicts": len(decisions),
            "judged": self.judged[eval_id],
            "reused": self.reused[eval_id],
            **labels,
            "origins": dict(Counter(decision.origin for decision in decisions)),
            "snapshots": self.snapshots,
            "usd": usage.usd or 0.0,
        }

    def unfinished(self) -> str:
        """Why judging could not finish, in words for a person."""
        why = "; ".join(reason for reason, _ in self.reasons.most_common(3))
        return f"{self.missing} verdicts of {self.version} are missing; what is done is kept, run again to go on. {why}"


def judge_cells(
    folder: SpecFolder,
    version_key: str,
    eval_ids: Sequence[str],
    snapshots: Sequence[str],
    judge: Judge,
    progress: Callable[[int, int], None] | None = None,
) -> JudgedCells:
    """Judge some evals of one version over the outputs of snapshots; `JudgedCells.lacking` counts what an outage left."""
    version = folder.version(version_key)
    chosen = choose_snapshots(folder, snapshots)
    present = [eval_.id for eval_ in version.spec.evals if eval_.id in eval_ids]
    done = JudgedCells(
        version=version_key,
        snapshots=[snapshot.key for snapshot in chosen],
        by_eval={eval_id: [] for eval_id in present},
    )
    for snapshot in chosen:
        questions = plan_questions(version, snapshot, load_sources(folder, snapshot.key), evals=eval_ids)
        keys = [question_key(question, judge) for question in questions]
        asked = dict(zip(keys, questions, strict=True))
        judged = judge_questions(asked, judge, cache_for(folder, keys, questions), progress=progress)
        for key, question in zip(keys, questions, strict=True):
            if key in judged.decisions:
                (done.reused if key in judged.kept else done.judged)[question.eval.id] += 1
                done.by_eval[question.eval.id].append(judged.decisions[key])
            else:
                done.lacking[question.eval.id] += 1
        done.reasons.update(str(outage) for outage in judged.outages)
    return done


def choose_snapshots(folder: SpecFolder, names: Sequence[str]) -> list[Snapshot]:
    """The snapshots that were asked for: `current`, `all`, or keys."""
    if list(names) == ["current"]:
        return [folder.keep_snapshot()]
    keys = list(folder.snapshot_keys()) if list(names) == ["all"] else list(names)
    if not keys:
        raise NotFound(f"{folder.name} has no corpus snapshot yet; run `recordroom sync`")
    return [folder.snapshot(key) for key in keys]
