"""The registry: parameters are held against the checks, docs/checks.md tells the truth, and evidence never raises."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from computed_cases import ask, call, conversation, final, instruction, prose, rule, says, table, unreadable, user
from hypothesis import given, settings
from hypothesis import strategies as st

from recordroom_pipeline.errors import NotFound, ProblemsFound
from recordroom_pipeline.evidence.model import Evidence
from recordroom_pipeline.judging.computed import CHECKS, COMPUTED_VERSION, check_problems, decide
from recordroom_pipeline.spec.model import Eval
from recordroom_pipeline.spec.read import check_spec

EXAMPLE = re.compile(r"```markdown\n(### .*?)```", re.DOTALL)
FRAME = """---
name: recordroom/checks
version: 0.1.0
description: Examples.
maintainers: [recordroom]
license: CC-BY-4.0
forked_from: null
tasks:
  - {id: schedule, name: Building schedule}
---

## Evals

%s

## About
Examples of computed checks.
"""


def problems(eval_: Eval) -> list[str]:
    return [str(problem) for problem in check_problems(eval_, path="SPEC.md")]


def sections(project: Path) -> dict[str, str]:
    text = (project / "docs" / "checks.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def examples(project: Path) -> dict[str, Eval]:
    found = {}
    for name, section in sections(project).items():
        for block in EXAMPLE.findall(section):
            spec, faults = check_spec((FRAME % block).encode(), path="SPEC.md")
            assert not faults, [str(fault) for fault in faults]
            assert spec is not None
            found[name] = spec.evals[0]
    return found


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_the_docs_name_every_check_and_each_of_its_params_with_its_default(name: str, project: Path) -> None:
    section = sections(project)[name]
    rows = {line.split("|")[1].strip(): line for line in section.splitlines() if line.startswith("| `")}

    assert set(rows) == {f"`{spec.name}`" for spec in CHECKS[name].params}
    for spec in CHECKS[name].params:
        default = rows[f"`{spec.name}`"].split("|")[3].strip()
        if spec.required:
            assert default in ("required", "required ")
        elif spec.default is not None:
            shown = {False: "false", True: "true"}.get(spec.default) if isinstance(spec.default, bool) else spec.default
            assert default == f"`{shown}`".replace("['currency']", "[currency]")
    assert CHECKS[name].meaning.rstrip(".") in section


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_example_of_the_docs_is_accepted_and_decides(name: str, project: Path) -> None:
    eval_ = examples(project)[name]

    assert eval_.check == name
    assert problems(eval_) == []
    assert decide(eval_, eval_.param_values(), Evidence(sources=(), missing=eval_.reads)).verdict == "na"


def test_there_is_no_documented_check_that_does_not_exist(project: Path) -> None:
    assert set(examples(project)) == set(CHECKS)
    assert COMPUTED_VERSION


def test_a_judged_eval_has_no_problems_here() -> None:
    assert check_problems(rule(None), path="SPEC.md") == []


@pytest.mark.parametrize(
    ("eval_", "problem"),
    [
        (rule("sum_equal"), "RR401 eval 'rule': there is no computed check 'sum_equal' — did you mean 'sum_equals'?"),
        (rule("contains"), "RR401 eval 'rule': there is no computed check 'contains' — write one of sum_equals, threshold"),
        (
            rule("sum_equals", tolerence=1),
            "RR402 eval 'rule': 'sum_equals' has no param 'tolerence' — did you mean 'tolerance'?",
        ),
        (rule("sum_equals", xyz=1), "RR402 eval 'rule': 'sum_equals' has no param 'xyz' — 'sum_equals' knows table, column"),
        (rule("sum_equals", tolerance="much"), "RR403 eval 'rule': param 'tolerance' of 'sum_equals' is 'much', not a number"),
        (
            rule("sum_equals", tolerance=-1),
            "RR403 eval 'rule': param 'tolerance' of 'sum_equals' is -1, below 0 — write 0 or more",
        ),
        (rule("sum_equals", tolerance=True), "is True, not a number"),
        (rule("sum_equals", tolerance=float("inf")), "is inf, which is no usable number"),
        (rule("sum_equals", column=[]), "is [], not a name or a list of names"),
        (rule("sum_equals", table=["a"]), "is ['a'], not a name"),
        (rule("tool_called"), "param 'tool' of 'tool_called' is missing — add `tool: {default: …}` to `params`"),
        (rule("tool_called", tool="a", where=["b"]), "is ['b'], not a mapping"),
        (rule("tool_called", tool="a", where={"b[": 1}), "has the path 'b[', which cannot be read"),
        (rule("tool_called", tool="a", where={"b": {"suffix": "c"}}), "which is no value and no `{prefix: text}`"),
        (rule("tool_called", tool="a", min=1.5), "is 1.5, not a whole number from 0"),
        (rule("tool_called", tool="a", min=2, max=1), "RR404 eval 'rule': 'tool_called' asks for at least 2 and at most 1"),
        (rule("tool_called", tool="a", min=0), "RR404 eval 'rule': 'tool_called' asks for at least 0 calls"),
        (rule("tool_order", first="a", then=["b", "a"]), "RR404 eval 'rule': 'tool_order' has `a` in both"),
        (rule("threshold", column="TIV", limit=1, op="="), "param 'op' of 'threshold' is '=' — write one of `<=`, `<`"),
        (rule("threshold", column="TIV", limit=1, take="avg"), "param 'take' of 'threshold' is 'avg' — write one of `each`"),
        (rule("threshold", limit=1), "RR404 eval 'rule': 'threshold' needs either `label`"),
        (rule("threshold", column="TIV", label="TIV", limit=1), "RR404 eval 'rule': 'threshold' needs either `label`"),
        (rule("threshold", column="TIV"), "'threshold' needs either `limit` (a number) or `limit_label`"),
        (rule("count", limit=1, label="a"), "'count' needs either `limit` (a number) or `label`"),
        (rule("count", limit=1, where={"a": 1}), "'count' has `where`, which goes with `tool` only"),
        (rule("count", limit=1, tool="a", table="b"), "'count' needs either `table` or `tool`, not both"),
        (rule("ratio", numerator="a", denominator={"label": "b"}, limit=1), "param 'numerator' of 'ratio' is 'a'"),
        (rule("ratio", numerator={"in": "a"}, denominator={"label": "b"}, limit=1), "needs either a label or a column"),
        (
            rule("ratio", numerator={"label": "a", "take": "max"}, denominator={"label": "b"}, limit=1),
            "goes with no table or take",
        ),
        (
            rule("ratio", numerator={"column": "a", "take": "each"}, denominator={"label": "b"}, limit=1),
            "takes each row, which is not one number",
        ),
        (
            rule("date_order", earlier={"column": "a"}, later={"label": "b"}),
            "param 'earlier' of 'date_order' is {'column': 'a'}",
        ),
        (rule("date_order", earlier={"label": "a"}, later={"label": "b"}, min_days=9, max_days=8), "no date keeps both"),
        (rule("equals", label="a", left="x", right="x"), "'equals' `left` and `right` are the same source and label"),
        (rule("amounts_grounded", kinds=["money"]), "names 'money' — use `currency`, `number`, `percent`"),
        (rule("amounts_grounded", derived="yes"), "is 'yes', not true or false"),
        (rule("arg_sum_equals", tool="a", sum="b..c", equals=1), "has the path 'b..c', which cannot be read"),
        (rule("arg_sum_equals", tool="a", sum="b", equals={"args": "c"}), "write `{result: path}`"),
    ],
)
def test_what_a_spec_gets_wrong_is_said_with_its_remedy(eval_: Eval, problem: str) -> None:
    found = problems(replace(eval_, reads=("schedule", "turns", "final answer", "x", "b"), line=27))

    assert len(found) == 1
    assert found[0].startswith("SPEC.md:27:1: error RR40")
    assert problem in found[0]
    with pytest.raises((NotFound, ProblemsFound)):
        decide(eval_, eval_.param_values(), Evidence(sources=()))


@pytest.mark.parametrize(
    ("eval_", "problem"),
    [
        (rule("sum_equals", reads=["schedule"], stated_in=["cover sheet"]), "RR405"),
        (rule("ratio", reads=["a"], numerator={"label": "x", "in": "b"}, denominator={"label": "y"}, limit=1), "RR405"),
        (rule("tool_called", reads=["instruction"], tool="a"), "RR406"),
        (rule("count", reads=["instruction"], tool="a", limit=1), "RR406"),
        (rule("amounts_grounded", reads=["schedule"]), "RR406"),
    ],
)
def test_a_source_outside_reads_is_a_warning(eval_: Eval, problem: str) -> None:
    found = check_problems(eval_, path="SPEC.md")

    assert [(item.level, item.code) for item in found] == [("warning", problem)]


@pytest.mark.parametrize("name", ["cover sheet", "Cover-Sheet", "cover"])
def test_a_source_of_reads_may_be_written_as_reads_may(name: str) -> None:
    assert problems(rule("sum_equals", reads=["schedule", "cover sheet"], stated_in=name)) == []
    assert problems(rule("tool_called", reads=["conversation"], tool="a")) == []


def test_a_param_that_names_two_sources_is_undecided() -> None:
    both = (prose("loss-runs-2024", "TIV: $1"), prose("loss-runs-2025", "TIV: $2"))

    finding = ask(rule("threshold", label="TIV", stated_in="loss runs", limit=5), *both)
    assert finding.na_reason == "not_judgeable"
    assert "loss-runs-2024 or loss-runs-2025" in finding.why


def test_a_param_never_widens_what_the_eval_reads() -> None:
    finding = ask(rule("threshold", label="TIV", stated_in="secret", limit=5), final("TIV: $1"))

    assert finding.na_reason == "insufficient_evidence"


ASKED: dict[str, dict[str, Any]] = {
    "sum_equals": {},
    "threshold": {"label": "a", "limit": 5},
    "ratio": {"numerator": {"label": "a"}, "denominator": {"label": "b"}, "limit": 1},
    "equals": {"label": "a", "left": "cover", "right": "output"},
    "date_order": {"earlier": {"label": "a"}, "later": {"label": "b"}},
    "count": {"label": "a"},
    "tool_called": {"tool": "a", "where": {"x[]": 1}},
    "tool_order": {"first": "a", "then": "b", "same": ["x"]},
    "amounts_grounded": {"kinds": ["currency", "number", "percent"], "derived": True},
    "arg_sum_equals": {"tool": "a", "sum": "x[]", "equals": {"result": "y"}},
    "arg_count": {"tool": "b", "path": "x[]", "limit": 1},
}
BITS = st.sampled_from(
    [
        "a",
        "b",
        "a:",
        "b =",
        "$1",
        "€2M",
        "3%",
        "1.234",
        "(5)",
        "9" * 60,
        "TIV",
        "total",
        "2026-08-01",
        "03/04/2026",
        "is",
        "|",
        "-",
        "½",
        " ",
    ]
)
LINE = st.one_of(
    st.lists(BITS, max_size=6).map(" ".join), st.text(alphabet=st.characters(exclude_characters="\n\r|"), max_size=12)
)
VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), LINE),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
TURN = st.one_of(
    LINE.map(user),
    LINE.map(says),
    st.builds(
        lambda tool, result, x: call(tool, result, x=x), st.sampled_from("ab"), st.one_of(LINE, st.just('{"y": 1}')), VALUE
    ),
)


@st.composite
def sources(draw: st.DrawFn) -> list[Any]:
    width = draw(st.integers(1, 3))
    row = st.lists(st.one_of(BITS, LINE).map(lambda text: text.replace("|", "")), min_size=width, max_size=width).map("|".join)
    made = [
        prose("cover", *draw(st.lists(LINE, max_size=3))),
        table("schedule", *draw(st.lists(row, min_size=1, max_size=4))),
        conversation(*draw(st.lists(TURN, max_size=4))),
        final(*draw(st.lists(LINE, max_size=2))),
        instruction(draw(LINE)),
    ]
    kept = [source for source in made if draw(st.booleans())]
    return [unreadable(source, "broken") if draw(st.integers(0, 9)) == 0 else source for source in kept]


@pytest.mark.parametrize("name", sorted(CHECKS))
@settings(max_examples=60)
@given(given_=sources())
def test_no_evidence_makes_a_check_raise_or_cite_what_does_not_stand(name: str, given_: list[Any]) -> None:
    present = {source.name for source in given_}
    missing = [wanted for wanted in ("cover", "schedule", "turns", "output") if wanted not in present]

    finding = ask(rule(name, na_when="there is no schedule", **ASKED[name]), *given_, missing=missing)

    assert set(ASKED) == set(CHECKS)
    assert finding.verdict in ("pass", "fail", "na")
