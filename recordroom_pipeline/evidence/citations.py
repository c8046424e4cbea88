"""Citations held against the evidence: "Evidence or it didn't happen".

A span must stand in the source it names, exactly or with white space, Unicode form, quotes, dashes and hyphenation folded.
What is stored is the text as it stands there. A span that runs over several segments becomes one citation a segment, and an
elided quote one citation a fragment, so that every stored span is a plain slice of one segment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from recordroom_pipeline.evidence.folded_text import Folded, fold_text, folded_pattern
from recordroom_pipeline.evidence.model import Anchor, Citation, Evidence, Source
from recordroom_pipeline.evidence.reads import Ambiguous, fold, resolve_read

MIN_CHARACTERS = 4
"""White space not counted. "A class 4 roof" would be proved by any 4."""

_ELISION = re.compile(r"\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})\s*")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_NUMBER = re.compile(r"\d[\d.,]*")

_SPOKEN = ("message", "tool_result")

Piece = tuple[Anchor, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A citation that does not stand, and what to say so that it is mended."""

    citation: Citation
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What stands and what does not, in the order given."""

    accepted: tuple[Citation, ...] = ()
    rejected: tuple[Rejected, ...] = ()


def find_span(span: str, source: Source) -> Piece | None:
    """Where a span stands, and the verbatim text there; of a span over several segments, the part in the first.

    None when it stands nowhere in this source or is shorter than `MIN_CHARACTERS` and no whole cell.
    """
    pieces = find_pieces(span, source)
    return pieces[0] if pieces else None


def find_pieces(span: str, source: Source) -> tuple[Piece, ...]:
    """Every part of a span, one a segment; empty when the span does not stand. Parts too short to cite alone are left out."""
    text = _SourceText.of(source)
    found = text.find(span)
    return text.pieces(found) if found else text.cell(span)


def verify(citation: Citation, evidence: Evidence) -> tuple[Citation, ...] | Rejected:
    """The citation as it stands in the evidence: one, or one for each segment or fragment; or why it does not stand."""
    return _Verifier(evidence).verify(citation)


def verify_all(citations: Iterable[Citation], evidence: Evidence) -> Verified:
    """Every citation verified; what is cited twice is kept once."""
    verifier = _Verifier(evidence)
    accepted: dict[Citation, None] = {}
    rejected: list[Rejected] = []
    for citation in citations:
        result = verifier.verify(citation)
        if isinstance(result, Rejected):
            rejected.append(result)
        else:
            accepted.update(dict.fromkeys(result))
    return Verified(accepted=tuple(accepted), rejected=tuple(rejected))


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    exact: bool


@dataclass(slots=True)
class _SourceText:
    """All segments of a source as one text, one a line, with the way back to each."""

    source: Source
    raw: str
    offsets: list[int]
    _folded: Folded | None = None

    @classmethod
    def of(cls, source: Source) -> _SourceText:
        offsets, at = [], 0
        for segment in source.segments:
            offsets.append(at)
            at += len(segment.text) + 1
        return cls(source, "\n".join(segment.text for segment in source.segments), offsets)

    @property
    def folded(self) -> Folded:
        if self._folded is None:
            self._folded = fold_text(self.raw)
        return self._folded

    def find(self, span: str, after: int = 0, *, whole_words: bool = True) -> _Place | None:
        """First place of a span at or after an offset; one between whole words goes before one inside a word."""
        if _size(span) < MIN_CHARACTERS:
            return None
        for places in (self._exact(span.strip(), after), self._normalised(span, after)):
            if (place := self._best(places) if whole_words else next(places, None)) is not None:
                return place
        return None

    def _best(self, places: Iterator[_Place]) -> _Place | None:
        first = None
        for place in places:
            first = first or place
            if not (_joins(self.raw, place.start) or _joins(self.raw, place.end)):
                return place
        return first

    def _exact(self, span: str, after: int) -> Iterator[_Place]:
        at = self.raw.find(span, after)
        while at >= 0:
            yield _Place(at, at + len(span), True)
            at = self.raw.find(span, at + 1)

    def _normalised(self, span: str, after: int) -> Iterator[_Place]:
        pattern = folded_pattern(span)
        if _size(pattern.pattern) == 0:
            return
        folded = self.folded
        for match in pattern.finditer(folded.text, bisect_right(folded.starts, after - 1)):
            if match[0] and folded.is_whole(match.start(), match.end()):
                yield _Place(folded.starts[match.start()], folded.ends[match.end() - 1], False)

    def pieces(self, place: _Place) -> tuple[Piece, ...]:
        first = bisect_right(self.offsets, place.start) - 1
        parts = []
        for index in range(first, len(self.offsets)):
            base, text = self.offsets[index], self.source.segments[index].text
            if base >= place.end:
                break
            start, end = max(place.start - base, 0), min(place.end - base, len(text))
            if _size(text[start:end]) >= MIN_CHARACTERS:
                parts.append(self._piece(index, start, end, place.exact))
        return tuple(parts)

    def _piece(self, index: int, start: int, end: int, exact: bool) -> Piece:
        segment = self.source.segments[index]
        text = segment.text[start:end]
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        anchor = Anchor(
            locator=f"{segment.locator}@{start}-{end}",
            segment_id=segment.segment_id,
            start=start,
            end=end,
            match="exact" if exact else "normalised",
        )
        return anchor, segment.text[start:end]

    def cell(self, span: str) -> tuple[Piece, ...]:
        """A span that is the whole of one cell, or of one line that somebody said, however short: a user's "Yes"."""
        wanted = span.strip()
        if not wanted:
            return ()
        for index, segment in enumerate(self.source.segments):
            if segment.kind in _SPOKEN and segment.text.strip() == wanted:
                return (self._piece(index, 0, len(segment.text), True),)
        return self._whole_cell(wanted)

    def _whole_cell(self, wanted: str) -> tuple[Piece, ...]:
        cells = [cell for cell in self.source.cells if cell.raw.strip() == wanted]
        indices = {segment.segment_id: index for index, segment in enumerate(self.source.segments)} if cells else {}
        for cell in cells:
            if (index := indices.get(cell.segment_id)) is None:
                continue
            segment = self.source.segments[index]
            start, end = cell.char_start - segment.char_start, cell.char_end - segment.char_start
            # A quoted CSV cell stands there with its quotes doubled.
            if 0 <= start < end and wanted in segment.text[start:end].replace('""', '"'):
                return (self._piece(index, start, end, wanted in segment.text[start:end]),)
        return ()


