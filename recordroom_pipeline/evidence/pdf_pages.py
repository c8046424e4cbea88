"""PDF → lines by page, in two views: as the text flows, and as it is laid out.

Flow loses the rows of tables, layout mixes the columns of prose (measured: 0 against 90 of 90 rows of a schedule). Both are
kept; a page is shown in layout where it looks like a table, else in flow. Text of form fields stands in neither and is a view
of its own.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from recordroom_pipeline.evidence.csv_text import column_keys
from recordroom_pipeline.evidence.locators import lines_of, locator, make_segment
from recordroom_pipeline.evidence.model import Cell, Segment, Status, View
from recordroom_pipeline.evidence.numbers import is_total_label, read_number

MAX_PAGES = 2_000
MAX_PAGE_CHARS = 2_000_000
_GAP = re.compile(r"\S+(?: \S+)*")
_TABLE_SHARE = 0.25
_LOST_SHARE = 0.3
"""Layout that holds less than this share of the flow's characters has dropped turned text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfText:
    """What a file holds."""

    status: Status
    reason: str | None = None
    segments: tuple[Segment, ...] = ()
    cells: tuple[Cell, ...] = ()
    texts: dict[View, str] = field(default_factory=dict)
    n_pages: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class _Page:
    number: int
    flow: str = ""
    layout: str = ""
    error: str | None = None

    @property
    def is_table(self) -> bool:
        return len(self.layout) >= _LOST_SHARE * len(self.flow) and _table_share(self.layout) >= _TABLE_SHARE


def read_pdf(data: bytes, *, doc_id: str, file: str, password: str | None = None) -> PdfText:
    """Segments and cells of every page that can be read. Never raises for what a file holds; runs in a worker under limits."""
    from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError

    with _warnings() as warned:
        try:
            pages, fields, count = _read(data, password)
        except (WrongPasswordError, FileNotDecryptedError):
            return PdfText(status="encrypted", reason="the file is encrypted; set RECORDROOM_PDF_PASSWORD to its password")
        # A hostile file raises almost anything, RecursionError and MemoryError among it; each is a fact about the file.
        except (Exception, RecursionError, MemoryError) as error:
            if isinstance(error, DependencyError) and "crypt" in str(error).lower():
                return PdfText(status="encrypted", reason="the file is encrypted in a way that cannot be read here")
            return PdfText(status="unreadable", reason=_said(error))
    return _Builder(doc_id, file, pages, fields, count, tuple(warned)).build()


def _said(error: BaseException) -> str:
    words = str(error).strip().splitlines()
    return f"{type(error).__name__}: {words[0][:200]}" if words else type(error).__name__


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """pypdf says only in its log that it cut a page short; that must not stay unseen."""
    seen: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "skipped" in record.getMessage() and "truncated" not in seen:
                seen.append("truncated")

    logger, handler = logging.getLogger("pypdf"), Collect()
    logger.addHandler(handler)
    propagates, logger.propagate = logger.propagate, False
    try:
        yield seen
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


def _read(data: bytes, password: str | None) -> tuple[list[_Page], dict[str, str], int]:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data), password=password)
    count = len(reader.pages)
    turned = _turned_pages(data, password, reader)
    pages = [_page(reader, turned, number) for number in range(1, min(count, MAX_PAGES) + 1)]
    return pages, _fields(reader), count


def _turned_pages(data: bytes, password: str | None, reader: Any) -> Any:
    """A copy whose turned pages stand upright, for layout; None where no page is turned or it cannot be made."""
    from pypdf import PdfReader, PdfWriter

    try:
        if not any(page.rotation for page in reader.pages[:MAX_PAGES]):
            return None
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data), password=password))
        for page in writer.pages:
            page.transfer_rotation_to_content()
        return writer
    except Exception:  # Layout falls back to flow, page by page.
        return None


def _page(reader: Any, turned: Any, number: int) -> _Page:
    page = _Page(number)
    try:
        page.flow = reader.pages[number - 1].extract_text()[:MAX_PAGE_CHARS]
    except (Exception, RecursionError, MemoryError) as error:
        page.error = _said(error)
        return page
    try:
        source = turned if turned is not None else reader
        page.layout = source.pages[number - 1].extract_text(extraction_mode="layout")[:MAX_PAGE_CHARS]
    except (Exception, RecursionError, MemoryError):
        page.layout = ""  # The flow stands; the page is shown in it.
    return page


def _fields(reader: Any) -> dict[str, str]:
    try:
        found = reader.get_fields() or {}
    except (Exception, RecursionError):
        return {}
    values = {str(name): entry.get("/V") for name, entry in found.items()}
    return {name: str(value) for name, value in values.items() if value not in (None, "", "/Off")}


def _parts(line: str) -> list[tuple[str, int, int]]:
    """What two or more spaces keep apart, with its extent."""
    return [(match[0], match.start(), match.end()) for match in _GAP.finditer(line)]


def _is_row(line: str) -> bool:
    parts = _parts(line)
    return len(parts) >= 3 and sum(read_number(part) is not None for part, _, _ in parts) >= 2


def _table_share(layout: str) -> float:
    lines = [line for line in layout.splitlines() if line.strip()]
    return sum(map(_is_row, lines)) / len(lines) if lines else 0.0


