"""tool_called, tool_order, arg_sum_equals and arg_count."""

from __future__ import annotations

from decimal import Decimal

import pytest
from computed_cases import ask, call, conversation, final, instruction, rule, says, spans, user
from hypothesis import given
from hypothesis import strategies as st

ASKED = instruction("Check appetite before you quote.")
SESSION = conversation(
    user("Please quote 12 Dock St."),
    call("query_appetite", result="retail: in appetite to $25M/location", naics="445110"),
    call("quote", result='{"premium": 12000.50}', naics="445110", limit=5_000_000),
    says("Quoted."),
)


@pytest.mark.parametrize(
    ("params", "verdict"),
    [
        ({"tool": "query_appetite"}, "pass"),
        ({"tool": "Query_Appetite"}, "fail"),
        ({"tool": ["query_appetite", "quote"], "min": 2}, "pass"),
        ({"tool": "quote", "min": 2}, "fail"),
        ({"tool": "quote", "min": 0, "max": 0}, "fail"),
        ({"tool": "bind", "min": 0, "max": 0}, "pass"),
        ({"tool": "quote", "where": {"naics": "445110"}}, "pass"),
        ({"tool": "quote", "where": {"naics": ["1", "445110"]}}, "pass"),
        ({"tool": "quote", "where": {"naics": 445110}}, "fail"),
        ({"tool": "quote", "where": {"limit": 5_000_000.0}}, "pass"),
        ({"tool": "quote", "where": {"limit": True}}, "fail"),
        ({"tool": "quote", "where": {"limit": 5_000_000, "naics": "1"}}, "fail"),
        ({"tool": "quote", "where": {"absent": "1"}}, "fail"),
        ({"tool": "quote", "where": {"naics": {"prefix": "445"}}}, "pass"),
    ],
)
def test_calls_are_counted_by_exact_name_and_argument(params: dict[str, object], verdict: str) -> None:
    assert ask(rule("tool_called", **params), ASKED, SESSION).verdict == verdict


def test_a_call_is_cited_as_compact_json() -> None:
    finding = ask(rule("tool_called", tool="query_appetite"), SESSION)

    assert finding.why == "`query_appetite` was called once; at least 1 asked for."
    assert spans(finding) == ['query_appetite {"naics":"445110"}']


def test_a_call_that_was_not_made_cites_what_asked_for_it() -> None:
    assert spans(ask(rule("tool_called", tool="bind"), SESSION, ASKED)) == ["Check appetite before you quote."]
    assert spans(ask(rule("tool_called", tool="bind"), SESSION)) == ["Please quote 12 Dock St."]
    assert spans(ask(rule("tool_called", tool="bind"), conversation(), final("All done."))) == ["All done."]


def test_a_call_that_nothing_asked_for_is_not_applicable() -> None:
    assert ask(rule("tool_called", tool="bind"), conversation()).na_reason == "not_applicable"


def test_a_call_with_other_arguments_is_cited_and_told() -> None:
    finding = ask(rule("tool_called", tool="quote", where={"naics": "1"}), SESSION)

    assert finding.verdict == "fail"
    assert (
        finding.why == "`quote` was called never with the arguments asked for (1 with other arguments); at least 1 asked for."
    )
    assert spans(finding) == ['quote {"naics":"445110","limit":5000000}']


def test_tools_are_undecided_without_the_turns() -> None:
    named = rule("tool_called", tool="bind", na_when="there are no turns.")

    assert ask(named, ASKED, missing=["turns"]).na_reason == "not_applicable"
    assert ask(rule("tool_called", tool="bind"), ASKED).na_reason == "insufficient_evidence"
    assert ask(rule("tool_order", first="a", then="b"), ASKED).na_reason == "insufficient_evidence"
    assert ask(rule("arg_count", tool="a", path="b[]", limit=1), ASKED).na_reason == "insufficient_evidence"


def test_order_is_kept_or_the_call_without_its_forerunner_is_named() -> None:
    kept = ask(rule("tool_order", first="query_appetite", then="quote"), SESSION)
    broken = ask(rule("tool_order", first="quote", then="query_appetite"), SESSION)

    assert kept.verdict == "pass"
    assert kept.why == "Each call of `quote` came after `query_appetite`: turn 2 before turn 3."
    assert spans(kept) == ['query_appetite {"naics":"445110"}', 'quote {"naics":"445110","limit":5000000}']
    assert broken.verdict == "fail"
    assert broken.why == "query_appetite in turn 2 came without `quote` before it."


def test_order_may_ask_for_the_same_arguments() -> None:
    mixed = conversation(
        call("query_appetite", naics="1"), call("quote", naics="1"), call("quote", naics="2"), call("quote", limit=1)
    )
    eval_ = rule("tool_order", first="query_appetite", then="quote", same=["naics"])

    finding = ask(eval_, mixed)

    assert ask(eval_, SESSION).verdict == "pass"
    assert finding.verdict == "fail"
    assert finding.why == "quote in turn 3, quote in turn 4 came without `query_appetite` before it with the same naics."


def test_no_later_call_is_not_applicable_and_cites_the_request() -> None:
    finding = ask(rule("tool_order", first="query_appetite", then="bind"), SESSION, ASKED)

    assert finding.na_reason == "not_applicable"
    assert spans(finding) == ["Check appetite before you quote."]


def payments(*amounts: object, total: object = 100, result: str = "ok") -> object:
    return conversation(
        call(
            "book",
            result=result,
            price=total,
            payment_methods=[{"id": f"gift_card_{i}", "amount": a} for i, a in enumerate(amounts)],
        )
    )


