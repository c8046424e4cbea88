"""Spans are found where they stand, and nowhere else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recordroom_pipeline.evidence.citations import Rejected, find_pieces, find_span, verify, verify_all
from recordroom_pipeline.evidence.folded_text import LINE_HYPHEN, fold_text
from recordroom_pipeline.evidence.model import Cell, Citation, Evidence, Segment, Source


def source(*lines: str, name: str = "inspection", kind: str = "page_line") -> Source:
    made, at = [], 0
    for number, line in enumerate(lines, start=1):
        made.append(
            Segment(
                segment_id=f"{name}-{number}",
                ordinal=number - 1,
                view="source",
                kind=kind,
                locator=f"{name}.pdf#p1:L{number}",
                text=line,
                char_start=at,
                char_end=at + len(line),
            )
        )
        at += len(line) + 1
    return Source(name=name, kind="material", content_sha256="0", segments=tuple(made))


REPORT = source(
    "The roof mem-",
    "brane is “fully adhered” – replaced 2019.",
    "TIV is $48.2M, not $148.2M; the deck is 2,500² ft.",
)


def texts(span: str, where: Source = REPORT) -> list[str]:
    return [text for _, text in find_pieces(span, where)]


def test_an_exact_span_is_found_with_its_anchor() -> None:
    found = find_span("$48.2M", REPORT)

    assert found is not None
    anchor, text = found
    assert text == "$48.2M"
    assert anchor.locator == "inspection.pdf#p1:L3@7-13"
    assert (anchor.start, anchor.end, anchor.match) == (7, 13, "exact")


def test_a_number_is_found_as_a_number_before_it_is_found_inside_another() -> None:
    within = source("148.2M and 48.2M")

    found = find_span("48.2M", within)
    assert found is not None
    assert found[0].start == 11


@pytest.mark.parametrize(
    ("span", "stands"),
    [
        ("roof membrane", ["roof mem-", "brane"]),
        ("roof mem-\nbrane", ["roof mem-", "brane"]),
        ("roof mem- brane is", ["roof mem-", "brane is"]),
        ('is "fully adhered" - replaced', ["is “fully adhered” – replaced"]),
        ("is  “fully\u00a0adhered” — replaced", ["is “fully adhered” – replaced"]),
        ("ﬁve", []),
        ("not $148.2M", ["not $148.2M"]),
    ],
)
def test_white_space_quotes_dashes_and_line_hyphens_are_folded(span: str, stands: list[str]) -> None:
    assert texts(span) == stands


@pytest.mark.parametrize(
    "span",
    [
        "TIV is $47.2M",
        "TIV is $48,200,000",
        "tiv is",
        "partially adhered",
        "the deck is 2,5002 ft",
        "replaced 2009",
        "roof-membrane",
        "is adhered",
    ],
)
def test_what_does_not_stand_there_is_not_found(span: str) -> None:
    assert find_span(span, REPORT) is None


def test_a_word_with_its_own_hyphen_may_break_at_it() -> None:
    broken = source("a well-", "kept, pre-", "1980 and fire\u00adproof build\x02ing")

    assert texts("well-kept", broken) == ["well-", "kept"]
    assert texts("wellkept", broken) == ["well-", "kept"]
    assert texts("fireproof building", broken) == ["fire\u00adproof build\x02ing"]
    assert texts("pre- 1980 and", broken) == ["pre-", "1980 and"]
    assert texts("pre1980 and", broken) == []


def test_half_a_ligature_or_an_accent_is_not_cut_off() -> None:
    menu = source("the oﬃce at Cafe\u0301 Peña")

    assert texts("the office at Caf\u00e9 Pe\u006e\u0303a", menu) == ["the oﬃce at Cafe\u0301 Peña"]
    assert texts("the off", menu) == []
    assert texts("at Cafe Pena", menu) == []
    assert texts("Cafe\u0301 Pen", menu) == []


def test_a_short_span_must_be_a_whole_cell() -> None:
    row = source("12 Dock St,4,no", kind="csv_row")
    cells = tuple(
        Cell(
            segment_id="inspection-1",
            row=1,
            col_index=index,
            col_name=name,
            col_key=name,
            raw=row.segments[0].text[start:end],
            char_start=start,
            char_end=end,
        )
        for index, (name, start, end) in enumerate([("Location", 0, 10), ("Stories", 11, 12), ("Sprinklered", 13, 15)])
    )
    schedule = Source(name="schedule", kind="material", content_sha256="0", segments=row.segments, cells=cells)

    assert texts("4", schedule) == ["4"]
    assert texts(" no ", schedule) == ["no"]
    assert texts("12", schedule) == []
    assert find_span("no", row) is None


def test_a_quoted_cell_is_cited_as_it_stands() -> None:
    row = source('"""A""",5', kind="csv_row")
    cell = Cell(
        segment_id="inspection-1", row=1, col_index=0, col_name="Class", col_key="Class", raw='"A"', char_start=0, char_end=7
    )
    schedule = Source(name="schedule", kind="material", content_sha256="0", segments=row.segments, cells=(cell,))

    assert texts('"A"', schedule) == ['"""A"""']


def test_a_whole_line_that_somebody_said_may_be_short() -> None:
    turns = source("Shall I bind?", "Yes", name="turns", kind="message")

    assert texts("Yes", turns) == ["Yes"]
    assert texts("I b", turns) == []


EVIDENCE = Evidence(
    sources=(REPORT, source("Roof: fully adhered.", "It was bound in 2019 ... by phone.", name="output", kind="message")),
    missing=("cover sheet",),
    missing_names=("cover-sheet",),
)


def cited(source_: str, span: str) -> list[tuple[str, str]]:
    result = verify(Citation(source=source_, span=span), EVIDENCE)
    assert not isinstance(result, Rejected), result
    return [(citation.source, citation.span) for citation in result]


def refused(source_: str, span: str) -> Rejected:
    result = verify(Citation(source=source_, span=span), EVIDENCE)
    assert isinstance(result, Rejected), result
    return result


@pytest.mark.parametrize(
    "name", ["inspection", "Inspection", "inspection.pdf", "inspection.pdf#p1:L3", "`inspection`", "INSPECTION "]
)
def test_a_source_is_known_by_any_spelling_of_its_name(name: str) -> None:
    assert cited(name, "$48.2M") == [("inspection", "$48.2M")]


@pytest.mark.parametrize("name", ["final answer", "final", "deliverable", "output#final:L1"])
def test_a_source_is_known_by_its_alias(name: str) -> None:
    assert cited(name, "fully adhered") == [("output", "fully adhered")]


def test_an_unknown_or_missing_source_is_refused_with_the_names_there_are() -> None:
    assert refused("survey", "$48.2M").reason == "no source here is called 'survey'"
    assert refused("survey", "$48.2M").remedy == "use one of these names in `from`: inspection, output"
    assert refused("Cover sheet", "$48.2M").reason == "'Cover sheet' was not provided for this task"
    assert refused("cover-sheet.pdf#p1", "$48.2M").reason == "'cover-sheet.pdf#p1' was not provided for this task"


def test_an_ambiguous_source_is_refused() -> None:
    both = Evidence(sources=(source("x", name="loss-runs-2024"), source("y", name="loss-runs-2025")))

    result = verify(Citation(source="loss runs", span="abcd"), both)
    assert isinstance(result, Rejected)
    assert result.reason == "'loss runs' may be loss-runs-2024 or loss-runs-2025"


def test_a_span_over_two_segments_becomes_one_citation_a_segment() -> None:
    assert cited("inspection", "replaced 2019. TIV is") == [("inspection", "replaced 2019."), ("inspection", "TIV is")]


def test_an_elided_quote_becomes_one_citation_a_fragment_in_order() -> None:
    assert cited("inspection", "fully adhered … $148.2M") == [("inspection", "fully adhered"), ("inspection", "$148.2M")]
    assert cited("inspection", "The roof [...] TIV is ...") == [("inspection", "The roof"), ("inspection", "TIV is")]
    assert refused("inspection", "$148.2M ... fully adhered").reason.startswith("the fragments of the elided quote")
    assert refused("inspection", "The roof ... slate").reason == "the span does not stand in 'inspection'"


def test_dots_that_stand_in_the_source_are_no_elision() -> None:
    assert cited("output", "2019 ... by phone") == [("output", "2019 ... by phone")]


def test_a_refusal_says_what_to_mend() -> None:
    assert refused("inspection", "4").remedy == "quote the words around it as well"
    assert refused("inspection", "bound in 2019").remedy == "write `output` in `from`"
    assert refused("inspection", "TIV is $47.2M").reason == "the span does not stand in 'inspection'; 47.2 occurs nowhere in it"
    assert refused("inspection", "   ").reason.startswith("the span '   ' is shorter than 4 characters")


def test_verify_all_keeps_order_drops_repeats_and_lists_refusals() -> None:
    spans = ["$48.2M", "TIV is $47.2M", "fully adhered", "$48.2M"]

    verified = verify_all([Citation(source="inspection", span=span) for span in spans], EVIDENCE)

    assert [citation.span for citation in verified.accepted] == ["$48.2M", "fully adhered"]
    assert [refusal.citation.span for refusal in verified.rejected] == ["TIV is $47.2M"]


def test_a_verified_citation_verifies_to_itself() -> None:
    first = verify(Citation(source="inspection", span="is 'fully adhered'".replace("'", '"')), EVIDENCE)

    assert not isinstance(first, Rejected)
    again = verify(first[0], EVIDENCE)
    assert not isinstance(again, Rejected)
    assert again[0].span == first[0].span


LINES = st.lists(st.text(min_size=0, max_size=60), min_size=1, max_size=5)
WORDS = st.lists(st.text(alphabet="abcdefghéñüAB0123456789.,$%", min_size=1, max_size=9), min_size=2, max_size=14).map(" ".join)


PARTS = st.text(min_size=4, max_size=30).filter(lambda text: sum(not char.isspace() for char in text) >= 4)


@given(st.text(max_size=20), PARTS, st.text(max_size=20), LINES)
def test_any_part_of_a_segment_is_found_where_it_stands(before: str, part: str, after: str, lines: list[str]) -> None:
    where = source(*lines, before + part + after)
    found = find_span(part, where)

    assert found is not None
    anchor, text = found
    assert text == part.strip()
    segment = next(segment for segment in where.segments if segment.segment_id == anchor.segment_id)
    assert segment.text[anchor.start : anchor.end] == text


def _quotes(text: str) -> str:
    return text.replace('"', "“").replace("'", "’")


VARIANTS = {
    "white space": lambda text: text.replace(" ", " \u00a0\n\t"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "full width": lambda text: "".join(chr(ord(char) + 0xFEE0) if "0" <= char <= "9" else char for char in text),
    "invisible": lambda text: "\u200b".join(text),
    "quotes": _quotes,
    "dashes": lambda text: text.replace("-", "–"),
}


@pytest.mark.parametrize("variant", sorted(VARIANTS))
@given(text=WORDS)
def test_a_variant_finds_the_text_as_it_stands(variant: str, text: str) -> None:
    original = f"""begin "{text}" - it's end"""
    where = source("before", original, "after")

    found = find_span(VARIANTS[variant](original), where)

    assert found is not None
    assert found[1] == original
    backwards = find_span(original, source(VARIANTS[variant](original)))
    assert backwards is not None
    assert fold_text(backwards[1]).text == fold_text(original).text


