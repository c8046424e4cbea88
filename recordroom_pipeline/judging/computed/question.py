"""What a check works on: one eval's parameters and evidence, and the ways in which it may end undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from recordroom_pipeline.evidence.citations import MIN_CHARACTERS
from recordroom_pipeline.evidence.model import Anchor, Cell, Citation, Evidence, Segment, Source
from recordroom_pipeline.evidence.reads import Ambiguous, fold, resolve_read
from recordroom_pipeline.judging.computed.params import ParamSpec
from recordroom_pipeline.judging.missing import is_readable, missing_finding, unreadable_finding
from recordroom_pipeline.judging.verdict import Finding, NaReason, na
from recordroom_pipeline.spec.model import Eval

MAX_CITED = 40
"""A schedule of 4,000 rows is proved by its sum; the why says how many of its cells are cited."""

_SPOKEN_OF = {"output": "the final message", "turns": "the conversation", "tools": "the list of tools"}


class Undecided(Exception):
    """A check cannot decide; carries the na that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.why)
        self.finding = finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One eval asked of one output."""

    eval_: Eval
    values: Mapping[str, Any]
    """Every parameter of the check, read; None where it was left out and has no default."""
    evidence: Evidence

    def source(self, name: str) -> Source:
        """The readable source that a parameter names; otherwise undecided by the missing-source rule."""
        try:
            resolved = resolve_read(name, [source.name for source in self.evidence.sources])
        except Ambiguous as ambiguous:
            raise undecided("not_judgeable", f"{ambiguous}: the parameter must name one of them.") from None
        source = self.evidence.source(resolved) if resolved else None
        if source is None:
            raise Undecided(missing_finding(self.eval_, [self._as_read(name)]))
        if not is_readable(source):
            raise Undecided(unreadable_finding(source))
        return source

    def _as_read(self, name: str) -> str:
        """The read that this missing name belongs to, as `reads` writes it."""
        folded = fold(name)
        fitting = [read for read in self.evidence.missing if fold(read) == folded or fold(read).startswith(folded + "-")]
        return fitting[0] if len(fitting) == 1 else name

    def sources(self, names: Sequence[str] | None, *, but: Source | None = None) -> tuple[Source, ...]:
        """The named sources, or all readable ones of `reads` except one."""
        if names is not None:
            return tuple({source.name: source for source in map(self.source, names)}.values())
        return tuple(source for source in self.evidence.sources if source is not but and is_readable(source))

    def nothing_found(self, why: str) -> Undecided:
        """What was looked for everywhere is in no source: the missing and unreadable sources may be the reason."""
        if self.evidence.missing:
            missing = missing_finding(self.eval_, self.evidence.missing)
            return undecided(missing.na_reason or "insufficient_evidence", f"{why} {missing.why}")
        unreadable = [unreadable_finding(source).why for source in self.evidence.sources if not is_readable(source)]
        return undecided("insufficient_evidence", " ".join([why, *unreadable]))

    def duty(self) -> tuple[Citation, ...]:
        """What raised the duty that went unfulfilled: the instruction, else the user's first words, else the final message."""
        for pick in (_instruction, _first_user_turn, _final):
            for source in self.evidence.sources:
                for segment in pick(source):
                    if cited := cite(source, segment, 0, len(segment.text)):
                        return cited
        return ()


