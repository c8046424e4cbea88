"""SPEC.md → Spec: what a person wrote counts as written, or is refused with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.canonical import canonical_json
from recordroom_pipeline.errors import ProblemsFound
from recordroom_pipeline.spec.compile import read_spec_document, spec_document, spec_hash
from recordroom_pipeline.spec.model import Example, Param
from recordroom_pipeline.spec.read import check_spec, read_spec

FRONT = """---
name: acme/leases
version: 0.1.0
description: What a lease abstract must hold.
maintainers: [acme]
license: CC-BY-4.0
tasks:
  - {id: rent, name: Rent}
---
"""
EVAL = """
### rent-stated
task: rent
severity: major

**The abstract states the annual rent.**

reads: lease, output
fail-when: no annual rent is stated.
"""
GOOD = FRONT + "\n## Evals\n" + EVAL


def problems_of(text: str) -> list[str]:
    return [f"{problem.line} {problem.code}" for problem in check_spec(text.encode())[1]]


def test_RR1_the_seeds_own_example_compiles_as_it_stands(project) -> None:
    spec = read_spec((project / "tests/golden/seed-example.md").read_bytes(), expected_name="recordroom/property-underwriting")
    (eval_,) = spec.evals

    assert (eval_.id, eval_.task_group, eval_.severity) == ("tiv-sum", "schedule", "blocking")
    assert eval_.sentence == "The TIV total equals the sum of the locations."
    assert eval_.reads == ("schedule", "cover sheet", "final answer")
    assert eval_.fail_when.endswith("recomputed sum of location TIVs beyond the tolerance.")
    assert (eval_.check, eval_.params) == ("sum_equals", (Param(name="tolerance", default=1, unit="USD"),))
    example = Example(
        output="PU-0468-a", verdict="fail", note="stated 48.2M vs 47.0M sum", reviewed_by="A. Expert", on="2026-08-01"
    )
    assert eval_.examples == (example,)
    assert spec.about.startswith("Free prose: intent")


@pytest.mark.parametrize(
    "prose",
    ['the agent says: "no"', "it costs 5 # of the total", "no", "[a] and {b: c}", "*half* of it - as é or 行", "a: b: c"],
)
def test_RR7_prose_fields_keep_what_was_written(prose: str) -> None:
    spec = read_spec(GOOD.replace("no annual rent is stated.", prose).encode())

    assert spec.evals[0].fail_when == prose


@pytest.mark.parametrize(
    ("fault", "text", "problem"),
    [
        ("not UTF-8 is tested below; no frontmatter", "## Evals\n", "1 RR103"),
        ("frontmatter never closed", "---\nname: a/b\n", "1 RR103"),
        ("frontmatter no mapping", "---\n- a\n---\n## Evals\n" + EVAL, "2 RR104"),
        ("a key twice", GOOD.replace("license: CC-BY-4.0", "license: CC-BY-4.0\nlicense: MIT"), "7 RR104"),
        ("an alias", GOOD.replace("[acme]", "&x [acme]"), "5 RR104"),
        ("a tag", GOOD.replace("[acme]", "!!python/name:os.system [acme]"), "5 RR104"),
        ("unknown frontmatter key", GOOD.replace("license:", "licence:"), "6 RR105"),
        ("missing frontmatter key", GOOD.replace("description: What a lease abstract must hold.\n", ""), "1 RR106"),
        ("version as a float", GOOD.replace("0.1.0", "0.1"), "3 RR107"),
        ("build metadata", GOOD.replace("0.1.0", "0.1.0+b1"), "3 RR107"),
        ("name without org", GOOD.replace("acme/leases", "leases"), "2 RR107"),
        ("no maintainers", GOOD.replace("[acme]", "[]"), "5 RR107"),
        ("no evals section", FRONT + "\n## About\nprose\n", "10 RR120"),
        ("an empty evals section", FRONT + "\n## Evals\n", "11 RR120"),
        ("text before the evals", FRONT + "stray\n## Evals\n" + EVAL, "10 RR110"),
        ("stray text in an eval", GOOD + "\nstray words\n", "22 RR110"),
        ("an id that is not kebab-case", GOOD.replace("### rent-stated", "### Rent_Stated"), "13 RR111"),
        ("an id used twice", GOOD + EVAL, "22 RR112"),
        ("no sentence", GOOD.replace("**The abstract states the annual rent.**\n", ""), "13 RR113"),
        ("two sentences", GOOD + "\n**Another rule.**\n", "13 RR113"),
        ("an unknown field", GOOD + "fail_when: twice\n", "21 RR114"),
        ("a field twice", GOOD + "severity: minor\n", "21 RR115"),
        ("no reads", GOOD.replace("reads: lease, output\n", ""), "13 RR116"),
        ("an unknown severity", GOOD.replace("severity: major", "severity: high"), "15 RR117"),
        ("an undeclared task", GOOD.replace("task: rent\n", "task: rents\n"), "13 RR117"),
        ("an empty read", GOOD.replace("lease, output", "lease,, output"), "19 RR117"),
        ("params without check", GOOD + "params: {tolerance: {default: 1}}\n", "21 RR118"),
        ("a check that is not computed", GOOD + "check: regex foo\n", "21 RR117"),
        ("an example without reviewer", GOOD + "examples: [{output: a, verdict: fail, on: 2026-01-02}]\n", "21 RR117"),
        ("an example's verdict", GOOD + "examples: [{output: a, verdict: no, reviewed_by: b, on: 2026-01-02}]\n", "21 RR117"),
        ("an example's date", GOOD + "examples: [{output: a, verdict: fail, reviewed_by: b, on: today}]\n", "21 RR117"),
    ],
)
def test_every_fault_is_named_with_its_line(fault: str, text: str, problem: str) -> None:
    assert problem in problems_of(text), fault


def test_all_faults_of_a_file_are_reported_in_one_go() -> None:
    text = GOOD.replace("severity: major", "severity: high").replace("[acme]", "[]") + "\nnonsense: x\n"

    assert len(problems_of(text)) == 3


def test_a_byte_that_is_not_utf8_names_its_line() -> None:
    problems = check_spec(GOOD.encode().replace(b"annual rent is", b"annual \xff is"))[1]

    assert [(problem.line, problem.code) for problem in problems] == [(20, "RR101")]


def test_the_error_a_user_sees_says_where_what_and_how() -> None:
    with pytest.raises(ProblemsFound, match=r"SPEC\.md:15:1: error RR117 severity 'hihg' is unknown.* — write one of blocking"):
        read_spec(GOOD.replace("severity: major", "severity: hihg").encode())


def test_a_heading_inside_a_code_block_is_no_eval() -> None:
    text = GOOD + "\n## About\n```\n### not-an-eval\n```\n"

    assert [eval_.id for eval_ in read_spec(text.encode()).evals] == ["rent-stated"]


def test_RR9_line_ends_and_a_byte_order_mark_change_no_hash() -> None:
    plain = read_spec(GOOD.encode())
    windows = read_spec(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())

    assert spec_hash(plain) == spec_hash(windows)


def test_RR8_the_order_of_evals_changes_no_identity() -> None:
    other = EVAL.replace("rent-stated", "term-stated").replace("annual rent", "term")
    one, two = read_spec((GOOD + other).encode()), read_spec((FRONT + "\n## Evals\n" + other + EVAL).encode())

    assert {eval_.id: eval_.identity for eval_ in one.evals} == {eval_.id: eval_.identity for eval_ in two.evals}


def test_RR8_about_and_free_prose_are_kept() -> None:
    spec = read_spec((GOOD + "\n## About\n\nWhy *these* rules.\n\n### Sources\n\n- one\n").encode())

    assert spec.about == "\nWhy *these* rules.\n\n### Sources\n\n- one".lstrip("\n")
    assert len(spec.evals) == 1


def test_RR9_a_compiled_spec_is_the_same_bytes_whatever_the_order_of_keys() -> None:
    front = GOOD.split("---\n")[1].splitlines()
    turned = GOOD.replace("\n".join(front), "\n".join([*front[3:5], *front[:3], *front[5:]]))
    documents = [spec_document(read_spec(text.encode())) for text in (GOOD, turned)]

    assert turned != GOOD
    assert canonical_json(documents[0]) == canonical_json(documents[1])


def test_RR11_lineage_is_kept() -> None:
    spec = read_spec(GOOD.replace("license:", "forked_from: base/leases@1.2.0\nlicense:").encode())

    assert read_spec_document(spec_document(spec)).forked_from == "base/leases@1.2.0"


def test_a_compiled_spec_reads_back_equal() -> None:
    spec = read_spec((GOOD + "x-owner: [desk, 7]\n").encode())

    assert read_spec_document(spec_document(spec)) == spec


def test_a_compiled_spec_edited_by_hand_is_refused() -> None:
    document = spec_document(read_spec(GOOD.encode())) | {"description": "edited"}

    with pytest.raises(Exception, match="does not match its hash"):
        read_spec_document(document)


@given(st.text(max_size=400))
def test_any_text_gives_problems_and_no_traceback(text: str) -> None:
    spec, problems = check_spec(text.encode("utf-8", "surrogatepass"))

    assert (spec is None) == bool(problems)


@given(st.integers(0, len(GOOD)), st.text(max_size=20), st.integers(0, 30))
def test_a_damaged_spec_gives_problems_and_no_traceback(at: int, insert: str, cut: int) -> None:
    damaged = GOOD[:at] + insert + GOOD[at + cut :]
    spec, problems = check_spec(damaged.encode("utf-8", "surrogatepass"))

    assert (spec is None) == bool(problems)
