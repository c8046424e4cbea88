"""CSV is read as it is written: every record, every cell with its place, numbers beside the text."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.evidence.csv_text import CsvText, cell_locator, choose_delimiter, column_keys, read_csv, read_records
from recordroom_pipeline.evidence.parse import parse_bytes

SCHEDULE = 'Loc #,Address,TIV\n1,"4 Main St, Suite 2","$1,200,000"\n2,"9 Oak\nRear ""B""",800000\n'


def read(text: str) -> CsvText:
    return read_csv(text, doc_id="d", file="schedule.csv")


def values(found: CsvText, column: str) -> list[Decimal | None]:
    return [cell.number for cell in found.cells if cell.col_key == column and cell.row > 0 and not cell.is_total]


def test_rows_are_cited_by_record_and_cells_by_column() -> None:
    found = read(SCHEDULE)

    assert [(segment.locator, segment.kind, segment.row) for segment in found.segments] == [
        ("schedule.csv#h", "csv_header", 0),
        ("schedule.csv#r1", "csv_row", 1),
        ("schedule.csv#r2", "csv_row", 2),
    ]
    assert values(found, "TIV") == [Decimal(1200000), Decimal(800000)]
    assert [cell.raw for cell in found.cells if cell.row == 2] == ["2", '9 Oak\nRear ""B""', "800000"]
    assert cell_locator("schedule.csv", 2, "TIV") == "schedule.csv#r2:TIV"


def test_every_cell_is_a_slice_of_the_text_inside_its_row() -> None:
    found = read(SCHEDULE)
    rows = {segment.segment_id: segment for segment in found.segments}

    for cell in found.cells:
        assert SCHEDULE[cell.char_start : cell.char_end] == cell.raw
        assert rows[cell.segment_id].char_start <= cell.char_start <= cell.char_end <= rows[cell.segment_id].char_end


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_and_line_ends_do_not_change_what_is_read(delimiter: str, end: str) -> None:
    found = read(end.join(delimiter.join(row) for row in (["Loc", "City", "TIV"], ["1", "Erie", "10"], ["2", "York", "20"])))

    assert found.delimiter == delimiter
    assert values(found, "TIV") == [10, 20]


def test_text_without_a_delimiter_is_one_column() -> None:
    found = read("name\nErie\nYork, PA and more; and so on\n")

    assert found.delimiter == ","
    assert [segment.kind for segment in found.segments] == ["csv_header", "csv_row", "csv_row"]


def test_a_line_that_names_the_delimiter_is_kept_before_the_table() -> None:
    found = read("sep=;\nLoc;TIV\n1;1,5\n")

    assert (found.delimiter, found.header_row, found.preamble_rows) == (";", 2, 1)
    assert [segment.text for segment in found.segments] == ["sep=;", "Loc;TIV", "1;1,5"]
    assert values(found, "TIV") == [Decimal("1.5")]


@pytest.mark.parametrize("text", ['sep="\na,b\n', "sep=\r\na,b\n", "sep=a\nx,y\n"])
def test_what_cannot_be_a_delimiter_is_no_delimiter(text: str) -> None:
    assert choose_delimiter(text) == ","


def test_titles_above_the_header_are_no_records_and_totals_are_marked() -> None:
    found = read("Harbor Trust,,\nas of 01/01/2026,,\n\nLoc,City,TIV\n1,Erie,10\n2,York,20\nTOTAL,,30\n")

    assert (found.header_row, found.preamble_rows) == (3, 2)
    assert [segment.kind for segment in found.segments].count("csv_preamble") == 2
    assert values(found, "TIV") == [10, 20]
    assert {cell.row for cell in found.cells if cell.is_total} == {3}


def test_columns_of_one_name_have_keys_of_their_own() -> None:
    assert column_keys(["TIV", "", "TIV", " TIV "]) == ["TIV", "c2", "TIV~2", "TIV~3"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("1,2,3\n4,5,6\n", None),
        ("Loc,2023,2024\n1,12000,13000\n2,1,2\n", 1),
        ("Erie,1987\nYork,1990\n", None),
        ("Loc,5000\n1,12000\n", None),
        ("a,b\n", 1),
        ("", None),
        ("\n\n", None),
    ],
)
def test_a_header_names_columns_and_a_year_may_be_a_name(text: str, header: int | None) -> None:
    assert read(text).header_row == header


def test_rows_of_another_width_are_flagged_and_lose_nothing() -> None:
    found = read("a,b,c\n1,2\n1,2,3,4\n1,2,3\n")

    assert found.flags == ("ragged_rows",)
    assert [segment.flags for segment in found.segments] == [(), ("ragged",), ("ragged",), ()]
    assert [cell.col_key for cell in found.cells if cell.row == 2] == ["a", "b", "c", "c4"]