@dataclass(slots=True)
class _Verifier:
    evidence: Evidence
    texts: dict[str, _SourceText] = field(default_factory=dict)

    def verify(self, citation: Citation) -> tuple[Citation, ...] | Rejected:
        source = self._source(citation)
        if isinstance(source, Rejected):
            return source
        text = self._text(source)
        pieces = self._whole(citation.span, text) or self._elided(citation.span, text)
        if not pieces:
            return self._why_not(citation, text)
        return tuple(Citation(source=source.name, span=span, at=anchor) for anchor, span in pieces)

    def _text(self, source: Source) -> _SourceText:
        if source.name not in self.texts:
            self.texts[source.name] = _SourceText.of(source)
        return self.texts[source.name]

    def _source(self, citation: Citation) -> Source | Rejected:
        names = [source.name for source in self.evidence.sources]
        remedy = f"use one of these names in `from`: {', '.join(names) or '(there is none)'}"
        for name in _spellings(citation.source):
            try:
                resolved = resolve_read(name, names)
            except Ambiguous as ambiguous:
                return Rejected(citation=citation, reason=str(ambiguous), remedy=remedy)
            if resolved is not None and (source := self.evidence.source(resolved)) is not None:
                return source
        if any(fold(name) in self.evidence.missing_names for name in _spellings(citation.source)):
            return Rejected(citation=citation, reason=f"'{citation.source}' was not provided for this task", remedy=remedy)
        return Rejected(citation=citation, reason=f"no source here is called '{citation.source}'", remedy=remedy)

    def _whole(self, span: str, text: _SourceText) -> tuple[Piece, ...]:
        place = text.find(span)
        return text.pieces(place) if place else text.cell(span)

    def _elided(self, span: str, text: _SourceText) -> tuple[Piece, ...]:
        """Each fragment of an elided quote, in order; nothing unless all of them stand."""
        fragments = _fragments(span)
        if not _ELISION.search(span):
            return ()
        return self._in_order(fragments, text, whole_words=True) or self._in_order(fragments, text, whole_words=False)

    def _in_order(self, fragments: list[str], text: _SourceText, *, whole_words: bool) -> tuple[Piece, ...]:
        pieces: list[Piece] = []
        after = 0
        for fragment in fragments:
            place = text.find(fragment, after, whole_words=whole_words)
            if place is None:
                return ()
            pieces.extend(text.pieces(place))
            after = place.end
        return tuple(pieces)

    def _why_not(self, citation: Citation, text: _SourceText) -> Rejected:
        span, name = citation.span, text.source.name
        if _size(span) < MIN_CHARACTERS:
            reason = f"the span {span!r} is shorter than {MIN_CHARACTERS} characters and no whole cell of '{name}'"
            return Rejected(citation=citation, reason=reason, remedy="quote the words around it as well")
        for other in self.evidence.sources:
            if other is not text.source and self._whole(span, self._text(other)):
                reason = f"the span does not stand in '{name}' but in '{other.name}'"
                return Rejected(citation=citation, reason=reason, remedy=f"write `{other.name}` in `from`")
        fragments = _fragments(span)
        if len(fragments) > 1 and all(self._whole(part, text) for part in fragments):
            reason = f"the fragments of the elided quote do not stand in this order in '{name}'"
            return Rejected(citation=citation, reason=reason, remedy="cite each fragment by itself")
        absent = [number for number in _NUMBER.findall(span) if number.rstrip(".,") not in text.raw]
        detail = f"; {', '.join(absent)} occurs nowhere in it" if absent else ""
        reason = f"the span does not stand in '{name}'{detail}"
        return Rejected(citation=citation, reason=reason, remedy="copy the words character by character, from one place")


def _spellings(name: str) -> Iterator[str]:
    """A source's name as people and models write it: with a file's suffix, a locator, in quotes."""
    bare = name.strip().strip("`'\"")
    yield bare
    stem = bare.split("#", 1)[0]
    yield stem
    yield _SUFFIX.sub("", stem)


def _fragments(span: str) -> list[str]:
    return [part for part in _ELISION.split(span) if part.strip()]


def _size(text: str) -> int:
    return sum(not char.isspace() for char in text)


def _joins(text: str, at: int) -> bool:
    """Whether a cut here would go through a word or a number."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isalnum() and right.isalnum():
        return True
    return (left in ".," and right.isdigit() and text[at - 2 : at - 1].isdigit()) or (
        right in ".," and left.isdigit() and text[at + 1 : at + 2].isdigit()
    )
