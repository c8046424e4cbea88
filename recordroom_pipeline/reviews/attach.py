"""Which verdict a review is about: by run, else by version, else by subject; what is not here yet waits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recordroom_pipeline.reviews.model import Attached, Reject, Review, Reviewable


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedRows:
    """Reviews with their verdicts, in the order given, and the rows that contradict what they name."""

    reviews: tuple[Attached, ...]
    rejects: tuple[Reject, ...]


class VerdictIndex:
    """Verdicts by what a review may name them by."""

    def __init__(self, verdicts: Iterable[Reviewable]) -> None:
        self._by_run: dict[str, dict[tuple[str, str], Reviewable]] = {}
        self._by_version: dict[tuple[str, str, str], Reviewable] = {}
        self._by_subject: dict[str, Reviewable] = {}
        for verdict in sorted(verdicts, key=lambda verdict: (verdict.created_at, verdict.run)):
            self._by_run.setdefault(verdict.run, {})[verdict.output, verdict.eval] = verdict
            # The oldest run of a version that holds the output is the one that was reviewed.
            self._by_version.setdefault((verdict.version, verdict.output, verdict.eval), verdict)
            self._by_subject.setdefault(verdict.subject, verdict)

    def find(self, review: Review) -> Reviewable | str | None:
        """The verdict; a reason where the run is here but holds no such verdict; None where it is not here yet."""
        if review.run is not None and review.run in self._by_run:
            found = self._by_run[review.run].get((review.output, review.eval))
            return found or f"run {review.run} holds no verdict of {review.eval} on {review.output}"
        if review.subject is not None and review.subject in self._by_subject:
            return self._by_subject[review.subject]
        if review.run is None and review.version is not None:
            return self._by_version.get((review.version, review.output, review.eval))
        return None


def attach(reviews: Sequence[Review], index: VerdictIndex) -> AttachedRows:
    """Tie reviews to verdicts; a row that states another verdict than the one it names is rejected."""
    attached: list[Attached] = []
    rejects: list[Reject] = []
    for review in reviews:
        found = index.find(review)
        reason = found if isinstance(found, str) else _contradiction(review, found)
        if reason is not None:
            remedy = "name the run you reviewed, with its verdict"
            rejects.append(Reject(batch=review.batch, row=review.row, reason=reason, remedy=remedy))
        elif isinstance(found, Reviewable):
            attached.append(_attached(review, found))
        else:
            attached.append(Attached(review=review, status="waiting", agree=review.agree))
    return AttachedRows(reviews=tuple(attached), rejects=tuple(rejects))


def _contradiction(review: Review, found: Reviewable | None) -> str | None:
    if found is None:
        return None
    if (found.output, found.eval) != (review.output, review.eval):
        return f"the subject is {found.eval} on {found.output}, the row says {review.eval} on {review.output}"
    if review.verdict is not None and review.verdict != found.verdict:
        return f"the verdict of {review.eval} on {review.output} is {found.verdict}, the row says {review.verdict}"
    if found.na_reason == "not_judgeable":
        return f"{review.eval} on {review.output} was not judged, so there is no verdict to review"
    if review.agree and review.should_be is not None and review.should_be != found.verdict:
        return f"the row agrees, but `should_be` is {review.should_be} and the verdict {found.verdict}"
    if review.agree is False and review.should_be == found.verdict:
        return f"the row disagrees, but `should_be` is the verdict itself, {found.verdict}"
    return None


def _attached(review: Review, found: Reviewable) -> Attached:
    agree = review.agree if review.agree is not None else review.should_be == found.verdict
    return Attached(review=review, status="attached", run=found.run, verdict=found.verdict, subject=found.subject, agree=agree)
