"""What is decided without a model when evidence is missing or cannot be read.

A document that was not provided and one that was provided but cannot be read are two things: the first may make an eval not
applicable, if its na-when names that document; the second never does.
"""

from __future__ import annotations

from collections.abc import Sequence

from recordroom_pipeline.evidence.model import Evidence, Source
from recordroom_pipeline.evidence.reads import fold
from recordroom_pipeline.judging.verdict import Finding, na
from recordroom_pipeline.spec.model import Eval

READABLE = ("ok", "partial")


def missing_source_finding(eval_: Eval, evidence: Evidence) -> Finding | None:
    """The verdict that needs no judge because nothing that `reads` names can be read; None as soon as one source can."""
    if not evidence.missing and not evidence.sources:
        return na("insufficient_evidence", "This eval reads nothing of this task.")
    if any(is_readable(source) for source in evidence.sources):
        return None
    named = [name for name in evidence.missing if na_when_names(eval_, name)]
    if named or not evidence.sources:
        return missing_finding(eval_, named or evidence.missing)
    reasons = [unreadable_reason(source) for source in evidence.sources]
    absent = [missing_finding(eval_, evidence.missing).why] if evidence.missing else []
    return na("insufficient_evidence", " ".join([*absent, *reasons]))


def missing_finding(eval_: Eval, names: Sequence[str]) -> Finding:
    """na for sources that this task has nothing for: not applicable where na-when names one of them."""
    listed = " and ".join(f"'{name}'" for name in names)
    said = f"{listed} {'was' if len(names) == 1 else 'were'} not provided for this task"
    if any(na_when_names(eval_, name) for name in names):
        return na("not_applicable", f"{said}, which na-when names.")
    return na("insufficient_evidence", f"{said}.")


def unreadable_finding(source: Source) -> Finding:
    """na for a source that is there and cannot be read."""
    return na("insufficient_evidence", unreadable_reason(source))


def unreadable_reason(source: Source) -> str:
    """Why a source that is there says nothing, as one sentence."""
    reason = (source.reason or source.status.replace("_", " ")).rstrip(".")
    state = "can be read only in part" if is_readable(source) else "cannot be read"
    return f"'{source.name}' was provided but {state}: {reason}."


def is_readable(source: Source) -> bool:
    """Whether the source was parsed at least in part."""
    return source.status in READABLE


def na_when_names(eval_: Eval, name: str) -> bool:
    """Whether every word of a source's name occurs in na-when, singular or plural.

    >>> from recordroom_pipeline.spec.model import Eval
    >>> rule = Eval(id="a", task_group="t", severity="minor", sentence="s", reads=(), fail_when="f",
    ...             na_when="there are no loss runs.")
    >>> na_when_names(rule, "loss run"), na_when_names(rule, "schedule")
    (True, False)
    """
    spoken = {_singular(word) for word in fold(eval_.na_when or "").split("-")}
    words = [_singular(word) for word in fold(name).split("-") if word]
    return bool(words) and spoken.issuperset(words)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
