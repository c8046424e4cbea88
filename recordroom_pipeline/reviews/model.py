"""A review: an expert agrees or disagrees with one verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recordroom_pipeline.judging.verdict import Label, NaReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One row of a review batch, as written."""

    batch: str
    row: int
    """Row in the file, from 1, the header not counted."""
    output: str
    eval: str
    reviewed_by: str
    on: str
    """Date, YYYY-MM-DD."""
    run: str | None = None
    version: str | None = None
    agree: bool | None = None
    """None in a blind batch, where it follows from `should_be` once the verdict is known."""
    should_be: Label | None = None
    """The expert's own verdict."""
    unclear: bool = False
    """The expert finds the rule unclear; a mark beside the answer, not an answer."""
    verdict: Label | None = None
    """The verdict the expert saw, where the row says so."""
    subject: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """A row that could not be taken in."""

    batch: str
    row: int
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewable:
    """One verdict of one run, as far as reviews need to know it."""

    run: str
    version: str
    """Semantic version, without a draft's suffix."""
    created_at: str
    output: str
    eval: str
    verdict: Label
    na_reason: NaReason | None
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A review tied to its verdict, or waiting for it."""

    review: Review
    status: Literal["attached", "waiting"]
    run: str | None = None
    verdict: Label | None = None
    subject: str | None = None
    agree: bool | None = None
