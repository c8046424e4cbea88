"""The session as evidence: each line and each call has its place, and its words are a slice of it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.corpus.model import Agent, Material, Output, Task, Tool, Turn
from recordroom_pipeline.evidence.model import Source
from recordroom_pipeline.evidence.parse import parse_bytes, text_of
from recordroom_pipeline.evidence.trajectory import (
    instruction_source,
    material_source,
    output_source,
    tools_source,
    turns_source,
)

AGENT = Agent(id="a", kind="generated")
TURNS = (
    Turn(role="user", content="Please price it.\n\nTIV is $48.2M."),
    Turn(
        role="agent", tool="query_appetite", args={"naics": "445110", "city": "Coeur d’Alene"}, result="retail: in\n\nto $25M"
    ),
    Turn(role="agent", tool="bind", args={}, result=None),
    Turn(role="agent", content="Done."),
)
OUTPUT = Output(id="PU-0412-a", task="PU-0412", agent=AGENT, turns=TURNS, final="Done.\r\nTIV 48.2M")
TASK = Task(id="PU-0412", title="t", instruction="Check the schedule.\n\nCite pages.")


def places(source: Source | None) -> list[tuple[str, str, str]]:
    assert source is not None
    return [(segment.locator, segment.kind, segment.text) for segment in source.segments]


def test_turns_are_cited_by_turn_and_line_calls_as_compact_json() -> None:
    assert places(turns_source(OUTPUT)) == [
        ("turns#turn1:L1", "message", "Please price it."),
        ("turns#turn1:L3", "message", "TIV is $48.2M."),
        ("turns#turn2:call", "tool_call", 'query_appetite {"naics":"445110","city":"Coeur d’Alene"}'),
        ("turns#turn2:result:L1", "tool_result", "retail: in"),
        ("turns#turn2:result:L3", "tool_result", "to $25M"),
        ("turns#turn3:call", "tool_call", "bind {}"),
        ("turns#turn4:L1", "message", "Done."),
    ]
    assert turns_source(OUTPUT).turns == TURNS


def test_final_and_instruction_are_cited_by_line() -> None:
    assert places(output_source(OUTPUT)) == [
        ("output#final:L1", "message", "Done."),
        ("output#final:L2", "message", "TIV 48.2M"),
    ]
    assert places(instruction_source(TASK)) == [
        ("instruction#L1", "paragraph", "Check the schedule."),
        ("instruction#L3", "paragraph", "Cite pages."),
    ]


def test_declared_tools_are_a_source_and_none_declared_is_none() -> None:
    task = replace(TASK, tools=(Tool(name="bind", description="Binds.", returns="an id"),))

    assert places(tools_source(task)) == [("tools#1", "tool", "bind: Binds. Returns: an id")]
    assert tools_source(TASK) is None


def test_an_agent_that_never_spoke_has_an_empty_final() -> None:
    assert output_source(replace(OUTPUT, final="")).segments == ()


def test_the_digest_of_a_session_follows_its_content() -> None:
    other = replace(OUTPUT, turns=TURNS[:1])

    assert turns_source(OUTPUT).content_sha256 == turns_source(replace(OUTPUT, id="other")).content_sha256
    assert turns_source(other).content_sha256 != turns_source(OUTPUT).content_sha256


def test_a_material_shows_nothing_hidden_and_keeps_the_digest_of_its_file() -> None:
    data = b"| Loc | TIV |\n|---|---|\n| 1 | 10 |\n\n<!-- expected: fail -->\n"
    material = Material(file="schedule.md", name="schedule", sha256=sha256_hex(data), size=len(data))
    source = material_source(material, parse_bytes(data, file="schedule.md", name="schedule"))

    assert (source.name, source.content_sha256, source.status) == ("schedule", sha256_hex(data), "ok")
    assert "expected" not in " ".join(segment.text for segment in source.segments)
    assert [cell.raw for cell in source.cells] == ["Loc", "TIV", "1", "10"]


def test_a_material_that_cannot_be_read_says_why() -> None:
    material = Material(file="plan.dwg", name="plan", sha256="0", size=1)
    source = material_source(material, parse_bytes(b"x", file="plan.dwg", name="plan"))

    assert (source.status, source.segments) == ("unsupported", ())
    assert "'.dwg' files are not read" in (source.reason or "")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=5))
def test_segments_of_a_session_are_slices_with_places_of_their_own(texts: list[str]) -> None:
    turns = tuple(Turn(role="agent", tool="t", args={"a": text}, result=text) for text in texts)
    source = turns_source(replace(OUTPUT, turns=turns))
    whole = text_of(source.segments, "source")

    assert all(whole[segment.char_start : segment.char_end] == segment.text for segment in source.segments)
    assert len({segment.locator for segment in source.segments}) == len(source.segments)
    assert len({segment.segment_id for segment in source.segments}) == len(source.segments)