def undecided(reason: NaReason, why: str, citations: Iterable[Citation] = ()) -> Undecided:
    """An na to raise."""
    return Undecided(na(reason, why, tuple(citations)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One computed check of the registry."""

    name: str
    meaning: str
    """One line, as docs/checks.md and `recordroom check` print it."""
    params: tuple[ParamSpec, ...]
    run: Callable[[Question], Finding]
    faults: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda values: ()
    """What is wrong with the parameters together, each as a sentence that says what to write."""


def decided(holds: bool, why: str, citations: Iterable[Citation]) -> Finding:
    """pass or fail; na where nothing that was used can be cited, since evidence or it didn't happen."""
    cited = tuple(dict.fromkeys(citations))
    if not cited:
        return na("insufficient_evidence", f"{why} Nothing of it can be cited: each phrase is shorter than 4 characters.")
    if len(cited) > MAX_CITED:
        why = f"{why} The first {MAX_CITED} of {len(cited)} citations are kept."
    return Finding(verdict="pass" if holds else "fail", why=why, citations=cited[:MAX_CITED])


def cite(source: Source, segment: Segment, start: int, end: int) -> tuple[Citation, ...]:
    """A slice of a segment, widened by whole words until it is long enough; nothing when the whole segment is too short."""
    text = segment.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while _size(text[start:end]) < MIN_CHARACTERS and (start > 0 or end < len(text)):
        start = _word_before(text, start)
        end = _word_after(text, end)
    whole = _size(text[start:end]) > 0 and text.strip() == text[start:end] and segment.kind in ("message", "tool_result")
    if _size(text[start:end]) < MIN_CHARACTERS and not whole:
        return ()
    return (_citation(source, segment, start, end),)


def cite_cell(source: Source, segments: Mapping[str, Segment], cell: Cell) -> tuple[Citation, ...]:
    """One whole cell, however short, as it stands in its segment."""
    segment = segments.get(cell.segment_id)
    if segment is None:
        return ()
    start, end = cell.char_start - segment.char_start, cell.char_end - segment.char_start
    text = segment.text[max(start, 0) : max(end, 0)]
    at = text.find(cell.raw.strip())
    if start < 0 or not cell.raw.strip() or not text.strip():
        return ()
    if at >= 0:
        return (_citation(source, segment, start + at, start + at + len(cell.raw.strip())),)
    return cite(source, segment, start, end)


def _citation(source: Source, segment: Segment, start: int, end: int) -> Citation:
    while start < end and segment.text[start].isspace():
        start += 1
    while end > start and segment.text[end - 1].isspace():
        end -= 1
    anchor = Anchor(
        locator=f"{segment.locator}@{start}-{end}", segment_id=segment.segment_id, start=start, end=end, match="exact"
    )
    return Citation(source=source.name, span=segment.text[start:end], at=anchor)


def spoken(source: Source) -> str:
    """A source as a sentence names it."""
    return _SPOKEN_OF.get(source.name, f"the {source.name.replace('-', ' ').replace('_', ' ')}")


def figure(value: Decimal) -> str:
    """A number as people write it.

    >>> figure(Decimal("48200000.00")), figure(Decimal("0E+2")), figure(Decimal("1E+3"))
    ('48,200,000.00', '0', '1,000')
    """
    if value == 0:
        return "0"
    return f"{value:,f}"


def sentence(text: str) -> str:
    """Words with a capital letter before them."""
    return text[:1].upper() + text[1:]


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "call"), plural(0, "call")
    ('1 call', '0 calls')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(items: Sequence[str], most: int = 5) -> str:
    """A few of many, as words."""
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def segments_by_id(source: Source) -> dict[str, Segment]:
    """A source's segments by their id."""
    return {segment.segment_id: segment for segment in source.segments}


def _instruction(source: Source) -> tuple[Segment, ...]:
    return source.segments if source.kind == "instruction" else ()


def _first_user_turn(source: Source) -> tuple[Segment, ...]:
    if source.kind != "turns":
        return ()
    users = {number for number, turn in enumerate(source.turns, start=1) if turn.role == "user"}
    return tuple(segment for segment in source.segments if turn_number(segment) in users)


def _final(source: Source) -> tuple[Segment, ...]:
    return source.segments if source.kind == "output" else ()


def turn_number(segment: Segment) -> int | None:
    """The 1-based turn that a segment of the conversation belongs to, from its locator ``turns#turn3:…``."""
    _, found, rest = segment.locator.partition("#turn")
    digits = rest.split(":", 1)[0]
    return int(digits) if found and digits.isdecimal() else None


def _size(text: str) -> int:
    return sum(not char.isspace() for char in text)


def _word_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace():
        at -= 1
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at


def _word_after(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    while at < len(text) and not text[at].isspace():
        at += 1
    return at
