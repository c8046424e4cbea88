"""threshold, ratio and count: one number, or each of many, against a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from recordroom_pipeline.evidence.model import Citation, Source
from recordroom_pipeline.judging.computed.amounts import difference
from recordroom_pipeline.judging.computed.named import differ_in_currency, must_state
from recordroom_pipeline.judging.computed.params import (
    Op,
    Operand,
    ParamSpec,
    not_negative,
    number,
    op,
    operand,
    take,
    where,
    word,
    words,
)
from recordroom_pipeline.judging.computed.question import (
    Check,
    Question,
    cite_cell,
    decided,
    figure,
    segments_by_id,
    sentence,
    spoken,
    undecided,
)
from recordroom_pipeline.judging.computed.tables import Taken, is_blank, pick_columns, pick_table
from recordroom_pipeline.judging.computed.tables import take as take_column
from recordroom_pipeline.judging.computed.tools import calls_of, cite_calls, conversation
from recordroom_pipeline.judging.verdict import Finding

_SAID: Mapping[Op, tuple[str, str]] = {
    "<=": ("not above", "above"),
    "<": ("below", "not below"),
    ">=": ("not below", "below"),
    ">": ("above", "not above"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A number with the words and citations that go with it."""

    value: Decimal
    said: str
    citations: tuple[Citation, ...]
    currency: str | None = None


def holds(left: Decimal, operator: Op, right: Decimal, tolerance: Decimal = Decimal(0)) -> bool:
    """Whether left stands to right as asked; tolerance is in left's favour."""
    match operator:
        case "<=":
            return left <= right + tolerance
        case "<":
            return left < right + tolerance
        case ">=":
            return left >= right - tolerance
        case ">":
            return left > right - tolerance


def verb(operator: Op, good: bool) -> str:
    """The outcome in words: "above", "not below"."""
    return _SAID[operator][0 if good else 1]


def _threshold(question: Question) -> Finding:
    values = question.values
    limit = _limit(question)
    sides = _each_row(question) if values["column"] and values["take"] == "each" else [_left(question)]
    for side in sides:
        if differ_in_currency(side.currency, limit.currency):
            why = f"{side.said} and {limit.said} are in different currencies."
            raise undecided("not_judgeable", sentence(why), (*side.citations, *limit.citations))
    operator, tolerance = values["op"], values["tolerance"]
    bad = [side for side in sides if not holds(side.value, operator, limit.value, tolerance)]
    allowed = f" by more than {figure(tolerance)}" if tolerance and bad else ""
    if bad:
        told = ", ".join(side.said for side in bad[:5]) + (f" and {len(bad) - 5} more" if len(bad) > 5 else "")
        why = f"{sentence(told)} {_is(bad)} {verb(operator, False)} {limit.said}{allowed}."
        return decided(False, why, [*(cited for side in bad for cited in side.citations), *limit.citations])
    closest = (max if operator in ("<=", "<") else min)(sides, key=lambda side: side.value)
    every = f" (the nearest of {len(sides)} rows)" if len(sides) > 1 else ""
    why = f"{sentence(closest.said)}{every} is {verb(operator, True)} {limit.said}."
    return decided(True, why, [*closest.citations, *limit.citations])


def _is(sides: Sequence[Side]) -> str:
    return "is" if len(sides) == 1 else "are"


def _limit(question: Question) -> Side:
    values = question.values
    if values["limit"] is not None:
        return Side(value=values["limit"], said=f"the limit of {figure(values['limit'])}", citations=())
    named = must_state(question, question.sources(values["limit_in"]), values["limit_label"], "amount")
    said = f"the limit of {named.written} in {spoken(named.source)}"
    return Side(value=named.amount, said=said, citations=named.citations, currency=named.currency)


def _left(question: Question) -> Side:
    values = question.values
    if values["label"]:
        return _labelled(question, values["label"], values["stated_in"])
    table, columns = pick_columns(question, values["table"], values["column"])
    return _taken(take_column(table, columns, values["take"]), values["take"], values["column"])


def _each_row(question: Question) -> list[Side]:
    table, columns = pick_columns(question, question.values["table"], question.values["column"])
    taken = take_column(table, columns, "sum")  # refuses unreadable cells and mixed currencies
    segments = segments_by_id(table.source)
    sides = []
    for cell in taken.cells:
        if cell.number is not None and not is_blank(cell):
            said = f"{cell.raw.strip()} in row {cell.row} of {spoken(table.source)}"
            cited = cite_cell(table.source, segments, cell)
            sides.append(Side(value=cell.number, said=said, citations=cited, currency=cell.currency))
    return sides


def _labelled(question: Question, labels: Sequence[str], names: Sequence[str] | None) -> Side:
    named = must_state(question, question.sources(names), labels, "amount")
    said = f"the {labels[0]} of {named.written} in {spoken(named.source)}"
    return Side(value=named.amount, said=said, citations=named.citations, currency=named.currency)


def _taken(taken: Taken, how: str, columns: Sequence[str]) -> Side:
    name = {"max": "largest", "min": "smallest", "sum": "sum of", "count": "number of"}[how]
    said = f"the {name} {' and '.join(columns)} in {spoken(taken.source)}, {figure(taken.value)},"
    currency = None if how == "count" else taken.currency
    return Side(value=taken.value, said=said, citations=taken.citations(), currency=currency)


