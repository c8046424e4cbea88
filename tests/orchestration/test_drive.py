"""`recordroom run` over the assets: what is judged, what is reused, what is refused."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from small_project import LEASE, NAME, change_spec, make_project, spec_folder, write, write_batch, write_output

from recordroom_pipeline.errors import AlreadyWritten, NotFound, ProblemsFound
from recordroom_pipeline.orchestration.checks import run_disagreement
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.orchestration.report import RunReport
from recordroom_pipeline.store.duck import query
from recordroom_pipeline.store.files import Project


def run(project: Project, **order: object) -> RunReport:
    return drive(project, RunOrder(name=NAME, **order))  # type: ignore[arg-type]


def verdicts(project: Project, report: RunReport) -> dict[tuple[str, str], str]:
    """Label or na_reason by output and eval, of the newest version's run."""
    run_id = report.versions[-1].run
    document = json.loads((spec_folder(project).runs / f"{run_id}.json").read_bytes())
    return {(row["output"], row["eval"]): row["na_reason"] or row["verdict"] for row in document["results"]}


def test_every_output_and_eval_gets_a_cited_verdict(leases: Project) -> None:
    report = run(leases)

    assert verdicts(leases, report) == {
        ("a", "rent-agrees"): "pass",
        ("b", "rent-agrees"): "fail",
        ("a", "deposit-named"): "pass",
        ("b", "deposit-named"): "fail",
    }
    document = json.loads((spec_folder(leases).runs / f"{report.versions[0].run}.json").read_bytes())
    assert all(row["citations"] for row in document["results"])
    assert document["instruments"]["by_eval"] == {"rent-agrees": "computed", "deposit-named": "authored"}
    assert (report.judged, report.reused, report.unfinished) == (4, 0, None)


def test_a_second_run_judges_nothing_and_is_the_same_run(leases: Project) -> None:
    first, second = run(leases), run(leases)

    assert (second.judged, second.reused) == (0, 4)
    assert second.versions[0].run == first.versions[0].run
    assert len(list(spec_folder(leases).runs.glob("*.json"))) == 1


def test_parquet_and_duckdb_hold_what_run_json_says(leases: Project) -> None:
    report = run(leases)
    run_id = report.versions[0].run
    assert run_id is not None

    assert run_disagreement(spec_folder(leases), run_id) is None
    rows = query(leases.database, "select output, eval, verdict from latest_verdicts").rows
    assert Counter((output, eval_id, verdict) for output, eval_id, verdict in rows) == Counter(
        (output, eval_id, verdict) for (output, eval_id), verdict in verdicts(leases, report).items()
    )


def test_reviews_give_precision_with_its_n(leases: Project) -> None:
    report = run(leases)

    found = {line.eval: (line.n, line.precision) for line in report.precision}
    assert found == {"rent-agrees": (1, 0.0), "deposit-named": (1, 1.0)}


@pytest.mark.parametrize("what", ["rule", "document", "final message"])
def test_a_recorded_answer_is_never_replayed_for_something_else(leases: Project, what: str) -> None:
    if what == "rule":
        change_spec(leases, "the lease names a deposit and the abstract does not.", "the abstract does not name it in bold.")
    elif what == "document":
        write(spec_folder(leases).corpus / "tasks/L1/lease.md", LEASE + "\nSigned.\n")
    else:
        write_output(leases, "a", "Annual rent: $120,000\nDeposit: USD 20,000")
        write_output(leases, "b", "Annual rent: $102,000, no deposit")
    report = run(leases)

    assert verdicts(leases, report)["a", "deposit-named"] == "not_judgeable"
    document = json.loads((spec_folder(leases).runs / f"{report.versions[0].run}.json").read_bytes())
    whys = {row["why"] for row in document["results"] if row["na_reason"] == "not_judgeable"}
    assert all("RECORDROOM_JUDGE_MODEL" in why for why in whys)


