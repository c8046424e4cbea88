"""amounts_grounded: every amount in the final message stands, as a value, in what the agent was given."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from recordroom_pipeline.evidence.model import Cell, Citation, Segment, Source
from recordroom_pipeline.evidence.numbers import Amount, read_number
from recordroom_pipeline.judging.computed.labels import amounts_in, is_usable
from recordroom_pipeline.judging.computed.params import ParamSpec, amount_kinds, flag, not_negative, words
from recordroom_pipeline.judging.computed.question import (
    Check,
    Question,
    cite,
    cite_cell,
    decided,
    listed,
    segments_by_id,
    turn_number,
    undecided,
)
from recordroom_pipeline.judging.missing import unreadable_reason
from recordroom_pipeline.judging.verdict import Finding, na

MAX_CELL = 40
"""Characters of a field of CSV that may be a number."""
_KIND = {"currency": "currency", "int": "number", "decimal": "number", "percent": "percent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One amount that the final message states."""

    amount: Amount
    written: str
    citations: tuple[Citation, ...]

    def is_near(self, value: Decimal, tolerance: Decimal) -> bool:
        """Whether a value is this amount as it is rounded here; the other side's rounding excuses nothing."""
        return abs(abs(self.amount.value) - value) <= (self.amount.half_unit or Decimal(0)) + tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One number in what the agent was given."""

    value: Decimal
    """Without its sign: a ledger's -2544 is what prose calls a refund of $2,544."""
    source: Source
    segment: Segment | None = None
    start: int = 0
    end: int = 0
    cell: Cell | None = None

    def citations(self) -> tuple[Citation, ...]:
        """The number where it stands."""
        if self.cell is not None:
            return cite_cell(self.source, segments_by_id(self.source), self.cell)
        return cite(self.source, self.segment, self.start, self.end) if self.segment else ()


def _amounts_grounded(question: Question) -> Finding:
    values = question.values
    output = question.source("output")
    claims = tuple(_claims(output, values["kinds"], values["minimum"]))
    if not claims:
        cited = cite(output, output.segments[0], 0, len(output.segments[0].text)) if output.segments else ()
        return na("not_applicable", f"The final message states no amount of kind {listed(list(values['kinds']))}.", cited)
    sources = [source for source in question.sources(values["in"]) if source is not output]
    if not sources:
        raise question.nothing_found("There is nothing besides the final message to hold its amounts against.")
    grounds = sorted(
        (ground for source in sources for ground in _grounds(source, values["thoughts"] or ())), key=lambda ground: ground.value
    )
    placed = [(claim, _ground(claim, grounds, values["tolerance"], derived=values["derived"])) for claim in claims]
    loose = [claim for claim, found in placed if not found]
    if loose:
        _refuse_if_unread(question, values["in"], loose)
        told = listed([claim.written for claim in loose])
        why = f"Of {len(claims)} amounts in the final message {len(loose)} stand nowhere in what it rests on: {told}."
        return decided(False, why, [cited for claim in loose for cited in claim.citations])
    told = listed(list(dict.fromkeys(claim.written for claim in claims)))
    why = f"All {len(claims)} amounts in the final message stand in what it rests on: {told}."
    cited = tuple(
        c for claim, found in placed for c in (*claim.citations, *(d for ground in found for d in ground.citations()))
    )
    return decided(True, why, cited)


def _refuse_if_unread(question: Question, names: Sequence[str] | None, loose: Sequence[Claim]) -> None:
    """An amount may stand in what could not be read; then its absence elsewhere proves nothing."""
    given = question.evidence.sources if names is None else question.sources(names)
    if unread := [source for source in given if source.status != "ok"]:
        told = listed([claim.written for claim in loose])
        reasons = " ".join(unreadable_reason(source) for source in unread)
        why = f"{told} stands in nothing that could be read, and not everything could: {reasons}"
        raise undecided("insufficient_evidence", why, loose[0].citations)


def _claims(output: Source, kinds: Sequence[str], minimum: Decimal) -> Iterator[Claim]:
    for segment in output.segments:
        for amount in amounts_in(segment.text):
            if _KIND.get(amount.kind, "number") in kinds and abs(amount.value) >= minimum:
                cited = cite(output, segment, amount.start, amount.end)
                yield Claim(amount=amount, written=segment.text[amount.start : amount.end], citations=cited)


def _grounds(source: Source, thoughts: Sequence[str]) -> Iterator[Ground]:
    """Every number in a source; of a conversation not what the agent itself said, but what it passed to tools.

    Tools in ``thoughts`` only write down what the agent thinks, so their calls are its own words too.
    """
    own = {number for number, turn in enumerate(source.turns, start=1) if turn.tool in thoughts}
    said = {number for number, turn in enumerate(source.turns, start=1) if turn.role == "agent"}
    for segment in source.segments:
        if turn_number(segment) in (said if segment.kind == "message" else own):
            continue
        for amount in (*amounts_in(segment.text), *_between_commas(segment.text)):
            yield Ground(value=abs(amount.value), source=source, segment=segment, start=amount.start, end=amount.end)
    shown = segments_by_id(source)
    for cell in source.cells:
        if cell.number is not None and is_usable(cell.number) and cell.segment_id in shown:
            yield Ground(value=abs(cell.number), source=source, cell=cell)


def _between_commas(text: str) -> Iterator[Amount]:
    """Numbers of a row of CSV in a tool's result, where ``7,120,5000`` is three numbers and no 7,120."""
    start = 0
    for part in text.split(","):
        amount = read_number(part) if len(part) < MAX_CELL else None
        if amount is not None and is_usable(amount.value):
            yield replace(amount, start=start + amount.start, end=start + amount.end)
        start += len(part) + 1


def _ground(claim: Claim, grounds: Sequence[Ground], tolerance: Decimal, *, derived: bool) -> tuple[Ground, ...]:
    """The nearest number that this amount rests on, or two whose sum or difference it is; none where it rests on nothing."""
    values = [ground.value for ground in grounds]
    amount = abs(claim.amount.value)
    if (found := _nearest(amount, values)) is not None and claim.is_near(values[found], tolerance):
        return (grounds[found],)
    if not derived:
        return ()
    unique = [index for index, value in enumerate(values) if index == 0 or value != values[index - 1]]
    kept = [values[index] for index in unique]
    for index in unique:
        # x = a + b, or x = a - b
        for wanted in (amount - values[index], values[index] - amount):
            other = _nearest(wanted, kept)
            if other is not None and abs(kept[other] - wanted) <= (claim.amount.half_unit or Decimal(0)) + tolerance:
                return grounds[index], grounds[unique[other]]
    return ()


def _nearest(value: Decimal, ordered: Sequence[Decimal]) -> int | None:
    at = bisect_left(ordered, value)
    near = [index for index in (at - 1, at) if 0 <= index < len(ordered)]
    return min(near, key=lambda index: abs(ordered[index] - value)) if near else None


AMOUNTS_GROUNDED = Check(
    name="amounts_grounded",
    meaning="Every amount in the final message stands, as a value, in what the agent was given.",
    params=(
        ParamSpec(name="in", read=words),
        ParamSpec(name="thoughts", read=words),
        ParamSpec(name="minimum", read=not_negative, default=0),
        ParamSpec(name="tolerance", read=not_negative, default=0),
        ParamSpec(name="kinds", read=amount_kinds, default=["currency"]),
        ParamSpec(name="derived", read=flag, default=False),
    ),
    run=_amounts_grounded,
)
