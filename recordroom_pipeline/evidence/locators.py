"""Where a segment stands, as text: ``schedule.csv#r12``, ``inspection.pdf#p2:L14``, ``turns#turn3:L2``."""

from __future__ import annotations

import re

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.evidence.model import Segment, View

_RESERVED = re.compile(r"[%#@\x00-\x1f\x7f]")
_LINE_END = re.compile(r"\r\n|\n|\r")


def locator(file: str, fragment: str) -> str:
    """A file and a place in it; what the grammar needs for itself is percent-encoded in the name.

    >>> locator("cover #2.md", "L3")
    'cover %232.md#L3'
    """
    return f"{_RESERVED.sub(lambda match: f'%{ord(match[0]):02X}', file)}#{fragment}"


def lines_of(text: str) -> list[tuple[int, int]]:
    """Start and end of each line, its line end excluded. Lines end as editors count them: CRLF, LF or CR, nothing else.

    >>> lines_of("a\\r\\nb")
    [(0, 1), (3, 4)]
    """
    spans, start = [], 0
    for match in _LINE_END.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(text))]


def make_segment(
    doc_id: str,
    text: str,
    span: tuple[int, int],
    *,
    ordinal: int,
    view: View,
    kind: str,
    locator: str,
    page: int | None = None,
    lines: tuple[int, int] | None = None,
    row: int | None = None,
    heading_path: tuple[str, ...] = (),
    shown: bool = True,
    hidden: bool = False,
    flags: tuple[str, ...] = (),
) -> Segment:
    """The segment of a span of a view's text; its id is made of document, view, place and words."""
    words = text[span[0] : span[1]]
    return Segment(
        segment_id=sha256_hex(f"{doc_id}|{view}|{locator}|{words}".encode("utf-8", "surrogatepass"))[:16],
        ordinal=ordinal,
        view=view,
        kind=kind,
        locator=locator,
        text=words,
        char_start=span[0],
        char_end=span[1],
        page=page,
        line_start=lines[0] if lines else None,
        line_end=lines[1] if lines else None,
        row=row,
        heading_path=heading_path,
        shown=shown,
        hidden=hidden,
        flags=flags,
    )
