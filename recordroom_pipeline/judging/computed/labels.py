"""Which number or date a label names on its line, by position and a few link words; never by meaning.

"Total insured value (TIV): $48.2M" and "the TIV across 12 locations is 48.2M" name 48.2M; "TIV unknown, deductible $5,000"
names nothing. Rather nothing than the wrong number: a missing operand is na, a wrong one is a wrong fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from recordroom_pipeline.evidence.numbers import Amount, find_amounts
from recordroom_pipeline.judging.computed.dates import WrittenDate, find_dates

Want = Literal["amount", "date", "count", "either"]

MAX_DIGITS = 40
"""Longer numbers are identifiers or attacks, not amounts."""

_WORDS = (
    r"is|are|was|were|of|at|equals?|totals?|totall?ed|totall?ing|approximately|about|around|roughly"
    r"|reported|stated|as|comes|amounts|sums|adds|up|to|stands|usd|us|the"
)
_MARKS = r"[\s*_`\"'|:=~≈–—(\[\]),-]*"
_ASIDE = r"(?:\s*[*_`\"']*\([^()\d]{0,40}\))?"
_DIRECT = re.compile(rf"{_ASIDE}{_MARKS}(?:(?:{_WORDS})\b{_MARKS}){{0,4}}", re.IGNORECASE)
_MARKED = re.compile(rf"{_ASIDE}{_MARKS}[:=|]{_MARKS}")
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|equals?|totals?|to|at|approximately|about|around|roughly)\b|[:=≈])[\s*_`\"'(~]*$", re.IGNORECASE
)
# "TIV limit is $50M" is about another thing than the TIV, and so is "average TIV: $5M".
_GOES_ON = re.compile(
    rf"[\s*_`\"')\]]*(?:[,(:=–—-]|(?:{_WORDS}|across|for|in|on|from|per|by|under|within|over|with|after|rose|fell|went)\b)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:average|mean|median|max|maximum|min|minimum|largest|smallest|highest|lowest|prior|previous|expiring|each|single"
    r"|remaining|per[- ]\w+)[\s*_`\"'-]+$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\|")
_COUNTED = re.compile(r"\s+[^\W\d_]{2,}")
_MAX_GAP = 160
_LABEL_COLON = re.compile(r"(?<=[A-Za-z\"')*\]]):(?=[-−$€£¥.\d])")
_JSON_LIST = re.compile(r"(?<=\":)\[(?:-?\d+(?:\.\d+)?,)+-?\d+(?:\.\d+)?\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A number or date in a line; a date has each of its readings."""

    start: int
    end: int
    values: tuple[Decimal, ...] | tuple[date, ...]
    half_unit: Decimal
    currency: str | None
    is_bare: bool
    """A plain whole number of at most four digits: as likely a year or a count of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A label and what it names."""

    start: int
    end: int
    """From the first character of either to the last of both."""
    token: Token


@lru_cache(maxsize=512)
def label_pattern(label: str) -> re.Pattern[str]:
    """A label as whole words, whatever its case and whether spaces, hyphens or underscores part them.

    >>> bool(label_pattern("total insured value").search('{"total_insured_value":1}'))
    True
    """
    words = [re.escape(word) for word in re.split(r"[\s_-]+", label.strip()) if word]
    return re.compile(r"(?<![^\W_])" + r"[\s_-]+".join(words) + r"(?![^\W_])", re.IGNORECASE)


def tokens_in(line: str, *, day_first: bool | None = None) -> tuple[Token, ...]:
    """Every usable number and date of a line, in order; a number inside a date is none."""
    dates = find_dates(line, day_first=day_first)
    tokens = [
        Token(start=found.start, end=found.end, values=found.readings, half_unit=Decimal(0), currency=None, is_bare=False)
        for found in dates
    ]
    tokens.extend(_token(amount, line) for amount in _outside(dates, line))
    return tuple(sorted(tokens, key=lambda token: token.start))


