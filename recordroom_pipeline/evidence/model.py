"""Documents, segments, cells, and the sources made of them.

Offsets are half-open and count Unicode code points, so Python slices, polars ``str.slice`` and DuckDB ``substring`` agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from recordroom_pipeline.corpus.model import Turn

Status = Literal["ok", "partial", "no_text_layer", "encrypted", "unreadable", "unsupported", "too_large", "timeout", "error"]
SourceKind = Literal["material", "instruction", "turns", "output", "tools"]
View = Literal["source", "flow", "layout", "form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One citable piece of a document or trajectory."""

    segment_id: str
    """16 hex of sha256 over (doc_id, view, locator, text)."""
    ordinal: int
    """Position in reading order within the document, from 0, over all views."""
    view: View
    kind: str
    """heading, paragraph, list_item, code, table_header, table_row, page_line, csv_header, csv_row, message, tool_call, …"""
    locator: str
    """Where it stands, such as ``schedule.csv#r12`` or ``inspection.pdf#p2:L14``; unique in (material, view)."""
    text: str
    """Verbatim."""
    char_start: int
    char_end: int
    """Offsets in the canonical text of this view: ``text_of(view)[char_start:char_end] == text``."""
    page: int | None = None
    line_start: int | None = None
    line_end: int | None = None
    row: int | None = None
    """CSV data record or table row, 1-based."""
    heading_path: tuple[str, ...] = ()
    shown: bool = True
    """Whether a judge reads it: one view a page, nothing hidden."""
    hidden: bool = False
    """Present in the file, invisible to a person: HTML comments, white or zero-size text."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table, with its number beside its raw text."""

    segment_id: str
    row: int
    """1-based data row; 0 is the header."""
    col_index: int
    col_name: str
    """Header text as written; empty where there is none."""
    col_key: str
    """``col_name`` made unique: ``TIV``, ``TIV~2``; ``c5`` where blank."""
    raw: str
    char_start: int
    char_end: int
    """Offsets in the same canonical text as the segment's."""
    number: Decimal | None = None
    number_kind: Literal["int", "decimal", "currency", "percent"] | None = None
    currency: str | None = None
    half_unit: Decimal | None = None
    """Half of the last place written: 50000 for ``48.2M``."""
    is_total: bool = False
    """The row is a total of the rows above, not a record."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """How one file was read."""

    doc_id: str
    """sha256 hex of its bytes."""
    media_type: str
    parser: str
    parser_version: str
    parse_key: str
    """Cache key: bytes, parser, engine versions and configuration; never path or time."""
    status: Status
    reason: str | None = None
    """Why the status is not ``ok``, in words for a person."""
    size: int
    encoding: str | None = None
    encoding_source: str | None = None
    delimiter: str | None = None
    header_row: int | None = None
    preamble_rows: int | None = None
    n_pages: int | None = None
    n_chars: int = 0
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """One document with its segments and cells."""

    document: Document
    segments: tuple[Segment, ...] = ()
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something an eval's `reads` may name, for one output."""

    name: str
    """Canonical: a material's name, ``instruction``, ``turns``, ``output`` or ``tools``."""
    kind: SourceKind
    content_sha256: str
    """Hex digest of what it was made of (a file's bytes; canonical JSON of turns); not of how it was parsed."""
    segments: tuple[Segment, ...]
    """Only what a judge may read, in reading order."""
    cells: tuple[Cell, ...] = ()
    turns: tuple[Turn, ...] = ()
    """Given for ``turns``, so that order and arguments of tool calls can be computed on."""
    status: Status = "ok"
    reason: str | None = None
    shown_sha256: str = ""
    """Digest of exactly what is shown, locators and words; empty until `sources.sealed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Exactly what one eval may see of one output: the sources that its `reads` names, in that order."""

    sources: tuple[Source, ...]
    missing: tuple[str, ...] = ()
    """Reads, as written, that this task has nothing for."""
    missing_names: tuple[str, ...] = field(default=())
    """The same, folded (``cover-sheet``)."""

    def source(self, name: str) -> Source | None:
        """The source of that canonical name, if it may be read."""
        return next((source for source in self.sources if source.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Where a cited span was found."""

    locator: str
    """As in the segment, with ``@start-end`` inside it."""
    segment_id: str
    start: int
    end: int
    """Half-open, in code points of the segment's text."""
    match: Literal["exact", "normalised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A verbatim span of evidence. JSON calls ``source`` ``from``."""

    source: str
    """Canonical source name."""
    span: str
    at: Anchor | None = None
