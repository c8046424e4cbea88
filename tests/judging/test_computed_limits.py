"""threshold, ratio and count."""

from __future__ import annotations

import pytest
from computed_cases import ask, call, conversation, final, instruction, prose, rule, spans, table, unreadable

SCHEDULE = table(
    "schedule",
    "Location|Year|TIV",
    "12 Dock St|1987|$20,000,000",
    "14 Dock St|1990|$26,500,000",
    "80 Pier Rd|2004|$10,000,000",
    "Total||$56,500,000",
)
GUIDE = prose("guidelines", "Maximum per location: $25M", "Any single building above 3 stories is referred.")


def test_each_row_keeps_the_limit_or_the_row_is_named() -> None:
    finding = ask(rule("threshold", column="TIV", limit=25_000_000), SCHEDULE)

    assert finding.verdict == "fail"
    assert finding.why == "$26,500,000 in row 2 of the schedule is above the limit of 25,000,000."
    assert spans(finding) == ["$26,500,000"]


def test_the_nearest_row_is_cited_where_all_keep_the_limit() -> None:
    finding = ask(rule("threshold", column="TIV", limit=30_000_000), SCHEDULE)

    assert finding.verdict == "pass"
    assert finding.why == "$26,500,000 in row 2 of the schedule (the nearest of 3 rows) is not above the limit of 30,000,000."


@pytest.mark.parametrize(
    ("params", "verdict"),
    [
        ({"take": "max", "limit": 26_500_000}, "pass"),
        ({"take": "max", "limit": 26_500_000, "op": "<"}, "fail"),
        ({"take": "max", "limit": 26_499_999, "tolerance": 1}, "pass"),
        ({"take": "min", "limit": 10_000_000, "op": ">="}, "pass"),
        ({"take": "min", "limit": 10_000_000, "op": ">"}, "fail"),
        ({"take": "sum", "limit": 56_500_000}, "pass"),
        ({"take": "sum", "limit": 56_499_999}, "fail"),
        ({"take": "count", "limit": 3}, "pass"),
        ({"take": "count", "limit": 2}, "fail"),
        ({"take": "each", "limit": 10_000_000, "op": ">="}, "pass"),
        ({"take": "each", "limit": 10_000_001, "op": ">="}, "fail"),
    ],
)
def test_what_is_taken_of_a_column_stands_to_the_limit(params: dict[str, object], verdict: str) -> None:
    assert ask(rule("threshold", column="TIV", **params), SCHEDULE).verdict == verdict


def test_a_stated_amount_against_a_stated_limit() -> None:
    eval_ = rule("threshold", label="TIV", stated_in="final answer", limit_label="maximum per location", limit_in="guidelines")

    finding = ask(eval_, GUIDE, final("The TIV of 14 Dock St is $26.5M."))

    assert finding.verdict == "fail"
    assert finding.why == ("The TIV of $26.5M in the final message is above the limit of $25M in the guidelines.")
    assert spans(finding) == ["TIV of 14 Dock St is $26.5M", "Maximum per location: $25M"]


def test_threshold_is_undecided_where_an_operand_is() -> None:
    eval_ = rule("threshold", label="TIV", stated_in="final", limit_label="maximum per location", limit_in="guidelines")
    named = rule("threshold", label="TIV", limit=1, stated_in="guidelines", na_when="no guidelines were given.")

    assert ask(eval_, GUIDE, final("Bound.")).na_reason == "insufficient_evidence"
    assert ask(eval_, final("TIV: $1"), missing=["guidelines"]).na_reason == "insufficient_evidence"
    assert ask(named, final("TIV: $1"), missing=["guidelines"]).na_reason == "not_applicable"
    assert ask(eval_, GUIDE, final("TIV: $1", "TIV: $2")).na_reason == "not_judgeable"
    assert ask(eval_, GUIDE, final("TIV: €1")).na_reason == "not_judgeable"
    assert ask(eval_, unreadable(GUIDE, "it is encrypted"), final("TIV: $1")).na_reason == "insufficient_evidence"
    assert ask(rule("threshold", column="BI", limit=1), SCHEDULE).na_reason == "insufficient_evidence"
    assert ask(rule("threshold", column="BI", limit=1), GUIDE, missing=["schedule"]).na_reason == "insufficient_evidence"


def test_two_tables_with_the_column_are_undecided_and_one_continued_is_not() -> None:
    other = table("other", "TIV|Site", "$1|A")
    both = type(SCHEDULE)(
        name="both",
        kind="material",
        content_sha256="0",
        segments=SCHEDULE.segments + other.segments,
        cells=SCHEDULE.cells + other.cells,
    )
    twice = table("more", "Location|Year|TIV", "90 Pier Rd|2004|$40,000,000")
    continued = type(SCHEDULE)(
        name="both",
        kind="material",
        content_sha256="0",
        segments=SCHEDULE.segments + twice.segments,
        cells=SCHEDULE.cells + twice.cells,
    )
    eval_ = rule("threshold", column="TIV", limit=30_000_000)

    assert ask(eval_, both).na_reason == "not_judgeable"
    assert ask(eval_, continued).verdict == "fail"


