"""sum_equals and equals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from computed_cases import ask, conversation, final, prose, rule, spans, table, unreadable, user
from hypothesis import assume, given
from hypothesis import strategies as st

SCHEDULE = table(
    "schedule",
    "Location|Year built|TIV",
    "12 Dock St|1987|$20,000,000",
    "14 Dock St|1990|$18,200,000",
    "80 Pier Rd|2004|$10,000,000",
    "Total||$48,200,000",
)
COVER = prose("cover-sheet", "Insured: Harbor LLC", "Total insured value: $48.2M", "Locations: 3")


def test_a_rounded_total_equals_the_sum_it_rounds() -> None:
    finding = ask(rule("sum_equals"), SCHEDULE, COVER)

    assert finding.verdict == "pass"
    assert finding.why == ("Schedule rows sum to 48,200,000; the cover sheet states $48.2M, a difference of 0 within 0.")
    assert spans(finding) == ["Total insured value: $48.2M", "$20,000,000", "$18,200,000", "$10,000,000"]


def test_a_wrong_total_fails_and_only_the_wrong_one_is_told() -> None:
    finding = ask(rule("sum_equals"), SCHEDULE, COVER, final("The TIV of the account is $47,000,000."))

    assert finding.verdict == "fail"
    assert "the final message states $47,000,000, a difference of 1,200,000, more than 0" in finding.why
    assert "cover sheet" not in finding.why


@pytest.mark.parametrize(
    ("stated", "tolerance", "verdict"),
    [
        ("$48,200,001", 1, "pass"),
        ("$48,200,002", 1, "fail"),
        ("$48,250,000", 0, "fail"),
        ("$48.25M", 0, "fail"),
        ("$48.2M", 0, "pass"),
        ("$48M", 0, "pass"),
        ("$49M", 0, "fail"),
        ("48,200,000.00", 0, "pass"),
        ("48,200,000.10", 0, "fail"),
    ],
)
def test_tolerance_is_kept_to_the_unit_and_rounding_to_what_is_written(stated: str, tolerance: int, verdict: str) -> None:
    cover = prose("cover-sheet", f"TIV: {stated}")

    assert ask(rule("sum_equals", tolerance=tolerance), SCHEDULE, cover).verdict == verdict


def test_a_repeated_total_is_one_and_two_different_totals_are_undecided() -> None:
    same = prose("cover-sheet", "TIV: $48.2M", "Total insured value: $48,200,000")
    different = prose("cover-sheet", "TIV: $48.2M", "The TIV is $47.0M.")

    assert ask(rule("sum_equals"), SCHEDULE, same).verdict == "pass"
    finding = ask(rule("sum_equals"), SCHEDULE, different)
    assert finding.na_reason == "not_judgeable"
    assert finding.why == "'TIV' names different values: $48.2M in the cover sheet, $47.0M in the cover sheet."


def test_a_wrong_total_fails_although_another_source_is_in_doubt() -> None:
    doubtful = prose("cover-sheet", "TIV: $48.2M", "TIV: $47.0M")

    assert ask(rule("sum_equals"), SCHEDULE, doubtful, final("TIV: $40M")).verdict == "fail"
    assert ask(rule("sum_equals"), SCHEDULE, doubtful, final("TIV: $48.2M")).na_reason == "not_judgeable"


def test_a_missing_schedule_is_not_applicable_only_where_na_when_names_it() -> None:
    named = rule("sum_equals", na_when="the submission has no location schedule.")
    silent = rule("sum_equals", na_when="the account is a renewal.")

    assert ask(named, COVER, missing=["schedule"]).na_reason == "not_applicable"
    assert ask(silent, COVER, missing=["schedule"]).na_reason == "insufficient_evidence"
    assert ask(rule("sum_equals", table="schedule"), COVER, missing=["schedule"]).na_reason == "insufficient_evidence"


def test_an_unreadable_schedule_is_insufficient_evidence_with_its_reason() -> None:
    broken = unreadable(SCHEDULE, "the PDF has no text layer")
    eval_ = rule("sum_equals", table="schedule", na_when="there is no schedule.")

    finding = ask(eval_, broken, COVER)

    assert finding.na_reason == "insufficient_evidence"
    assert "the PDF has no text layer" in finding.why
    assert "the PDF has no text layer" in ask(rule("sum_equals"), broken, COVER).why


def test_no_stated_total_in_a_source_that_is_there_is_insufficient_evidence() -> None:
    silent = prose("cover-sheet", "TIV unknown, deductible $5,000")

    assert ask(rule("sum_equals"), SCHEDULE, silent).na_reason == "insufficient_evidence"


def test_each_named_source_must_state_the_total() -> None:
    silent = final("Bound as quoted.")
    eval_ = rule("sum_equals", stated_in=["cover sheet", "final answer"])

    assert ask(rule("sum_equals"), SCHEDULE, COVER, silent).verdict == "pass"
    assert ask(eval_, SCHEDULE, COVER, silent).na_reason == "insufficient_evidence"
    assert ask(eval_, SCHEDULE, COVER, missing=["final answer"]).na_reason == "insufficient_evidence"
    assert ask(eval_, SCHEDULE, prose("cover-sheet", "TIV: $1"), silent).verdict == "fail"


def test_a_cell_that_is_no_number_leaves_the_sum_undecided() -> None:
    schedule = table("schedule", "Location|TIV", "12 Dock St|$20,000,000", "14 Dock St|TBD")

    finding = ask(rule("sum_equals"), schedule, COVER)

    assert finding.na_reason == "insufficient_evidence"
    assert "'TBD' in row 2" in finding.why


def test_blank_cells_and_dashes_add_nothing_and_are_told() -> None:
    schedule = table("schedule", "Location|TIV", "12 Dock St|48,200,000", "14 Dock St|", "16 Dock St| - ", "|")

    finding = ask(rule("sum_equals"), schedule, COVER)

    assert finding.verdict == "pass"
    assert "(2 blank cells count as nothing)" in finding.why


def test_two_columns_of_one_name_need_their_key() -> None:
    schedule = table("schedule", "Location|TIV|TIV", "12 Dock St|1,000|48,200,000")

    assert ask(rule("sum_equals"), schedule, COVER).na_reason == "not_judgeable"
    assert ask(rule("sum_equals", column="TIV~2"), schedule, COVER).verdict == "pass"


def test_several_columns_are_summed_together() -> None:
    schedule = table("schedule", "Location|Building|Contents", "12 Dock St|40,000,000|8,000,000", "14 Dock St|200,000|")

    assert ask(rule("sum_equals", column=["Building", "Contents"]), schedule, COVER).verdict == "pass"
    assert ask(rule("sum_equals", column=["Building", "BI"]), schedule, COVER).na_reason == "insufficient_evidence"
    assert ask(rule("sum_equals"), schedule, COVER).na_reason == "insufficient_evidence"


def test_amounts_in_two_currencies_are_not_compared() -> None:
    euros = table("schedule", "Location|TIV", "12 Dock St|€48,200,000")
    mixed = table("schedule", "Location|TIV", "12 Dock St|€20,000,000", "14 Dock St|$28,200,000")

    assert ask(rule("sum_equals"), euros, COVER).na_reason == "not_judgeable"
    assert ask(rule("sum_equals"), mixed, COVER).na_reason == "not_judgeable"


def test_a_total_may_stand_in_a_table_row() -> None:
    cover = table("cover-sheet", "Item|Value", "Insured|Harbor LLC", "Total insured value|$48,200,000", "Deductible|$5,000")

    finding = ask(rule("sum_equals", table="schedule"), SCHEDULE, cover)

    assert finding.verdict == "pass"
    assert spans(finding)[:2] == ["$48,200,000", "Total insured value"]


def test_a_total_row_of_another_table_is_a_stated_total() -> None:
    memo = table("memo", "Site|TIV", "A|$40,000,000", "B|$8,200,000", "Total|$48,200,000")

    assert ask(rule("sum_equals", table="schedule"), SCHEDULE, memo).verdict == "pass"


def test_tool_results_and_the_user_may_state_the_total() -> None:
    turns = conversation(user("The total insured value is 48,200,000 USD, please check."))

    assert ask(rule("sum_equals"), SCHEDULE, turns).verdict == "pass"


def test_a_long_schedule_keeps_its_first_citations_and_says_so() -> None:
    schedule = table("schedule", "Location|TIV", *(f"{number} Dock St|$1,000" for number in range(1, 101)))

    finding = ask(rule("sum_equals"), schedule, prose("cover-sheet", "TIV: $100,000"))

    assert finding.verdict == "pass"
    assert len(finding.citations) == 40
    assert finding.why.endswith("The first 40 of 101 citations are kept.")


@given(st.lists(st.decimals(min_value=0, max_value=10**12, places=2), min_size=1, max_size=30), st.integers(-2, 2))
def test_sums_are_exact_and_a_cent_decides(values: list[Decimal], cents: int) -> None:
    schedule = table("schedule", "Location|TIV", *(f"row {index}|{value:,.2f}" for index, value in enumerate(values)))
    oracle = sum((Fraction(value) for value in values), Fraction(0)) + Fraction(cents, 100)
    assume(oracle >= 0)
    cover = prose("cover-sheet", f"TIV: {int(oracle * 100) // 100:,}.{int(oracle * 100) % 100:02}")

    finding = ask(rule("sum_equals"), schedule, cover)

    assert finding.verdict == ("pass" if cents == 0 else "fail")


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("Deductible: $5,000", "The deductible is $5,000.", "pass"),
        ("Deductible: $5,000", "The deductible is $10,000.", "fail"),
        ("Deductible: $5K", "The deductible is $5,200.", "pass"),
        ("Deductible: 2026-08-01", "The deductible applies from 1 Aug 2026.", "na"),
    ],
)
def test_one_named_amount_in_two_places(left: str, right: str, verdict: str) -> None:
    eval_ = rule("equals", label="deductible", left="cover sheet", right="final answer")

    assert ask(eval_, prose("cover-sheet", left), final(right)).verdict == verdict


def test_one_named_date_in_two_places() -> None:
    eval_ = rule("equals", label="effective date", left="cover sheet", right="final answer")
    cover = prose("cover-sheet", "Effective date: 2026-08-01")

    assert ask(eval_, cover, final("The effective date is August 1, 2026.")).verdict == "pass"
    finding = ask(eval_, cover, final("Effective date: 2 Aug 2026"))
    assert finding.verdict == "fail"
    assert finding.why == (
        "The cover sheet gives 2026-08-01 for 'effective date'; the final message gives 2 Aug 2026 for 'effective date': "
        "1 day apart."
    )
    assert ask(eval_, cover, final("Effective date: $5,000")).na_reason == "not_judgeable"


def test_equals_needs_both_places() -> None:
    eval_ = rule("equals", label="deductible", left="cover sheet", right="final", na_when="there is no cover sheet")

    assert ask(eval_, final("Deductible: $5"), missing=["cover sheet"]).na_reason == "not_applicable"
    assert ask(eval_, prose("cover-sheet", "Deductible: $5"), final("Bound.")).na_reason == "insufficient_evidence"
    two = prose("cover-sheet", "Deductible: $5", "Deductible: $6")
    assert ask(eval_, two, final("Deductible: $5")).na_reason == "not_judgeable"


def test_equals_refuses_two_currencies() -> None:
    eval_ = rule("equals", label="limit", left="cover sheet", right="final")

    assert ask(eval_, prose("cover-sheet", "Limit: $5,000"), final("Limit: €5,000")).na_reason == "not_judgeable"
