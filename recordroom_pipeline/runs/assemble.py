"""From decided questions to a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recordroom_pipeline.judging.decision import Decision, Usage
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.runs.model import Result, run_params


def results_of(questions: Sequence[Question], keys: Sequence[str], decisions: Mapping[str, Decision]) -> tuple[Result, ...]:
    """One result for each question, in order."""
    return tuple(
        Result(
            task=question.task,
            output=question.output,
            eval=question.eval.id,
            severity=question.eval.severity,
            eval_identity=question.eval.identity,
            evidence_sha256=question.evidence_sha256,
            verdict_key=key,
            origin=decisions[key].origin,
            finding=decisions[key].finding,
            usage=decisions[key].usage,
        )
        for question, key in zip(questions, keys, strict=True)
    )


def params_of(questions: Sequence[Question]) -> dict[str, Any]:
    """`params` of a run: the value of every parameter of every computed check."""
    return run_params({question.eval.id: question.params for question in questions if question.params})


def instruments_of(
    judge: Mapping[str, Any], parser: str, questions: Sequence[Question], results: Sequence[Result]
) -> dict[str, Any]:
    """`instruments` of a run: who judged, what read the materials, who decided each eval, what it cost."""
    judged = {question.eval.id for question in questions if question.eval.check is None}
    by_eval = {question.eval.id: _origin(question.eval.id in judged, judge) for question in questions}
    usage = sum((result.usage for result in results), Usage())
    shown = {question.eval.id: len(question.precedents) for question in questions if question.precedents}
    return {
        "judge": dict(judge),
        "parser": {"version": parser},
        "by_eval": by_eval,
        "usage": {"calls": usage.calls, "tokens": usage.tokens_in + usage.tokens_out, "usd": usage.usd},
        **({"examples_shown": shown} if shown else {}),
    }


def _origin(is_judged: bool, judge: Mapping[str, Any]) -> str:
    if not is_judged:
        return "computed"
    if judge.get("origin") == "authored":
        return "authored"
    return "model" if judge.get("model") else "none"