def amounts_in(text: str) -> Iterator[Amount]:
    """Every usable number of a text that is no part of a date, those of compact JSON too.

    >>> [str(amount.value) for amount in amounts_in('rate {"limit":250000,"paid":[60,40],"on":"2026-08-01"}')]
    ['250000', '60', '40']
    """
    return _outside(find_dates(text), text)


def _outside(dates: Sequence[WrittenDate], text: str) -> Iterator[Amount]:
    # A number that follows a colon or comma directly may be part of a time or an id: not so after a JSON key or a label.
    spaced = _LABEL_COLON.sub(" ", _JSON_LIST.sub(lambda match: match[0].replace(",", " "), text))
    for amount in find_amounts(spaced):
        if is_usable(amount.value) and not any(day.start < amount.end and amount.start < day.end for day in dates):
            yield amount


def is_usable(value: Decimal) -> bool:
    """Whether a number is one that arithmetic here can carry without loss."""
    return value.is_finite() and len(value.as_tuple().digits) <= MAX_DIGITS and abs(value.adjusted()) <= MAX_DIGITS


def _token(amount: Amount, line: str) -> Token:
    return Token(
        start=amount.start,
        end=amount.end,
        values=(amount.value,),
        half_unit=amount.half_unit or Decimal(0),
        currency=amount.currency,
        is_bare=amount.kind == "int" and abs(amount.value) < 10_000 and "," not in line[amount.start : amount.end],
    )


def links_in(line: str, label: str, want: Want, *, day_first: bool | None = None) -> Iterator[Link]:
    """What each occurrence of a label names on this line."""
    matches = list(label_pattern(label).finditer(line))
    tokens = [token for token in tokens_in(line, day_first=day_first) if _fits(token, want)] if matches else []
    for match in matches:
        token = _named(line, match, tokens, want)
        if token is not None:
            yield Link(start=min(match.start(), token.start), end=max(match.end(), token.end), token=token)


def _fits(token: Token, want: Want) -> bool:
    is_date = isinstance(token.values[0], date)
    if want == "count":
        return not is_date and token.currency is None and token.values[0] == int(token.values[0])  # type: ignore[arg-type]
    return want == "either" or is_date == (want == "date")


def _named(line: str, label: re.Match[str], tokens: Sequence[Token], want: Want) -> Token | None:
    if _OTHERWISE.search(line, 0, label.start()):
        return None
    after = [token for token in tokens if token.start >= label.end()]
    before = [token for token in tokens if token.end <= label.start()]
    if after and _is_direct(line, label.end(), after[0], want):
        return after[0]
    if before and _is_just_before(line, before[-1], label.start(), want):
        return before[-1]
    return next((token for token in after if _is_linked(line, label.end(), token, want)), None)


def _is_direct(line: str, label_end: int, token: Token, want: Want) -> bool:
    gap = line[label_end : token.start]
    if _MARKED.fullmatch(gap):
        return True
    return _DIRECT.fullmatch(gap) is not None and not _counts_something(line, token, want)


def _is_just_before(line: str, token: Token, label_start: int, want: Want) -> bool:
    """Number first: "$48.2M TIV", "12 locations"; a bare whole number only where a count is wanted."""
    gap = line[token.end : label_start]
    return re.fullmatch(r"[\s*_(]+(?:(?:in|of|total) )?", gap) is not None and (want == "count" or not token.is_bare)


def _is_linked(line: str, label_end: int, token: Token, want: Want) -> bool:
    gap = line[label_end : token.start]
    if len(gap) > _MAX_GAP or _SENTENCE_END.search(gap) or not (_GOES_ON.match(gap) and _LINK.search(gap)):
        return False
    return not _counts_something(line, token, want)


def _counts_something(line: str, token: Token, want: Want) -> bool:
    """ "TIV of 12 locations": the 12 counts locations and is not the TIV."""
    return want != "count" and token.is_bare and _COUNTED.match(line, token.end) is not None
