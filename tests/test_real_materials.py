"""Real documents as task materials: an insurer's location schedule and government PDFs, from file to verdict and SQL."""

from __future__ import annotations

import csv
import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from small_project import write

from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.store.duck import query
from recordroom_pipeline.store.files import Project

NAME = "acme/schedules"
SCHEDULE = "csv_oed_location_schedule.csv"
PDFS = {
    "pdf_nics_table.pdf": "Alabama",
    "pdf_senate_expenditures.pdf": "BAIN, J MATTHEW",
    "pdf_warn_report_16p_tables.pdf": "WARN",
    "pdf_form_prefilled_f1040.pdf": "Form 1040",
}
COLUMNS = ("BuildingTIV", "OtherTIV", "ContentsTIV", "BITIV")
SPEC = """---
name: acme/schedules
version: 0.1.0
description: What a reading of a location schedule must state.
maintainers: [acme]
license: CC-BY-4.0
tasks:
  - {id: values, name: Values}
---

## Evals

### tiv-sum
task: values
severity: blocking

**The total insured value stated is the sum of the schedule's insured values.**

reads: schedule, final answer
fail-when: the total stated is not the sum over all locations.
check: computed sum_equals
params:
  table: {default: schedule}
  column: {default: [BuildingTIV, OtherTIV, ContentsTIV, BITIV]}
  label: {default: total insured value}
  stated_in: {default: [output]}
"""


def independent_sum(path: Path) -> Decimal:
    """The schedule's insured values, added up without any of our code."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return sum((Decimal(row[column] or 0) for row in csv.DictReader(file) for column in COLUMNS), Decimal(0))


@pytest.fixture(scope="module")
def finished(shared_fixtures: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Decimal, dict[str, str]]:
    """A run over the real files: the project, the true sum, and the verdict on each output."""
    materials = shared_fixtures / "materials"
    root = tmp_path_factory.mktemp("real")
    project = Project(specs=root / "specs", warehouse=root / "warehouse")
    folder = project.specs / NAME
    total = independent_sum(materials / SCHEDULE)
    write(folder / "SPEC.md", SPEC)
    write(folder / "corpus/README.md", "---\nsynthesized: false\nprovenance: the files' SOURCE.txt\n---\n")
    named = [{"file": SCHEDULE, "as": "schedule"}, *PDFS]
    task = {"id": "S1", "title": "Schedule", "instruction": "State the total insured value.", "materials": named}
    write(folder / "corpus/tasks/S1/task.json", json.dumps(task))
    for name in (SCHEDULE, *PDFS):
        shutil.copy(materials / name, folder / "corpus/tasks/S1" / name)
    for output, stated in (("right", total), ("wrong", total + 1)):
        final = f"Total insured value: {stated:,}"
        turns = [{"role": "user", "content": "Add it up."}, {"role": "agent", "content": final}]
        value = {"id": output, "task": "S1", "agent": {"id": "x", "kind": "generated"}, "turns": turns, "final": final}
        write(folder / f"corpus/outputs/{output}.json", json.dumps(value))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DAGSTER_HOME", "RECORDROOM_JUDGE_MODEL"):
            patch.delenv(name, raising=False)
        report = drive(project, RunOrder(name=NAME))
    results = json.loads((root / report.run_files[0]).read_bytes())["results"]
    return project, total, {result["output"]: result["verdict"] for result in results}


def test_the_computed_sum_agrees_with_one_taken_independently(finished) -> None:
    project, total, verdicts = finished
    statement = f"""
        select sum(number) from cells where file = '{SCHEDULE}' and row > 0 and not is_total and col_name in {COLUMNS}
    """

    assert total > 0
    assert verdicts == {"right": "pass", "wrong": "fail"}
    assert query(project.database, statement).rows == ((total,),)


def test_every_government_pdf_is_text_that_can_be_cited(finished) -> None:
    project, _, _ = finished
    for name, words in PDFS.items():
        ((status, pages),) = query(project.database, f"select status, n_pages from documents where file = '{name}'").rows
        found = query(
            project.database, f"select count(*) from segments where file = '{name}' and shown and contains(text, '{words}')"
        ).rows

        assert status in ("ok", "partial")
        assert pages >= 1
        assert found[0][0] >= 1, f"{words!r} is not in {name}"
