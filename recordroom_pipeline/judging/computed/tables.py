"""Tables of a source: their records, their columns by name, and the numbers of a column.

Total rows and blank rows are no records. Tables of one source with the same header are one table continued.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from recordroom_pipeline.evidence.model import Cell, Citation, Source
from recordroom_pipeline.evidence.reads import fold
from recordroom_pipeline.judging.computed.labels import is_usable, label_pattern
from recordroom_pipeline.judging.computed.params import Take
from recordroom_pipeline.judging.computed.question import (
    Question,
    cite_cell,
    listed,
    segments_by_id,
    spoken,
    undecided,
)

VALUE_COLUMNS = ("TIV", "total insured value", "total value", "total")
"""Column names tried when an eval names none, in this order."""

_BLANK = ("", "-", "–", "—")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table."""

    index: int
    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row with its cells in order."""

    cells: tuple[Cell, ...]

    @property
    def is_total(self) -> bool:
        """Whether it sums the rows above."""
        return any(cell.is_total for cell in self.cells)

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return all(is_blank(cell) for cell in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of a source."""

    source: Source
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def records(self) -> tuple[Row, ...]:
        """Rows that are neither blank nor totals."""
        return tuple(row for row in self.rows if not row.is_total and not row.is_blank)

    def columns_named(self, name: str) -> tuple[Column, ...]:
        """Columns of that name; by their unique key, then by their whole header, then by words of it.

        ``TIV`` names both columns headed ``TIV``; ``TIV~2`` only the second.
        """
        if "~" in name and (by_key := [column for column in self.columns if column.key.casefold() == name.casefold()]):
            return tuple(by_key)
        if whole := [column for column in self.columns if fold(column.name or column.key) == fold(name)]:
            return tuple(whole)
        pattern = label_pattern(name)
        return tuple(column for column in self.columns if pattern.search(column.name))

    def cells_of(self, column: Column) -> tuple[Cell, ...]:
        """The column's cell of every record."""
        return tuple(cell for row in self.records for cell in row.cells if cell.col_index == column.index)

    def has_numbers(self, column: Column) -> bool:
        """Whether any record has a number there."""
        return any(cell.number is not None for cell in self.cells_of(column))


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One number out of a column, and the cells that it rests on."""

    value: Decimal
    cells: tuple[Cell, ...]
    source: Source
    half_unit: Decimal
    currency: str | None
    blanks: int = 0

    def citations(self) -> tuple[Citation, ...]:
        """Each cell used that is not blank."""
        segments = segments_by_id(self.source)
        return tuple(citation for cell in self.cells for citation in cite_cell(self.source, segments, cell))


def is_blank(cell: Cell) -> bool:
    """Whether a cell holds nothing, or the dash that accountants write for nothing."""
    return cell.number is None and cell.raw.strip() in _BLANK


def tables_of(source: Source) -> tuple[Table, ...]:
    """Every table of a source, in order; only what the evidence shows."""
    shown = {segment.segment_id for segment in source.segments}
    tables: dict[tuple[str, ...], list[Table]] = {}
    for index, cells in enumerate(_split([cell for cell in source.cells if cell.segment_id in shown])):
        table = _table(source, cells)
        header = tuple(fold(column.name) for column in table.columns)
        tables.setdefault(header if any(header) else (f"#{index}",), []).append(table)
    return tuple(
        Table(source=source, columns=same[0].columns, rows=tuple(row for table in same for row in table.rows))
        for same in tables.values()
    )


def _split(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells of each table: a row number that goes back begins another."""
    groups: list[list[Cell]] = []
    last = -1
    for cell in cells:
        if not groups or cell.row < last:
            groups.append([])
        groups[-1].append(cell)
        last = cell.row
    return groups


def _table(source: Source, cells: Sequence[Cell]) -> Table:
    columns: dict[int, Column] = {}
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        columns.setdefault(cell.col_index, Column(index=cell.col_index, name=cell.col_name, key=cell.col_key))
        if cell.row > 0:
            rows.setdefault(cell.row, []).append(cell)
    return Table(
        source=source,
        columns=tuple(columns[index] for index in sorted(columns)),
        rows=tuple(Row(cells=tuple(row)) for row in rows.values()),
    )


def pick_columns(question: Question, table: str | None, names: Sequence[str] | None) -> tuple[Table, tuple[Column, ...]]:
    """The one table that has the named columns, in the named source or the first source of `reads` that has one."""
    sources = (question.source(table),) if table is not None else question.sources(None)
    for source in sources:
        fitting = [(found, columns) for found in tables_of(source) if (columns := _columns(found, names))]
        if len(fitting) > 1:
            raise undecided("not_judgeable", f"{len(fitting)} tables in {spoken(source)} have {_wanted(names)}.")
        if fitting:
            return fitting[0]
    where = spoken(sources[0]) if table is not None else "what this eval reads"
    why = f"No table in {where} has {_wanted(names)} with numbers in it."
    raise undecided("insufficient_evidence", why) if table is not None else question.nothing_found(why)


