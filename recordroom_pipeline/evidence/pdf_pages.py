"""PDF → lines by page, in two views: as the text flows, and as it is laid out.

Flow loses the rows of tables, layout mixes the columns of prose (measured: 0 against 90 of 90 rows of a schedule). Both are
kept; a page is shown in layout where it looks like a table or where its flow glues amounts to words, else in flow. Text of
form fields stands in neither and is a view of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from recordroom_pipeline.evidence.csv_text import column_keys
from recordroom_pipeline.evidence.locators import lines_of, locator, make_segment
from recordroom_pipeline.evidence.model import Cell, Segment, Status, View
from recordroom_pipeline.evidence.numbers import is_total_label
from recordroom_pipeline.evidence.pdf_engine import Encrypted, Page, Pages, Unreadable, read_pages
from recordroom_pipeline.evidence.pdf_hidden import runs
from recordroom_pipeline.evidence.pdf_tables import Columns, TableLine, is_table, read_table_lines

_GLUED = re.compile(r"\d\.\d{2}[A-Za-z]{2}")
_GLUED_OFTEN = 3
_LOST_SHARE = 0.3
"""Layout that holds less than this share of the flow's characters has dropped turned text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfText:
    """What a file holds."""

    status: Status
    reason: str | None = None
    segments: tuple[Segment, ...] = ()
    cells: tuple[Cell, ...] = ()
    n_pages: int | None = None
    flags: tuple[str, ...] = ()


def read_pdf(data: bytes, *, doc_id: str, file: str, password: str | None = None) -> PdfText:
    """Segments and cells of every page that can be read. Never raises for what a file holds; runs in a worker under limits."""
    try:
        found = read_pages(data, password)
        return _Builder(doc_id, file, found).build()
    except Encrypted as error:
        return PdfText(status="encrypted", reason=str(error))
    except Unreadable as error:
        return PdfText(status="unreadable", reason=str(error))
    except MemoryError:
        return PdfText(status="error", reason="reading it took more memory than is allowed")


def shows_layout(page: Page) -> bool:
    """Whether a page is shown as it is laid out rather than as it flows."""
    flow, layout = _inked(page.flow), _inked(page.layout)
    if layout < _LOST_SHARE * flow:
        return False
    glued = len(_GLUED.findall(page.flow))
    return is_table(page.layout) or (glued >= _GLUED_OFTEN and glued > 2 * len(_GLUED.findall(page.layout)))


def _inked(text: str) -> int:
    return sum(not character.isspace() for character in text)


