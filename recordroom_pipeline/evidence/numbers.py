"""Numbers as people write them, as decimals: amounts of money, percentages, counts; never dates, ids or words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal

Kind = Literal["int", "decimal", "currency", "percent"]
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "C$": "CAD", "A$": "AUD"}
_CODES = ("USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY")
_MARKS = (*((code, code) for code in _CODES), *sorted(_SIGNS.items(), key=lambda item: -len(item[0])))
"""Codes before signs, long signs before short: ``CAD $`` is no dollar of the United States."""
_SCALES = {
    "k": 3, "thousand": 3, "m": 6, "mm": 6, "mn": 6, "mil": 6, "million": 6, "b": 9, "bn": 9, "billion": 9,
}  # fmt: skip
_SIGN = r"(?:US\$|C\$|A\$|[$€£¥])"
_CODE = rf"(?:{'|'.join(_CODES)})"
_DIGITS = (
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,3}(?:[.'’\u00a0\u202f][0-9]{3})+,[0-9]{1,2}|[0-9]+(?:\.[0-9]+)?|\.[0-9]+"
)
_AMOUNT = re.compile(
    rf"""
    (?<![\w./#])(?<!\d:)(?:(?<!\w-)|(?=[$€£]))  # not inside a word, an id, a time or a date
    (?P<before>(?:{_CODE}\s?)?{_SIGN}\s?|{_CODE}\s?)?
    (?P<minus>[-−–](?=[\d.$€£]))?
    (?P<late>{_SIGN}\s?)?
    (?P<digits>{_DIGITS})
    (?:(?P<gap>\s?)(?P<scale>thousand|million|billion|bn|mn|mil|mm|[kmb])(?!\w))?
    (?:(?P<after>\s?%|\s?percent\b|\s?(?:{_CODE}|[€£])(?!\w))|(?![\w%])(?![-/:.]\d))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLAIN = re.compile(r"-?[0-9]+(?:\.(?P<places>[0-9]+))?")
_EUROPEAN = re.compile(r".*[.'’\u00a0\u202f][0-9]{3},[0-9]{1,2}")
_GROUPING = re.compile(r"[.'’\u00a0\u202f ]")
_COMMA_DECIMAL = re.compile(r"[0-9]{1,3}(?:[.'’\u00a0\u202f ][0-9]{3})+(?![0-9])(?:,[0-9]+)?|[0-9]+,[0-9]+")
_PARENTHESES = re.compile(rf"(?P<before>{_SIGN}?)\s?\(\s*(?P<inner>[^()]*)\s*\)", re.IGNORECASE)
_LONGEST = 60
"""No amount is written longer; what is, is a text that happens to hold digits."""
_TOTAL = re.compile(
    r"[\s*_]*((grand|sub|overall|schedule|portfolio|report)[\s-]*)?totals?[\s*_]*"
    r"(\(.*\)|:|(for|of)?\s*all\b.*|tiv|(total )?insured values?)?[\s*_]*",
    re.IGNORECASE,
)


def is_total_label(text: str) -> bool:
    """Whether a cell says that its row adds up the rows above; a tenant called Total Wine does not.

    >>> is_total_label("Grand total:"), is_total_label("TOTAL (12 locations)"), is_total_label("Total Wine & More")
    (True, True, False)
    """
    return len(text) <= _LONGEST * 2 and _TOTAL.fullmatch(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One number in a text."""

    value: Decimal
    """Scaled: 48200000 for ``48.2M``; a percentage keeps its figure, 12 for ``12%``."""
    start: int
    end: int
    """Half-open, in code points of the text."""
    kind: Kind
    currency: str | None
    """ISO code where a sign or code is written."""
    half_unit: Decimal
    """Half of the last place written: 50000 for ``48.2M``."""


def find_amounts(text: str) -> tuple[Amount, ...]:
    """Every number of a text, in order.

    >>> [(str(amount.value), amount.kind) for amount in find_amounts("TIV $48.2M, 12% over 3 sites, ref PU-0468, 2026-09-21")]
    [('48200000', 'currency'), ('12', 'percent'), ('3', 'int')]
    """
    return tuple(_amount(match) for match in _AMOUNT.finditer(text))


def read_number(raw: str, *, decimal_comma: bool = False) -> Amount | None:
    """The number that a whole cell is, or None; parentheses mean negative, as in accounts.

    ``decimal_comma`` says that this file writes 1.234,50: one cell alone cannot tell 1.234 from 1234.

    >>> [str(read_number(raw).value) for raw in ("$1,234.50", "(1,234)", "48.2M")], read_number("PU-0468")
    (['1234.50', '-1234', '48200000'], None)
    """
    text = raw.strip()
    if not 0 < len(text) <= _LONGEST or not any("0" <= character <= "9" for character in text):
        return None
    if not decimal_comma and (plain := _PLAIN.fullmatch(text)):
        return _plain(raw, plain)
    inner, is_negative = _out_of_parentheses(text)
    if decimal_comma:
        inner = _COMMA_DECIMAL.sub(_with_point, inner)
    match = _AMOUNT.fullmatch(inner)
    if match is None:
        return None
    found = _amount(match)
    start = len(raw) - len(raw.lstrip())
    return Amount(
        value=found.value.copy_abs().copy_negate() if is_negative else found.value,
        start=start,
        end=start + len(text),
        kind=found.kind,
        currency=found.currency,
        half_unit=found.half_unit,
    )


def _plain(raw: str, match: re.Match[str]) -> Amount:
    """What most cells hold, without asking everything else that a number may be: half the time of a large schedule."""
    value, places = Decimal(match[0]), len(match["places"] or "")
    start = raw.index(match[0])
    return Amount(
        value=value,
        start=start,
        end=start + len(match[0]),
        kind="decimal" if places and value != value.to_integral_value() else "int",
        currency=None,
        half_unit=_half_unit(-places),
    )


@cache
def _half_unit(place: int) -> Decimal:
    return Decimal((0, (5,), place - 1))


def _out_of_parentheses(text: str) -> tuple[str, bool]:
    """``(1,234)``, ``$(1,234)`` and ``($1,234)`` without them, and whether they were there."""
    match = _PARENTHESES.fullmatch(text)
    return (f"{match['before']}{match['inner']}", True) if match else (text, False)


def _with_point(match: re.Match[str]) -> str:
    whole, _, rest = match[0].partition(",")
    whole = _GROUPING.sub("", whole)
    return f"{whole}.{rest}" if rest else whole


def _amount(match: re.Match[str]) -> Amount:
    digits = _plain_digits(match["digits"])
    scale = _SCALES[match["scale"].lower()] if match["scale"] and _scales(match) else 0
    whole, _, places = digits.partition(".")
    # By moving digits, not by arithmetic: a context of 28 digits would round a long number.
    value = Decimal(_moved(whole, places, scale))
    after = (match["after"] or "").strip()
    currency = _currency(f"{match['before'] or ''}{match['late'] or ''}{after}")
    kind: Kind = "percent" if after == "%" or after.lower() == "percent" else "currency" if currency else "int"
    if kind == "int" and places and value != value.to_integral_value():
        kind = "decimal"
    return Amount(
        value=value.copy_negate() if match["minus"] else value,
        start=match.start(),
        end=match.end() if scale or not match["scale"] else match.end("digits"),
        kind=kind,
        currency=currency,
        half_unit=_half_unit(scale - len(places)),
    )


def _moved(whole: str, places: str, by: int) -> str:
    moved = places.ljust(by, "0")
    whole, places = whole + moved[:by], moved[by:]
    return f"{whole}.{places}" if places else whole


def _scales(match: re.Match[str]) -> bool:
    """Whether the letters after the digits scale them: ``5 mm`` and ``5 m`` are lengths, ``$5 mm`` and ``48.2M`` are not."""
    if match["before"] or match["late"] or len(match["scale"]) > 2 or match["scale"].lower() == "bn":
        return True
    return not match["gap"] and match["scale"] in ("K", "k", "M", "B")


def _plain_digits(digits: str) -> str:
    if "," not in digits:
        return digits
    if _EUROPEAN.fullmatch(digits):
        return _GROUPING.sub("", digits).replace(",", ".")
    return digits.replace(",", "")


def _currency(written: str) -> str | None:
    """The code that the signs and letters beside a number say."""
    return next((code for mark, code in _MARKS if mark in written.upper()), None) if written else None
