"""One file of reviews → its rows: the good ones kept, each bad one rejected with its number and the remedy."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from recordroom_pipeline.errors import Problem
from recordroom_pipeline.judging.verdict import LABELS, Label
from recordroom_pipeline.reviews.model import Reject, Review
from recordroom_pipeline.spec.faults import near

COLUMNS = (
    "run", "version", "subject", "output", "eval", "verdict", "agree", "should_be", "unclear", "note", "reviewed_by", "on",
)  # fmt: skip
_AGREE = {"true": True, "agree": True, "yes": True, "false": False, "disagree": False, "no": False}
_MARK = {"": False, "true": True, "yes": True, "x": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRows:
    """What one file holds."""

    reviews: tuple[Review, ...] = ()
    rejects: tuple[Reject, ...] = ()
    skipped: int = 0
    """Rows that nobody answered yet."""
    problems: tuple[Problem, ...] = ()
    """The rejects as lines of a check: warnings, since the good rows are kept; an error where the file cannot be read."""


class _Bad(Exception):
    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


def batch_key(stem: str, taken: Sequence[str]) -> str:
    """A file's stem as a partition key; a clash is numbered.

    >>> batch_key("2026-09 Intake", []), batch_key("a", ["a", "a-2"])
    ('2026-09-intake', 'a-3')
    """
    slug = re.sub(r"[^a-z0-9.-]+", "-", stem.lower()).strip("-.") or "batch"
    slug = re.sub(r"\.{2,}", ".", slug)
    key, number = slug, 1
    while key in taken:
        number += 1
        key = f"{slug}-{number}"
    return key


def read_batch(data: bytes, *, path: str, batch: str) -> BatchRows:
    """The rows of a .csv, .jsonl or .json file."""
    try:
        rows = _rows(data, path)
    except _Bad as bad:
        problem = Problem(path=path, code="RR501", message=bad.reason, remedy=bad.remedy)
        return BatchRows(rejects=(Reject(batch=batch, row=0, reason=bad.reason, remedy=bad.remedy),), problems=(problem,))
    blind = not any("agree" in row for _, row in rows)
    reviews: list[Review] = []
    rejects: list[Reject] = []
    problems: list[Problem] = []
    skipped = 0
    for number, (line, row) in enumerate(rows, start=1):
        try:
            review = _review(row, batch, number, blind)
        except _Bad as bad:
            rejects.append(Reject(batch=batch, row=number, reason=bad.reason, remedy=bad.remedy))
            problems.append(
                Problem(
                    path=path,
                    line=line,
                    level="warning",
                    code="RR502",
                    message=f"row {number}: {bad.reason}",
                    remedy=bad.remedy,
                )
            )
            continue
        if review is None:
            skipped += 1
        else:
            reviews.append(review)
    return BatchRows(reviews=tuple(reviews), rejects=tuple(rejects), skipped=skipped, problems=tuple(problems))


def _rows(data: bytes, path: str) -> list[tuple[int, dict[str, Any]]]:
    """Rows with their lines in the file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Bad(f"byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    if path.endswith(".csv"):
        return _csv_rows(text)
    try:
        if path.endswith(".jsonl"):
            found = [(number, json.loads(line)) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        else:
            value = json.loads(text)
            found = [(1, row) for row in value] if isinstance(value, list) else [(1, None)]
    except (json.JSONDecodeError, RecursionError) as error:
        raise _Bad(f"not JSON: {error}", "mend the JSON") from error
    if not all(isinstance(row, dict) for _, row in found):
        raise _Bad(
            "the file is no list of objects", 'write `{"version": …, "output": …, "eval": …, "agree": …}` for each review'
        )
    return [(line, {str(key): value for key, value in row.items()}) for line, row in found]


def _csv_rows(text: str) -> list[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"), newline=""), strict=True)
    rows: list[tuple[int, dict[str, Any]]] = []
    try:
        if not reader.fieldnames:
            raise _Bad("the file is empty", f"begin with a header line: {','.join(COLUMNS)}")
        for row in reader:
            rows.append((reader.line_num, {("" if key is None else key.strip()): value for key, value in row.items()}))
    except csv.Error as error:
        raise _Bad(f"line {reader.line_num}: {error}", "quote the field") from error
    return rows


def _review(row: Mapping[str, Any], batch: str, number: int, blind: bool) -> Review | None:
    for key in row:
        if key not in COLUMNS and not key.startswith("x-"):
            raise _Bad(f"unknown column '{key}'{near(key, COLUMNS)}", f"use {', '.join(COLUMNS)}")
    agree, should_be = _agree(row), _label(row, "should_be")
    if agree is None and should_be is None:
        return None
    if agree is None and not blind:
        raise _Bad("`should_be` is given but `agree` is empty", "write whether you agree, or leave both empty")
    run, version, subject = _text(row, "run"), _text(row, "version"), _text(row, "subject")
    if not (run or version or subject):
        raise _Bad("neither `run` nor `version` is given", "name the run, or the version whose verdict was reviewed")
    verdict = _label(row, "verdict")
    if agree and should_be and verdict and should_be != verdict:
        raise _Bad(f"agrees with {verdict} but `should_be` is {should_be}", "write disagree, or leave `should_be` empty")
    return Review(
        batch=batch,
        row=number,
        run=run,
        version=version,
        subject=subject,
        output=_needed(row, "output"),
        eval=_needed(row, "eval"),
        verdict=verdict,
        agree=agree,
        should_be=should_be,
        unclear=_mark(row),
        note=_text(row, "note"),
        reviewed_by=_needed(row, "reviewed_by"),
        on=_date(row),
    )


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    return None if value is None or not str(value).strip() else str(value).strip()


def _needed(row: Mapping[str, Any], key: str) -> str:
    value = _text(row, key)
    if value is None:
        raise _Bad(f"`{key}` is empty", f"fill in `{key}`")
    return value


def _agree(row: Mapping[str, Any]) -> bool | None:
    value = _text(row, "agree")
    if value is None:
        return None
    if value.lower() not in _AGREE:
        raise _Bad(f"`agree` is '{value}'", f"write one of {', '.join(_AGREE)}")
    return _AGREE[value.lower()]


def _label(row: Mapping[str, Any], key: str) -> Label | None:
    value = _text(row, key)
    if value is None:
        return None
    found = next((label for label in LABELS if label == value.lower()), None)
    if found is None:
        raise _Bad(f"`{key}` is '{value}'", f"write one of {', '.join(LABELS)}")
    return found


def _mark(row: Mapping[str, Any]) -> bool:
    value = (_text(row, "unclear") or "").lower()
    if value not in _MARK:
        raise _Bad(f"`unclear` is '{value}'", "write true, or leave it empty")
    return _MARK[value]


def _date(row: Mapping[str, Any]) -> str:
    value = _needed(row, "on")
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise _Bad(f"`on` is '{value}'", "write a date, YYYY-MM-DD") from error
