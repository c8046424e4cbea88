"""The analysts' notebook, executed on a real run; its answers are held against run.json and the corpus, not its own SQL."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from recordroom_pipeline.reviews.precision import wilson

if TYPE_CHECKING:
    from conftest import FinishedRun

NOTEBOOK = "notebooks/analyst_questions.ipynb"
PROCESS = {"figures-grounded", "guide-consulted", "schedule-before-tiv", "missing-document-requested", "total-by-tool"}
SPEC = "recordroom/property-underwriting"
TELL = """
import json
def plain(value):
    return value.to_dicts() if hasattr(value, "to_dicts") else str(value)
print(json.dumps({name: globals()[name] for name in NAMES}, default=plain))
"""


def execute(notebook: Path, folder: Path, names: tuple[str, ...] = (), **env: str) -> dict[str, Any]:
    """Run the notebook as it stands, in ``folder``; returns the rows of the frames (or the plain values) that it names so."""
    document = nbformat.read(notebook, as_version=4)
    document.cells.append(nbformat.v4.new_code_cell(f"NAMES = {names!r}\n{TELL}"))
    # The machine's own settings and history stay out.
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder), "IPYTHONDIR": str(folder / "ipython"), **env}
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(document, timeout=120, kernel_name="python3", resources=resources).execute(env=settings)
    return json.loads(document.cells[-1].outputs[0].text)  # type: ignore[no-any-return]


ANSWERS = (
    "STANDING DRAFT versions who origins blocking by_agent blocked precision objections tied marks reasons luck lucky "
    "right_total verdict evidence cited_cells total standing_up uncited"
)


@pytest.fixture(scope="module")
def answers(finished_run: FinishedRun, project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("elsewhere")
    return execute(project / NOTEBOOK, folder, tuple(ANSWERS.split()), RECORDROOM_WAREHOUSE=str(finished_run.warehouse))


@pytest.fixture(scope="module")
def runs(finished_run: FinishedRun) -> dict[str, list[dict[str, Any]]]:
    """The results of run.json by version: 0.1.0, 0.2.0, 0.3.0."""
    documents = [json.loads(path.read_bytes()) for path in (finished_run.specs / SPEC / "dist/runs").glob("*.json")]
    return {document["spec"]["version"]: document["results"] for document in documents}


def agent_of(finished_run: FinishedRun, output: str) -> str:
    document = json.loads((finished_run.specs / SPEC / f"corpus/outputs/{output}.json").read_bytes())
    return str(document["agent"]["id"])


def test_it_ships_without_outputs_and_says_that_the_corpus_is_synthesized(project: Path) -> None:
    notebook = nbformat.read(project / NOTEBOOK, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]

    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "**The corpus that ships is synthesized.**" in notebook.cells[0].source


def test_it_compares_the_newest_adopted_version_with_the_draft(answers: dict[str, Any]) -> None:
    assert [row["version_key"] for row in answers["versions"]] == ["0.1.0", "0.2.0", answers["DRAFT"]]
    assert answers["STANDING"] == "0.2.0"
    assert answers["DRAFT"].startswith("0.3.0-draft.")
    assert {row["agent_kind"] for row in answers["who"]} == {"generated"}
    assert {row["origin"]: row["unjudged"] for row in answers["origins"]} == {"authored": 0, "computed": 0}


def test_blocking_fails_are_those_of_run_json_with_their_intervals(
    answers: dict[str, Any], runs: dict[str, list[dict[str, Any]]], finished_run: FinishedRun
) -> None:
    blocking = {row["eval"] for row in answers["blocking"]}
    counts = Counter((result["eval"], result["verdict"]) for result in runs["0.2.0"])
    failing = defaultdict(set)
    for result in runs["0.2.0"]:
        if result["eval"] in blocking and result["verdict"] == "fail":
            failing[agent_of(finished_run, result["output"])].add(result["output"])

    assert blocking == {"tiv-sum", "appetite-respected", "figures-grounded", "missing-document-requested"}
    for row in answers["blocking"]:
        fails, n = counts[row["eval"], "fail"], counts[row["eval"], "fail"] + counts[row["eval"], "pass"]
        assert (row["fails"], row["n"], row["na"]) == (fails, n, counts[row["eval"], "na"])
        assert (row["low"], row["high"]) == pytest.approx(wilson(fails, n), abs=1e-12)
    assert {row["agent"]: row["outputs_with_a_blocking_fail"] for row in answers["blocked"]} == {
        agent: len(outputs) for agent, outputs in failing.items()
    }
    assert {row["n"] for row in answers["blocked"]} == {8}, "the text says: eight outputs an agent"
    assert sum(row["fails"] for row in answers["by_agent"]) == sum(row["fails"] for row in answers["blocking"])
    assert all(len(row["failing_outputs"]) == row["fails"] for row in answers["by_agent"])


def test_the_least_precise_eval_comes_first_with_what_its_reviewers_wrote(answers: dict[str, Any]) -> None:
    first = answers["precision"][0]
    notes = [row["note"] for row in answers["objections"] if row["eval"] == "guide-consulted"]

    assert len(answers["precision"]) == 17, "the text says: seventeen evals"
    assert (first["eval"], first["n_agree"], first["n"]) == ("guide-consulted", 1, 7)
    assert (first["low"], first["high"]) == pytest.approx(wilson(1, 7), abs=1e-12)
    assert len(notes) == 6
    assert "the guide was opened, that is better than a search" in notes
    assert sum(row["n_split"] for row in answers["precision"]) == len(answers["tied"])
    assert all(len(row["agree"]) == len(row["disagree"]) > 0 for row in answers["tied"])


def test_the_flips_are_the_differences_of_two_run_json(
    answers: dict[str, Any], runs: dict[str, list[dict[str, Any]]], finished_run: FinishedRun
) -> None:
    before, after = ({(r["eval"], r["output"]): r for r in runs[version]} for version in ("0.2.0", "0.3.0"))
    differ = {key for key in before.keys() & after.keys() if before[key]["verdict"] != after[key]["verdict"]}
    whole = answers["marks"][-1]

    assert {(row["eval"], row["output"]) for row in answers["reasons"]} == differ
    for row in answers["reasons"]:
        key = (row["eval"], row["output"])
        assert (row["why_before"], row["why_after"]) == (before[key]["why"], after[key]["why"])
    assert (whole["eval"], whole["compared"], whole["flips"]) == ("all evals", len(before), len(differ))
    marks = Counter(row["mark"] for row in answers["reasons"])
    assert {mark: whole[mark] for mark in ("fixes", "breaks", "disputed", "unreviewed")} == {
        mark: marks[mark] for mark in ("fixes", "breaks", "disputed", "unreviewed")
    }
    printed = re.search(r"Flips 0\.2\.0 → \S+: (\d+) of (\d+) verdicts compared \((.*)\)", finished_run.stdout)
    assert printed is not None
    assert (int(printed[1]), int(printed[2])) == (whole["flips"], whole["compared"])
    assert printed[3].startswith(f"{whole['fixes']} fixes, {whole['breaks']} breaks")


def test_lucky_outputs_pass_all_content_and_fail_the_process(
    answers: dict[str, Any], runs: dict[str, list[dict[str, Any]]]
) -> None:
    for row, version in zip(answers["luck"], ("0.2.0", "0.3.0"), strict=True):
        by_output = defaultdict(list)
        for result in runs[version]:
            by_output[result["output"]].append(result)
        clean = {
            output
            for output, results in by_output.items()
            if not any(r["verdict"] == "fail" for r in results if r["eval"] not in PROCESS)
        }
        lucky = {output for output in clean if any(r["verdict"] == "fail" and r["eval"] in PROCESS for r in by_output[output])}

        assert (row["outputs"], row["clean"], row["lucky"]) == (24, len(clean), len(lucky))
        assert {found["output"] for found in answers["lucky"] if found["version_key"] == row["version_key"]} == lucky
        assert (row["low"], row["high"]) == pytest.approx(wilson(len(lucky), len(clean)), abs=1e-12)
    assert ("PU-0503-c", "schedule-before-tiv") in {(row["output"], row["process_eval"]) for row in answers["lucky"]}
    assert ("PU-0412-c", "schedule-before-tiv") in {(row["output"], row["process_eval"]) for row in answers["right_total"]}


def test_one_verdict_is_followed_to_the_cells_of_the_schedule(answers: dict[str, Any], finished_run: FinishedRun) -> None:
    lines = (finished_run.specs / SPEC / "corpus/tasks/PU-0412/schedule.csv").read_text("utf-8").splitlines()
    tiv = [row["TIV"] for row in csv.DictReader(lines)]

    assert answers["verdict"][0]["verdict"] == "fail"
    assert "sum to 89,360,000" in answers["verdict"][0]["why"]
    assert [row["span"] for row in answers["cited_cells"]] == tiv
    assert Decimal(answers["total"]) == sum(map(Decimal, tiv)) == 89_360_000
    assert len(answers["evidence"]) == answers["verdict"][0]["n_citations"] == 13
    assert all(row["stands"] is True and row["there"] == row["span"] for row in answers["evidence"])


def test_every_citation_of_a_material_or_final_message_stands(
    answers: dict[str, Any], runs: dict[str, list[dict[str, Any]]]
) -> None:
    sources = Counter(
        citation["from"] if citation["from"] in ("output", "turns") else "materials"
        for result in runs["0.2.0"]
        for citation in result["citations"]
    )
    found = {row["what"]: row for row in answers["standing_up"]}

    assert {what: row["citations"] for what, row in found.items()} == sources
    assert all(row["stands"] == row["sliced"] for row in found.values())
    assert [found[what]["sliced"] for what in ("materials", "output", "turns")] == [sources["materials"], sources["output"], 0]
    assert answers["uncited"][0]["without_citation"] == 0


def test_without_a_variable_it_opens_the_warehouse_beside_its_folder(finished_run: FinishedRun, project: Path) -> None:
    folder = finished_run.warehouse.parent / "notebooks"
    folder.mkdir(exist_ok=True)

    assert execute(project / NOTEBOOK, folder, ("STANDING",)) == {"STANDING": "0.2.0"}


def test_without_a_warehouse_it_says_what_to_do(project: Path, tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match=r"is not there: run `make run`, or set RECORDROOM_WAREHOUSE"):
        execute(project / NOTEBOOK, tmp_path)
