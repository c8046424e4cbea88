"""arg_sum_equals and arg_count: arithmetic over the arguments of every call of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from recordroom_pipeline.evidence.numbers import read_number
from recordroom_pipeline.judging.computed.amounts import difference
from recordroom_pipeline.judging.computed.labels import is_usable
from recordroom_pipeline.judging.computed.limits import holds, verb
from recordroom_pipeline.judging.computed.params import ParamSpec, Total, not_negative, op, path, total, where, whole, words
from recordroom_pipeline.judging.computed.paths import Matcher, Path, exact, read_json
from recordroom_pipeline.judging.computed.question import Check, Question, decided, figure, undecided
from recordroom_pipeline.judging.computed.tools import Call, calls_of, cite_calls, conversation, no_call
from recordroom_pipeline.judging.verdict import Finding


def _arg_sum_equals(question: Question) -> Finding:
    values = question.values
    turns = conversation(question)
    calls = calls_of(turns, values["tool"])
    if not calls:
        return no_call(question, values["tool"])
    in_result = values["equals"].in_result
    told: list[tuple[Call, bool, str]] = []
    doubts = []
    for call in calls:
        summed = _sum(values["sum"], values["sum"].find(call.turn.args))
        wanted = _wanted(call, values["equals"])
        if summed is None or wanted is None:
            what = f"`{values['sum']}`" if summed is None else "what it should equal"
            doubts.append(undecided("insufficient_evidence", f"In turn {call.number} {what} is not given as numbers."))
            continue
        good, apart = difference(summed, wanted, values["tolerance"], Decimal(0))
        said = f"in turn {call.number} `{values['sum']}` sums to {figure(summed)} against {figure(wanted)}, {apart}"
        told.append((call, good, said))
    bad = [item for item in told if not item[1]]
    if doubts and not bad:
        raise doubts[0]
    shown = bad or told
    why = "; ".join(said for _, _, said in shown[:3]) + (f"; and {len(shown) - 3} more calls" if len(shown) > 3 else "")
    cited = cite_calls(turns, [call for call, _, _ in shown], results=in_result)
    return decided(not bad, f"{why[:1].upper()}{why[1:]}.", cited)


def _wanted(call: Call, equals: Total) -> Decimal | None:
    if equals.path is None:
        return equals.number
    within = read_json(call.turn.result) if equals.in_result else call.turn.args
    return _sum(equals.path, equals.path.find(within))


def _sum(where_: Path, found: Iterable[Any]) -> Decimal | None:
    """The sum of what stands at a path; None where nothing does or something is no number."""
    numbers = [_number(value) for value in found]
    if not numbers or any(number is None for number in numbers):
        return None
    return sum((number for number in numbers if number is not None), Decimal(0))


def _number(value: Any) -> Decimal | None:
    """A JSON number, or a text that is one amount and nothing else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        amount = read_number(value)
        read = amount.value if amount is not None else None
    else:
        read = exact(value) if isinstance(value, (int, float, Decimal)) else None
    return read if read is not None and is_usable(read) else None


def _arg_count(question: Question) -> Finding:
    values = question.values
    turns = conversation(question)
    calls = calls_of(turns, values["tool"])
    if not calls:
        return no_call(question, values["tool"])
    operator, limit = values["op"], Decimal(values["limit"])
    counts = [(call, Decimal(_items(call, values["path"], values["where"]))) for call in calls]
    bad = [(call, count) for call, count in counts if not holds(count, operator, limit)]
    shown = bad or counts
    told = ", ".join(f"{count} in turn {call.number}" for call, count in shown[:5])
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    items = "items that match" if values["where"] else "items"
    why = f"`{values['path']}` has {items}: {told}{more}; {verb(operator, not bad)} {limit}."
    return decided(not bad, why, cite_calls(turns, [call for call, _ in shown]))


def _items(call: Call, path_: Path, wanted: Mapping[Path, Matcher] | None) -> int:
    """Items at a path that match; an argument that is absent has none."""
    return sum(
        all(any(matcher.accepts(value) for value in key.find(item)) for key, matcher in (wanted or {}).items())
        for item in path_.find(call.turn.args)
    )


ARG_SUM_EQUALS = Check(
    name="arg_sum_equals",
    meaning="In every call of a tool, the sum of some arguments equals a number, another argument or the result.",
    params=(
        ParamSpec(name="tool", read=words, required=True),
        ParamSpec(name="sum", read=path, required=True),
        ParamSpec(name="equals", read=total, required=True),
        ParamSpec(name="tolerance", read=not_negative, default=0),
    ),
    run=_arg_sum_equals,
)

ARG_COUNT = Check(
    name="arg_count",
    meaning="In every call of a tool, the number of list items that match keeps a limit.",
    params=(
        ParamSpec(name="tool", read=words, required=True),
        ParamSpec(name="path", read=path, required=True),
        ParamSpec(name="where", read=where),
        ParamSpec(name="op", read=op, default="<="),
        ParamSpec(name="limit", read=whole, required=True),
    ),
    run=_arg_count,
)
