"""How often experts agree with verdicts, with an interval; and what they say of a flip."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recordroom_pipeline.judging.verdict import LABELS, Label
from recordroom_pipeline.reviews.model import Attached, Reviewable

Z_95 = 1.959963984540054
"""Standard normal quantile at 0.975."""
Standing = Literal["agree", "disagree", "split"]
Mark = Literal["fixes", "breaks", "disputed", "unreviewed"]


def wilson(agreeing: int, n: int, z: float = Z_95) -> tuple[float, float] | None:
    """Ends of the Wilson score interval of a share; None where n is 0.

    Formula: E. B. Wilson (1927), Journal of the American Statistical Association 22, 209–212.

    >>> [round(end, 6) for end in wilson(9, 10)]
    [0.59585, 0.982124]
    """
    if n == 0:
        return None
    share = agreeing / n
    denominator = 1 + z * z / n
    middle = (share + z * z / (2 * n)) / denominator
    half = z / denominator * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def newest(reviews: Iterable[Attached], batches: Sequence[str]) -> list[Attached]:
    """The review that counts of each reviewer on each subject: the newest by date, then by batch order, then by row."""
    place = {batch: number for number, batch in enumerate(batches)}
    kept: dict[tuple[str, str], Attached] = {}
    attached = [review for review in reviews if review.status == "attached" and review.review.batch in place]
    for review in sorted(attached, key=lambda item: (item.review.on, place[item.review.batch], item.review.row)):
        assert review.subject is not None
        kept[review.subject, review.review.reviewed_by] = review
    return list(kept.values())


def standing(reviews: Sequence[Attached]) -> Standing:
    """What the majority of a subject's reviewers says."""
    agreeing = sum(review.agree is True for review in reviews)
    if 2 * agreeing == len(reviews):
        return "split"
    return "agree" if 2 * agreeing > len(reviews) else "disagree"


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """Agreement of experts with one eval's verdicts of one label, or of all."""

    eval: str
    verdict: str
    n: int
    n_agree: int
    n_split: int
    n_pinned: int
    n_reviews: int
    n_reviews_agree: int
    n_verdicts: int
    n_unjudged: int

    @property
    def precision(self) -> float | None:
        """n_agree / n in [0, 1]; None where nothing was reviewed."""
        return self.n_agree / self.n if self.n else None

    @property
    def agreement(self) -> float | None:
        """Plain share of reviews that agree; None where there are none."""
        return self.n_reviews_agree / self.n_reviews if self.n_reviews else None


def precision_by_eval(
    verdicts: Sequence[Reviewable],
    reviews: Iterable[Attached],
    batches: Sequence[str],
    pinned: Mapping[str, frozenset[str]],
) -> list[Precision]:
    """One row for each eval × (pass, fail, na, all): the oracle of `store/sql/precision.sql`.

    ``verdicts`` are the newest of each output × eval of one version; ``pinned`` the outputs that are examples, by eval.
    """
    by_subject: dict[str, list[Attached]] = {}
    for review in newest(reviews, batches):
        assert review.subject is not None
        by_subject.setdefault(review.subject, []).append(review)
    rows = []
    for eval_id in dict.fromkeys(verdict.eval for verdict in verdicts):
        mine = [verdict for verdict in verdicts if verdict.eval == eval_id]
        for label in (*LABELS, "all"):
            rows.append(_precision(eval_id, label, mine, by_subject, pinned.get(eval_id, frozenset())))
    return rows


def _precision(
    eval_id: str,
    label: str,
    verdicts: Sequence[Reviewable],
    by_subject: Mapping[str, Sequence[Attached]],
    pinned: frozenset[str],
) -> Precision:
    judged = [v for v in verdicts if v.na_reason != "not_judgeable" and label in (v.verdict, "all")]
    reviewed = [verdict for verdict in judged if verdict.subject in by_subject]
    standings = Counter(standing(by_subject[verdict.subject]) for verdict in reviewed if verdict.output not in pinned)
    behind = [review for verdict in reviewed for review in by_subject[verdict.subject]]
    return Precision(
        eval=eval_id,
        verdict=label,
        n=standings["agree"] + standings["disagree"],
        n_agree=standings["agree"],
        n_split=standings["split"],
        n_pinned=sum(verdict.output in pinned for verdict in reviewed),
        n_reviews=len(behind),
        n_reviews_agree=sum(review.agree is True for review in behind),
        n_verdicts=len(judged),
        n_unjudged=sum(verdict.na_reason == "not_judgeable" for verdict in verdicts),
    )


def mark_flip(before: Label, after: Label, reviews_of_before: Sequence[Attached]) -> Mark:
    """What a flip does, by the experts' newest reviews of the old verdict: the oracle of `store/sql/flips.sql`.

    It fixes only what experts named: the new verdict equals `should_be`, or, where none is given, both are pass/fail opposites.
    """
    if not reviews_of_before:
        return "unreviewed"
    says = standing(reviews_of_before)
    if says == "agree":
        return "breaks"
    if says == "split":
        return "disputed"
    wanted = {review.review.should_be for review in reviews_of_before if review.agree is False and review.review.should_be}
    if wanted:
        return "fixes" if wanted == {after} else "disputed"
    return "fixes" if {before, after} == {"pass", "fail"} else "disputed"
