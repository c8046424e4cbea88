"""Numbers as people write them, as decimals: amounts of money, percentages, counts; never dates, ids or words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["int", "decimal", "currency", "percent"]
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "C$": "CAD", "A$": "AUD"}
_CODES = ("USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY")
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
_COMMA_DECIMAL = re.compile(r"[-−]?\d{1,3}(?:[.\u00a0\u202f ]\d{3})*,\d+|[-−]?\d{1,3}(?:[.\u00a0\u202f ]\d{3})+|[-−]?\d+,\d+")
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
    return _TOTAL.fullmatch(text) is not None


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

    >>> [str(read_number(raw).value) for raw in ("$1,234.50", "(1,234)", "48.2M")], read_number("PU-0468")
    (['1234.50', '-1234', '48200000'], None)
    """
    text = raw.strip()
    if not text or not any(character.isdigit() for character in text):
        return None
    inner = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
    if decimal_comma and _COMMA_DECIMAL.fullmatch(inner):
        inner = re.sub(r"[.\u00a0\u202f ]", "", inner).replace(",", ".")
    match = _AMOUNT.fullmatch(inner)
    if match is None:
        return None
    found = _amount(match)
    value = -found.value if inner is not text and text.startswith("(") else found.value
    start = len(raw) - len(raw.lstrip())
    return Amount(
        value=value,
        start=start,
        end=start + len(text),
        kind=found.kind,
        currency=found.currency,
        half_unit=found.half_unit,
    )


def _amount(match: re.Match[str]) -> Amount:
    digits = _plain_digits(match["digits"])
    scale = _SCALES[match["scale"].lower()] if match["scale"] and _scales(match) else 0
    value = Decimal(digits).scaleb(scale)
    value = value.quantize(Decimal(1)) if value == value.to_integral_value() and scale else value
    places = len(digits.partition(".")[2])
    after = (match["after"] or "").strip()
    currency = _currency(match["before"], match["late"], after)
    kind: Kind = "percent" if after in ("%",) or after.lower() == "percent" else "currency" if currency else "int"
    if kind == "int" and value != value.to_integral_value():
        kind = "decimal"
    return Amount(
        value=-value if match["minus"] else value,
        start=match.start(),
        end=match.end() if scale or not match["scale"] else match.end("digits"),
        kind=kind,
        currency=currency,
        half_unit=Decimal(5).scaleb(scale - places - 1),
    )


def _scales(match: re.Match[str]) -> bool:
    """Whether the letters after the digits scale them: ``5 mm`` and ``5 m`` are lengths, ``$5 mm`` and ``48.2M`` are not."""
    if match["before"] or match["late"] or len(match["scale"]) > 2 or match["scale"].lower() == "bn":
        return True
    return not match["gap"] and match["scale"] in ("K", "k", "M", "B")


def _plain_digits(digits: str) -> str:
    if re.search(r"[.'’\u00a0\u202f]\d{3},\d{1,2}$", digits):
        return re.sub(r"[.'’\u00a0\u202f]", "", digits).replace(",", ".")
    return digits.replace(",", "")


def _currency(*parts: str | None) -> str | None:
    for part in parts:
        text = (part or "").strip().upper()
        for code in _CODES:
            if code in text:
                return code
        for sign, code in sorted(_SIGNS.items(), key=lambda item: -len(item[0])):
            if sign in text:
                return code
    return None
