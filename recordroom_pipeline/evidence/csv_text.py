"""CSV → rows and cells with their offsets, every cell kept as written.

No reader infers types here: sniffers of table libraries drop leading zeros, merge rows and lose headers without a word. The
dialect is decided by how evenly a delimiter splits the file; numbers stand beside the text, never instead of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from recordroom_pipeline.evidence.decimal_marks import Marks, decimal_marks, read_marked
from recordroom_pipeline.evidence.locators import locator, make_segment
from recordroom_pipeline.evidence.model import Cell, Segment
from recordroom_pipeline.evidence.numbers import is_total_label, read_number

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 200
_HEADER_WITHIN = 20
_MARKS_WITHIN = 2_000
_SEP = re.compile(r'"?sep=(?P<delimiter>[^\w\s"]|\t)"?(?=\r\n|\n|\r|\Z)', re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record: what stands between delimiters, its quotes excluded."""

    start: int
    end: int
    unbalanced: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its fields and its extent without the line end."""

    start: int
    end: int
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvText:
    """What a file holds."""

    segments: tuple[Segment, ...]
    cells: tuple[Cell, ...]
    delimiter: str
    header_row: int | None
    """Record of the header, from 1; None where there is none."""
    preamble_rows: int
    flags: tuple[str, ...]


def read_records(text: str, delimiter: str, start: int = 0) -> Iterator[Record]:
    """Records as RFC 4180 has them; a quote that is never closed is text, so that it cannot swallow the rest of the file.

    Lines of nothing but white space are no records, tabs that delimit nothing among them.
    """
    separator = re.escape(delimiter)
    field = re.compile(
        rf'(?:"(?P<quoted>(?:[^"]|"")*+)"[ \t]*|(?P<plain>[^{separator}\r\n]*))(?P<stop>{separator}|\r\n|\n|\r|\Z)'
    )
    plain = re.compile(rf"(?P<plain>[^{separator}\r\n]*)(?P<stop>{separator}|\r\n|\n|\r|\Z)")
    at, record_start = start, start
    fields: list[Field] = []
    while at <= len(text):
        match = field.match(text, at) or plain.match(text, at)
        assert match is not None
        quoted = "quoted" in match.re.groupindex and match.group("quoted") is not None
        span = match.span("quoted") if quoted else match.span("plain")
        fields.append(Field(*span, unbalanced=not quoted and text[span[0] : span[0] + 1] == '"'))
        if match["stop"] != delimiter:
            if text[record_start : match.start("stop")].strip():
                yield Record(record_start, match.start("stop"), tuple(fields))
            if match["stop"] == "":
                return
            record_start, fields = match.end(), []
        at = match.end()


def choose_delimiter(text: str) -> str:
    """The delimiter that splits the file most evenly into most columns, unless a first line ``sep=;`` names it."""
    if match := _SEP.match(text):
        return match["delimiter"]
    sample = text[: 1 << 20]
    scores = {delimiter: _evenness(sample, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ","


def _evenness(text: str, delimiter: str) -> float:
    widths = []
    for record in read_records(text, delimiter):
        widths.append(len(record.fields))
        if len(widths) == _SAMPLE:
            break
    if not widths:
        return 0.0
    width, count = max(Counter(widths).items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
    return count / len(widths) * (1 - 1 / width)


def read_csv(text: str, *, doc_id: str, file: str) -> CsvText:
    """Rows as segments and fields as cells."""
    delimiter = choose_delimiter(text)
    records = _records(text, delimiter)
    header = _header(text, records)
    marks = decimal_marks((word for record in records[:_MARKS_WITHIN] for word in _words(text, record)), delimiter)
    return _Builder(text, doc_id, file, delimiter, records, header, marks).build()


def _records(text: str, delimiter: str) -> list[Record]:
    """All records; a line ``sep=;`` is one of one field, whatever it holds."""
    if match := _SEP.match(text):
        first = Record(match.start(), match.end(), (Field(match.start(), match.end()),))
        rest = read_records(text, delimiter, match.end())
        return [first, *rest]
    return list(read_records(text, delimiter))


def _words(text: str, record: Record) -> list[str]:
    return [text[field.start : field.end].strip() for field in record.fields]


def _header(text: str, records: Sequence[Record]) -> int | None:
    """Index of the first record that is as wide as the table and names columns rather than holding numbers."""
    if not records:
        return None
    width = Counter(len(record.fields) for record in records[:_SAMPLE]).most_common(1)[0][0]
    for index, record in enumerate(records[:_HEADER_WITHIN]):
        words = _words(text, record)
        filled = [word for word in words if word]
        if len(filled) < max(1, 0.6 * width) or (width > 1 and len(filled) < 2) or _SEP.fullmatch(words[0]):
            continue
        numbers = [place for place, word in enumerate(words) if read_number(word)]
        if len(numbers) == len(filled):
            return None
        below = [_words(text, record) for record in records[index + 1 : index + 1 + _SAMPLE]]
        return (
            index
            if all(_heads_a_year(words[place], [row[place] for row in below if place < len(row)]) for place in numbers)
            else None
        )
    return None


def _heads_a_year(word: str, below: Sequence[str]) -> bool:
    """Whether a number names its column: a year over amounts, not a year over years."""
    return _YEAR.fullmatch(word) is not None and not any(_YEAR.fullmatch(other) for other in below)


def column_keys(names: Sequence[str]) -> list[str]:
    """Header texts made unique.

    >>> column_keys(["TIV", "", "TIV"])
    ['TIV', 'c2', 'TIV~2']
    """
    seen: Counter[str] = Counter()
    keys = []
    for place, name in enumerate(names, start=1):
        base = name.strip() or f"c{place}"
        seen[base] += 1
        keys.append(base if seen[base] == 1 else f"{base}~{seen[base]}")
    return keys


@dataclass(slots=True)
class _Builder:
    text: str
    doc_id: str
    file: str
    delimiter: str
    records: list[Record]
    header: int | None
    marks: Marks

    def build(self) -> CsvText:
        names = _words(self.text, self.records[self.header]) if self.header is not None else []
        keys = column_keys(names)
        segments: list[Segment] = []
        cells: list[Cell] = []
        ragged = unbalanced = False
        first = 0 if self.header is None else self.header
        for index, record in enumerate(self.records):
            flags = self._flags(index, record, len(names))
            ragged, unbalanced = ragged or "ragged" in flags, unbalanced or "unbalanced_quote" in flags
            segment = self._segment(index, record, first, len(segments), flags)
            segments.append(segment)
            if index >= first:
                cells += self._cells(segment, record, names, keys)
        found = [("ragged_rows", ragged), ("unbalanced_quote", unbalanced), ("no_header", self.header is None)]
        return CsvText(
            segments=tuple(segments),
            cells=tuple(cells),
            delimiter=self.delimiter,
            header_row=None if self.header is None else self.header + 1,
            preamble_rows=first,
            flags=tuple(name for name, is_so in found if is_so and self.records),
        )

    def _flags(self, index: int, record: Record, width: int) -> tuple[str, ...]:
        ragged = self.header is not None and index > self.header and len(record.fields) != width
        unbalanced = any(field.unbalanced for field in record.fields)
        return (*(("ragged",) if ragged else ()), *(("unbalanced_quote",) if unbalanced else ()))

    def _segment(self, index: int, record: Record, first: int, ordinal: int, flags: tuple[str, ...]) -> Segment:
        number = index - first if self.header is not None else index + 1
        if index < first:
            kind, fragment, row = "csv_preamble", f"pre{index + 1}", None
        elif self.header is not None and index == first:
            kind, fragment, row = "csv_header", "h", 0
        else:
            kind, fragment, row = "csv_row", f"r{number}", number
        return make_segment(
            self.doc_id,
            self.text,
            (record.start, record.end),
            ordinal=ordinal,
            view="source",
            kind=kind,
            locator=locator(self.file, fragment),
            row=row,
            flags=flags,
        )

    def _cells(self, segment: Segment, record: Record, names: Sequence[str], keys: Sequence[str]) -> Iterator[Cell]:
        is_row = segment.kind == "csv_row"
        total = is_row and any(is_total_label(word) for word in _words(self.text, record)[:3])
        row = segment.row or 0
        for place, field in enumerate(record.fields):
            raw = self.text[field.start : field.end]
            number, flags = read_marked(raw, self.marks) if is_row else (None, ())
            yield Cell(
                segment_id=segment.segment_id,
                row=row,
                col_index=place,
                col_name=names[place] if place < len(names) else "",
                col_key=keys[place] if place < len(keys) else f"c{place + 1}",
                raw=raw,
                char_start=field.start,
                char_end=field.end,
                number=number.value if number else None,
                number_kind=number.kind if number else None,
                currency=number.currency if number else None,
                half_unit=number.half_unit if number else None,
                is_total=total,
                flags=flags,
            )


def cell_locator(file: str, row: int, col_key: str) -> str:
    """Where one cell stands.

    >>> cell_locator("schedule.csv", 12, "TIV~2")
    'schedule.csv#r12:TIV~2'
    """
    return locator(file, f"{'h' if row == 0 else f'r{row}'}:{quote(col_key, safe='~ ')}")
