"""tool_called and tool_order: which tools were called, with which arguments, in which order; by exact name and value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.corpus.model import Turn
from recordroom_pipeline.evidence.model import Citation, Segment, Source
from recordroom_pipeline.judging.computed.params import ParamSpec, flag, where, whole, words
from recordroom_pipeline.judging.computed.paths import Matcher, Path, read_path, same_value
from recordroom_pipeline.judging.computed.question import Check, Question, cite, decided, listed, turn_number
from recordroom_pipeline.judging.verdict import Finding, na

MAX_CALL = 400
"""Characters of a call that are cited; arguments may hold whole documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the conversation."""

    number: int
    """Of its turn, 1-based."""
    turn: Turn

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.turn.tool or ""


def conversation(question: Question) -> Source:
    """The turns; undecided where the eval does not read them."""
    return question.source("turns")


def calls_of(turns: Source, names: Sequence[str], wanted: Mapping[Path, Matcher] | None = None) -> tuple[Call, ...]:
    """Calls of these tools, in order, with arguments as wanted."""
    calls = (Call(number=number, turn=turn) for number, turn in enumerate(turns.turns, start=1) if turn.tool in names)
    return tuple(call for call in calls if _has(call, wanted or {}))


def _has(call: Call, wanted: Mapping[Path, Matcher]) -> bool:
    return all(any(matcher.accepts(value) for value in path.find(call.turn.args)) for path, matcher in wanted.items())


def cite_calls(turns: Source, calls: Sequence[Call], *, results: bool = False) -> tuple[Citation, ...]:
    """Each call as its compact JSON, its result's lines too where they were used."""
    kinds = ("tool_call", "tool_result") if results else ("tool_call",)
    by_turn: dict[int | None, list[Segment]] = {}
    for segment in turns.segments:
        if segment.kind in kinds:
            by_turn.setdefault(turn_number(segment), []).append(segment)
    return tuple(
        citation
        for call in calls
        for segment in by_turn.get(call.number, [])
        for citation in cite(turns, segment, 0, min(len(segment.text), MAX_CALL))
    )


def no_call(question: Question, names: Sequence[str]) -> Finding:
    """na where nothing was called that the rule is about."""
    return na("not_applicable", f"{_either(names)} was never called.", question.duty())


def _tool_called(question: Question) -> Finding:
    values = question.values
    turns = conversation(question)
    calls = calls_of(turns, values["tool"], values["where"])
    least, most = values["min"], values["max"]
    good = least <= len(calls) and (most is None or len(calls) <= most)
    bounds = f"at least {least}" if most is None else f"{least} to {most}" if least else f"at most {most}"
    arguments = " with the arguments asked for" if values["where"] else ""
    near = calls_of(turns, values["tool"]) if values["where"] and not calls else ()
    others = f" ({len(near)} with other arguments)" if near else ""
    why = f"{_either(values['tool'])} was called {_times(len(calls))}{arguments}{others}; {bounds} asked for."
    cited = cite_calls(turns, calls or near) or question.duty()
    if not cited:
        return na("not_applicable", f"{why} Nothing that this eval reads asks for it.")
    return decided(good, why, cited)


def _tool_order(question: Question) -> Finding:
    values = question.values
    turns = conversation(question)
    later = calls_of(turns, values["then"])
    if not later:
        return no_call(question, values["then"])
    earlier = calls_of(turns, values["first"])
    same = [read_path(name) for name in values["same"] or ()]
    pairs = [(call, _preceding(call, earlier, same, in_result=values["in_result"])) for call in later]
    bare = [call for call, first in pairs if first is None]
    agreeing = f" with the same {listed(list(values['same']))}" if same else ""
    if bare:
        told = listed([f"{call.tool} in turn {call.number}" for call in bare])
        why = f"{told} came without {_either(values['first'])} before it{agreeing}."
        return decided(False, why, [*cite_calls(turns, bare), *cite_calls(turns, earlier)])
    told = listed([f"turn {first.number} before turn {call.number}" for call, first in pairs if first])
    why = f"Each call of {_either(values['then'])} came after {_either(values['first'])}{agreeing}: {told}."
    return decided(True, why, [cited for call, first in pairs if first for cited in cite_calls(turns, (first, call))])


def _preceding(call: Call, earlier: Sequence[Call], same: Sequence[Path], *, in_result: bool) -> Call | None:
    """The nearest earlier call that gives the same values for the named arguments, in its own or, if asked for, its result."""
    for first in reversed(earlier):
        if first.number < call.number and all(_agree(first, call, path, in_result=in_result) for path in same):
            return first
    return None


def _agree(first: Call, call: Call, path: Path, *, in_result: bool) -> bool:
    left, right = list(path.find(first.turn.args)), list(path.find(call.turn.args))
    if in_result and not left:
        left = list(path.find(_read_result(first.turn.result)))
    return bool(left) and same_value(left, right)


def _read_result(result: str | None) -> Any:
    """A result as JSON; what is no JSON gives no values."""
    try:
        return json.loads(result or "null")
    except (ValueError, RecursionError):
        return None


def _either(names: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def _bounds(values: Mapping[str, Any]) -> tuple[str, ...]:
    least, most = values.get("min"), values.get("max")
    if least is not None and most is not None and most < least:
        return (
            f"asks for at least {least} and at most {most} calls: give a `max` of {least} or more, or `min: {{default: 0}}`",
        )
    if least == 0 and most is None:
        return ("asks for at least 0 calls, which always holds: give `min` or `max`",)
    return ()


def _overlap(values: Mapping[str, Any]) -> tuple[str, ...]:
    both = sorted(set(values.get("first") or ()) & set(values.get("then") or ()))
    return (f"has `{both[0]}` in both `first` and `then`: name two different tools",) if both else ()


TOOL_CALLED = Check(
    name="tool_called",
    meaning="A tool was called at least, and at most, so many times.",
    params=(
        ParamSpec(name="tool", read=words, required=True),
        ParamSpec(name="where", read=where),
        ParamSpec(name="min", read=whole, default=1),
        ParamSpec(name="max", read=whole),
    ),
    run=_tool_called,
    faults=_bounds,
)

TOOL_ORDER = Check(
    name="tool_order",
    meaning="Every call of one tool came after a call of another.",
    params=(
        ParamSpec(name="first", read=words, required=True),
        ParamSpec(name="then", read=words, required=True),
        ParamSpec(name="same", read=words),
        ParamSpec(name="in_result", read=flag, default=False),
    ),
    run=_tool_order,
    faults=_overlap,
)
