"""What needs no judge: arithmetic, and evidence that was never provided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.judging.computed import COMPUTED_VERSION, decide
from recordroom_pipeline.judging.decision import Decision, verdict_key
from recordroom_pipeline.judging.missing import missing_source_finding
from recordroom_pipeline.judging.question import Question


def computed_instrument(question: Question) -> Mapping[str, Any] | None:
    """The instrument of a question that needs no judge; None for one that does."""
    if question.eval.check is not None:
        return {"origin": "computed", "check": question.eval.check, "version": COMPUTED_VERSION}
    if missing_source_finding(question.eval, question.evidence) is not None:
        return {"origin": "computed", "check": "missing-source", "version": COMPUTED_VERSION}
    return None


def settle(question: Question) -> Decision | None:
    """The decision of a computed check or of the missing-source rule; None where a judge must answer."""
    instrument = computed_instrument(question)
    if instrument is None:
        return None
    if question.eval.check is not None:
        finding = decide(question.eval, question.params, question.evidence)
    else:
        missing = missing_source_finding(question.eval, question.evidence)
        assert missing is not None
        finding = missing
    return Decision(key=verdict_key(question, instrument), finding=finding, origin="computed")
