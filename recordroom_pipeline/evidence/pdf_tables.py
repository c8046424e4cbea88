"""Tables in laid-out lines: which lines are rows, what their columns are called, which number stands in which column.

What two or more spaces keep apart is a part of a line. A row that has as many parts as its header has names is read in order;
any other only by where its parts stand, and where that is not clear its cells have no number: a wrong sum is worse than none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recordroom_pipeline.evidence.numbers import Amount, read_number

_PART = re.compile(r"\S+(?: \S+)*")
_DIGITS = re.compile(r"[0-9][0-9.,]+")
_TABLE_SHARE = 0.25
"""Measured on 53 files: schedules 0.5 to 0.9, prose at most 0.05."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some words of a line and their extent in it."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Names of a table's columns, empty where it has none, and where on the page they stand."""

    names: tuple[str, ...]
    extents: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One part of a row in its column."""

    part: Part
    column: int
    number: Amount | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """A line that belongs to a table."""

    kind: Literal["table_header", "table_row"]
    columns: Columns
    cells: tuple[Placed, ...]


@dataclass(slots=True)
class _Group:
    """A header, its line's index where this page has it, and the rows under it."""

    columns: Columns | None
    header: int | None
    rows: list[int]


def parts_of(line: str) -> tuple[Part, ...]:
    """What two or more spaces keep apart.

    >>> [part.text for part in parts_of("1   792 Main St    $48,200,000")]
    ['1', '792 Main St', '$48,200,000']
    """
    return tuple(Part(match[0], match.start(), match.end()) for match in _PART.finditer(line))


def is_row(parts: Sequence[Part]) -> bool:
    """Three parts, of which two are numbers or one is plainly an amount."""
    if len(parts) < 3:
        return False
    numbers = [(part, number) for part in parts if (number := read_number(part.text)) is not None]
    return len(numbers) >= 2 or any(number.kind in ("currency", "decimal") or "," in part.text for part, number in numbers)


def is_table(layout: str) -> bool:
    """Whether a page's layout is mostly rows."""
    lines = [parts for line in layout.split("\n") if (parts := parts_of(line))]
    return bool(lines) and sum(map(is_row, lines)) >= _TABLE_SHARE * len(lines)


def read_table_lines(lines: Sequence[str], before: Columns | None = None) -> tuple[dict[int, TableLine], Columns | None]:
    """Header and row lines of one page by index, and the columns at its end.

    ``before`` are the columns at the end of the page before, which hold on where this page begins without a header.
    """
    parts = [parts_of(line) for line in lines]
    found: dict[int, TableLine] = {}
    columns = before
    for group in _groups(parts, before):
        columns = _settled(group, parts)
        if group.header is not None:
            heads = zip(parts[group.header], range(len(columns.names)), strict=True)
            cells = tuple(Placed(part=part, column=column) for part, column in heads)
            found[group.header] = TableLine(kind="table_header", columns=columns, cells=cells)
        may_be_fused = any(
            _is_fused(part) for row in group.rows if len(parts[row]) != len(columns.names) for part in parts[row]
        )
        for row in group.rows:
            cells = _placed(parts[row], columns, may_be_fused)
            found[row] = TableLine(kind="table_row", columns=columns, cells=cells)
    return found, columns


def _groups(parts: Sequence[tuple[Part, ...]], before: Columns | None) -> list[_Group]:
    groups: list[_Group] = []
    last = -1
    for index in range(len(parts)):
        if not is_row(parts[index]):
            continue
        header = _header_above(parts, last + 1, index)
        if header is not None:
            groups.append(_Group(_named(parts, header), header, []))
        elif not groups:
            groups.append(_Group(before, None, []))
        groups[-1].rows.append(index)
        last = index
    return groups


def _header_above(parts: Sequence[tuple[Part, ...]], first: int, row: int) -> int | None:
    """The nearest line above a row that names about as many columns; what is left of wrapped cells is far shorter."""
    wanted = max(3, len(parts[row]) / 2)
    for index in range(row - 1, first - 1, -1):
        if len(parts[index]) >= wanted and not any(read_number(part.text) for part in parts[index]):
            return index
    return None


