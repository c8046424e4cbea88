"""The computed checks by name; an eval's parameters held against them; and one eval decided by arithmetic.

"A `computed` check is allowed only where ground truth is genuinely arithmetic (a sum, a threshold)": numbers, dates, counts,
and the order of tool calls by exact name and argument. None of them reads meaning from free text.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext
from typing import Any

from recordroom_pipeline.corpus.names import ALIASES, fold
from recordroom_pipeline.errors import NotFound, Problem, ProblemsFound
from recordroom_pipeline.evidence.model import Evidence
from recordroom_pipeline.judging.computed.amounts import EQUALS, SUM_EQUALS
from recordroom_pipeline.judging.computed.arguments import ARG_COUNT, ARG_SUM_EQUALS
from recordroom_pipeline.judging.computed.dated import DATE_ORDER
from recordroom_pipeline.judging.computed.grounded import AMOUNTS_GROUNDED
from recordroom_pipeline.judging.computed.limits import COUNT, RATIO, THRESHOLD
from recordroom_pipeline.judging.computed.params import Operand, read_values
from recordroom_pipeline.judging.computed.question import Check, Question, Undecided
from recordroom_pipeline.judging.computed.tools import TOOL_CALLED, TOOL_ORDER
from recordroom_pipeline.judging.verdict import Finding
from recordroom_pipeline.spec.model import Eval

COMPUTED_VERSION = "1"
"""Moves whenever any check may decide differently; part of the instrument, so verdicts are computed anew."""

CHECKS: Mapping[str, Check] = {
    check.name: check
    for check in (
        SUM_EQUALS,
        THRESHOLD,
        RATIO,
        EQUALS,
        DATE_ORDER,
        COUNT,
        TOOL_CALLED,
        TOOL_ORDER,
        AMOUNTS_GROUNDED,
        ARG_SUM_EQUALS,
        ARG_COUNT,
    )
}

# 40-digit amounts are the largest used; a sum over millions of them stays exact at 100 digits, and nothing traps.
_ARITHMETIC = Context(prec=100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

_SOURCE_PARAMS = ("table", "stated_in", "limit_in", "left", "right", "in")
_READS_TURNS = ("tool_called", "tool_order", "arg_sum_equals", "arg_count")


def decide(eval_: Eval, params: Mapping[str, Any], evidence: Evidence) -> Finding:
    """What arithmetic settles about this evidence: pass, fail or na. Total over evidence.

    Raises:
        NotFound: for a check that is not in `CHECKS`.
        ProblemsFound: for parameters that `check_problems` would refuse.
    """
    check = CHECKS.get(eval_.check or "")
    if check is None:
        raise NotFound(f"eval '{eval_.id}' names no computed check of {', '.join(CHECKS)}")
    values, _ = read_values(check.params, params)
    if errors := list(_param_errors(eval_, check, params, "SPEC.md")):
        raise ProblemsFound(errors)
    with localcontext(_ARITHMETIC):
        try:
            return check.run(Question(eval_=eval_, values=values, evidence=evidence))
        except Undecided as doubt:
            return doubt.finding


def check_problems(eval_: Eval, *, path: str) -> list[Problem]:
    """What is wrong with a computed eval's check and parameters; nothing for a judged eval."""
    if eval_.check is None:
        return []
    check = CHECKS.get(eval_.check)
    if check is None:
        near = _near(eval_.check, list(CHECKS))
        remedy = f"did you mean '{near}'?" if near else f"write one of {', '.join(CHECKS)}, or drop `check` for a judged eval"
        return [_problem(eval_, path, "RR401", f"there is no computed check '{eval_.check}'", remedy)]
    params = eval_.param_values()
    return [*_param_errors(eval_, check, params, path), *_source_warnings(eval_, check, params, path)]


def _param_errors(eval_: Eval, check: Check, params: Mapping[str, Any], path: str) -> Iterator[Problem]:
    known = [spec.name for spec in check.params]
    for name in params:
        if name not in known:
            near = _near(name, known)
            remedy = f"did you mean '{near}'?" if near else f"'{check.name}' knows {', '.join(known)}"
            yield _problem(eval_, path, "RR402", f"'{check.name}' has no param '{name}'", remedy)
    values, faults = read_values(check.params, params)
    for name, fault in faults.items():
        yield _problem(eval_, path, "RR403", f"param '{name}' of '{check.name}' {fault.message}", fault.remedy)
    for told in () if faults else check.faults(values):
        message, _, remedy = told.partition(": ")
        yield _problem(
            eval_, path, "RR404", f"'{check.name}' {message}", remedy or "give one of the two; docs/checks.md has examples"
        )


def _source_warnings(eval_: Eval, check: Check, params: Mapping[str, Any], path: str) -> Iterator[Problem]:
    values, _ = read_values(check.params, params)
    for param, name in _sources_named(values):
        if not _is_read(name, eval_.reads):
            message = f"param '{param}' names the source '{name}', which `reads` does not"
            yield _problem(eval_, path, "RR405", message, f"add '{name}' to `reads`", level_is_warning=True)
    needs_turns = check.name in _READS_TURNS or (check.name == "count" and values.get("tool"))
    if needs_turns and not _is_read("turns", eval_.reads):
        message = f"'{check.name}' computes on tool calls, but `reads` has no turns"
        yield _problem(eval_, path, "RR406", message, "add 'turns' to `reads`", level_is_warning=True)
    if check.name == "amounts_grounded" and not _is_read("output", eval_.reads):
        message = "'amounts_grounded' computes on the final message, but `reads` has none"
        yield _problem(eval_, path, "RR406", message, "add 'final answer' to `reads`", level_is_warning=True)


def _sources_named(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for param, value in values.items():
        if isinstance(value, Operand):
            yield from ((param, name) for name in (*value.stated_in, *((value.table,) if value.table else ())))
        elif param in _SOURCE_PARAMS and value is not None:
            yield from ((param, name) for name in ((value,) if isinstance(value, str) else value))


def _is_read(name: str, reads: Sequence[str]) -> bool:
    """Whether `reads` may mean the same source; "inspection" and "inspection report" may."""
    wanted = _canonical(name)
    return any(
        wanted == read or wanted.startswith(f"{read}-") or read.startswith(f"{wanted}-") for read in map(_canonical, reads)
    )


def _canonical(name: str) -> str:
    return ALIASES.get(fold(name), fold(name))


def _near(name: str, known: Sequence[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name.casefold(), known, n=1, cutoff=0.7)), None)


def _problem(eval_: Eval, path: str, code: str, message: str, remedy: str, *, level_is_warning: bool = False) -> Problem:
    return Problem(
        path=path,
        line=max(eval_.line, 1),
        level="warning" if level_is_warning else "error",
        code=code,
        message=f"eval '{eval_.id}': {message}",
        remedy=remedy,
    )
