"""Paths into the arguments and results of tool calls, and matchers of the values there. JSON only; exact, never by meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_STEP = re.compile(r"([^.\[\]]+)((?:\[\])*)")


class PathFault(ValueError):
    """What is wrong with a path or matcher in SPEC.md."""


@dataclass(frozen=True, slots=True)
class Path:
    """Names and list steps (``[]``), in order; no steps is the value itself (``.``)."""

    steps: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.steps).replace(".[]", "[]") or "."

    def find(self, value: Any) -> Iterator[Any]:
        """Every value that stands at this path; nothing where a name is absent or a list is no list."""
        found = [value]
        for step in self.steps:
            found = [item for value in found for item in _take(value, step)]
        yield from found


@dataclass(frozen=True, slots=True)
class Matcher:
    """Values that are accepted, or the beginning that a text must have."""

    values: tuple[Any, ...] = ()
    prefix: str | None = None

    def accepts(self, value: Any) -> bool:
        """Whether a JSON value is one of those wanted; 1 and 1.0 are equal, true and 1 are not."""
        if self.prefix is not None:
            return isinstance(value, str) and value.startswith(self.prefix)
        return any(same_value(value, wanted) for wanted in self.values)


def read_path(text: str) -> Path:
    """A path as written.

    >>> list(read_path("payments[].amount").find({"payments": [{"amount": 3}, {"amount": 4}]}))
    [3, 4]
    """
    if text == ".":
        return Path(())
    steps: list[str] = []
    for part in text.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise PathFault(f"has the path {text!r}, which cannot be read")
        steps.extend([match[1], *["[]"] * (len(match[2]) // 2)])
    return Path(tuple(steps))


def read_matcher(wanted: Any) -> Matcher:
    """What `where` gives for one argument: a value, a list of values, or ``{prefix: text}``."""
    if isinstance(wanted, Mapping):
        if set(wanted) != {"prefix"} or not isinstance(wanted["prefix"], str):
            raise PathFault(f"has {wanted!r}, which is no value and no `{{prefix: text}}`")
        return Matcher(prefix=wanted["prefix"])
    if isinstance(wanted, (list, tuple)):
        return Matcher(values=(*wanted, wanted))
    return Matcher(values=(wanted,))


def same_value(one: Any, other: Any) -> bool:
    """Equality of JSON values."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float, Decimal)) and isinstance(other, (int, float, Decimal)):
        return exact(one) == exact(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other))
    return type(one) is type(other) and bool(one == other)


def exact(value: int | float | Decimal) -> Decimal:
    """A JSON number as written: 0.1 stays 0.1."""
    return Decimal(str(value)) if isinstance(value, float) else Decimal(value)


def read_json(text: str | None) -> Any:
    """A tool's result as JSON with exact decimals; None where it is no JSON."""
    try:
        return json.loads(text or "", parse_float=Decimal)
    except (ValueError, RecursionError):
        return None


def _take(value: Any, step: str) -> Sequence[Any]:
    if step == "[]":
        return value if isinstance(value, (list, tuple)) else ()
    return (value[step],) if isinstance(value, Mapping) and step in value else ()
