"""Markdown is cited by the lines it was written as; what its page would not show is hidden."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.evidence.markdown import read_markdown
from recordroom_pipeline.evidence.model import Cell, Segment


def read(text: str) -> tuple[tuple[Segment, ...], tuple[Cell, ...]]:
    return read_markdown(text, doc_id="d", file="cover.md")


def shown(text: str) -> list[str]:
    return [segment.text for segment in read(text)[0] if not segment.hidden]


def test_headings_paragraphs_items_and_code_are_segments_under_their_headings() -> None:
    segments, _ = read("# Cover\n\nTwo lines\nof prose.\n\n## Roof\n- new\n- old\n\n```\ncode\n```\n> said\n")

    assert [(segment.locator, segment.kind, segment.heading_path) for segment in segments] == [
        ("cover.md#L1", "heading", ("Cover",)),
        ("cover.md#L3-L4", "paragraph", ("Cover",)),
        ("cover.md#L6", "heading", ("Cover", "Roof")),
        ("cover.md#L7", "list_item", ("Cover", "Roof")),
        ("cover.md#L8", "list_item", ("Cover", "Roof")),
        ("cover.md#L10-L12", "code", ("Cover", "Roof")),
        ("cover.md#L13", "quote", ("Cover", "Roof")),
    ]
    assert segments[1].text == "Two lines\nof prose."


def test_a_table_gives_its_rows_and_their_numbers() -> None:
    text = "| Loc | **TIV** |\n|---|--:|\n| 1 | $1,200 |\n| 2 | 800 |\n| **Total** | **2,000** |\n"
    segments, cells = read(text)

    assert [segment.kind for segment in segments] == ["table_header", "rule", "table_row", "table_row", "table_row"]
    assert [(cell.row, cell.number) for cell in cells if cell.col_index == 1 and cell.row > 0 and not cell.is_total] == [
        (1, Decimal(1200)),
        (2, Decimal(800)),
    ]
    assert [cell.number for cell in cells if cell.is_total] == [None, Decimal(2000)]
    assert all(text[cell.char_start : cell.char_end] == cell.raw for cell in cells)


def test_a_second_table_counts_its_rows_anew() -> None:
    _, cells = read("|a|\n|-|\n|1|\n|2|\n\n|b|\n|-|\n|3|\n")

    assert [(cell.row, cell.col_name) for cell in cells] == [(0, "a"), (1, "a"), (2, "a"), (0, "b"), (1, "b")]


def test_a_pipe_inside_code_keeps_the_whole_row_in_its_segment() -> None:
    segments, _ = read("| a | b |\n|---|---|\n| `x|y` | $900,000 |\n")

    assert segments[-1].text == "| `x|y` | $900,000 |"


def test_front_matter_is_no_heading() -> None:
    segments, _ = read("---\ntitle: Cover\n---\nText\n")

    assert [segment.kind for segment in segments] == ["front_matter"] * 3 + ["paragraph"]


HIDES = [
    ("<!-- expected: fail -->\nseen\n", ["seen"]),
    ("seen\n\n<!-- expected:\nfail -->\n", ["seen"]),
    ("<!-- secret --> seen\n", ["seen"]),
    ("one <!-- secret --> two\n", ["one", "two"]),
    ("one <!-- secret\nsecret --> two\n", ["one", "two"]),
    ("> one <!-- secret\n> secret --> two\n", ["> one", "two"]),
    ("- one <!-- secret -->\n- two\n", ["- one", "- two"]),
    ("# one <!-- secret -->\n", ["# one"]),
    ("<div>\n<!-- secret --> two\n</div>\n", ["<div>", "two\n</div>"]),
    ("[//]: # (secret)\n\none\n", ["one"]),
    ("[comment]: <> (secret)\n", []),
    ("one <!-- secret --> `<!-- code -->`\n", ["one", "`<!-- code -->`"]),
]


@pytest.mark.parametrize(("text", "lines"), HIDES)
def test_comments_are_kept_apart_and_hidden(text: str, lines: list[str]) -> None:
    assert shown(text) == lines
    assert "secret" not in " ".join(shown(text))


@pytest.mark.parametrize("text", ["`<!-- code -->` is code\n", "```\n<!-- code -->\n```\n", "    <!-- code -->\n"])
def test_a_comment_inside_code_is_code_and_seen(text: str) -> None:
    assert "<!-- code -->" in " ".join(shown(text))


def test_a_comment_in_a_table_hides_no_cell() -> None:
    text = "| a | b |\n|--|--|\n| 1 <!-- secret --> | 2 |\n| <!-- secret --> | 4 |\n"
    segments, cells = read(text)
    visible = {segment.segment_id: segment for segment in segments if not segment.hidden}

    assert [cell.raw for cell in cells] == ["a", "b", "1", "2", "", "4"]
    assert [cell.number for cell in cells if cell.row] == [1, 2, None, 4]
    for cell in cells:
        segment = visible[cell.segment_id]
        assert segment.char_start <= cell.char_start <= cell.char_end <= segment.char_end


ALPHABET = st.sampled_from(
    [
        "<!--",
        "-->",
        "|",
        "|--|",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "> ",
        "```",
        "`",
        "a",
        "1",
        " ",
        "\t",
        "---",
        "<div>",
        "[//]: # (x)",
        "\r\n",
        "\0",
    ]
)


@given(st.lists(ALPHABET, max_size=40).map("".join) | st.text(max_size=120))
def test_no_text_raises_and_none_of_it_is_lost(text: str) -> None:
    segments, cells = read(text)
    rest = list(text)
    for segment in segments:
        assert text[segment.char_start : segment.char_end] == segment.text
        rest[segment.char_start : segment.char_end] = [" "] * len(segment.text)
    by_id = {segment.segment_id: segment for segment in segments}

    assert "".join(rest).strip() == ""
    assert len({segment.locator for segment in segments}) == len(by_id) == len(segments)
    for cell in cells:
        segment = by_id[cell.segment_id]
        assert text[cell.char_start : cell.char_end] == cell.raw
        assert segment.char_start <= cell.char_start <= cell.char_end <= segment.char_end
        assert not segment.hidden
