"""Computed checks over files as they are really read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from computed_cases import ask, call, rule, spans, user

from recordroom_pipeline.corpus.model import Agent, Output, Turn
from recordroom_pipeline.evidence.csv_text import read_csv
from recordroom_pipeline.evidence.markdown import read_markdown
from recordroom_pipeline.evidence.model import Cell, Segment, Source
from recordroom_pipeline.evidence.trajectory import output_source, turns_source

SCHEDULE = """Harbor LLC - statement of values

Location,Address,Building,Contents,TIV (USD)
1,"12 Dock St, Unit ""A"" north","$12,000,000","$8,000,000","$20,000,000"
2,14 Dock St,"$18,000,000","$200,000","$18,200,000"
3,80 Pier Rd,"$10,000,000",-,"$10,000,000"
Total,,"$40,000,000","$8,200,000","$48,200,000"
"""
COVER = """# Submission

**Total insured value:** $48.2M
Effective date: 2026-08-01

| Item | Value |
|---|---|
| Deductible | $5,000 |
| Number of locations | 3 |

| Year | Incurred | Premium |
|---|---|---|
| 2024 | $120,000 | $300,000 |
| 2025 | $300,000 | $300,000 |
"""


def material(name: str, segments: Sequence[Segment], cells: Sequence[Cell]) -> Source:
    return Source(name=name, kind="material", content_sha256="0", segments=tuple(segments), cells=tuple(cells))


@pytest.fixture
def schedule() -> Source:
    read = read_csv(SCHEDULE, doc_id="a" * 64, file="schedule.csv")
    return material("schedule", read.segments, read.cells)


@pytest.fixture
def cover() -> Source:
    return material("cover-sheet", *read_markdown(COVER, doc_id="b" * 64, file="cover-sheet.md"))


def session(final: str, *turns: Turn) -> tuple[Source, Source]:
    output = Output(
        id="a",
        task="t",
        agent=Agent(id="a", kind="captured"),
        turns=(*turns, Turn(role="agent", content=final)),
        final=final,
    )
    return turns_source(output), output_source(output)


def test_a_schedule_is_summed_against_cover_sheet_and_answer(schedule: Source, cover: Source) -> None:
    _, right = session("The TIV is $48,200,000.")
    _, wrong = session("The account:\n\n- TIV: $47.2M\n- 3 locations")

    passed = ask(rule("sum_equals"), schedule, cover, right)
    failed = ask(rule("sum_equals"), schedule, cover, wrong)

    assert passed.verdict == "pass", passed.why
    assert {citation.source for citation in passed.citations} == {"schedule", "cover-sheet", "output"}
    assert failed.verdict == "fail"
    assert failed.citations[0].span == "TIV: $47.2M"
    assert failed.citations[1].at is not None
    assert failed.citations[1].at.locator.startswith("schedule.csv#r1")


def test_columns_of_a_csv_are_summed_together(schedule: Source, cover: Source) -> None:
    finding = ask(rule("sum_equals", column=["Building", "Contents"]), schedule, cover)

    assert finding.verdict == "pass"
    assert "(1 blank cell counts as nothing)" in finding.why


def test_rows_are_counted_against_a_markdown_table(schedule: Source, cover: Source) -> None:
    finding = ask(rule("count", table="schedule", label="number of locations"), schedule, cover)

    assert finding.verdict == "pass", finding.why


def test_a_table_of_markdown_is_found_by_its_columns(cover: Source) -> None:
    params = {
        "numerator": {"table": "cover sheet", "column": "incurred"},
        "denominator": {"table": "cover sheet", "column": "premium"},
    }

    finding = ask(rule("ratio", limit=0.7, **params), cover)

    assert finding.verdict == "pass"
    assert "is 0.7, not above the limit of 0.7" in finding.why
    assert spans(finding) == ["$120,000", "$300,000", "$300,000", "$300,000"]


def test_the_answer_rests_on_materials_tools_and_arguments(schedule: Source, cover: Source) -> None:
    turns, output = session(
        "TIV $48.2M, deductible $5,000, premium $61,250.50, sublimit $250,000.",
        user("Please quote."),
        call("rate", result='{"premium":61250.50}', sublimit=250_000),
    )
    _, invented = session("Premium $62,000.")

    assert ask(rule("amounts_grounded"), schedule, cover, turns, output).verdict == "pass"
    assert ask(rule("amounts_grounded"), schedule, cover, turns, invented).verdict == "fail"


def test_arguments_are_compared_with_the_result() -> None:
    turns, _ = session("Bound.", call("bind", result='{"premium":61250.50}', paid=[{"amount": 60000}, {"amount": 1250.5}]))

    finding = ask(rule("arg_sum_equals", tool="bind", sum="paid[].amount", equals={"result": "premium"}), turns)

    assert finding.verdict == "pass"
    assert spans(finding) == ['bind {"paid":[{"amount":60000},{"amount":1250.5}]}', '{"premium":61250.50}']
