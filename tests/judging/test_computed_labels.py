"""Which number a label names on its line."""

from __future__ import annotations

import pytest

from recordroom_pipeline.judging.computed.labels import links_in


def named(line: str, label: str = "TIV", *, want: str = "amount") -> list[str]:
    return [line[link.token.start : link.token.end] for link in links_in(line, label, want)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "amounts"),
    [
        ("TIV: $48.2M", ["$48.2M"]),
        ("tiv = 48,200,000", ["48,200,000"]),
        ("**TIV**: $48,200,000", ["$48,200,000"]),
        ("TIV (USD): 48,200,000", ["48,200,000"]),
        ('{"tiv":48200000,"locations":3}', ["48200000"]),
        ("| TIV | $48.2M |", ["$48.2M"]),
        ("Total TIV is $48.2M across 2 locations.", ["$48.2M"]),
        ("The TIV of 14 Dock St is $26.5M.", ["$26.5M"]),
        ("the TIV across 12 locations, as scheduled, is $48.2M", ["$48.2M"]),
        ("TIV per schedule: $48.2M; premium: $30,000", ["$48.2M"]),
        ("TIV as of 2026-08-01: $48.2M", ["$48.2M"]),
        ("The TIV rose from $40M to $48.2M", ["$48.2M"]),
        ("$48.2M TIV, premium $30,000", ["$48.2M"]),
        ("$48.2M in TIV", ["$48.2M"]),
        ("TIV: $48.2M. The TIV is $47M.", ["$48.2M", "$47M"]),
        ("TIV unknown, deductible $5,000", []),
        ("TIV: pending. Premium is $30,000", []),
        ("Our TIV limit is $50M", []),
        ("Average TIV: $5M", []),
        ("per-location TIV: $5M", []),
        ("12 TIV rows", []),
        ("in 2024 TIV rose", []),
        ("TIVs: $48.2M", []),
        ("activity: $48.2M", []),
    ],
)
def test_a_label_names_the_number_beside_it_or_nothing(line: str, amounts: list[str]) -> None:
    assert named(line) == amounts


@pytest.mark.parametrize("line", ["total_insured_value: 5,000", "Total-Insured Value 5,000", "TOTAL  INSURED VALUE is 5,000"])
def test_the_words_of_a_label_may_be_parted_in_any_way(line: str) -> None:
    assert named(line, "total insured value") == ["5,000"]


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("12 locations", ["12"]),
        ("Locations: 12", ["12"]),
        ("Number of locations: 12", ["12"]),
        ("$5 locations", []),
        ("locations at 12.5", []),
    ],
)
def test_a_count_is_a_plain_whole_number_before_or_after(line: str, counts: list[str]) -> None:
    assert named(line, "locations", want="count") == counts
