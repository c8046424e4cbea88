"""date_order, and dates as they are written."""

from __future__ import annotations

from datetime import date

import pytest
from computed_cases import ask, final, prose, rule, spans, table
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.judging.computed.dates import find_dates

REPORT = prose("inspection", "Date of inspection: 14 July 2026", "Report issued: 2026-07-20")
COVER = prose("cover-sheet", "Effective date: 08/01/2026", "Expiry: 2027-08-01")


def order(**params: object) -> object:
    given_ = {
        "earlier": {"label": "date of inspection", "in": "inspection"},
        "later": {"label": "expiry", "in": "cover sheet"},
        **params,
    }
    return rule("date_order", **given_)


@pytest.mark.parametrize(
    ("params", "verdict"),
    [
        ({}, "pass"),
        ({"max_days": 383}, "pass"),
        ({"max_days": 382}, "fail"),
        ({"min_days": 383}, "pass"),
        ({"min_days": 384}, "fail"),
        ({"earlier": {"label": "expiry"}, "later": {"label": "report issued"}}, "fail"),
        ({"earlier": {"label": "expiry"}, "later": {"label": "expiry"}}, "pass"),
    ],
)
def test_days_between_two_events(params: dict[str, object], verdict: str) -> None:
    assert ask(order(**params), REPORT, COVER).verdict == verdict


def test_both_dates_are_told_and_cited() -> None:
    finding = ask(order(max_days=90), REPORT, COVER)

    assert finding.why == (
        "The date of inspection of 2026-07-14 in the inspection is 383 days before the expiry of 2027-08-01 "
        "in the cover sheet; 0 to 90 days before is asked for."
    )
    assert spans(finding) == ["Date of inspection: 14 July 2026", "Expiry: 2027-08-01"]


def test_a_date_that_may_be_two_days_is_undecided_until_day_first_settles_it() -> None:
    later = {"label": "effective date", "in": "cover sheet"}

    undecided = ask(order(later=later), REPORT, COVER)

    assert undecided.na_reason == "not_judgeable"
    assert undecided.why == "'08/01/2026' may be 2026-08-01 or 2026-01-08; the parameter `day_first` settles it."
    assert ask(order(later=later, day_first=False), REPORT, COVER).verdict == "pass"
    assert ask(order(later=later, day_first=True), REPORT, COVER).verdict == "fail"


def test_date_order_is_undecided_where_a_date_is() -> None:
    named = order()

    assert ask(named, REPORT, prose("cover-sheet", "Expiry: unknown")).na_reason == "insufficient_evidence"
    assert ask(named, REPORT, prose("cover-sheet", "Expiry: $5,000")).na_reason == "insufficient_evidence"
    assert ask(named, REPORT, missing=["cover sheet"]).na_reason == "insufficient_evidence"
    two = prose("cover-sheet", "Expiry: 2027-08-01", "Expiry: 2028-08-01")
    assert ask(named, REPORT, two).na_reason == "not_judgeable"
    same = prose("cover-sheet", "Expiry: 2027-08-01", "Expiry: August 1st, 2027")
    assert ask(named, REPORT, same).verdict == "pass"


def test_a_date_may_stand_in_a_table() -> None:
    cover = table("cover-sheet", "Item|Value", "Effective date|2026-08-01", "Expiry|2027-08-01")

    assert spans(ask(order(), REPORT, cover))[1:] == ["2027-08-01", "Expiry"]
    assert ask(order(), REPORT, table("cover-sheet", "Expiry|Insured", "2027-08-01|Harbor LLC")).verdict == "pass"


def test_numbers_inside_dates_are_no_amounts() -> None:
    cover = prose("cover-sheet", "TIV as of 2026-08-01: $48.2M")

    assert ask(rule("threshold", label="TIV", limit=50_000_000), cover).verdict == "pass"
    assert ask(rule("threshold", label="TIV", limit=50_000_000), final("TIV: 2026-08-01")).verdict == "na"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-08-01", ["2026-08-01"]),
        ("2026/8/1", ["2026-08-01"]),
        ("1 Aug 2026", ["2026-08-01"]),
        ("1st August 2026", ["2026-08-01"]),
        ("Aug. 1, 2026", ["2026-08-01"]),
        ("August 1st, 2026", ["2026-08-01"]),
        ("01-Aug-2026", ["2026-08-01"]),
        ("01.08.2026", ["2026-08-01"]),
        ("13/08/2026", ["2026-08-13"]),
        ("08/13/2026", ["2026-08-13"]),
        ("05/05/2026", ["2026-05-05"]),
        ("03/04/2026", ["2026-03-04", "2026-04-03"]),
        ("2026-02-30", []),
        ("12026-08-01", []),
        ("1.2.3.2026", []),
        ("May be 3, 2026 items", []),
    ],
)
def test_a_date_has_every_reading_that_its_spelling_allows(written: str, read: list[str]) -> None:
    assert [str(reading) for found in find_dates(written) for reading in found.readings] == read


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d-%b-%Y"]))
def test_every_date_is_read_from_every_unambiguous_spelling(day: date, spelling: str) -> None:
    found = find_dates(f"inspected {day.strftime(spelling)}, see report")

    assert [written.readings for written in found] == [(day,)]
