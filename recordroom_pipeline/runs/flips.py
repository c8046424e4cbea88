"""Which verdicts differ between two runs: paired by output and eval id, never by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recordroom_pipeline.runs.model import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One verdict that changed."""

    before: Result
    after: Result

    @property
    def output(self) -> str:
        return self.before.output

    @property
    def eval(self) -> str:
        return self.before.eval


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipSet:
    """The flips from one run to another, and what could not be compared."""

    flips: tuple[Flip, ...]
    compared: int
    """Pairs judged in both runs."""
    unjudged: int
    """Pairs in both runs of which one is `not_judgeable`: no verdict on the work, hence never a flip."""
    only_before: int
    only_after: int

    @property
    def rate(self) -> float | None:
        """Flips as a share of what was compared; None where nothing was."""
        return len(self.flips) / self.compared if self.compared else None


def find_flips(before: Sequence[Result], after: Sequence[Result]) -> FlipSet:
    """Every changed verdict, in order of eval and output."""
    old = {(result.output, result.eval): result for result in before}
    new = {(result.output, result.eval): result for result in after}
    both = sorted(old.keys() & new.keys(), key=lambda pair: (pair[1], pair[0]))
    judged = [pair for pair in both if _judged(old[pair]) and _judged(new[pair])]
    changed = [pair for pair in judged if old[pair].finding.verdict != new[pair].finding.verdict]
    return FlipSet(
        flips=tuple(Flip(before=old[pair], after=new[pair]) for pair in changed),
        compared=len(judged),
        unjudged=len(both) - len(judged),
        only_before=len(old.keys() - new.keys()),
        only_after=len(new.keys() - old.keys()),
    )


def _judged(result: Result) -> bool:
    return result.finding.na_reason != "not_judgeable"
