"""The one shape that every kind of log is read into: messages with calls and results, and the faults found on the way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from recordroom_pipeline.corpus.model import Tool
from recordroom_pipeline.errors import Problem

LABEL = "a label: never evidence"
NOT_EVIDENCE = "not part of the conversation"
NO_TEXT = "holds no text"
HIDDEN = "the model's hidden reasoning, which nobody was shown"

NEUTRAL = "Carry the conversation with the user to its end, within the rules that you were given."
"""A task's instruction where the log holds no request that all its sessions share."""
MAX_DEPTH = 200
"""Levels of nesting that are read; no log needs as many, and each costs a level of Python's stack."""


class RecordFault(Exception):
    """One record is not what its kind demands; the reader goes on with the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as logged."""

    id: str | None
    name: str
    arguments: Any
    """Text or a JSON value; `joining.arguments_of` makes a mapping of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a log."""

    role: Literal["system", "user", "agent", "result"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    """In an agent's message: made after `text` was said."""
    call_id: str | None = None
    """In a result: the call that it answers."""
    name: str | None = None
    """In a result: the tool, for logs that have no ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One conversation before tool calls are joined to results."""

    id: str
    """Output id as the log suggests it; made safe for a file name later."""
    messages: tuple[Message, ...]
    line: int = 1
    task: str | None = None
    """Task id, where several conversations share one; else the output id."""
    agent: str | None = None
    model: str | None = None
    tools: tuple[Tool, ...] = ()
    instruction: str | None = None
    """None: the first user message is the request."""


@dataclass(slots=True)
class Log:
    """One file while it is read: its name, its faults, and what it left behind."""

    path: str
    stem: str
    problems: list[Problem] = field(default_factory=list)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)
    line: int = 1
    where: str = ""
    """Words such as ``record 3`` that stand before each fault."""

    def drop(self, what: str, why: str, count: int = 1) -> None:
        """Count something that no turn will hold."""
        if count:
            self.dropped[what, why] += count

    def drop_keys(self, record: Mapping[str, Any], taken: frozenset[str], labels: frozenset[str]) -> None:
        """Count the fields of a record that nothing was taken from; their values are never looked at."""
        for key in record:
            if key not in taken:
                self.drop(f"`{mended(key)[:40]}`", LABEL if key in labels else NOT_EVIDENCE)

    def fault(self, code: str, message: str, remedy: str) -> NoReturn:
        """Report what is wrong with the record at hand and give it up."""
        self.problems.append(self._problem(code, message, remedy))
        raise RecordFault

    def warn(self, code: str, message: str, remedy: str) -> None:
        """Report what a person should know and go on."""
        problem = self._problem(code, message, remedy)
        self.problems.append(Problem(**{**_fields(problem), "level": "warning"}))

    @contextmanager
    def record(self, line: int, where: str) -> Iterator[None]:
        """Faults inside are those of this record and end it alone."""
        self.line, self.where = line, where
        with suppress(RecordFault):
            yield

    def _problem(self, code: str, message: str, remedy: str) -> Problem:
        words = f"{self.where}: {message}" if self.where else message
        return Problem(path=self.path, line=self.line, code=code, message=words, remedy=remedy)


def _fields(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in ("path", "line", "col", "level", "code", "message", "remedy")}


def mended(text: str) -> str:
    """Text that UTF-8 can carry: half of a surrogate pair, as cut-off logs hold it, becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether a JSON value is nested deeper than the limit; itself without recursion."""
    level = [value]
    for _ in range(limit):
        level = [child for item in level if isinstance(item, dict | list) for child in _children(item)]
        if not level:
            return False
    return True


def _children(item: dict[str, Any] | list[Any]) -> Iterator[Any]:
    yield from item.values() if isinstance(item, dict) else item


def compact(value: Any) -> str:
    """A JSON value on one line, keys in the order given.

    >>> compact({"b": 1, "a": "é"})
    '{"b":1,"a":"é"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(content: Any, log: Log, what: str) -> str:
    """The words of a message's content: text, a list of parts, or nothing. Parts without words are counted as dropped."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        log.fault("RR643", f"the content of {what} is {kind_of(content)}", "write text, a list of parts, or null")
    return "\n".join(word for part in content if (word := _part(part, log, what)))


def _part(part: Any, log: Log, what: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        log.fault("RR643", f"a part of {what} is {kind_of(part)}", 'write `{"type": "text", "text": "…"}`')
    name = part.get("type")
    for key in ("text", "refusal", "content"):
        if name in ("text", "input_text", "output_text", "refusal") and isinstance(part.get(key), str):
            return str(part[key])
    shown = name if isinstance(name, str) else "untyped"
    log.drop(f"{mended(shown)[:40]} part", HIDDEN if shown in ("thinking", "redacted_thinking", "reasoning") else NO_TEXT)
    return ""


def kind_of(value: Any) -> str:
    """A JSON value's type in words.

    >>> kind_of(None), kind_of([1]), kind_of(True)
    ('null', 'a list', 'true or false')
    """
    names = {type(None): "null", bool: "true or false", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
