"""Numbers as people write them are read exactly, and what is no number is none."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.evidence.decimal_marks import decimal_marks, read_marked
from recordroom_pipeline.evidence.numbers import find_amounts, is_total_label, read_number

WRITTEN = [
    ("$1,234.50", "1234.50", "currency", "USD", "0.005"),
    ("(1,234)", "-1234", "int", None, "0.5"),
    ("$(1,234)", "-1234", "currency", "USD", "0.5"),
    ("($1,234.5)", "-1234.5", "currency", "USD", "0.05"),
    ("(−5)", "-5", "int", None, "0.5"),
    ("48.2M", "48200000", "int", None, "50000"),
    ("$48.2 million", "48200000", "currency", "USD", "50000"),
    ("$1.5bn", "1500000000", "currency", "USD", "50000000"),
    ("12%", "12", "percent", None, "0.5"),
    ("12.5 percent", "12.5", "percent", None, "0.05"),
    ("USD 3", "3", "currency", "USD", "0.5"),
    ("3 USD", "3", "currency", "USD", "0.5"),
    ("CAD $5", "5", "currency", "CAD", "0.5"),
    ("C$5", "5", "currency", "CAD", "0.5"),
    ("€ 1.234,50", "1234.50", "currency", "EUR", "0.005"),
    ("1'234'567,25", "1234567.25", "decimal", None, "0.005"),
    ("-$5", "-5", "currency", "USD", "0.5"),
    ("$-5", "-5", "currency", "USD", "0.5"),
    ("00123", "123", "int", None, "0.5"),
    ("1.234", "1.234", "decimal", None, "0.0005"),
    (" 7 ", "7", "int", None, "0.5"),
]


@pytest.mark.parametrize(("raw", "value", "kind", "currency", "half_unit"), WRITTEN)
def test_a_cell_that_is_a_number_is_read(raw: str, value: str, kind: str, currency: str | None, half_unit: str) -> None:
    found = read_number(raw)

    assert found is not None
    assert (found.value, found.kind, found.currency) == (Decimal(value), kind, currency)
    assert found.half_unit == Decimal(half_unit)
    assert raw[found.start : found.end] == raw.strip()


NO_NUMBERS = [
    "",
    "  ",
    "()",
    "N/A",
    "—",
    "PU-0468",
    "2026-09-21",
    "1E10",
    "1e5",
    "1.2.3",
    "48,2",
    "12,34,567",
    "4th",
    "٣",
    "1/2",
    "10:30",
]


@pytest.mark.parametrize("raw", NO_NUMBERS)
def test_a_cell_that_is_no_single_number_has_none(raw: str) -> None:
    assert read_number(raw) is None


def test_a_number_longer_than_any_amount_is_an_identifier() -> None:
    assert read_number("9" * 61) is None


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("1.234", "1234"),
        ("1.234,5", "1234.5"),
        ("48,2", "48.2"),
        ("1 234 567,89", "1234567.89"),
        ("€ 500,75", "500.75"),
        ("7", "7"),
    ],
)
def test_in_a_file_that_writes_decimal_commas_points_group(raw: str, value: str) -> None:
    found = read_number(raw, decimal_comma=True)

    assert found is not None
    assert found.value == Decimal(value)


def test_a_number_written_the_american_way_is_none_in_a_file_of_decimal_commas() -> None:
    assert read_number("1,234.50", decimal_comma=True) is None


def test_long_numbers_keep_every_digit_when_they_are_scaled() -> None:
    found = read_number("1234567890123456789012345678901234567890M")

    assert found is not None
    assert found.value == Decimal("1234567890123456789012345678901234567890000000")


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("TIV is $48.2M, not $48,200,001.", ["$48.2M", "$48,200,001"]),
        ("12% over 3 sites, ref PU-0468, 2026-09-21 at 10:30", ["12%", "3"]),
        ('{"amount": 100,"rows": [60,40]}', ["100", "60", "40"]),
        ("a 5 mm gap and a 40m hose", ["5", "40"]),
        ("built 1987.", ["1987"]),
        ("no numbers here", []),
    ],
)
def test_every_amount_of_a_text_is_found_where_it_stands(text: str, amounts: list[str]) -> None:
    assert [text[found.start : found.end] for found in find_amounts(text)] == amounts


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**15), max_value=10**15))
def test_what_is_written_with_thousands_is_read_back_exactly(value: Decimal) -> None:
    for raw in (f"{value:,}", f"${abs(value):,}", str(value)):
        found = read_number(raw)

        assert found is not None
        assert found.value == (abs(value) if raw.startswith("$") else value)


@given(st.text(max_size=80))
def test_no_text_raises_and_every_amount_is_a_slice_in_order(text: str) -> None:
    read_number(text)
    read_number(text, decimal_comma=True)
    found = find_amounts(text)

    assert all(0 <= amount.start < amount.end <= len(text) for amount in found)
    assert all(before.end <= after.start for before, after in pairwise(found))


@given(st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{1,6})?", fullmatch=True))
def test_a_plain_cell_reads_the_same_as_the_same_number_in_a_sentence(raw: str) -> None:
    cell, (found,) = read_number(raw), find_amounts(f"about {raw} or so")

    assert cell is not None
    assert (cell.value, cell.kind, cell.half_unit) == (found.value, found.kind, found.half_unit)


@pytest.mark.parametrize(
    ("words", "delimiter", "marks"),
    [
        (["1.234,50", "12"], ";", "comma"),
        (["1.234.567"], ";", "comma"),
        (["48,2"], ";", "comma"),
        (["1,234.50"], ";", "point"),
        (["48.2"], ";", "point"),
        (["1.234"], ";", "unknown"),
        (["48,2", "48.2"], ";", "unknown"),
        (["1.234,50", "1,234.50"], ",", "unknown"),
        (["40.712", "1,234"], "\t", "point"),
        (["€ 1.234,50"], ",", "comma"),
        (["1,2"], ",", "point"),
        ([], ",", "point"),
    ],
)
def test_the_mark_of_decimals_is_decided_by_cells_with_one_reading(words: list[str], delimiter: str, marks: str) -> None:
    assert decimal_marks(words, delimiter) == marks


def test_where_nothing_decides_a_cell_with_two_readings_has_no_number_and_says_so() -> None:
    number, flags = read_marked("1.234", "unknown")
    plain, no_flags = read_marked("1234", "unknown")

    assert (number, flags) == (None, ("ambiguous_separator",))
    assert plain is not None
    assert (plain.value, no_flags) == (1234, ())


@pytest.mark.parametrize(
    "text", ["Total", "TOTALS:", "Grand total", "**Total**", "Total (12 locations)", "Subtotal", "Total TIV"]
)
def test_a_label_of_a_total_row_is_known(text: str) -> None:
    assert is_total_label(text)


@pytest.mark.parametrize("text", ["Total Wine & More", "totally", "", "Main St", "Total loss of power", "Total " + "x" * 200])
def test_a_name_that_begins_with_total_is_no_total(text: str) -> None:
    assert not is_total_label(text)
