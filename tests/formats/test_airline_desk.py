"""Real airline-desk conversations, held to rules that nobody wrote for them: what `READING.md` found when they were read."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recordroom_pipeline.evidence.reads import select_evidence
from recordroom_pipeline.evidence.sources import output_sources
from recordroom_pipeline.formats.trajectories import read_trajectories, write_corpus
from recordroom_pipeline.judging.computed import decide
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.spec.read import read_spec
from recordroom_pipeline.store.files import Project

NAME = "sierra/airline-desk"
Results = list[dict[str, str]]


@pytest.fixture(scope="module")
def results(project: Path, shared_fixtures: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Every result of a run over the imported conversations, without any judge."""
    source = shared_fixtures / "trajectories/tau-bench/gpt-4o-airline.json"
    root = tmp_path_factory.mktemp("airline")
    folder = root / "specs" / NAME
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DAGSTER_HOME", "RECORDROOM_JUDGE_MODEL"):
            patch.delenv(name, raising=False)
        write_corpus(read_trajectories(source.read_bytes(), path=source.name), folder)
        shutil.copy(project / "tests/specs" / NAME / "SPEC.md", folder)
        report = drive(Project(specs=root / "specs", warehouse=root / "warehouse"), RunOrder(name=NAME))
    found: Results = json.loads((root / report.run_files[0]).read_bytes())["results"]
    return found


@pytest.fixture(scope="module")
def expected(project: Path) -> Any:
    return json.loads((project / "tests/specs" / NAME / "expected.json").read_text())


def label(result: dict[str, str]) -> str:
    return result["na_reason"] or result["verdict"]


def test_computed_verdicts_on_real_conversations_are_those_that_were_read(results: Results, expected: Any) -> None:
    computed = [result for result in results if result["eval"] in expected["counts"]]
    counts = {eval_id: Counter(label(row) for row in computed if row["eval"] == eval_id) for eval_id in expected["counts"]}

    assert {eval_id: dict(count) for eval_id, count in counts.items()} == expected["counts"]
    assert sorted([row["output"], row["eval"]] for row in computed if row["verdict"] == "fail") == expected["fails"]


def test_the_passes_that_were_read_are_those_that_the_seed_draws(results: Results, expected: Any) -> None:
    passes = sorted((row["output"], row["eval"]) for row in results if row["verdict"] == "pass")
    drawn = random.Random(expected["passes_read"]["seed"]).sample(passes, 20)

    assert sorted(map(list, drawn)) == expected["passes_read"]["drawn"]


def test_what_needs_the_meaning_of_words_waits_for_a_judge(results: Results) -> None:
    judged = ("customer-said-yes", "told-what-was-charged", "cancellation-allowed")
    labels = {eval_id: {label(row) for row in results if row["eval"] == eval_id} for eval_id in judged}

    assert labels == {eval_id: {"not_judgeable"} for eval_id in judged}


def test_the_reading_covers_every_fail_and_every_drawn_pass(project: Path, expected: Any) -> None:
    reading = (project / "tests/specs" / NAME / "READING.md").read_text()
    rows = [line.split(" | ") for line in reading.splitlines() if line.startswith("| ") and line.endswith(" |")]
    read = {("gpt-4o-airline-" + row[0].removeprefix("| "), row[1], row[2]) for row in rows if len(row) == 5}

    wanted = {(output, eval_id, "fail") for output, eval_id in expected["fails"]}
    wanted |= {(output, eval_id, "pass") for output, eval_id in expected["passes_read"]["drawn"]}
    assert wanted <= read


def test_a_refund_told_without_the_minus_of_the_ledger_is_grounded(project: Path) -> None:
    called = {"id": "c1", "function": {"name": "update_reservation_flights", "arguments": '{"reservation_id": "A1"}'}}
    chat = [
        {"role": "user", "content": "Please downgrade A1."},
        {"role": "assistant", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"payment_history": [{"amount": 2787}, {"amount": -2544}]}'},
        {"role": "assistant", "content": "A refund of $2,544 is on its way."},
    ]
    output = read_trajectories(json.dumps(chat).encode(), path="desk.json").conversations[0].output
    grounded = read_spec((project / "tests/specs" / NAME / "SPEC.md").read_bytes()).eval_by_id("amounts-grounded")
    assert grounded is not None
    finding = decide(grounded, grounded.param_values(), select_evidence(grounded.reads, output_sources(output)))

    assert finding.verdict == "pass"
    assert [citation.span for citation in finding.citations] == ["$2,544", "-2544"]
