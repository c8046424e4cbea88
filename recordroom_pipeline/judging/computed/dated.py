"""date_order: one dated event before another, within a number of days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.judging.computed.named import Named, must_state
from recordroom_pipeline.judging.computed.params import Operand, ParamSpec, flag, labelled, whole
from recordroom_pipeline.judging.computed.question import Check, Question, decided, spoken
from recordroom_pipeline.judging.verdict import Finding


def _date_order(question: Question) -> Finding:
    values = question.values
    earlier, later = _day(question, values["earlier"]), _day(question, values["later"])
    days = (later.day - earlier.day).days
    least, most = values["min_days"], values["max_days"]
    good = least <= days and (most is None or days <= most)
    order = f"{days} days before" if days > 0 else "on the same day as" if days == 0 else f"{-days} days after"
    bounds = f"at least {least}" if most is None else f"{least} to {most}"
    why = (
        f"{_say(earlier, values['earlier'])} is {order} {_lower(_say(later, values['later']))}; "
        f"{bounds} days before is asked for."
    )
    return decided(good, why, (*earlier.citations, *later.citations))


def _day(question: Question, given: Operand) -> Named:
    return must_state(question, question.sources(given.stated_in or None), given.label, "date")


def _say(named: Named, given: Operand) -> str:
    return f"The {given.label[0]} of {named.day.isoformat()} in {spoken(named.source)}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _bounds(values: Mapping[str, Any]) -> tuple[str, ...]:
    least, most = values.get("min_days"), values.get("max_days")
    if least is not None and most is not None and most < least:
        return (f"has `max_days` {most} below `min_days` {least}: no date keeps both; swap or drop one",)
    return ()


DATE_ORDER = Check(
    name="date_order",
    meaning="One dated event comes before another, within a number of days.",
    params=(
        ParamSpec(name="earlier", read=labelled, required=True),
        ParamSpec(name="later", read=labelled, required=True),
        ParamSpec(name="max_days", read=whole),
        ParamSpec(name="min_days", read=whole, default=0),
        ParamSpec(name="day_first", read=flag),
    ),
    run=_date_order,
    faults=_bounds,
)
