"""The gallery of bad specs: one fault a file, and what a user reads of it.

`tests/golden/bad-specs/<fault>.md` with its line in `expected.json`: anybody can add a case without Python.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recordroom_pipeline.spec.read import check_spec

GALLERY = Path(__file__).resolve().parent.parent / "golden/bad-specs"
EXPECTED: dict[str, list[str]] = json.loads((GALLERY / "expected.json").read_text())


def test_the_gallery_is_complete() -> None:
    assert set(EXPECTED) == {path.stem for path in GALLERY.glob("*.md")}
    assert len(EXPECTED) >= 60


@pytest.mark.parametrize("fault", sorted(EXPECTED))
def test_RR1_to_RR7_a_fault_is_named_with_line_column_code_and_remedy(fault: str) -> None:
    spec, problems = check_spec((GALLERY / f"{fault}.md").read_bytes(), expected_name="acme/leases")

    assert spec is None
    assert [f"{item.line}:{item.col} {item.code} {item.message}" for item in problems] == EXPECTED[fault]
    assert all(item.remedy for item in problems)
