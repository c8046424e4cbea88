"""Any bytes under any name become a document: the same one each time, whole, and with a status that says what is missing."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.evidence.codec import parsed_from_json, parsed_to_json
from recordroom_pipeline.evidence.limits import MAX_BYTES
from recordroom_pipeline.evidence.model import Cell, Document, Parsed, Segment, View
from recordroom_pipeline.evidence.parse import PARSER_VERSION, media_type, parse_bytes, parse_key, text_of, unread

VIEWS: tuple[View, ...] = ("source", "flow", "layout", "form")


def check(parsed: Parsed) -> None:
    """What holds for every document."""
    by_id = {segment.segment_id: segment for segment in parsed.segments}
    texts = {view: text_of(parsed, view) for view in VIEWS}
    assert len(by_id) == len(parsed.segments)
    assert len({(segment.view, segment.locator) for segment in parsed.segments}) == len(parsed.segments)
    assert [segment.ordinal for segment in parsed.segments] == list(range(len(parsed.segments)))
    for segment in parsed.segments:
        assert texts[segment.view][segment.char_start : segment.char_end] == segment.text
        assert segment.text.strip()
    for cell in parsed.cells:
        segment = by_id[cell.segment_id]
        assert texts[segment.view][cell.char_start : cell.char_end] == cell.raw
        assert segment.char_start <= cell.char_start <= cell.char_end <= segment.char_end


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@pytest.mark.parametrize("file", ["a.md", "a.txt", "a.csv", "a.tsv", "a.pdf", "a.docx", "a"])
def test_no_bytes_raise_and_every_segment_is_a_slice(file: str, data: bytes) -> None:
    parsed = parse_bytes(data, file=file, name="a")

    check(parsed)
    assert parsed.document.doc_id == sha256_hex(data)
    assert (parsed.document.status == "ok") or parsed.document.reason
    assert parsed == parse_bytes(data, file=file, name="a")
    assert parsed_from_json(json.loads(json.dumps(parsed_to_json(parsed)))) == parsed


def test_the_type_is_that_of_the_name() -> None:
    assert [media_type(name) for name in ("A.CSV", "a.tsv", "a.markdown", "a.pdf", "a.b", "a")] == [
        "text/csv",
        "text/csv",
        "text/markdown",
        "application/pdf",
        "application/octet-stream",
        "application/octet-stream",
    ]


@pytest.mark.parametrize(("file", "words"), [("a.xlsx", "'.xlsx' files are not read"), ("README", "files without an ending")])
def test_a_type_that_is_not_read_is_said(file: str, words: str) -> None:
    document = parse_bytes(b"PK", file=file, name="a").document

    assert document.status == "unsupported"
    assert words in (document.reason or "")


def test_a_file_over_the_limit_is_not_opened() -> None:
    document = parse_bytes(bytes(MAX_BYTES + 1), file="a.pdf", name="a").document

    assert document.status == "too_large"
    assert f"{MAX_BYTES:,}" in (document.reason or "")


def test_an_encoding_that_does_not_fit_makes_the_file_unreadable() -> None:
    document = parse_bytes(b"Pe\xf1a", file="a.txt", name="a", encoding="ascii").document

    assert document.status == "unreadable"
    assert "task.json says encoding 'ascii'" in (document.reason or "")


def test_how_a_text_was_decoded_stands_in_its_document() -> None:
    document = parse_bytes("Peña;1\n".encode("cp1252"), file="a.csv", name="a").document

    assert (document.encoding, document.encoding_source, document.delimiter) == ("cp1252", "default_cp1252", ";")
    assert "encoding_guessed" in document.flags


def test_the_key_of_a_reading_is_made_of_bytes_name_and_encoding_and_of_nothing_else() -> None:
    key = parse_key("0" * 64, file="a.csv", name="a")

    assert key == parse_key("0" * 64, file="a.csv", name="a", encoding=None)
    others = [
        parse_key("1" * 64, file="a.csv", name="a"),
        parse_key("0" * 64, file="b.csv", name="a"),
        parse_key("0" * 64, file="a.csv", name="b"),
        parse_key("0" * 64, file="a.csv", name="a", encoding="cp1252"),
    ]
    assert len({key, *others}) == 5
    assert parse_bytes(b"x", file="a.csv", name="a").document.parse_key == parse_key(sha256_hex(b"x"), file="a.csv", name="a")


def test_the_version_names_every_engine() -> None:
    assert all(engine in PARSER_VERSION for engine in ("pypdf", "markdown-it-py", "charset-normalizer"))


def test_a_reader_that_was_stopped_leaves_a_document_with_the_same_key() -> None:
    parsed = unread("0" * 64, 7, file="a.pdf", name="a", encoding=None, status="timeout", reason="too long")

    assert (parsed.document.status, parsed.document.size, parsed.segments) == ("timeout", 7, ())
    assert parsed.document.parse_key == parse_key("0" * 64, file="a.pdf", name="a")


def test_every_field_survives_json_exactly() -> None:
    parsed = parse_bytes(b'a,TIV\n1,"$48.20M"\nTotal,(1.5)\n', file="a.csv", name="a")
    marked = replace(
        parsed,
        segments=(
            replace(parsed.segments[0], page=1, heading_path=("A", "B"), flags=("x",), hidden=True),
            *parsed.segments[1:],
        ),
        cells=(replace(parsed.cells[0], number=Decimal("1E+5"), half_unit=Decimal("0.00"), flags=("y",)), *parsed.cells[1:]),
    )
    back = parsed_from_json(json.loads(json.dumps(parsed_to_json(marked))))

    assert back == marked
    assert str(back.cells[0].number) == "1E+5"
    assert str(back.cells[0].half_unit) == "0.00"
    for kind, one in ((Document, back.document), (Segment, back.segments[0]), (Cell, back.cells[0])):
        assert all(type(getattr(one, field.name)) is not list for field in fields(kind))


@pytest.mark.parametrize("broken", [{}, {"document": {}, "segments": [], "cells": []}, {"document": None}])
def test_json_of_another_shape_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        parsed_from_json(broken)


def test_text_of_takes_a_document_or_its_segments() -> None:
    parsed = parse_bytes(b"one\n\ntwo\n", file="a.txt", name="a")

    assert text_of(parsed, "source") == text_of(parsed.segments, "source") == "one\n\ntwo"
    assert text_of(parsed, "flow") == ""
