"""Bytes → JSON values with the line each begins on, whether the file is one JSON value or one a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.formats.trajectories.messages import Log, RecordFault, is_deep

_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One value of a JSON Lines file."""

    number: int
    """1-based."""
    value: Any


def decode(data: bytes, log: Log) -> str | None:
    """The text, or None with the fault reported."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        log.line = data.count(b"\n", 0, error.start) + 1
        _report(log, "RR641", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
        return None


def parse(text: str, log: Log) -> Any:
    """A JSON value, or a list of `Line`s; None with every fault reported.

    A file of several lines whose first line is a JSON value of its own is JSON Lines; everything else is one JSON value.
    """
    if _is_json_lines(text):
        return _lines(text, log)
    try:
        value = json.loads(text)
        if not is_deep(value):
            return value
        _report(log, "RR641", f"not readable: {_DEEP}", "give the log as JSON or JSON Lines")
    except json.JSONDecodeError as error:
        log.line = error.lineno
        _report(
            log, "RR641", f"not readable as JSON at column {error.colno}: {error.msg}", "give the log as JSON or JSON Lines"
        )
    except (ValueError, RecursionError) as error:
        _report(log, "RR641", f"not readable as JSON: {_words(error)}", "give the log as JSON or JSON Lines")
    return None


def _is_json_lines(text: str) -> bool:
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip() or not first.startswith(("{", "[")):
        return False
    try:
        json.loads(first)
        return True
    except (ValueError, RecursionError):
        return False


def _lines(text: str, log: Log) -> list[Line] | None:
    found: list[Line] = []
    broken = False
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        log.line = number
        try:
            found.append(Line(number=number, value=_shallow(line)))
        except (ValueError, RecursionError) as error:
            broken = True
            _report(log, "RR641", f"the line is not JSON: {_words(error)}", "mend or delete the line")
    return None if broken else found


def _shallow(line: str) -> Any:
    value = json.loads(line)
    if is_deep(value):
        raise RecursionError
    return value


def _words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return _DEEP if isinstance(error, RecursionError) else "a number is too long"


def _report(log: Log, code: str, message: str, remedy: str) -> None:
    try:
        log.fault(code, message, remedy)
    except RecordFault:
        return
