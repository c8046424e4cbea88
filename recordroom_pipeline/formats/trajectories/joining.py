"""Messages → turns: each tool call with the result that answers it, in the order in which things happened."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordroom_pipeline.corpus.model import Turn
from recordroom_pipeline.formats.trajectories.messages import Call, Log, Message, compact, mended

UNPARSED = "_unparsed"
"""The one argument of a call whose arguments are no JSON object: their text, verbatim."""
_MAX_INT = 2**53 - 1
_MAX_DEPTH = 40


@dataclass(slots=True)
class _Pending:
    call: Call
    at: int
    """Index of the message that made the call."""
    result: str | None = None
    answered: bool = False


@dataclass(slots=True)
class Joined:
    """One conversation as turns."""

    turns: tuple[Turn, ...]
    final: str
    policy: str | None


@dataclass(slots=True)
class _Joiner:
    log: Log
    policy: list[str] = field(default_factory=list)
    entries: list[Turn | _Pending] = field(default_factory=list)

    def add(self, at: int, message: Message) -> None:
        if message.role == "result":
            self.answer(at, message)
            return
        text = mended(message.text)
        if message.role == "system":
            if text.strip() and text not in self.policy:
                self.policy.append(text)
            return
        if text.strip():
            self.entries.append(Turn(role=message.role, content=text))
        elif not message.calls:
            self.log.drop(f"blank {message.role} message", "says nothing")
        self.entries.extend(_Pending(call, at) for call in message.calls)

    def answer(self, at: int, message: Message) -> None:
        """Give a result to its call. Real logs use an id twice, so the newest message with an open call of that id wins,
        and inside one message the first."""
        open_ = [entry for entry in self.entries if isinstance(entry, _Pending) and not entry.answered]
        if message.call_id is not None:
            fitting = [entry for entry in open_ if entry.call.id == message.call_id]
        else:
            fitting = [entry for entry in open_ if message.name in (None, entry.call.name)]
        if not fitting:
            self.log.drop("tool result without a call", "no call of that id is open before it")
            id_ = f"'{mended(message.call_id)[:40]}'" if message.call_id else "without an id"
            self.log.warn("RR648", f"message {at + 1} is a tool result {id_} that answers no call", "look for lost messages")
            return
        newest = max(entry.at for entry in fitting)
        chosen = next(entry for entry in fitting if entry.at == newest)
        chosen.result, chosen.answered = mended(message.text), True

    def finish(self) -> Joined:
        turns = tuple(_turn(entry) if isinstance(entry, _Pending) else entry for entry in self.entries)
        said = [turn.content for turn in turns if turn.role == "agent" and turn.content is not None]
        return Joined(turns=turns, final=said[-1] if said else "", policy="\n\n".join(self.policy) or None)


def join(messages: Sequence[Message], log: Log) -> Joined:
    """The turns of one conversation; system messages become the policy, the last agent message the final."""
    joiner = _Joiner(log)
    for at, message in enumerate(messages):
        joiner.add(at, message)
    return joiner.finish()


def _turn(pending: _Pending) -> Turn:
    call = pending.call
    return Turn(role="agent", tool=mended(call.name), args=arguments_of(call.arguments), result=pending.result)


def arguments_of(value: Any) -> Mapping[str, Any]:
    """A call's arguments as a mapping, keys in the order given.

    What is no JSON object, repeats a key, or holds what JSON cannot carry exactly (NaN, integers past 2^53) stays text.

    >>> arguments_of('{"id": "A1", "n": 2}'), arguments_of("id=A1"), arguments_of("")
    ({'id': 'A1', 'n': 2}, {'_unparsed': 'id=A1'}, {})
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    parsed = _parsed(value) if isinstance(value, str) else value
    if isinstance(parsed, dict) and _is_exact(parsed, _MAX_DEPTH):
        return parsed
    return {UNPARSED: mended(value if isinstance(value, str) else compact(value))}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _is_exact(value: Any, depth: int) -> bool:
    """Whether RFC 8785 and UTF-8 carry the value unchanged."""
    if isinstance(value, str):
        return mended(value) == value
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return abs(value) <= _MAX_INT
    if isinstance(value, float):
        return math.isfinite(value)
    if depth == 0:
        return False
    if isinstance(value, dict):
        return all(_is_exact(key, depth) and _is_exact(item, depth - 1) for key, item in value.items())
    return all(_is_exact(item, depth - 1) for item in value)
