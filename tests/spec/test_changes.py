"""How large a change is, and which version says it ("Versioning")."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recordroom_pipeline.spec.changes import find_changes, largest, smallest_legal_version
from recordroom_pipeline.spec.model import Eval, Example, Param, Spec
from recordroom_pipeline.spec.versions import base_version, draft_key, is_draft, newer

RENT = Eval(id="rent", task_group="t", severity="major", sentence="S.", reads=("lease",), fail_when="f")
SPEC = Spec(name="a/b", version="0.1.0", description="d", maintainers=("m",), license="MIT", evals=(RENT,))
EXAMPLE = Example(output="o", verdict="fail", reviewed_by="r", on="2026-01-01")


@pytest.mark.parametrize(
    ("field", "value", "change"),
    [
        ("sentence", "T.", "major"),
        ("reads", ("lease", "output"), "major"),
        ("fail_when", "g", "major"),
        ("na_when", "n", "major"),
        ("check", "sum_equals", "major"),
        ("params", (Param(name="tolerance", default=1),), "major"),
        ("severity", "minor", "minor"),
        ("examples", (EXAMPLE,), "minor"),
        ("task_group", "u", "patch"),
        ("derived_from", ("x",), "patch"),
        ("extras", {"x-note": "n"}, "patch"),
        ("extras", {"x-jev": {"type": "choice"}}, "major"),
    ],
)
def test_RR10_a_changed_field_has_its_class(field: str, value: object, change: str) -> None:
    after = replace(SPEC, evals=(replace(RENT, **{field: value}),))

    assert [(found.eval, found.change) for found in find_changes(SPEC, after)] == [("rent", change)]


def test_added_removed_and_prose_only() -> None:
    added = replace(SPEC, evals=(RENT, replace(RENT, id="term")))

    assert largest(find_changes(SPEC, added)) == "minor"
    assert largest(find_changes(added, SPEC)) == "major"
    assert largest(find_changes(SPEC, replace(SPEC, about="prose"))) == "patch"
    assert find_changes(SPEC, SPEC) == ()


def test_RR10_the_smallest_legal_version() -> None:
    assert [smallest_legal_version("1.2.3", change) for change in ("major", "minor", "patch")] == ["2.0.0", "1.3.0", "1.2.4"]
    assert [smallest_legal_version("0.2.3", change) for change in ("major", "minor", "patch")] == ["0.3.0", "0.3.0", "0.2.4"]


def test_a_drafts_key_names_its_version_and_content() -> None:
    key = draft_key("0.3.0", "sha256:" + "ab" * 32)

    assert (key, base_version(key), is_draft(key), is_draft("0.3.0")) == ("0.3.0-draft.abababab", "0.3.0", True, False)
    assert newer("0.10.0", "0.9.0")
