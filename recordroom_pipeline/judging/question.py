"""One output × one eval, with exactly what may decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from recordroom_pipeline.canonical import content_hash
from recordroom_pipeline.evidence.model import Evidence
from recordroom_pipeline.spec.model import Eval, Example

MAX_PRECEDENTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """A pinned example as a judge sees it: no output id, no reviewer."""

    verdict: str
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about one output. The ids are for the caller and reach no judge."""

    task: str
    output: str
    eval: Eval
    params: Mapping[str, Any]
    """Values of the computed check's parameters, after overrides."""
    evidence: Evidence
    evidence_sha256: str
    """Hash of exactly what is shown."""
    precedents: tuple[Precedent, ...] = ()


def choose_precedents(eval_: Eval, output: str, *, same_task: frozenset[str] = frozenset()) -> tuple[Precedent, ...]:
    """At most eight examples, newest first, verdicts alternating; never one of the output itself or of its task."""
    fit = [example for example in eval_.examples if example.output != output and example.output not in same_task]
    newest = sorted(fit, key=lambda example: example.on, reverse=True)
    chosen = _alternating(newest)[:MAX_PRECEDENTS]
    return tuple(Precedent(verdict=example.verdict, note=example.note) for example in chosen)


def _alternating(examples: Sequence[Example]) -> list[Example]:
    by_verdict: dict[str, list[Example]] = {}
    for example in examples:
        by_verdict.setdefault(example.verdict, []).append(example)
    return [example for row in zip_longest(*by_verdict.values()) for example in row if example is not None]


def recording_match(question: Question) -> str:
    """Hash by which an authored answer is found again.

    Over the eval's deciding fields and the bytes of every source it reads; not over prompt wording, segments or parser, which
    will change while the answer stays right.
    """
    return content_hash(
        {
            "eval": question.eval.identity,
            "sources": {source.name: source.content_sha256 for source in question.evidence.sources},
            "missing": sorted(question.evidence.missing_names),
        }
    )
