"""Which verdict a review is about, and what precision follows."""

from __future__ import annotations

import pytest

from recordroom_pipeline.reviews.attach import VerdictIndex, attach
from recordroom_pipeline.reviews.model import Attached, Review, Reviewable
from recordroom_pipeline.reviews.precision import mark_flip, newest, precision_by_eval, standing, wilson

OLD = Reviewable(
    run="r1",
    version="0.1.0",
    created_at="2026-09-01T00:00:00Z",
    output="o",
    eval="e",
    verdict="fail",
    na_reason=None,
    subject="s1",
)
AGAIN = Reviewable(
    run="r2",
    version="0.1.0",
    created_at="2026-10-01T00:00:00Z",
    output="o",
    eval="e",
    verdict="pass",
    na_reason=None,
    subject="s2",
)
UNJUDGED = Reviewable(
    run="r1",
    version="0.1.0",
    created_at="2026-09-01T00:00:00Z",
    output="u",
    eval="e",
    verdict="na",
    na_reason="not_judgeable",
    subject="s3",
)
INDEX = VerdictIndex([AGAIN, OLD, UNJUDGED])


def review(**given: object) -> Review:
    base = {"batch": "b", "row": 1, "output": "o", "eval": "e", "reviewed_by": "r", "on": "2026-10-02", "agree": True}
    return Review(**(base | given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "run"),
    [
        ({"run": "r2"}, "r2"),
        ({"version": "0.1.0"}, "r1"),  # the oldest run of that version that holds the output
        ({"run": "elsewhere", "subject": "s2"}, "r2"),
        ({"subject": "s1"}, "r1"),
    ],
)
def test_a_review_attaches_by_run_else_by_subject_else_by_version(given: dict[str, str], run: str) -> None:
    (found,) = attach([review(**given)], INDEX).reviews

    assert (found.status, found.run) == ("attached", run)


@pytest.mark.parametrize("given", [{"run": "elsewhere"}, {"version": "9.0.0"}, {"subject": "s9"}])
def test_a_verdict_that_is_not_here_yet_is_waited_for(given: dict[str, str]) -> None:
    (found,) = attach([review(**given)], INDEX).reviews

    assert (found.status, found.subject) == ("waiting", None)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"run": "r1", "verdict": "pass"}, "is fail, the row says pass"),
        ({"run": "r1", "eval": "other"}, "holds no verdict of other on o"),
        ({"run": "r1", "output": "u"}, "was not judged"),
        ({"subject": "s1", "output": "p"}, "the subject is e on o"),
        ({"run": "r1", "should_be": "pass"}, "agrees, but `should_be` is pass"),
        ({"run": "r1", "agree": False, "should_be": "fail"}, "disagrees, but `should_be` is the verdict itself"),
    ],
)
def test_a_row_that_contradicts_what_it_names_is_rejected(given: dict[str, object], reason: str) -> None:
    found = attach([review(**given)], INDEX)

    assert found.reviews == ()
    assert reason in found.rejects[0].reason


def test_a_blind_review_agrees_where_its_verdict_is_the_same() -> None:
    found = attach([review(run="r1", agree=None, should_be="fail"), review(run="r1", agree=None, should_be="na")], INDEX)

    assert [item.agree for item in found.reviews] == [True, False]


def attached(
    subject: str, agree: bool, by: str = "r", on: str = "2026-10-02", batch: str = "b", row: int = 1, should_be=None
) -> Attached:
    row_ = review(reviewed_by=by, on=on, batch=batch, row=row, agree=agree, should_be=should_be)
    return Attached(review=row_, status="attached", run="r1", verdict="fail", subject=subject, agree=agree)


def test_the_newest_review_of_a_reviewer_counts_by_date_then_by_batch_then_by_row() -> None:
    by_date = [attached("s", True, on="2026-10-09", batch="a"), attached("s", False, on="2026-10-02", batch="b")]
    by_batch = [attached("s", True, batch="b"), attached("s", False, batch="a")]
    by_row = [attached("s", False, row=1, batch="a"), attached("s", True, row=2, batch="a")]

    for reviews in (by_date, by_batch, by_row):
        assert [item.agree for item in newest(reviews, ["a", "b"])] == [True]
    assert newest([attached("s", True, batch="later")], ["a"]) == []


def test_precision_counts_subjects_by_majority_and_sets_pinned_and_split_ones_apart() -> None:
    verdicts = [
        Reviewable(run="r", version="1", created_at="", output=output, eval="e", verdict="fail", na_reason=None, subject=output)
        for output in ("agreed", "disputed", "split", "pinned", "unread")
    ]
    reviews = [
        *(attached("agreed", True, by=name) for name in ("x", "y", "z")),
        attached("disputed", False),
        attached("split", True, by="x"),
        attached("split", False, by="y"),
        attached("pinned", True),
    ]
    found = {row.verdict: row for row in precision_by_eval(verdicts, reviews, ["b"], {"e": frozenset({"pinned"})})}["all"]

    assert (found.n, found.n_agree, found.precision) == (2, 1, 0.5)
    assert (found.n_split, found.n_pinned, found.n_reviews, found.n_verdicts) == (1, 1, 7, 5)
    assert found.agreement == 5 / 7


def test_no_reviews_is_no_precision_rather_than_nought_or_one() -> None:
    found = precision_by_eval([OLD], [], [], {})

    assert {row.precision for row in found} == {None}
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(9, 10, 0.595850, 0.982124), (0, 5, 0.0, 0.434482), (5, 5, 0.565518, 1.0), (1, 2, 0.094531, 0.905469)],
)
def test_wilson_intervals(k: int, n: int, low: float, high: float) -> None:
    ends = wilson(k, n)

    assert ends is not None
    assert ends == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize(
    ("before", "after", "reviews", "mark"),
    [
        ("fail", "pass", [], "unreviewed"),
        ("fail", "pass", [(True, None)], "breaks"),
        ("fail", "pass", [(False, None)], "fixes"),
        ("fail", "pass", [(False, "pass")], "fixes"),
        ("fail", "na", [(False, "na")], "fixes"),
        ("fail", "na", [(False, None)], "disputed"),
        ("fail", "na", [(False, "pass")], "disputed"),
        ("fail", "pass", [(True, None), (False, None)], "disputed"),
        ("fail", "pass", [(False, "pass"), (False, "na")], "disputed"),
        ("fail", "pass", [(True, None), (True, None), (False, "pass")], "breaks"),
    ],
)
def test_a_flip_fixes_only_what_experts_asked_for(before, after, reviews, mark) -> None:
    said = [attached("s", agree, by=str(number), should_be=wanted) for number, (agree, wanted) in enumerate(reviews)]

    assert mark_flip(before, after, said) == mark
    assert not said or standing(said) in ("agree", "disagree", "split")