LETTERS = st.text(alphabet="abcdeéñü", min_size=2, max_size=8)


@given(WORDS, LETTERS, LETTERS, WORDS)
def test_a_line_hyphen_anywhere_in_a_word_is_folded(before: str, left: str, right: str, after: str) -> None:
    broken = f"{before} {left}-\n{right} {after}"

    for span in (f"{before} {left}{right} {after}", f"{before} {left}-{right} {after}", f"{before} {left}- {right} {after}"):
        assert [piece for _, piece in find_pieces(span, source(broken))] == [broken]


@given(st.one_of(WORDS, st.text(max_size=20)), LINES)
def test_what_is_found_stands_there(span: str, lines: list[str]) -> None:
    where = source(*lines)

    for anchor, text in find_pieces(span, where):
        segment = next(segment for segment in where.segments if segment.segment_id == anchor.segment_id)
        assert segment.text[anchor.start : anchor.end] == text
        bare = fold_text(text).text.replace(LINE_HYPHEN, "").replace("-", "").strip()
        assert bare.replace(" ", "") in fold_text(span).text.replace(LINE_HYPHEN, "").replace("-", "").replace(" ", "")


@given(WORDS, st.data())
def test_one_changed_digit_is_not_found(text: str, data: st.DataObject) -> None:
    digits = [index for index, char in enumerate(text) if char.isdigit()]
    assume(digits)
    at = data.draw(st.sampled_from(digits))
    changed = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]

    assert find_span(changed, source(text)) is None


@given(st.text(max_size=80))
def test_folded_text_leads_back_to_every_character(raw: str) -> None:
    folded = fold_text(raw)

    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    for start, end in zip(folded.starts, folded.ends, strict=True):
        assert 0 <= start < end <= len(raw)
