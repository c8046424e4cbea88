"""amounts_grounded."""

from __future__ import annotations

import pytest
from computed_cases import ask, call, conversation, final, prose, rule, says, spans, table, unreadable, user

SCHEDULE = table("schedule", "Location|TIV", "12 Dock St|$20,000,000", "14 Dock St|28200000")
COVER = prose("cover-sheet", "Deductible: $5,000 a loss", "Inspected 2026-08-01")


def test_amounts_that_stand_in_the_materials_are_grounded_whatever_their_spelling() -> None:
    finding = ask(rule("amounts_grounded"), SCHEDULE, COVER, final("12 Dock St is $20M, 14 Dock St $28.2M, deductible $5K."))

    assert finding.verdict == "pass"
    assert finding.why == "All 3 amounts in the final message stand in what it rests on: $20M, $28.2M, $5K."
    assert set(spans(finding)) >= {"$20M", "$20,000,000", "$28.2M", "28200000", "deductible $5K.", "$5,000"}


def test_an_invented_amount_fails_and_is_cited() -> None:
    finding = ask(rule("amounts_grounded"), SCHEDULE, COVER, final("TIV is $48.9M.", "Deductible $5,000."))

    assert finding.verdict == "fail"
    assert finding.why == "Of 2 amounts in the final message 1 stand nowhere in what it rests on: $48.9M."
    assert spans(finding) == ["$48.9M"]


def test_rounding_is_allowed_in_the_answer_and_not_in_its_ground() -> None:
    rounded = prose("cover-sheet", "TIV: $48.2M")

    assert ask(rule("amounts_grounded"), rounded, final("TIV: $48,230,000")).verdict == "fail"
    assert ask(rule("amounts_grounded"), prose("cover-sheet", "TIV: $48,230,000"), final("TIV: $48.2M")).verdict == "pass"


@pytest.mark.parametrize(
    ("params", "answer", "verdict"),
    [
        ({"derived": True}, "TIV is $48,200,000.", "pass"),
        ({"derived": True}, "14 Dock St is $8,200,000 larger.", "pass"),
        ({"derived": True}, "TIV is $48,300,000.", "fail"),
        ({}, "TIV is $48,200,000.", "fail"),
        ({"minimum": 100_000_000}, "TIV is $48,300,000.", "na"),
        ({"tolerance": 100_000}, "It is $20,100,000.", "pass"),
        ({}, "It has 17 sprinklers on 2026-03-04.", "na"),
        ({"kinds": ["number"]}, "It has 17 sprinklers.", "fail"),
        ({"kinds": ["currency", "number"]}, "It is $5,000 or 5000.", "pass"),
        ({"kinds": ["percent"]}, "It is 80% insured.", "fail"),
    ],
)
def test_what_counts_is_a_parameter(params: dict[str, object], answer: str, verdict: str) -> None:
    finding = ask(rule("amounts_grounded", **params), SCHEDULE, COVER, final(answer))

    assert finding.verdict == verdict
    assert finding.na_reason in (None, "not_applicable")


def test_a_conversation_grounds_by_its_users_tools_and_arguments_not_by_what_the_agent_says() -> None:
    session = conversation(
        user("My budget is $7,000."),
        call("rate", result="premium $6,100", limit=250_000),
        says("I think it is $9,999."),
    )

    assert ask(rule("amounts_grounded"), session, final("Budget $7,000, premium $6,100, limit $250,000.")).verdict == "pass"
    assert ask(rule("amounts_grounded"), session, final("It is $9,999.")).verdict == "fail"


def test_only_the_named_sources_ground() -> None:
    assert ask(rule("amounts_grounded", in_=["cover sheet"]), SCHEDULE, COVER, final("It is $20,000,000.")).verdict == "fail"
    assert ask(rule("amounts_grounded", in_=["schedule"]), SCHEDULE, COVER, final("It is $20,000,000.")).verdict == "pass"


def test_an_unread_document_may_hold_the_amount() -> None:
    broken = unreadable(SCHEDULE, "it is encrypted")

    finding = ask(rule("amounts_grounded"), broken, COVER, final("It is $20,000,000."))

    assert finding.na_reason == "insufficient_evidence"
    assert "it is encrypted" in finding.why
    assert ask(rule("amounts_grounded"), broken, COVER, final("It is $5,000.")).verdict == "pass"


def test_a_missing_document_cannot_have_been_read() -> None:
    assert ask(rule("amounts_grounded"), COVER, final("It is $20,000,000."), missing=["schedule"]).verdict == "fail"
    named = rule("amounts_grounded", in_=["schedule"], na_when="there is no schedule.")
    assert ask(named, COVER, final("It is $20,000,000."), missing=["schedule"]).na_reason == "not_applicable"


def test_without_a_final_message_or_anything_else_nothing_is_decided() -> None:
    assert ask(rule("amounts_grounded"), COVER).na_reason == "insufficient_evidence"
    assert ask(rule("amounts_grounded"), final("It is $5,000.")).na_reason == "insufficient_evidence"
    assert ask(rule("amounts_grounded"), final("It is $5,000."), missing=["schedule"]).na_reason == "insufficient_evidence"
    assert ask(rule("amounts_grounded"), COVER, final()).na_reason == "not_applicable"


def test_a_short_answer_is_cited_whole() -> None:
    assert spans(ask(rule("amounts_grounded"), COVER, final("$9"))) == ["$9"]


def test_what_the_agent_only_thought_grounds_nothing() -> None:
    thought = conversation(user("What do they cost?"), call("think", thought="13 + 4 = 17,021 in all"))
    stated = final("They cost $17,021.")

    assert ask(rule("amounts_grounded"), stated, thought).verdict == "pass"
    assert ask(rule("amounts_grounded", thoughts=["think"]), stated, thought).verdict == "fail"