PAID = prose("loss-runs", "Total incurred: $420,000", "Earned premium: $600,000")


def test_a_ratio_keeps_its_limit() -> None:
    params = {"numerator": {"label": "total incurred", "in": "loss runs"}, "denominator": {"label": "earned premium"}}

    passed = ask(rule("ratio", limit=0.7, **params), PAID)
    failed = ask(rule("ratio", limit=0.65, **params), PAID)

    assert passed.verdict == "pass"
    assert failed.verdict == "fail"
    assert failed.why == (
        "The total incurred of $420,000 in the loss runs over the earned premium of $600,000 in the loss runs is 0.7, "
        "above the limit of 0.65."
    )
    assert spans(failed) == ["Total incurred: $420,000", "Earned premium: $600,000"]
    assert ask(rule("ratio", limit=0.65, tolerance=0.05, **params), PAID).verdict == "pass"


def test_a_ratio_of_columns() -> None:
    params = {
        "numerator": {"table": "schedule", "column": "TIV", "take": "max"},
        "denominator": {"table": "schedule", "column": "TIV", "take": "sum"},
    }

    assert ask(rule("ratio", limit=0.5, **params), SCHEDULE).verdict == "pass"
    assert ask(rule("ratio", limit=0.4, **params), SCHEDULE).verdict == "fail"


def test_a_ratio_is_undecided_over_zero_over_two_currencies_or_over_nothing() -> None:
    params = {"numerator": {"label": "incurred"}, "denominator": {"label": "premium"}, "limit": 1}
    rule_ = rule("ratio", na_when="there are no loss runs.", **params)
    in_loss_runs = rule(
        "ratio",
        na_when="no loss runs.",
        limit=1,
        numerator={"label": "incurred", "in": "loss runs"},
        denominator={"label": "a"},
    )

    assert ask(rule_, prose("loss-runs", "Incurred: $5", "Premium: $0")).na_reason == "insufficient_evidence"
    assert ask(rule_, prose("loss-runs", "Incurred: $5", "Premium: €9")).na_reason == "not_judgeable"
    assert ask(rule_, prose("loss-runs", "Incurred: $5")).na_reason == "insufficient_evidence"
    assert ask(rule_, prose("loss-runs", "Incurred: $5", "Incurred: $6", "Premium: $9")).na_reason == "not_judgeable"
    assert ask(in_loss_runs, final("ok, bound"), missing=["loss runs"]).na_reason == "not_applicable"


def test_rows_are_counted_without_totals_and_blanks() -> None:
    eval_ = rule("count", table="schedule", label="locations", stated_in="final answer")

    finding = ask(eval_, SCHEDULE, final("The account has 3 locations worth $56.5M."))

    assert finding.verdict == "pass"
    assert finding.why == "There are 3 rows in the schedule; the final message states 3, a difference of 0 within 0."
    assert spans(finding) == ["3 locations", "12 Dock St", "14 Dock St", "80 Pier Rd"]
    assert ask(eval_, SCHEDULE, final("Number of locations: 4")).verdict == "fail"


def test_rows_against_a_limit() -> None:
    assert ask(rule("count", table="schedule", limit=3), SCHEDULE).verdict == "pass"
    assert ask(rule("count", limit=3, op="<"), SCHEDULE).verdict == "fail"


def test_calls_are_counted() -> None:
    turns = conversation(call("geocode", address="12 Dock St"), call("geocode", address="14 Dock St"), call("quote"))

    finding = ask(rule("count", tool="geocode", limit=2, op=">="), turns)

    assert finding.verdict == "pass"
    assert spans(finding) == ['geocode {"address":"12 Dock St"}', 'geocode {"address":"14 Dock St"}']
    assert ask(rule("count", tool="geocode", where={"address": "12 Dock St"}, limit=2, op=">="), turns).verdict == "fail"
    assert (
        ask(rule("count", tool="geocode", label="addresses", stated_in="final"), turns, final("2 addresses")).verdict == "pass"
    )


def test_no_calls_cite_what_asked_for_them() -> None:
    finding = ask(rule("count", tool="geocode", limit=1, op=">="), conversation(), instruction("Geocode each location."))

    assert finding.verdict == "fail"
    assert spans(finding) == ["Geocode each location."]


def test_count_is_undecided_where_its_operands_are() -> None:
    eval_ = rule("count", table="schedule", label="locations", na_when="there is no schedule.")

    assert ask(eval_, final("3 locations"), missing=["schedule"]).na_reason == "not_applicable"
    assert ask(eval_, SCHEDULE, final("Bound.")).na_reason == "insufficient_evidence"
    assert ask(eval_, SCHEDULE, final("3 locations, then 4 locations", "Locations: 5")).na_reason == "not_judgeable"
    assert ask(eval_, prose("schedule", "three places"), final("3 locations")).na_reason == "insufficient_evidence"
    assert (
        ask(rule("count", tool="geocode", limit=1), final("ok, bound"), missing=["turns"]).na_reason == "insufficient_evidence"
    )
