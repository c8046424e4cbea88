"""Review files → rows: the good ones kept, each bad one rejected with its number and the remedy."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.reviews.read import batch_key, read_batch

HEAD = "version,output,eval,verdict,agree,should_be,unclear,note,reviewed_by,on\n"


def read(*rows: str, head: str = HEAD, path: str = "reviews/b.csv"):
    return read_batch((head + "\n".join(rows) + "\n").encode(), path=path, batch="b")


def test_a_row_says_who_thinks_what_of_which_verdict() -> None:
    (review,) = read('0.1.0,o,e,fail,Disagree,pass,x,"said, in words",E. Xpert,2026-09-01').reviews

    assert (review.agree, review.should_be, review.verdict, review.unclear) == (False, "pass", "fail", True)
    assert (review.note, review.reviewed_by, review.on, review.row) == ("said, in words", "E. Xpert", "2026-09-01", 1)


@pytest.mark.parametrize(
    ("word", "agree"), [("true", True), ("AGREE", True), ("yes", True), ("false", False), ("disagree", False), ("No", False)]
)
def test_agreement_is_said_in_many_words(word: str, agree: bool) -> None:
    assert read(f"0.1.0,o,e,,{word},,,,r,2026-09-01").reviews[0].agree is agree


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("0.1.0,o,e,,maybe,,,,r,2026-09-01", "`agree` is 'maybe'"),
        ("0.1.0,,e,,agree,,,,r,2026-09-01", "`output` is empty"),
        ("0.1.0,o,,,agree,,,,r,2026-09-01", "`eval` is empty"),
        ("0.1.0,o,e,,agree,,,,,2026-09-01", "`reviewed_by` is empty"),
        ("0.1.0,o,e,,agree,,,,r,", "`on` is empty"),
        ("0.1.0,o,e,,agree,,,,r,1.9.2026", "`on` is '1.9.2026'"),
        ("0.1.0,o,e,good,agree,,,,r,2026-09-01", "`verdict` is 'good'"),
        ("0.1.0,o,e,,disagree,bad,,,r,2026-09-01", "`should_be` is 'bad'"),
        ("0.1.0,o,e,,agree,,perhaps,,r,2026-09-01", "`unclear` is 'perhaps'"),
        (",o,e,,agree,,,,r,2026-09-01", "neither `run` nor `version`"),
        ("0.1.0,o,e,pass,agree,fail,,,r,2026-09-01", "agrees with pass but `should_be` is fail"),
        ("0.1.0,o,e,,,fail,,,r,2026-09-01", "`should_be` is given but `agree` is empty"),
        ("0.1.0,o,e,,agree,,,,r,2026-09-01,surplus", "unknown column"),
    ],
)
def test_a_bad_row_is_rejected_with_its_number_and_the_good_ones_are_kept(row: str, reason: str) -> None:
    found = read("0.1.0,o,e,,agree,,,,r,2026-09-01", row, "0.1.0,o,f,,agree,,,,r,2026-09-01")

    assert [review.eval for review in found.reviews] == ["e", "f"]
    (reject,) = found.rejects
    assert reject.row == 2
    assert reason in reject.reason
    assert reject.remedy
    assert found.problems[0].line == 3
    assert found.problems[0].level == "warning"


def test_unanswered_rows_are_skipped_and_counted() -> None:
    found = read("0.1.0,o,e,pass,,,,,,", "0.1.0,o,f,,agree,,,,r,2026-09-01")

    assert (len(found.reviews), found.skipped, found.rejects) == (1, 1, ())


def test_a_blind_batch_says_what_the_verdict_should_be() -> None:
    found = read("0.1.0,o,e,fail,r,2026-09-01", head="version,output,eval,should_be,reviewed_by,on\n")

    assert (found.reviews[0].agree, found.reviews[0].should_be) == (None, "fail")


def test_the_same_rows_as_csv_with_mark_and_crlf_as_jsonl_and_as_json() -> None:
    row = {"version": "0.1.0", "output": "o", "eval": "e", "agree": True, "reviewed_by": "r", "on": "2026-09-01"}
    windows = b"\xef\xbb\xbf" + (HEAD + "0.1.0,o,e,,true,,,,r,2026-09-01\n").replace("\n", "\r\n").encode()
    found = [
        read_batch(windows, path="b.csv", batch="b").reviews,
        read_batch((json.dumps(row) + "\n").encode(), path="b.jsonl", batch="b").reviews,
        read_batch(json.dumps([row]).encode(), path="b.json", batch="b").reviews,
    ]

    assert len(found[0]) == 1
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("data", "path"), [(b"\xff", "b.csv"), (b"{", "b.json"), (b'"x"', "b.json"), (b"[1]", "b.jsonl"), (b"", "b.csv")]
)
def test_a_file_that_cannot_be_read_is_one_reject_and_an_error(data: bytes, path: str) -> None:
    found = read_batch(data, path=path, batch="b")

    assert (found.reviews, found.rejects[0].row, found.problems[0].level) == ((), 0, "error")


@given(st.binary(max_size=200), st.sampled_from(["b.csv", "b.json", "b.jsonl"]))
def test_any_bytes_give_rows_and_rejects_and_no_traceback(data: bytes, path: str) -> None:
    read_batch(data, path=path, batch="b")


@given(st.lists(st.text(max_size=12), max_size=8))
def test_keys_of_batches_are_unique_and_plain(stems: list[str]) -> None:
    keys: list[str] = []
    for stem in stems:
        keys.append(batch_key(stem, keys))

    assert len(set(keys)) == len(keys)
    assert all(key and set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-") and "..." not in key for key in keys)