def pick_table(question: Question, table: str | None) -> Table:
    """The one table of the named source, or of the first source of `reads` that has one."""
    sources = (question.source(table),) if table is not None else question.sources(None)
    for source in sources:
        found = tables_of(source)
        if len(found) > 1:
            raise undecided("not_judgeable", f"There are {len(found)} tables in {spoken(source)}; nothing says which to count.")
        if found:
            return found[0]
    if table is not None:
        raise undecided("insufficient_evidence", f"There is no table in {spoken(sources[0])}.")
    raise question.nothing_found("There is no table in what this eval reads.")


def _wanted(names: Sequence[str] | None) -> str:
    return "a column " + " or ".join(f"'{name}'" for name in VALUE_COLUMNS) if names is None else _quoted(names)


def _quoted(names: Sequence[str]) -> str:
    return ("a column " if len(names) == 1 else "the columns ") + " and ".join(f"'{name}'" for name in names)


def _columns(table: Table, names: Sequence[str] | None) -> tuple[Column, ...]:
    """The column of each name; none unless all are there. Two columns of one name cannot be told apart."""
    if names is None:
        return _value_column(table)
    chosen: dict[int, Column] = {}
    for name in names:
        found = [column for column in table.columns_named(name) if table.has_numbers(column)]
        if not found:
            return ()
        chosen[_single(table, name, found).index] = _single(table, name, found)
    return tuple(chosen.values())


def _value_column(table: Table) -> tuple[Column, ...]:
    numeric = [column for column in table.columns if table.has_numbers(column)]
    for name in VALUE_COLUMNS:
        if whole := [column for column in numeric if fold(column.name) == fold(name)]:
            return (_single(table, name, whole),)
    for name in VALUE_COLUMNS[:-1]:  # "Total sq ft" is no total of values
        if part := [column for column in numeric if label_pattern(name).search(column.name)]:
            return (_single(table, name, part),)
    return ()


def _single(table: Table, name: str, found: Sequence[Column]) -> Column:
    if len(found) > 1:
        names = listed([f"'{column.key}'" for column in found])
        raise undecided("not_judgeable", f"'{name}' names {len(found)} columns of {spoken(table.source)}: {names}.")
    return found[0]


def take(table: Table, columns: Sequence[Column], how: Take) -> Taken:
    """The sum, largest, smallest or number of a column's cells.

    Undecided where a record's cell is neither blank nor a number, or currencies are mixed.
    """
    cells = [cell for column in columns for cell in table.cells_of(column)]
    filled = [cell for cell in cells if not is_blank(cell)]
    numbers = [(cell, cell.number) for cell in filled if cell.number is not None and is_usable(cell.number)]
    _refuse_unreadable(table, [cell for cell in filled if cell.number is None or not is_usable(cell.number)])
    if not numbers:
        raise undecided("insufficient_evidence", f"No row of {spoken(table.source)} has a number there.")
    currency = _one_currency(table, filled)
    if how in ("max", "min"):
        cell, value = (max if how == "max" else min)(numbers, key=lambda pair: pair[1])
        return Taken(value=value, cells=(cell,), source=table.source, half_unit=cell.half_unit or Decimal(0), currency=currency)
    return Taken(
        value=Decimal(len(numbers)) if how == "count" else sum((value for _, value in numbers), Decimal(0)),
        cells=tuple(filled),
        source=table.source,
        half_unit=_rounding(filled),
        currency=currency,
        blanks=len(cells) - len(filled),
    )


def _rounding(cells: Sequence[Cell]) -> Decimal:
    """What rounding of the cells may add up to; whole units count as exact."""
    halves = [cell.half_unit for cell in cells if cell.half_unit is not None and cell.half_unit > Decimal("0.5")]
    return sum(halves, Decimal(0))


def _refuse_unreadable(table: Table, cells: Sequence[Cell]) -> None:
    if cells:
        shown = listed([f"'{cell.raw.strip()[:40]}' in row {cell.row}" for cell in cells])
        segments = segments_by_id(table.source)
        cited = [citation for cell in cells[:5] for citation in cite_cell(table.source, segments, cell)]
        raise undecided("insufficient_evidence", f"Not every cell of {spoken(table.source)} is one number: {shown}.", cited)


def _one_currency(table: Table, cells: Sequence[Cell]) -> str | None:
    found = sorted({cell.currency for cell in cells if cell.currency})
    if len(found) > 1:
        raise undecided("not_judgeable", f"The column in {spoken(table.source)} mixes currencies: {listed(found)}.")
    return found[0] if found else None
