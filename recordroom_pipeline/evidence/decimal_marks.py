"""Whether a file writes 1,234.50 or 1.234,50: decided once for a file, from cells that can be read one way only.

``1.234`` alone may be either. Where nothing in the file decides, such a cell has no number, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from recordroom_pipeline.evidence.numbers import Amount, read_number

Marks = Literal["point", "comma", "unknown"]
"""What stands before the decimals."""

_WRITTEN = re.compile(
    r"[-−(]?\s?(?:[A-Z]{3}|[$€£])?\s?[-−]?(?P<digits>[0-9][0-9.,]*[0-9])\s?(?:[A-Z]{3}|[€£%])?\)?",
)
_SURE_COMMA = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_SURE_POINT = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]{1,3}(?:,[0-9]{3}){2,}")
_LIKELY_COMMA = re.compile(r"[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})")
_LIKELY_POINT = re.compile(r"[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})|0\.[0-9]+")


def decimal_marks(words: Iterable[str], delimiter: str) -> Marks:
    """What the cells of a file show. Files parted by commas write a point unless they prove the opposite.

    >>> decimal_marks(["1.234,50"], ";"), decimal_marks(["1.234"], ";"), decimal_marks(["40.712", "1,234.5"], "\\t")
    ('comma', 'unknown', 'point')
    """
    seen = dict.fromkeys(("sure comma", "sure point", "likely comma", "likely point"), False)
    for word in words:
        if len(word) <= 40 and (match := _WRITTEN.fullmatch(word)):
            digits = match["digits"]
            seen["sure comma"] |= _SURE_COMMA.fullmatch(digits) is not None
            seen["sure point"] |= _SURE_POINT.fullmatch(digits) is not None
            seen["likely comma"] |= _LIKELY_COMMA.fullmatch(digits) is not None
            seen["likely point"] |= _LIKELY_POINT.fullmatch(digits) is not None
    if seen["sure comma"] or seen["sure point"]:
        return _one_of(seen["sure comma"], seen["sure point"])
    if delimiter == ",":
        return "point"
    if seen["likely comma"] or seen["likely point"]:
        return _one_of(seen["likely comma"], seen["likely point"])
    # Spreadsheets write semicolons exactly where the comma is taken by decimals.
    return "unknown" if delimiter == ";" else "point"


def _one_of(comma: bool, point: bool) -> Marks:
    if comma and point:
        return "unknown"
    return "comma" if comma else "point"


def read_marked(raw: str, marks: Marks) -> tuple[Amount | None, tuple[str, ...]]:
    """The number of a cell as its file writes numbers, and a flag where it has two readings."""
    if marks != "unknown":
        return read_number(raw, decimal_comma=marks == "comma"), ()
    point, comma = read_number(raw), read_number(raw, decimal_comma=True)
    if point and comma and point.value != comma.value:
        return None, ("ambiguous_separator",)
    return point or comma, ()
