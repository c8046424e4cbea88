"""Writing, editing and laying out SPEC.md: what was meant stays, and what need not change does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from specs_strategy import EXAMPLES, specs

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.spec.compile import spec_hash
from recordroom_pipeline.spec.edit import pin_example, set_version
from recordroom_pipeline.spec.layout import format_spec
from recordroom_pipeline.spec.model import Example
from recordroom_pipeline.spec.read import read_spec
from recordroom_pipeline.spec.write import write_spec

EXAMPLE = Example(output="L1-a", verdict="fail", reviewed_by="A. Lawyer", on="2026-09-01", note='digits: "swapped" # twice')


@settings(max_examples=150)
@given(specs())
def test_a_spec_written_out_and_read_back_is_equal(spec) -> None:
    assert read_spec(write_spec(spec).encode()) == spec


def unchanged(before: bytes, after: bytes) -> tuple[int, int]:
    """Lines at the beginning and at the end that are the same bytes."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = next((index for index, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = next(
        (index for index, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b), min(len(old), len(new))
    )
    return head, tail


@settings(max_examples=100)
@given(specs(), EXAMPLES, st.booleans(), st.booleans(), st.data())
def test_RR27_pinning_adds_lines_and_changes_no_other_byte(spec, example, windows, marked, data) -> None:
    text = write_spec(spec)
    before = (b"\xef\xbb\xbf" if marked else b"") + (text.replace("\n", "\r\n") if windows else text).encode()
    eval_ = data.draw(st.sampled_from(spec.evals))
    after = pin_example(before, eval_.id, example)

    added = len(after.splitlines()) - len(before.splitlines())
    head, tail = unchanged(before, after)
    assert added in (1, 2)
    assert head + tail >= len(before.splitlines())
    assert read_spec(after).eval_by_id(eval_.id).examples == (*eval_.examples, example)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("", ["examples:", "  - "]),
        ("examples:\n", ["examples:", "  - "]),
        ("examples: []\n", ["examples:", "  - "]),
        ("examples:      # pinned\n", ["examples:      # pinned", "  - "]),
        ("examples:\n    - {output: o, verdict: pass, reviewed_by: r, on: 2026-01-01}\n", ["    - "]),
        ("examples:\n- output: o\n  verdict: pass\n  reviewed_by: r\n  on: 2026-01-01\n", ["- "]),
        ("examples: [{output: o, verdict: pass, reviewed_by: r, on: 2026-01-01}]\n", [", {"]),
        ("examples: [\n  {output: o, verdict: pass, reviewed_by: r, on: 2026-01-01},\n]\n", [" {"]),
    ],
)
def test_a_list_of_examples_goes_on_as_it_was_begun(field: str, lines: list[str], project) -> None:
    seed = (project / "tests/golden/bad-specs/no-eval-severity.md").read_text()
    text = seed.replace("task: rent\n\n**The abstract names", "task: rent\nseverity: major\n\n**The abstract names")
    text = text.replace("abstract does not.\n", f"abstract does not.\n{field}")
    after = pin_example(text.encode(), "deposit-named", EXAMPLE).decode()

    assert read_spec(after.encode()).evals[1].examples[-1] == EXAMPLE
    assert all(line in after for line in lines)
    assert after.count("L1-a") == seed.count("L1-a") + 1


def test_the_seeds_own_example_can_be_pinned_to(project) -> None:
    before = (project / "tests/golden/seed-example.md").read_bytes()
    after = pin_example(before, "tiv-sum", EXAMPLE)

    assert len(after.splitlines()) == len(before.splitlines()) + 1
    assert read_spec(after).evals[0].examples[1] == EXAMPLE


def test_an_edit_that_would_change_something_else_is_refused(project) -> None:
    with pytest.raises(RecordRoomError, match="has no eval 'gone'; known: tiv-sum"):
        pin_example((project / "tests/golden/seed-example.md").read_bytes(), "gone", EXAMPLE)


@given(specs(), st.booleans())
def test_a_bump_changes_one_line(spec, windows) -> None:
    text = write_spec(spec)
    before = (text.replace("\n", "\r\n") if windows else text).encode()
    after = set_version(before, "0.2.0")

    assert sum(a != b for a, b in zip(before.splitlines(True), after.splitlines(True), strict=True)) == 1
    assert read_spec(after) == replace(spec, version="0.2.0")


@settings(max_examples=100)
@given(specs(), st.randoms())
def test_laying_out_changes_no_meaning_and_is_idempotent(spec, random) -> None:
    lines = write_spec(spec).split("\n")
    for _ in range(random.randint(0, 6)):
        place = random.randrange(len(lines))
        lines[place] += " " * random.randint(0, 2)
        if not lines[place].strip():
            lines.insert(place, "")
    untidy = "\r\n".join(lines).encode()
    once = format_spec(untidy)

    assert spec_hash(read_spec(once)) == spec_hash(read_spec(untidy))
    assert format_spec(once) == once
    assert b"\r" not in once


MESSY = """---
name: acme/leases

version: 0.1.0
description: d
maintainers: [acme]
license: MIT
tasks:
  - {id: t, name: T}
---


## Evals
### rent-agrees        <!-- never renumbered -->
fail-when:   both differ,
  beyond the tolerance.
reads: lease,  output
<!-- why so strict:
     a court said so -->
severity:    major


**The rents agree.**
task: t

## About

Kept   as it is.
"""


def test_fields_take_their_order_and_comments_go_with_them() -> None:
    laid_out = format_spec(MESSY.encode()).decode()

    assert laid_out.split("## Evals\n\n")[1] == (
        "### rent-agrees        <!-- never renumbered -->\ntask: t\n"
        "<!-- why so strict:\n     a court said so -->\nseverity: major\n\n"
        "**The rents agree.**\n\nreads: lease,  output\nfail-when: both differ,\n  beyond the tolerance.\n\n"
        "## About\n\nKept   as it is.\n"
    )


def test_the_shipped_spec_is_laid_out(project) -> None:
    data = (project / "specs/recordroom/property-underwriting/SPEC.md").read_bytes()

    assert read_spec(format_spec(data)) == read_spec(data)
