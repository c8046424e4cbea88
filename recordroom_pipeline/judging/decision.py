"""What deciding a question yields, who may decide, and where decisions are kept: the protocols that edges implement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from recordroom_pipeline.canonical import content_hash
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.judging.verdict import Finding

CONTRACT_VERSION = "1"
"""Version of what a request shows and an answer must hold; part of every verdict's key."""
Origin = Literal["computed", "model", "authored", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What answering cost."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None
    """US dollars by the price table; None where it has no price."""

    def __add__(self, other: Usage) -> Usage:
        usd = None if self.usd is None and other.usd is None else (self.usd or 0) + (other.usd or 0)
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            usd=usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A finding with where it came from."""

    key: str
    """The verdict's key: the same key is the same verdict."""
    finding: Finding
    origin: Origin
    usage: Usage = Usage()
    judge_said: str | None = None
    """The instrument's raw answers, a line of dashes between attempts; None where nothing was asked."""


class Judge(Protocol):
    """Someone who answers questions."""

    def instrument(self) -> Mapping[str, Any]:
        """What run.json says of it under ``instruments.judge``."""
        ...

    def key_part(self, question: Question) -> Mapping[str, Any]:
        """Everything of the instrument that can change this answer."""
        ...

    async def decide(self, question: Question, key: str) -> Decision:
        """One decision.

        Raises:
            JudgeUnavailable: when the instrument does not work; an outage is never a verdict.
        """
        ...


class VerdictCache(Protocol):
    """Where decisions are kept by their key."""

    def get(self, keys: Iterable[str]) -> dict[str, Decision]:
        """The decisions that are kept, of these keys."""
        ...

    def put(self, decisions: Sequence[Decision]) -> None:
        """Keep decisions for good."""
        ...


def verdict_key(question: Question, instrument: Mapping[str, Any]) -> str:
    """Hash over everything that can change a verdict ("Content decides")."""
    return content_hash(
        {
            "contract": CONTRACT_VERSION,
            "eval": question.eval.identity,
            "params": question.params,
            "evidence": question.evidence_sha256,
            "instrument": instrument,
        }
    )