@pytest.mark.parametrize(
    ("amounts", "equals", "verdict"),
    [
        ((60, 40), 100, "pass"),
        ((60, 40.5), "price", "fail"),
        ((60, 40), "price", "pass"),
        ((0.1, 0.2), 0.3, "pass"),
        (("60", "$40"), "price", "pass"),
        ((60, "forty"), "price", "na"),
        ((60, None), "price", "na"),
        ((60, True), "price", "na"),
        ((), "price", "na"),
        ((60, 40), "absent", "na"),
        ((60, float("nan")), "price", "na"),
        ((60, 10**60), "price", "na"),
        ((60, 40), {"result": "total"}, "pass"),
        ((60, 41), {"result": "total"}, "fail"),
    ],
)
def test_arguments_are_summed_exactly(amounts: tuple[object, ...], equals: object, verdict: str) -> None:
    eval_ = rule("arg_sum_equals", tool="book", sum="payment_methods[].amount", equals=equals)

    finding = ask(eval_, payments(*amounts, result='{"total": 100.00}'))

    assert finding.verdict == verdict
    assert finding.na_reason in (None, "insufficient_evidence")


def test_one_wrong_call_fails_although_another_cannot_be_read() -> None:
    session = conversation(call("book", paid=[1, "x"]), call("book", paid=[1, 2]))

    finding = ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals=4), session)

    assert finding.verdict == "fail"
    assert finding.why == "In turn 2 `paid[]` sums to 3 against 4, a difference of 1, more than 0."
    assert ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals=3), session).na_reason == "insufficient_evidence"
    assert ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals=4, tolerance=1), session).na_reason is not None


def test_a_result_that_was_compared_is_cited() -> None:
    session = conversation(call("book", result='{"total": 3}', paid=[1, 2]))

    finding = ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals={"result": "total"}), session)

    assert spans(finding) == ['book {"paid":[1,2]}', '{"total": 3}']
    assert ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals={"result": "x"}), session).verdict == "na"
    broken = conversation(call("book", result="Error: [[[", paid=[1, 2]))
    assert ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals={"result": "total"}), broken).verdict == "na"


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=8), st.integers(-1, 1))
def test_sums_of_cents_are_exact(cents: list[int], off: int) -> None:
    session = conversation(call("book", paid=[float(Decimal(cent) / 100) for cent in cents]))
    wanted = float(Decimal(sum(cents) + off) / 100)

    finding = ask(rule("arg_sum_equals", tool="book", sum="paid[]", equals=wanted), session)

    assert finding.verdict == ("pass" if off == 0 else "fail")


def test_matching_items_are_counted_in_every_call() -> None:
    session = payments(50, 25, 25)
    where = {"id": {"prefix": "gift_card"}}

    passed = ask(rule("arg_count", tool="book", path="payment_methods[]", where=where, limit=3), session)
    failed = ask(rule("arg_count", tool="book", path="payment_methods[]", where=where, limit=2), session)

    assert passed.why == "`payment_methods[]` has items that match: 3 in turn 1; not above 3."
    assert failed.verdict == "fail"
    assert (
        ask(rule("arg_count", tool="book", path="payment_methods[]", where={"id": "visa"}, limit=0), session).verdict == "pass"
    )
    assert ask(rule("arg_count", tool="book", path="passengers[]", op=">=", limit=1), session).verdict == "fail"


def test_plain_items_are_matched_by_a_dot() -> None:
    session = conversation(call("book", ids=["gift_card_1", "visa_2"]))

    assert (
        ask(rule("arg_count", tool="book", path="ids[]", where={".": {"prefix": "gift"}}, limit=1, op=">="), session).verdict
        == "pass"
    )
    assert ask(rule("arg_count", tool="book", path="ids[]", where={".": "gift"}, limit=1, op=">="), session).verdict == "fail"


def test_no_call_leaves_argument_rules_not_applicable() -> None:
    for eval_ in (
        rule("arg_count", tool="bind", path="a[]", limit=1),
        rule("arg_sum_equals", tool="bind", sum="a[]", equals=1),
    ):
        finding = ask(eval_, SESSION)
        assert finding.na_reason == "not_applicable"
        assert spans(finding) == ["Please quote 12 Dock St."]


def test_long_arguments_are_cited_by_their_beginning() -> None:
    session = conversation(call("note", text="x" * 5_000))

    assert len(spans(ask(rule("tool_called", tool="note"), session))[0]) == 400


def test_a_booking_counts_as_the_lookup_of_what_it_booked_where_its_result_may() -> None:
    booked = call("book", result='{"reservation_id": "HATHAT"}', user="u")
    cancelled = call("cancel", reservation_id="HATHAT")
    other = call("cancel", reservation_id="OTHER1")
    params = {"first": ["look_up", "book"], "then": "cancel", "same": ["reservation_id"]}

    assert ask(rule("tool_order", **params), conversation(booked, cancelled)).verdict == "fail"
    assert ask(rule("tool_order", **params, in_result=True), conversation(booked, cancelled)).verdict == "pass"
    finding = ask(rule("tool_order", **params, in_result=True), conversation(booked, cancelled, other))
    assert (finding.verdict, "cancel in turn 3" in finding.why) == ("fail", True)


@pytest.mark.parametrize("result", ["done", "[1]", "[" * 5000, "{"])
def test_a_result_that_is_no_json_gives_no_values(result: str) -> None:
    eval_ = rule("tool_order", first="book", then="cancel", same=["id"], in_result=True)

    assert ask(eval_, conversation(call("book", result=result), call("cancel", id="X"))).verdict == "fail"
