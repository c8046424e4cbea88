"""Named amounts and dates: what a label names in a source, one value or a reason why not.

A label is looked for on each line of text, in the first cell of a table's rows, and in column headers of tables that have one
record or a total row. A value repeated is one value; two different values are undecided, and both are listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from recordroom_pipeline.evidence.model import Cell, Citation, Segment, Source
from recordroom_pipeline.evidence.reads import fold
from recordroom_pipeline.judging.computed.labels import Want, is_usable, label_pattern, links_in, tokens_in
from recordroom_pipeline.judging.computed.question import Question, cite, cite_cell, listed, segments_by_id, spoken, undecided
from recordroom_pipeline.judging.computed.tables import Row, Table, tables_of

_LINE = re.compile(r"[^\r\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One value that a label names, as written in one place."""

    source: Source
    written: str
    values: tuple[Decimal, ...] | tuple[date, ...]
    """One; two for a date whose day and month could be either."""
    half_unit: Decimal = Decimal(0)
    currency: str | None = None
    citations: tuple[Citation, ...] = ()

    @property
    def amount(self) -> Decimal:
        """The number; only where a number was asked for."""
        value = self.values[0]
        assert isinstance(value, Decimal)
        return value

    @property
    def day(self) -> date:
        """The date; only where a date was asked for."""
        value = self.values[0]
        assert isinstance(value, date)
        return value


def stated(question: Question, source: Source, labels: Sequence[str], want: Want) -> Named | None:
    """The one value that the first label found in a source names; None where none is found.

    Undecided where it names two different values.
    """
    day_first = question.values.get("day_first")
    for label in labels:
        found = list(_candidates(source, label, want, day_first))
        if found:
            return _one(source, label, found)
    return None


def must_state(question: Question, sources: Sequence[Source], labels: Sequence[str], want: Want) -> Named:
    """The one value that these sources name; undecided where none does or they differ."""
    found = [named for source in sources if (named := stated(question, source, labels, want)) is not None]
    if not found:
        what = {"date": "a date", "count": "a count"}.get(want, "an amount")
        where = listed([spoken(source) for source in sources]) or "what this eval reads"
        raise question.nothing_found(f"No line in {where} gives {what} for {_labels(labels)}.")
    return _one(found[0].source, labels[0], found)


def _labels(labels: Sequence[str]) -> str:
    return " or ".join(f"'{label}'" for label in labels)


def _one(source: Source, label: str, found: Sequence[Named]) -> Named:
    best = min(found, key=lambda named: named.half_unit)
    if len(best.values) > 1:
        readings = " or ".join(str(value) for value in best.values)
        raise undecided(
            "not_judgeable", f"'{best.written}' may be {readings}; the parameter `day_first` settles it.", best.citations
        )
    others = [named for named in found if not _agree(best, named)]
    if others:
        wordings = dict.fromkeys(f"{named.written} in {spoken(named.source)}" for named in [best, *others])
        cited = [citation for named in [best, *others][:5] for citation in named.citations]
        raise undecided("not_judgeable", f"'{label}' names different values: {listed(list(wordings))}.", cited)
    return best


def _agree(one: Named, other: Named) -> bool:
    """Whether two writings may be of one value: 48.2M and 48,200,000 are."""
    if differ_in_currency(one.currency, other.currency):
        return False
    if isinstance(one.values[0], Decimal) and isinstance(other.values[0], Decimal):
        return abs(one.amount - other.amount) <= max(one.half_unit, other.half_unit)
    return one.values == other.values


def differ_in_currency(one: str | None, other: str | None) -> bool:
    """Whether both are given and are not the same."""
    return one is not None and other is not None and one != other


def _candidates(source: Source, label: str, want: Want, day_first: bool | None) -> Iterator[Named]:
    in_table = {cell.segment_id for cell in source.cells}
    for segment in source.segments:
        if segment.segment_id not in in_table:
            yield from _in_lines(source, segment, label, want, day_first)
    for table in tables_of(source):
        yield from _in_table(table, label, want, day_first)


def _in_lines(source: Source, segment: Segment, label: str, want: Want, day_first: bool | None) -> Iterator[Named]:
    for line in _LINE.finditer(segment.text):
        for link in links_in(line[0], label, want, day_first=day_first):
            yield Named(
                source=source,
                written=line[0][link.token.start : link.token.end],
                values=link.token.values,
                half_unit=link.token.half_unit,
                currency=link.token.currency,
                citations=cite(source, segment, line.start() + link.start, line.start() + link.end),
            )


def _in_table(table: Table, label: str, want: Want, day_first: bool | None) -> Iterator[Named]:
    pattern = label_pattern(label)
    for row in table.rows:
        yield from _in_row(table, row, label, want, day_first)
    totals = [row for row in table.rows if row.is_total] or (table.records if len(table.records) == 1 else ())
    for column in table.columns:
        if pattern.search(column.name) and len(totals) == 1:
            for cell in totals[0].cells:
                if cell.col_index == column.index and (named := _cell_value(table.source, (cell,), want, day_first)):
                    yield named


def _in_row(table: Table, row: Row, label: str, want: Want, day_first: bool | None) -> Iterator[Named]:
    segments = segments_by_id(table.source)
    filled = [cell for cell in row.cells if cell.raw.strip()]
    for index, cell in enumerate(filled):
        for link in links_in(cell.raw, label, want, day_first=day_first):
            yield Named(
                source=table.source,
                written=cell.raw[link.token.start : link.token.end],
                values=link.token.values,
                half_unit=link.token.half_unit,
                currency=link.token.currency,
                citations=cite_cell(table.source, segments, cell),
            )
            return
        if _heads_row(cell, index, label):
            for value in filled[index + 1 :]:
                if named := _cell_value(table.source, (value, cell), want, day_first):
                    yield named
                    return


def _heads_row(cell: Cell, index: int, label: str) -> bool:
    """A label in a row's first cell, or one that is a whole cell; a word in a notes column names nothing."""
    if index == 0:
        return label_pattern(label).search(cell.raw) is not None
    return fold(cell.raw) == fold(label)


def _cell_value(source: Source, cells: tuple[Cell, ...], want: Want, day_first: bool | None) -> Named | None:
    """The value of the first cell; the others are cited with it."""
    cell = cells[0]
    segments = segments_by_id(source)
    cited = tuple(citation for used in cells for citation in cite_cell(source, segments, used))
    days = [token for token in tokens_in(cell.raw, day_first=day_first) if isinstance(token.values[0], date)]
    if days:
        if want not in ("date", "either"):
            return None
        return Named(source=source, written=cell.raw.strip(), values=days[0].values, citations=cited)
    if want == "date" or cell.number is None or not is_usable(cell.number) or (want == "count" and cell.number % 1):
        return None
    return Named(
        source=source,
        written=cell.raw.strip(),
        values=(cell.number,),
        half_unit=cell.half_unit or Decimal(0),
        currency=cell.currency,
        citations=cited,
    )
