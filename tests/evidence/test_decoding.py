"""Bytes become text in the encoding they were written in, and a guess says that it is one."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.evidence.locators import lines_of, locator
from recordroom_pipeline.evidence.text import Undecodable, decode, text_segments, whole_characters

BUSINESS = "Peña Rd, O’Brien Ave — 48.2 M€\n"


@pytest.mark.parametrize(
    ("data", "encoding", "source", "flags"),
    [
        (BUSINESS.encode(), "utf-8", "utf8", ()),
        (codecs.BOM_UTF8 + BUSINESS.encode(), "utf-8", "bom", ()),
        (codecs.BOM_UTF16_LE + BUSINESS.encode("utf-16-le"), "utf-16-le", "bom", ()),
        (codecs.BOM_UTF16_BE + BUSINESS.encode("utf-16-be"), "utf-16-be", "bom", ()),
        (codecs.BOM_UTF32_LE + BUSINESS.encode("utf-32-le"), "utf-32-le", "bom", ()),
        (BUSINESS.encode("utf-16-le"), "utf-16-le", "utf16_nul", ()),
        (BUSINESS.encode("utf-16-be"), "utf-16-be", "utf16_nul", ()),
        (BUSINESS.encode("cp1252"), "cp1252", "default_cp1252", ("encoding_guessed",)),
    ],
)
def test_an_encoding_is_found(data: bytes, encoding: str, source: str, flags: tuple[str, ...]) -> None:
    found = decode(data)

    assert found.text == BUSINESS
    assert (found.encoding, found.source, found.flags) == (encoding, source, flags)


def test_a_byte_late_in_the_file_counts_as_much_as_an_early_one() -> None:
    found = decode(b"a" * 100_000 + "Peña".encode())

    assert found.text.endswith("Peña")
    assert found.encoding == "utf-8"


def test_hebrew_is_not_taken_for_accented_latin() -> None:
    text = "אין כמעט ניבים אזוריים עבריים. למעשה, השפה העברית אינה מתחלקת לניבים אזוריים."

    assert decode(text.encode("cp1255")).text == text


def test_a_named_encoding_is_used_and_its_mark_left_out() -> None:
    assert decode("\ufeffKoç".encode("cp1254", "ignore"), "cp1254").text == "Koç"
    assert decode(codecs.BOM_UTF8 + b"a", "utf-8").text == "a"
    assert decode(b"a", "ascii").source == "override"


@pytest.mark.parametrize("encoding", ["utf-9", "ascii", "hex", "undefined", "", "a\0b", "unicode_escape", "idna"])
def test_a_named_encoding_that_does_not_fit_says_so(encoding: str) -> None:
    with pytest.raises(Undecodable, match=r"task\.json says encoding"):
        decode(b"Pe\xf1a \\d xn--\xff", encoding)


def test_bytes_that_the_encoding_does_not_know_are_marked() -> None:
    found = decode(codecs.BOM_UTF16_LE + b"a\0\xff")

    assert found.text == "a\ufffd"
    assert found.flags == ("undecodable_bytes",)


def test_half_of_a_surrogate_pair_is_no_character() -> None:
    assert whole_characters("a\ud835b") == "a\ufffdb"
    assert decode(b"+2DU-", "utf-7").text == "\ufffd"


@given(st.binary(max_size=300))
def test_no_bytes_raise_and_what_comes_out_can_be_written(data: bytes) -> None:
    decode(data).text.encode()


@given(st.text(max_size=200))
def test_text_written_as_utf8_comes_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    found = decode(data)

    assert found.source != "utf8" or found.text == data.decode()


def test_lines_end_as_editors_count_them() -> None:
    text = "a\r\nb\rc\nd\x0be\u2028f"

    assert [text[start:end] for start, end in lines_of(text)] == ["a", "b", "c", "d\x0be\u2028f"]


def test_what_a_locator_needs_for_itself_is_encoded_in_the_name() -> None:
    assert locator("cover #2@50%.md", "L3") == "cover %232%4050%25.md#L3"


def test_plain_text_is_cited_by_line_and_by_page_where_form_feeds_part_pages() -> None:
    text = "one\n\n two \n\fthree\nfour\n\f\n\ffive"
    found = text_segments(text, doc_id="d", file="note.txt")

    assert [(segment.locator, segment.text.strip(), segment.page) for segment in found] == [
        ("note.txt#L1", "one", 1),
        ("note.txt#L3", "two", 1),
        ("note.txt#L4", "three", 2),
        ("note.txt#L5", "four", 2),
        ("note.txt#L7", "five", 4),
    ]


def test_text_without_form_feeds_has_no_pages() -> None:
    (segment,) = text_segments("one", doc_id="d", file="note.txt")

    assert segment.page is None
