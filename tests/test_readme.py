"""What the README shows is so: its ten-minute spec runs, and its picture is the graph."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from recordroom_pipeline.orchestration.build import build_definitions
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.store.files import Project, find_project

FILES = {
    "SPEC.md": "SPEC.md",
    "task.json": "corpus/tasks/L1/task.json",
    "L1-a.json": "corpus/outputs/L1-a.json",
    "2026-12-first.csv": "reviews/2026-12-first.csv",
}


def block(readme: str, name: str) -> str:
    """The code block that follows the comment naming it."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)\n```", readme, re.DOTALL)
    assert found is not None, f"README.md has no block {name}"
    return found[1] + "\n"


@pytest.fixture
def own_spec(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The README's three files and its review, typed in by a new user."""
    for name in ("DAGSTER_HOME", "RECORDROOM_JUDGE_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    readme = (project / "README.md").read_text()
    folder = tmp_path / "specs/acme/leases"
    for name, place in FILES.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block(readme, name))
    (folder / "corpus/tasks/L1/lease.md").write_text("Annual rent: $120,000\n\nDeposit: $20,000\n")
    return Project(specs=tmp_path / "specs", warehouse=tmp_path / "warehouse")


def test_the_ten_minute_spec_runs_and_catches_the_swapped_digits(own_spec: Project) -> None:
    report = drive(own_spec, RunOrder(name="acme/leases"))

    document = json.loads((own_spec.root / report.run_files[0]).read_bytes())
    verdicts = {result["eval"]: result["na_reason"] or result["verdict"] for result in document["results"]}
    assert verdicts == {"rent-agrees": "fail", "deposit-named": "not_judgeable"}
    assert [(line.eval, line.n, line.precision) for line in report.precision if line.n] == [("rent-agrees", 1, 1.0)]


def test_the_picture_is_the_graph(project: Path) -> None:
    drawn = set()
    readme = (project / "README.md").read_text()
    for line in re.search(r"```mermaid\nflowchart LR\n(.*?)```", readme, re.DOTALL)[1].splitlines():  # type: ignore[index]
        names = [name.strip() for name in line.split("-->")]
        drawn |= set(pairwise(names))
    graph = build_definitions(find_project(project / "specs")).resolve_asset_graph()
    edges = {(parent.path[-1], key.path[-1]) for key in graph.get_all_asset_keys() for parent in graph.get(key).parent_keys}

    assert drawn == edges


def test_every_file_that_the_readme_links_is_there(project: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", (project / "README.md").read_text())

    assert [link for link in links if not (project / link).exists()] == []