def _ratio(question: Question) -> Finding:
    values = question.values
    top, bottom = _side(question, values["numerator"]), _side(question, values["denominator"])
    cited = (*top.citations, *bottom.citations)
    told = f"{sentence(top.said)} over {bottom.said}"
    if bottom.value == 0:
        raise undecided("insufficient_evidence", f"{told} has no value: the denominator is 0.", cited)
    if differ_in_currency(top.currency, bottom.currency):
        raise undecided("not_judgeable", f"{told}: amounts in different currencies have no ratio.", cited)
    ratio, limit, operator = top.value / bottom.value, values["limit"], values["op"]
    good = holds(ratio, operator, limit, values["tolerance"])
    shown = figure(ratio.quantize(Decimal("0.0001")).normalize()) if abs(ratio) < 10**12 else figure(ratio)
    return decided(good, f"{told} is {shown}, {verb(operator, good)} the limit of {figure(limit)}.", cited)


def _side(question: Question, given: Operand) -> Side:
    if given.label:
        return _labelled(question, given.label, given.stated_in or None)
    table, columns = pick_columns(question, given.table, given.column)
    return _taken(take_column(table, columns, given.take), given.take, given.column)


def _count(question: Question) -> Finding:
    values = question.values
    counted, source = _counted(question)
    if values["limit"] is not None:
        good = holds(counted.value, values["op"], values["limit"])
        why = f"{sentence(counted.said)}, {verb(values['op'], good)} the limit of {figure(values['limit'])}."
        return decided(good, why, counted.citations)
    names = values["stated_in"]
    named = must_state(question, question.sources(names, but=None if names else source), values["label"], "count")
    good, apart = difference(counted.value, named.amount, Decimal(0), Decimal(0))
    why = f"{sentence(counted.said)}; {spoken(named.source)} states {named.written}, {apart}."
    return decided(good, why, (*named.citations, *counted.citations))


def _counted(question: Question) -> tuple[Side, Source]:
    values = question.values
    if values["tool"]:
        turns = conversation(question)
        calls = calls_of(turns, values["tool"], values["where"])
        cited = cite_calls(turns, calls) if calls else question.duty()
        said = f"there are {len(calls)} calls of {' or '.join(values['tool'])}"
        return Side(value=Decimal(len(calls)), said=said, citations=cited), turns
    table = pick_table(question, values["table"])
    segments = segments_by_id(table.source)
    each = [[found for cell in row.cells if (found := cite_cell(table.source, segments, cell))] for row in table.records]
    cited = tuple(found[0][0] for found in each if found)
    said = f"there are {len(table.records)} rows in {spoken(table.source)}"
    return Side(value=Decimal(len(table.records)), said=said, citations=cited or question.duty()), table.source


def _threshold_faults(values: Mapping[str, Any]) -> tuple[str, ...]:
    faults = []
    if bool(values.get("label")) == bool(values.get("column")):
        faults.append("needs either `label` (a stated amount) or `column` (of a table)")
    if (values.get("limit") is not None) == bool(values.get("limit_label")):
        faults.append("needs either `limit` (a number) or `limit_label` (a stated amount)")
    return tuple(faults)


def _count_faults(values: Mapping[str, Any]) -> tuple[str, ...]:
    faults = []
    if values.get("tool") and values.get("table"):
        faults.append("needs either `table` or `tool`, not both")
    if values.get("where") and not values.get("tool"):
        faults.append("has `where`, which goes with `tool` only")
    if (values.get("limit") is not None) == bool(values.get("label")):
        faults.append("needs either `limit` (a number) or `label` (a stated count)")
    return tuple(faults)


_OP = ParamSpec(name="op", read=op, default="<=")

THRESHOLD = Check(
    name="threshold",
    meaning="A number, or each number of a column, keeps a limit.",
    params=(
        ParamSpec(name="table", read=word),
        ParamSpec(name="column", read=words),
        ParamSpec(name="take", read=take, default="each"),
        ParamSpec(name="label", read=words),
        ParamSpec(name="stated_in", read=words),
        ParamSpec(name="limit", read=number),
        ParamSpec(name="limit_label", read=words),
        ParamSpec(name="limit_in", read=words),
        _OP,
        ParamSpec(name="tolerance", read=not_negative, default=0),
    ),
    run=_threshold,
    faults=_threshold_faults,
)

RATIO = Check(
    name="ratio",
    meaning="One number over another keeps a limit.",
    params=(
        ParamSpec(name="numerator", read=operand, required=True),
        ParamSpec(name="denominator", read=operand, required=True),
        ParamSpec(name="limit", read=number, required=True),
        _OP,
        ParamSpec(name="tolerance", read=not_negative, default=0),
    ),
    run=_ratio,
)

COUNT = Check(
    name="count",
    meaning="The rows of a table, or the calls of a tool, keep a limit or equal a stated count.",
    params=(
        ParamSpec(name="table", read=word),
        ParamSpec(name="tool", read=words),
        ParamSpec(name="where", read=where),
        ParamSpec(name="limit", read=number),
        _OP,
        ParamSpec(name="label", read=words),
        ParamSpec(name="stated_in", read=words),
    ),
    run=_count,
    faults=_count_faults,
)
