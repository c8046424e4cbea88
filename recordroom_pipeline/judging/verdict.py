"""The verdict: one label for one output × eval, with its reason and its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Spans are verified against evidence, so these two are evidence's; a verdict is where people look for them.
from recordroom_pipeline.evidence.model import Anchor as Anchor
from recordroom_pipeline.evidence.model import Citation as Citation

Label = Literal["pass", "fail", "na"]
NaReason = Literal["not_applicable", "insufficient_evidence", "not_judgeable"]
LABELS: tuple[Label, ...] = ("pass", "fail", "na")
NA_REASONS: tuple[NaReason, ...] = ("not_applicable", "insufficient_evidence", "not_judgeable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check or judge decided, before it is tied to an output and an eval."""

    verdict: Label
    na_reason: NaReason | None = None
    """Given exactly when the verdict is ``na``."""
    why: str
    citations: tuple[Citation, ...] = ()

    def __post_init__(self) -> None:
        if (self.verdict == "na") != (self.na_reason is not None):
            raise ValueError(f"na_reason {self.na_reason!r} does not go with verdict {self.verdict!r}")
        if not self.why.strip():
            raise ValueError("a verdict needs a why")
        if self.verdict in ("pass", "fail") and not self.citations:
            raise ValueError(f"a {self.verdict} needs at least one citation")


def na(reason: NaReason, why: str, citations: tuple[Citation, ...] = ()) -> Finding:
    """A named missing verdict: never null, never 0."""
    return Finding(verdict="na", na_reason=reason, why=why, citations=citations)