def test_without_a_recording_judged_evals_are_not_judgeable_and_computed_ones_compute(tmp_path) -> None:
    project = make_project(tmp_path, recording=False, reviews=False)
    report = run(project)

    assert verdicts(project, report) == {
        ("a", "rent-agrees"): "pass",
        ("b", "rent-agrees"): "fail",
        ("a", "deposit-named"): "not_judgeable",
        ("b", "deposit-named"): "not_judgeable",
    }
    assert "none configured" in report.judge_line


def test_a_key_that_lies_in_the_environment_is_mentioned_and_never_used_or_shown(leases, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lies-around-here")
    report = run(leases)

    assert [problem.code for problem in report.warnings] == ["RR250"]
    assert report.judge["origin"] == "authored"
    files = [path for path in leases.root.rglob("*") if path.is_file()]
    assert not [path for path in files if b"sk-lies-around-here" in path.read_bytes()]


def test_a_changed_rule_runs_as_a_draft_and_its_flips_are_marked(leases: Project) -> None:
    run(leases)
    spec_folder(leases).freeze(spec_folder(leases).check()[0])  # type: ignore[arg-type]
    change_spec(leases, "version: 0.1.0", "version: 0.2.0")
    change_spec(leases, "right: {default: output}", "right: {default: output}, tolerance: {default: 20000, unit: USD}")
    report = run(leases, version="all")

    assert [version.draft for version in report.versions] == [False, True]
    (diff,) = report.flips
    assert [(flip.output, flip.eval, flip.before, flip.after, flip.mark) for flip in diff.flips] == [
        ("b", "rent-agrees", "fail", "pass", "fixes")
    ]
    assert report.judged == 2, "only the changed eval is judged again"


def test_flips_are_shown_before_anybody_has_reviewed(tmp_path) -> None:
    project = make_project(tmp_path, reviews=False)
    run(project)
    change_spec(project, "version: 0.1.0", "version: 0.2.0")
    change_spec(project, "right: {default: output}", "right: {default: output}, tolerance: {default: 20000, unit: USD}")
    (diff,) = run(project).flips

    assert [(flip.output, flip.mark) for flip in diff.flips] == [("b", "unreviewed")]
    assert diff.compared == 4


def test_an_adopted_version_runs_under_its_number(leases: Project) -> None:
    folder = spec_folder(leases)
    spec, _ = folder.check()
    assert spec is not None
    folder.freeze(spec)

    assert [version.key for version in run(leases).versions] == ["0.1.0"]


def test_naming_evals_judges_them_and_assembles_no_run(leases: Project) -> None:
    report = run(leases, evals=("rent-agrees",))

    assert (report.judged, report.versions[0].run) == (2, None)
    assert not list(spec_folder(leases).runs.glob("*.json"))


def test_history_is_judged_again_over_its_own_files(leases: Project) -> None:
    before = run(leases)
    old = spec_folder(leases).snapshot_keys()[0]
    write_output(leases, "a", "Nothing of use.")
    run(leases)
    again = run(leases, corpus=old)

    assert again.versions[0].run == before.versions[0].run
    assert again.judged == 0


def test_a_batch_that_changed_after_it_was_taken_in_is_refused(leases: Project) -> None:
    run(leases)
    write_batch(leases, "2026-09", [("a", "deposit-named", "pass", "disagree")])

    with pytest.raises(AlreadyWritten, match=r"reviews/2026-09\.csv changed after it was taken in"):
        run(leases)


def test_a_wrong_file_stops_everything_before_it_runs(leases: Project) -> None:
    change_spec(leases, "severity: major", "severity: grave")

    with pytest.raises(ProblemsFound, match=r"specs/acme/leases/SPEC\.md:\d+:1: error RR117 severity 'grave' is unknown"):
        run(leases)
    assert not leases.tables.exists()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"version": "9.9.9"}, "has no version '9.9.9'; known: 0.1.0-draft"),
        ({"evals": ("rent",)}, "no eval 'rent'.*known: rent-agrees, deposit-named"),
        ({"corpus": "ffffffffffff"}, "no corpus snapshot 'ffffffffffff'"),
    ],
)
def test_what_does_not_exist_is_named_beside_what_does(leases: Project, order: dict[str, object], message: str) -> None:
    with pytest.raises(NotFound, match=message):
        run(leases, **order)