def test_a_quote_that_is_never_closed_does_not_swallow_the_file() -> None:
    found = read('a,b\n1,"open\n2,3\n')

    assert found.flags == ("unbalanced_quote",)
    assert [cell.raw for cell in found.cells if cell.row == 2] == ["2", "3"]


def test_points_of_a_european_file_group_and_its_commas_are_decimals() -> None:
    found = read("Ort;Summe\nA;1.234\nB;2.345,50\n")

    assert values(found, "Summe") == [Decimal(1234), Decimal("2345.50")]


def test_coordinates_do_not_make_a_file_european() -> None:
    found = read("lat\tTIV\n40.712\t1,234\n41.50\t2,000\n")

    assert values(found, "TIV") == [1234, 2000]
    assert values(found, "lat") == [Decimal("40.712"), Decimal("41.50")]


def test_a_number_with_two_readings_is_none_and_says_so() -> None:
    found = read("Ort;Summe\nA;1.234\n")

    (cell,) = [cell for cell in found.cells if cell.col_name == "Summe" and cell.row == 1]
    assert (cell.number, cell.flags, cell.raw) == (None, ("ambiguous_separator",), "1.234")


@given(
    st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_records_are_those_of_the_standard_reader(rows: list[list[str]], delimiter: str) -> None:
    rows = [[cell.replace("\0", "").replace("\r", "\n") for cell in row] for row in rows]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    text = out.getvalue()

    found = [
        [text[field.start : field.end].replace('""', '"') for field in record.fields]
        for record in read_records(text, delimiter)
    ]

    assert found == rows


@given(st.text(alphabet='a1,;"\n\r\t |.€', max_size=60))
def test_nothing_but_white_space_stands_outside_the_rows(text: str) -> None:
    found = read(text)
    rest = list(text)
    for segment in found.segments:
        assert text[segment.char_start : segment.char_end] == segment.text
        rest[segment.char_start : segment.char_end] = [" "] * len(segment.text)

    assert "".join(rest).strip() == ""
    assert len({segment.locator for segment in found.segments}) == len(found.segments)


def test_a_real_schedule_adds_up_as_the_standard_reader_says(shared_fixtures: Path) -> None:
    data = (shared_fixtures / "materials" / "csv_oed_location_schedule.csv").read_bytes()
    parsed = parse_bytes(data, file="location.csv", name="location")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    columns = [name for name in rows[0] if name.endswith("TIV")]

    assert len(columns) >= 4
    assert len(rows) == 10
    for column in columns:
        expected = sum(Decimal(row[column]) for row in rows if row[column])
        assert sum(cell.number for cell in parsed.cells if cell.col_key == column and cell.number is not None) == expected


SCHEDULES = [
    ("x_csv_sov_us.csv", ",", "utf-8"),
    ("x_csv_sov_bom_semicolon_eu.csv", ";", "utf-8"),
    ("x_csv_sov_cp1252.csv", ",", "cp1252"),
    ("x_csv_sov_utf16.csv", "\t", "utf-16-le"),
    ("x_csv_sov_preamble_total.csv", ",", "utf-8"),
    ("x_csv_excel_sep_line.csv", ";", "utf-8"),
    ("x_csv_trailing_delim_blank_rows.csv", ",", "utf-8"),
]


@pytest.mark.parametrize(("name", "delimiter", "encoding"), SCHEDULES)
def test_one_schedule_written_in_many_ways_holds_the_same_values(
    shared_fixtures: Path, name: str, delimiter: str, encoding: str
) -> None:
    parsed = parse_bytes((shared_fixtures / "materials" / name).read_bytes(), file=name, name="schedule")
    with (shared_fixtures / "materials" / "x_sov_truth.csv").open(encoding="utf-8", newline="") as file:
        truth = list(csv.DictReader(file))[:12]

    assert (parsed.document.delimiter, parsed.document.encoding) == (delimiter, encoding)
    for column, key in (("Building", "building"), ("Contents", "contents"), ("TIV", "tiv")):
        found = [
            cell.number
            for cell in parsed.cells
            if cell.col_key == column and cell.row > 0 and not cell.is_total and cell.raw.strip()
        ]
        assert found == [Decimal(row[key]) for row in truth]
    cities = [cell.raw for cell in parsed.cells if cell.col_name == "City" and cell.row > 0 and cell.raw.strip()]
    assert cities[:12] == [row["city"] for row in truth]
    zips = [cell.raw for cell in parsed.cells if cell.col_name == "ZIP" and cell.row > 0 and cell.raw.strip()]
    assert zips[:12] == [row["zip"] for row in truth]
