"""Corpus hygiene, each rule with a code and one bad corpus ("Corpus hygiene (hard rules)")."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_project import NAME, make_project, spec_folder, write

from recordroom_pipeline.judging.request import render_request
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.judging import load_sources, plan_questions
from recordroom_pipeline.store.files import Project


@pytest.fixture
def leases(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def codes(project: Project) -> dict[str, str]:
    """Level by code."""
    return {problem.code: problem.level for problem in check_folder(spec_folder(project))}


def test_a_clean_corpus_has_no_problem(leases: Project) -> None:
    assert codes(leases) == {}


def test_RR12_a_symbolic_link_is_refused_and_not_read(leases: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("Deposit: $1")
    lease = leases.specs / NAME / "corpus/tasks/L1/lease.md"
    lease.unlink()
    lease.symlink_to(secret)

    assert codes(leases)["RR218"] == "error"
    assert codes(leases)["RR209"] == "error"


def test_RR12_a_folder_that_is_a_link_is_refused(leases: Project, tmp_path: Path) -> None:
    tasks = leases.specs / NAME / "corpus/tasks"
    (tasks / "L1").rename(tmp_path / "elsewhere")
    (tasks / "L1").symlink_to(tmp_path / "elsewhere")

    assert codes(leases)["RR218"] == "error"


def test_RR12_a_material_outside_the_folder_is_refused(leases: Project) -> None:
    task = {"id": "L1", "title": "t", "instruction": "i", "materials": ["../../../SPEC.md"]}
    write(leases.specs / NAME / "corpus/tasks/L1/task.json", json.dumps(task))

    assert codes(leases)["RR208"] == "error"


def test_an_undeclared_synthesis_is_warned_about(leases: Project) -> None:
    (leases.specs / NAME / "corpus/README.md").unlink()

    assert codes(leases) == {"RR220": "warning"}


def test_an_output_that_had_seen_the_spec_is_reported(leases: Project) -> None:
    path = leases.specs / NAME / "corpus/outputs/a.json"
    output = json.loads(path.read_text())
    output["turns"].insert(1, {"role": "agent", "tool": "read", "args": {}, "result": "The abstract  names\nthe deposit."})
    path.write_text(json.dumps(output))

    assert codes(leases)["RR230"] == "warning"


def test_RR15_nothing_outside_reads_reaches_a_request(leases: Project) -> None:
    """Canaries in every place that `reads` does not allow: ids, titles, the instruction, other turns, labels."""
    folder = leases.specs / NAME / "corpus"
    task = json.loads((folder / "tasks/L1/task.json").read_text())
    task |= {"title": "CANARY-TITLE", "instruction": "CANARY-INSTRUCTION", "x-expected": "CANARY-LABEL"}
    (folder / "tasks/L1/task.json").write_text(json.dumps(task))
    output = json.loads((folder / "outputs/a.json").read_text())
    output["agent"] |= {"id": "CANARY-AGENT", "name": "CANARY-NAME", "model": "CANARY-MODEL"}
    output["turns"].insert(1, {"role": "agent", "tool": "t", "args": {"a": "CANARY-ARGUMENT"}, "result": "CANARY-RESULT"})
    output["x-reward"] = "CANARY-REWARD"
    (folder / "outputs/a.json").write_text(json.dumps(output))
    own = spec_folder(leases)
    spec, _ = own.check()
    assert spec is not None
    snapshot = own.keep_snapshot()
    questions = plan_questions(own.keep_version(spec), snapshot, load_sources(own, snapshot.key))

    requests = [render_request(question) for question in questions]
    assert len(requests) == 4
    for request in requests:
        shown = request.system + request.user + json.dumps(request.schema)
        assert "CANARY" not in shown
        assert "deposit-named" not in shown
        assert "major" not in shown
