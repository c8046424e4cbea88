"""Dates in text, each with every reading that its spelling allows: 03/04/2026 has two."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_NAMES = (
    *("jan january", "feb february", "mar march", "apr april", "may", "jun june"),
    *("jul july", "aug august", "sep sept september", "oct october", "nov november", "dec december"),
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(?<![\d-])(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?![\d-])")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ -](?P<n>{_MONTH})\.?,?[ -](?P<y>\d{{4}})(?!\d)", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b(?P<n>{_MONTH})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})(?!\d)", re.IGNORECASE)
_SLASHED = re.compile(r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4})(?![\d/-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenDate:
    """One date as written."""

    readings: tuple[date, ...]
    """One, or two where day and month could be either."""
    start: int
    end: int


def find_dates(text: str, *, day_first: bool | None = None) -> tuple[WrittenDate, ...]:
    """Every date in a text, in order; with `day_first` given, ambiguous spellings have one reading.

    >>> [str(found.readings[0]) for found in find_dates("bound 1 Aug 2026, inspected 2026-08-14")]
    ['2026-08-01', '2026-08-14']
    >>> len(find_dates("03/04/2026")[0].readings), find_dates("31/04/2026")
    (2, ())
    """
    found = []
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _SLASHED):
        for match in pattern.finditer(text):
            readings = _slashed(match, day_first) if pattern is _SLASHED else _named(match)
            if readings:
                found.append(WrittenDate(readings=readings, start=match.start(), end=match.end()))
    return tuple(sorted(found, key=lambda written: written.start))


def _named(match: re.Match[str]) -> tuple[date, ...]:
    parts = match.groupdict()
    month = int(parts["m"]) if "m" in parts else _MONTHS[parts["n"].lower()]
    return _dates((int(parts["y"]), month, int(parts["d"])))


def _slashed(match: re.Match[str], day_first: bool | None) -> tuple[date, ...]:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if match["s"] == ".":  # 01.08.2026 is written day first wherever dots are used
        return _dates((year, second, first))
    if day_first is not None:
        return _dates((year, second, first) if day_first else (year, first, second))
    return _dates((year, first, second), (year, second, first))


def _dates(*candidates: tuple[int, int, int]) -> tuple[date, ...]:
    found: dict[date, None] = {}
    for year, month, day in candidates:
        try:
            found[date(year, month, day)] = None
        except ValueError:  # 31 April: no date, and no guess at one
            continue
    return tuple(found)