@dataclass(slots=True)
class _Builder:
    doc_id: str
    file: str
    pages: list[_Page]
    fields: dict[str, str]
    count: int
    warned: tuple[str, ...]
    segments: list[Segment] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    row: int = 0

    def build(self) -> PdfText:
        texts: dict[View, str] = {
            "flow": "\f".join(page.flow for page in self.pages),
            "layout": "\f".join(page.layout for page in self.pages),
            "form": "\n".join(f"{name}: {value}" for name, value in self.fields.items()),
        }
        at: dict[View, int] = {"flow": 0, "layout": 0}
        for page in self.pages:
            for view, shown in (("flow", not page.is_table), ("layout", page.is_table)):
                text = page.flow if view == "flow" else page.layout
                self._lines(page, view, texts[view], at[view], len(text), shown)  # type: ignore[arg-type,index]
                at[view] += len(text) + 1  # type: ignore[index]
        self._form(texts["form"])
        return self._result(texts)

    def _lines(self, page: _Page, view: View, text: str, start: int, length: int, shown: bool) -> None:
        letter = "L" if view == "flow" else "T"
        header: list[tuple[str, int, int]] = []
        for number, (begin, end) in enumerate(lines_of(text[start : start + length]), start=1):
            line = text[start + begin : start + end]
            if not line.strip():
                continue
            is_row = view == "layout" and _is_row(line)
            lead = len(line) - len(line.lstrip())
            segment = make_segment(
                self.doc_id,
                text,
                (start + begin + lead, start + begin + len(line.rstrip())),
                ordinal=len(self.segments),
                view=view,
                kind="table_row" if is_row else "page_line",
                locator=locator(self.file, f"p{page.number}:{letter}{number}"),
                page=page.number,
                lines=(number, number),
                row=self._next_row() if is_row else None,
                shown=shown,
            )
            self.segments.append(segment)
            if is_row:
                self.cells += _row_cells(segment, line, start + begin, header)
            elif view == "layout" and len(_parts(line)) >= 2:
                header = _merged(header, _parts(line))

    def _next_row(self) -> int:
        self.row += 1
        return self.row

    def _form(self, text: str) -> None:
        for (name, _), (begin, end) in zip(self.fields.items(), _spans(self.fields), strict=True):
            self.segments.append(
                make_segment(
                    self.doc_id,
                    text,
                    (begin, end),
                    ordinal=len(self.segments),
                    view="form",
                    kind="form_field",
                    locator=locator(self.file, f"form:{name}"),
                )
            )

    def _result(self, texts: dict[View, str]) -> PdfText:
        errors = [page for page in self.pages if page.error]
        flags = [*self.warned]
        if self.count > MAX_PAGES:
            flags.append("page_cap")
        if errors:
            flags.append("page_error")
        status: Status = "ok"
        reason = None
        if not self.segments:
            status = "unreadable" if errors else "no_text_layer"
            reason = errors[0].error if errors else "no page holds text: a scan without text recognition, or empty pages"
        elif flags:
            status = "partial"
            reason = (
                f"{', '.join(flags)}: {len(errors)} of {self.count} pages could not be read" if errors else ", ".join(flags)
            )
        return PdfText(
            status=status,
            reason=reason,
            segments=tuple(self.segments),
            cells=tuple(self.cells),
            texts=texts,
            n_pages=self.count,
            flags=tuple(flags),
        )


def _spans(fields: dict[str, str]) -> Iterator[tuple[int, int]]:
    at = 0
    for name, value in fields.items():
        length = len(name) + 2 + len(value)
        yield at, at + length
        at += length + 1


def _merged(above: Sequence[tuple[str, int, int]], line: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """A header over two lines names a column by both; anything else starts a new header."""
    if len(above) < 3 or any(read_number(part) for part, _, _ in line):
        return line
    merged = list(above)
    for part, start, end in line:
        place = next((index for index, (_, a, b) in enumerate(merged) if a < end and start < b), None)
        if place is None:
            return line
        words, a, b = merged[place]
        merged[place] = (f"{words} {part}", min(a, start), max(b, end))
    return merged


def _row_cells(segment: Segment, line: str, offset: int, header: Sequence[tuple[str, int, int]]) -> Iterator[Cell]:
    """Cells of a laid-out row; a column's name is that of the header text above it, or of the nearest one."""
    parts = _parts(line)
    keys = column_keys([name for name, _, _ in header])
    total = any(is_total_label(part) for part, _, _ in parts[:3])
    for place, (raw, start, end) in enumerate(parts):
        column = _above(header, start, end)
        number = read_number(raw)
        yield Cell(
            segment_id=segment.segment_id,
            row=segment.row or 0,
            col_index=place if column is None else column,
            col_name="" if column is None else header[column][0],
            col_key=f"c{place + 1}" if column is None else keys[column],
            raw=raw,
            char_start=offset + start,
            char_end=offset + end,
            number=number.value if number else None,
            number_kind=number.kind if number else None,
            currency=number.currency if number else None,
            half_unit=number.half_unit if number else None,
            is_total=total,
        )


def _above(header: Sequence[tuple[str, int, int]], start: int, end: int) -> int | None:
    if not header:
        return None
    overlaps = [min(end, b) - max(start, a) for _, a, b in header]
    return max(range(len(header)), key=lambda index: overlaps[index])