@dataclass(slots=True)
class _Builder:
    doc_id: str
    file: str
    found: Pages
    segments: list[Segment] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    columns: Columns | None = None
    row: int = 0
    has_hidden: bool = False

    def build(self) -> PdfText:
        flow = "\f".join(page.flow for page in self.found.pages)
        layout = "\f".join(page.layout for page in self.found.pages)
        flow_at = layout_at = 0
        for page in self.found.pages:
            in_layout = shows_layout(page)
            self._flow(page, flow, flow_at, shown=not in_layout)
            self._layout(page, layout, layout_at, shown=in_layout)
            flow_at += len(page.flow) + 1
            layout_at += len(page.layout) + 1
        self._form()
        return self._result()

    def _flow(self, page: Page, text: str, start: int, *, shown: bool) -> None:
        for number, (begin, end) in enumerate(lines_of(page.flow), start=1):
            pieces = runs(page.flow[begin:end], page.hidden[begin:end])
            for piece, (first, last, hidden) in enumerate(pieces, start=1):
                place = f"p{page.number}:L{number}" if piece == 1 else f"p{page.number}:L{number}:{piece}"
                span = (start + begin + first, start + begin + last)
                self._line(page, "flow", text, span, place, number, shown=shown, hidden=hidden)

    def _layout(self, page: Page, text: str, start: int, *, shown: bool) -> None:
        spans = lines_of(page.layout)
        lines = [page.layout[begin:end] for begin, end in spans]
        # Columns of one page hold on only over pages that are tables too.
        table, self.columns = read_table_lines(lines, self.columns) if shown else ({}, None)
        secrets = _secrets(page)
        for number, ((begin, _), line) in enumerate(zip(spans, lines, strict=True), start=1):
            if not line.strip():
                continue
            found = table.get(number - 1)
            lead = len(line) - len(line.lstrip())
            span = (start + begin + lead, start + begin + len(line.rstrip()))
            place = f"p{page.number}:T{number}"
            hidden = _is_hidden(line, secrets)
            segment = self._line(page, "layout", text, span, place, number, shown=shown, hidden=hidden, table=found)
            if found is not None and not hidden:
                self.cells += _cells(segment, found, start + begin)

    def _line(
        self,
        page: Page,
        view: View,
        text: str,
        span: tuple[int, int],
        place: str,
        number: int,
        *,
        shown: bool,
        hidden: bool,
        table: TableLine | None = None,
    ) -> Segment:
        if table is not None:
            self.row = self._next_row(table)
        self.has_hidden |= hidden
        segment = make_segment(
            self.doc_id,
            text,
            span,
            ordinal=len(self.segments),
            view=view,
            kind=table.kind if table else "page_line",
            locator=locator(self.file, place),
            page=page.number,
            lines=(number, number),
            row=None if table is None else 0 if table.kind == "table_header" else self.row,
            shown=shown,
            hidden=hidden,
        )
        self.segments.append(segment)
        return segment

    def _next_row(self, table: TableLine) -> int:
        """Rows count on under a header that is repeated; another header begins another table."""
        if table.kind == "table_row":
            return self.row + 1
        headers = [cell.col_name for cell in self.cells if cell.row == 0]
        names = list(table.columns.names)
        return self.row if headers[-len(names) :] == names else 0

    def _form(self) -> None:
        lines = [f"{name}: {value}" for name, value in self.found.fields.items()]
        text = "\n".join(lines)
        at = 0
        for name, line in zip(self.found.fields, lines, strict=True):
            self.segments.append(
                make_segment(
                    self.doc_id,
                    text,
                    (at, at + len(line)),
                    ordinal=len(self.segments),
                    view="form",
                    kind="form_field",
                    locator=locator(self.file, f"form:{name}"),
                )
            )
            at += len(line) + 1

    def _result(self) -> PdfText:
        pages, count = self.found.pages, self.found.count
        errors = [page for page in pages if page.error]
        lacks = {
            "page_error": (len(errors), "could not be read"),
            "garbled_page": (sum(page.is_garbled for page in pages), "hold glyph names instead of words"),
            "scanned_page": (sum(page.is_scan for page in pages), "are scans without text"),
            "page_cap": (max(count - len(pages), 0), "were left out"),
        }
        said = [f"{number} of {count} pages {what}" for number, what in lacks.values() if number]
        said += ["a page was cut short"] if "truncated" in self.found.flags else []
        flags = dict.fromkeys([*self.found.flags, *(flag for flag, (number, _) in lacks.items() if number)])
        flags.update(dict.fromkeys(["hidden_text"] if self.has_hidden else []))
        status: Status = "partial" if said else "ok"
        reason = "; ".join(said) or None
        if not self.segments:
            status = "unreadable" if errors else "no_text_layer"
            reason = errors[0].error if errors else "no page holds text: a scan without text recognition, or empty pages"
        return PdfText(
            status=status,
            reason=reason,
            segments=tuple(self.segments),
            cells=tuple(self.cells),
            n_pages=count,
            flags=tuple(flags),
        )


def _secrets(page: Page) -> list[str]:
    """Hidden stretches of a page without their white space: the layout does not say which of its characters are hidden."""
    if 1 not in page.hidden:
        return []
    found = [
        "".join(page.flow[begin + first : begin + last].split())
        for begin, end in lines_of(page.flow)
        for first, last, hidden in runs(page.flow[begin:end], page.hidden[begin:end])
        if hidden
    ]
    return sorted(found, key=len, reverse=True)


def _is_hidden(line: str, secrets: Iterable[str]) -> bool:
    rest = "".join(line.split())
    for secret in secrets:
        rest = rest.replace(secret, "")
    return not rest


def _cells(segment: Segment, table: TableLine, offset: int) -> Iterable[Cell]:
    names: Sequence[str] = table.columns.names
    keys = column_keys(names)
    total = table.kind == "table_row" and any(is_total_label(cell.part.text) for cell in table.cells[:3])
    for cell in table.cells:
        number = cell.number
        yield Cell(
            segment_id=segment.segment_id,
            row=segment.row or 0,
            col_index=cell.column,
            col_name=names[cell.column] if cell.column < len(names) else "",
            col_key=keys[cell.column] if cell.column < len(keys) else f"c{cell.column + 1}",
            raw=cell.part.text,
            char_start=offset + cell.part.start,
            char_end=offset + cell.part.end,
            number=number.value if number else None,
            number_kind=number.kind if number else None,
            currency=number.currency if number else None,
            half_unit=number.half_unit if number else None,
            is_total=total,
            flags=cell.flags,
        )
