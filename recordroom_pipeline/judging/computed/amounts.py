"""sum_equals and equals: one amount against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from recordroom_pipeline.evidence.model import Citation
from recordroom_pipeline.judging.computed.named import Named, differ_in_currency, must_state, stated
from recordroom_pipeline.judging.computed.params import ParamSpec, flag, not_negative, word, words
from recordroom_pipeline.judging.computed.question import (
    Check,
    Question,
    Undecided,
    decided,
    figure,
    plural,
    sentence,
    spoken,
    undecided,
)
from recordroom_pipeline.judging.computed.tables import Taken, pick_columns, take
from recordroom_pipeline.judging.verdict import Finding

TOTAL_LABELS = ("total insured value", "TIV", "total")


def difference(left: Decimal, right: Decimal, tolerance: Decimal, rounding: Decimal) -> tuple[bool, str]:
    """Whether two numbers agree, and the difference in words."""
    apart = abs(left - right)
    if apart <= tolerance:
        return True, f"a difference of {figure(apart)} within {figure(tolerance)}"
    if apart <= tolerance + rounding:
        return True, f"a difference of {figure(apart)} within {figure(tolerance)} and the rounding of what is written"
    return False, f"a difference of {figure(apart)}, more than {figure(tolerance)}"


def _sum_equals(question: Question) -> Finding:
    values = question.values
    table, columns = pick_columns(question, values["table"], values["column"])
    summed = take(table, columns, "sum")
    found, doubts = _stated_totals(question, summed)
    _same_currency(summed, found)
    compared = [(named, *_compare(question, summed, named)) for named in found]
    wrong = [item for item in compared if not item[1]]
    if not wrong and doubts:
        raise doubts[0]
    told = wrong or compared
    phrases = "; ".join(f"{spoken(named.source)} states {named.written}, {words_}" for named, _, words_ in told)
    blanks = (
        f" ({plural(summed.blanks, 'blank cell')} {'counts' if summed.blanks == 1 else 'count'} as nothing)"
        if summed.blanks
        else ""
    )
    why = f"{sentence(spoken(summed.source).removeprefix('the '))} rows sum to {figure(summed.value)}{blanks}; {phrases}."
    cited: list[Citation] = [citation for named, _, _ in told for citation in named.citations]
    return decided(not wrong, why, [*cited, *summed.citations()])


def _compare(question: Question, summed: Taken, named: Named) -> tuple[bool, str]:
    rounding = max(summed.half_unit, named.half_unit)
    return difference(summed.value, named.amount, question.values["tolerance"], rounding)


def _stated_totals(question: Question, summed: Taken) -> tuple[list[Named], list[Undecided]]:
    """Stated totals, and why others are in doubt. A wrong total fails whatever else is in doubt.

    Where `stated_in` names sources each of them must state the total; else one of `reads` must.
    """
    named_sources: Sequence[str] | None = question.values["stated_in"]
    found: list[Named] = []
    doubts: list[Undecided] = []
    names = named_sources or [source.name for source in question.sources(None, but=summed.source)]
    labels = question.values["label"] or TOTAL_LABELS
    for name in names:
        try:
            source = question.source(name)
            named = stated(question, source, labels, "amount")
            if named is not None:
                found.append(named)
            elif named_sources is not None:
                raise undecided("insufficient_evidence", f"No line in {spoken(source)} states {_quoted(labels)}.")
        except Undecided as doubt:
            doubts.append(doubt)
    if not found and not doubts:
        raise question.nothing_found(f"Nothing that this eval reads besides {spoken(summed.source)} states {_quoted(labels)}.")
    return found, doubts


def _quoted(labels: Sequence[str]) -> str:
    return " or ".join(f"'{label}'" for label in labels)


def _same_currency(summed: Taken, found: Sequence[Named]) -> None:
    for named in found:
        if differ_in_currency(summed.currency, named.currency):
            why = f"The rows are in {summed.currency}, but {spoken(named.source)} states {named.written}."
            raise undecided("not_judgeable", why, named.citations)


def _equals(question: Question) -> Finding:
    values = question.values
    left = must_state(question, [question.source(values["left"])], values["label"], "either")
    right = must_state(question, [question.source(values["right"])], values["right_label"] or values["label"], "either")
    told = f"{sentence(_say(left, values['label']))}; {_say(right, values['right_label'] or values['label'])}"
    cited = (*left.citations, *right.citations)
    if isinstance(left.values[0], Decimal) != isinstance(right.values[0], Decimal):
        raise undecided("not_judgeable", f"{told}: a date and a number cannot be compared.", cited)
    if not isinstance(left.values[0], Decimal):
        apart = abs((left.day - right.day).days)
        holds = Decimal(apart) <= values["tolerance"]
        return decided(holds, f"{told}: {plural(apart, 'day') + ' apart' if apart else 'the same day'}.", cited)
    if differ_in_currency(left.currency, right.currency):
        raise undecided("not_judgeable", f"{told}: amounts in different currencies cannot be compared.", cited)
    holds, apart_words = difference(left.amount, right.amount, values["tolerance"], max(left.half_unit, right.half_unit))
    return decided(holds, f"{told}: {apart_words}.", cited)


def _say(named: Named, labels: Sequence[str]) -> str:
    return f"{spoken(named.source)} gives {named.written} for '{labels[0]}'"


def _both_named(values: Mapping[str, Any]) -> tuple[str, ...]:
    if values.get("left") == values.get("right") and not values.get("right_label"):
        return ("`left` and `right` are the same source and label: name two places, or give `right_label`",)
    return ()


SUM_EQUALS = Check(
    name="sum_equals",
    meaning="The sum of a table's column equals the total that is stated elsewhere.",
    params=(
        ParamSpec(name="table", read=word),
        ParamSpec(name="column", read=words),
        ParamSpec(name="label", read=words),
        ParamSpec(name="stated_in", read=words),
        ParamSpec(name="tolerance", read=not_negative, default=0),
    ),
    run=_sum_equals,
)

EQUALS = Check(
    name="equals",
    meaning="One named amount or date is the same in two places.",
    params=(
        ParamSpec(name="label", read=words, required=True),
        ParamSpec(name="left", read=word, required=True),
        ParamSpec(name="right", read=word, required=True),
        ParamSpec(name="right_label", read=words),
        ParamSpec(name="tolerance", read=not_negative, default=0),
        ParamSpec(name="day_first", read=flag),
    ),
    run=_equals,
    faults=_both_named,
)
