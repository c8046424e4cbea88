"""docs/schemas/*.json, by which editors check files as they are typed: they take what we write and refuse what we refuse."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from small_project import NAME, make_project

from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.spec.compile import spec_document
from recordroom_pipeline.spec.read import read_spec

SHIPPED = "specs/recordroom/property-underwriting"


def validator(project: Path, name: str) -> Draft202012Validator:
    schema = json.loads((project / f"docs/schemas/{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(project: Path, name: str, value: Any) -> list[str]:
    return [error.message for error in validator(project, name).iter_errors(value)]


def test_every_shipped_file_fits_its_schema(project: Path) -> None:
    folder = project / SHIPPED
    wrong: dict[str, list[str]] = {}
    for name, paths in (
        ("task", folder.glob("corpus/tasks/*/task.json")),
        ("output", folder.glob("corpus/outputs/*.json")),
        ("spec", folder.glob("dist/versions/*.json")),
    ):
        found = list(paths)
        assert found
        wrong |= {str(path): errors for path in found if (errors := faults(project, name, json.loads(path.read_text())))}
    for path in folder.glob("reviews/*.csv"):
        rows = list(csv.DictReader(path.read_text().splitlines()))
        wrong |= {f"{path}:{number}": errors for number, row in enumerate(rows) if (errors := faults(project, "review", row))}

    assert wrong == {}


def test_what_we_write_fits_its_schema(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAGSTER_HOME", "RECORDROOM_JUDGE_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    small = make_project(tmp_path)
    report = drive(small, RunOrder(name=NAME))
    spec = json.loads((small.specs / NAME / "dist/spec.json").read_text())

    assert faults(project, "run", json.loads((small.root / report.run_files[0]).read_text())) == []
    assert faults(project, "spec", spec) == []
    seed = read_spec((project / "tests/golden/seed-example.md").read_bytes())
    assert faults(project, "spec", spec_document(seed)) == []


OUTPUT: Mapping[str, Any] = {
    "id": "a",
    "task": "t",
    "agent": {"id": "x", "kind": "captured"},
    "turns": [{"role": "agent", "content": "done"}],
    "final": "done",
}
RESULT = {"task": "t", "output": "a", "eval": "e", "verdict": "pass", "na_reason": None, "why": "w", "citations": []}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("task", {"id": "t", "title": "T"}),
        ("task", {"id": "a/b", "title": "T", "instruction": "i"}),
        ("task", {"id": "t", "title": "T", "instruction": "i", "materails": []}),
        ("output", {**OUTPUT, "turns": [{"role": "assistant", "content": "x"}]}),
        ("output", {**OUTPUT, "turns": [{"role": "agent", "content": "x", "tool": "y"}]}),
        ("output", {**OUTPUT, "turns": [{"role": "user", "tool": "y"}]}),
        ("output", {**OUTPUT, "agent": {"id": "x", "kind": "made"}}),
        ("review", {"output": "a", "eval": "e", "reviewed_by": "r", "on": "2026-01-01"}),
        ("review", {"version": "0.1.0", "output": "a", "eval": "e", "reviewed_by": "r", "on": "yesterday"}),
    ],
)
def test_what_we_refuse_is_refused(project: Path, schema: str, value: Any) -> None:
    assert faults(project, schema, value)


def test_a_pass_without_a_citation_and_an_na_without_a_reason_are_refused(project: Path) -> None:
    schema = json.loads((project / "docs/schemas/run.schema.json").read_text())
    result = Draft202012Validator(schema["properties"]["results"]["items"])
    cited = [{"from": "output", "span": "done", "at": "output#final:L1@0-4"}]

    assert list(result.iter_errors(RESULT))
    assert list(result.iter_errors({**RESULT, "verdict": "na"}))
    assert not list(result.iter_errors({**RESULT, "citations": cited}))
    assert not list(result.iter_errors({**RESULT, "verdict": "na", "na_reason": "not_judgeable"}))