def _named(parts: Sequence[tuple[Part, ...]], header: int) -> Columns:
    """Names over two lines are joined where each part of the second stands over or under exactly one column."""
    heads = list(parts[header])
    for other, is_above in ((header - 1, True), (header + 1, False)):
        if not 0 <= other < len(parts) or len(parts[other]) < 2 or any(read_number(part.text) for part in parts[other]):
            continue
        under = [
            [place for place, head in enumerate(heads) if _overlap(part, head.start, head.end) > 0] for part in parts[other]
        ]
        if all(len(places) == 1 for places in under) and len({places[0] for places in under}) == len(under):
            for part, (place,) in zip(parts[other], under, strict=True):
                heads[place] = _joined(part, heads[place]) if is_above else _joined(heads[place], part)
    return Columns(names=tuple(head.text for head in heads), extents=tuple((head.start, head.end) for head in heads))


def _joined(first: Part, second: Part) -> Part:
    return Part(f"{first.text} {second.text}", min(first.start, second.start), max(first.end, second.end))


def _settled(group: _Group, parts: Sequence[tuple[Part, ...]]) -> Columns:
    """The columns of a group, as wide as its full rows show; without a header, as many as most rows have parts."""
    usual = Counter(len(parts[row]) for row in group.rows).most_common(1)[0][0]
    columns = group.columns
    if columns is None or (group.header is None and usual > len(columns.names)):
        columns = Columns(names=("",) * usual, extents=())
    full = [parts[row] for row in group.rows if len(parts[row]) == len(columns.names)]
    # Another page's columns stand elsewhere: they serve only where this page has nothing better.
    own = [columns.extents] if columns.extents and (group.header is not None or not full) else []
    every = [*own, *([(part.start, part.end) for part in row] for row in full)]
    extents = tuple((min(start for start, _ in one), max(end for _, end in one)) for one in zip(*every, strict=True))
    return replace(columns, extents=extents)


def _placed(parts: Sequence[Part], columns: Columns, may_be_fused: bool) -> tuple[Placed, ...]:
    if len(parts) == len(columns.names):
        return tuple(Placed(part=part, column=column, number=read_number(part.text)) for column, part in enumerate(parts))
    places = [_column_of(part, columns) for part in parts]
    is_clear = not may_be_fused and None not in places and len(set(places)) == len(places)
    placed = [
        Placed(
            part=part,
            column=index if place is None else place,
            number=read_number(part.text) if is_clear else None,
            flags=() if is_clear else ("unaligned",),
        )
        for index, (part, place) in enumerate(zip(parts, places, strict=True))
    ]
    return tuple(sorted([*placed, *_covered(placed, columns)], key=lambda cell: cell.column))


def _column_of(part: Part, columns: Columns) -> int | None:
    overlaps = [_overlap(part, start, end) for start, end in columns.extents]
    best = max(overlaps, default=0)
    return overlaps.index(best) if best > 0 else None


def _covered(placed: Iterable[Placed], columns: Columns) -> list[Placed]:
    """Columns without a part of their own that a neighbour's words run over: what stands there cannot be told apart."""
    taken = {cell.column for cell in placed}
    return [
        Placed(part=cell.part, column=column, flags=("unaligned",))
        for column, (start, end) in enumerate(columns.extents)
        if column not in taken
        for cell in placed
        if cell.part.start <= start and end <= cell.part.end
    ][:1]


def _overlap(part: Part, start: int, end: int) -> int:
    return min(part.end, end) - max(part.start, start)


def _is_fused(part: Part) -> bool:
    """Digits that are no number, or begin with a nought: two cells that ran together (1,95712, 0000)."""
    if not _DIGITS.fullmatch(part.text):
        return False
    return read_number(part.text) is None or re.match(r"0[0-9]", part.text) is not None
