"""The asset graph as Dagster sees it, and what its sensors do."""

from __future__ import annotations

import ast
from pathlib import Path

import dagster as dg
import pytest
from small_project import NAME, change_spec, spec_folder, write_batch

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.orchestration.build import build_definitions
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.orchestration.instance import open_instance
from recordroom_pipeline.orchestration.partitions import checked_keys
from recordroom_pipeline.orchestration.sync import register
from recordroom_pipeline.store.files import Project

GRAPH = {
    "spec_version": [],
    "corpus_snapshot": [],
    "evidence": ["corpus_snapshot"],
    "verdicts": ["evidence", "spec_version"],
    "run": ["evidence", "verdicts"],
    "review_batch": ["run"],
    "precision": ["review_batch", "run"],
    "flip_diff": ["review_batch", "run"],
    "version_diff": ["review_batch", "run"],
    "warehouse": ["corpus_snapshot", "evidence", "flip_diff", "precision", "review_batch", "run", "spec_version"],
}


def test_the_graph_is_the_one_that_the_documents_draw(leases: Project) -> None:
    definitions = build_definitions(leases)
    dg.Definitions.validate_loadable(definitions)
    graph = definitions.resolve_asset_graph()

    found = {
        key.path[-1]: sorted(parent.path[-1] for parent in graph.get(key).parent_keys) for key in graph.get_all_asset_keys()
    }
    assert found == GRAPH
    assert {graph.get(key).group_name for key in graph.get_all_asset_keys()} == {"acme__leases", "warehouse"}


def test_every_asset_function_says_what_it_returns(project: Path) -> None:
    """Without a return annotation Dagster fails a range run after all its work is done."""
    for path in (project / "recordroom_pipeline/orchestration").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any("asset" in ast.unparse(item) for item in node.decorator_list):
                assert node.returns is not None, f"{path.name}: {node.name}"


def test_the_sensor_registers_what_is_new_once_and_launches_nothing(leases: Project) -> None:
    with open_instance(leases) as instance:
        first = tick(leases, instance)
        added = {request.partitions_def_name: request.partition_keys for request in first.dynamic_partitions_requests}

        assert set(added) == {f"{NAME}/{kind}" for kind in ("versions", "evals", "corpora", "batches")}
        assert added[f"{NAME}/evals"] == ["rent-agrees", "deposit-named"]
        assert not first.run_requests
        register(spec_folder(leases), instance)
        assert isinstance(tick(leases, instance, first.cursor), dg.SkipReason)


def test_the_sensor_finds_a_version_written_by_hand_and_a_new_batch(leases: Project) -> None:
    with open_instance(leases) as instance:
        register(spec_folder(leases), instance)
        change_spec(leases, "version: 0.1.0", "version: 0.2.0")
        write_batch(leases, "2026-10", [("a", "rent-agrees", "pass", "agree")])
        result = tick(leases, instance)

    added = {request.partitions_def_name: list(request.partition_keys) for request in result.dynamic_partitions_requests}
    assert added[f"{NAME}/batches"] == ["2026-10"]
    assert added[f"{NAME}/versions"][0].startswith("0.2.0-draft.")


def test_the_sensor_says_what_is_wrong_with_a_spec_and_goes_on(leases: Project) -> None:
    with open_instance(leases) as instance:
        register(spec_folder(leases), instance)
        change_spec(leases, "severity: major", "severity: grave")
        result = tick(leases, instance)

    assert isinstance(result, dg.SkipReason)
    assert "severity 'grave' is unknown" in (result.skip_message or "")


def tick(project: Project, instance: dg.DagsterInstance, cursor: str | None = None):
    sensor = next(sensor for sensor in build_definitions(project).sensors or () if sensor.name == "spec_files")
    context = dg.build_sensor_context(instance=instance, cursor=cursor)
    return sensor(context)


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")  # of a default inside Dagster's own evaluation for tests
def test_a_new_batch_carries_on_to_precision_and_flips(leases: Project) -> None:
    drive(leases, RunOrder(name=NAME))
    definitions = build_definitions(leases)
    with open_instance(leases) as instance:
        before = dg.evaluate_automation_conditions(definitions, instance)
        write_batch(leases, "2026-10", [("a", "rent-agrees", "pass", "agree")])
        register(spec_folder(leases), instance)
        materialize(definitions, instance, "review_batch", "2026-10")
        after = dg.evaluate_automation_conditions(definitions, instance, cursor=before.cursor)

    for asset in ("precision", "flip_diff"):
        assert after.get_requested_partitions(dg.AssetKey(["acme", "leases", asset])) == {"2026-10"}


def materialize(
    definitions: dg.Definitions, instance: dg.DagsterInstance, asset: str, partition: str, **more: object
) -> dg.ExecuteInProcessResult:
    job = definitions.resolve_implicit_global_asset_job_def()
    keys = [dg.AssetKey(["acme", "leases", asset])]
    return job.execute_in_process(asset_selection=keys, instance=instance, partition_key=partition, **more)  # type: ignore[arg-type]


def test_a_run_without_its_verdicts_fails_and_names_the_launch_to_make(leases: Project) -> None:
    folder = spec_folder(leases)
    with open_instance(leases) as instance:
        register(folder, instance)
        version, snapshot = folder.version_keys()[0], folder.snapshot_keys()[0]
        with pytest.raises(Exception, match=r"4 verdicts of .* are missing: rent-agrees \(2\), deposit-named \(2\)") as failed:
            materialize(build_definitions(leases), instance, "run", f"{snapshot}|{version}")

    assert f"materialize `verdicts` for spec_version {version}" in str(failed.value)


def test_a_cell_whose_eval_its_version_lacks_is_absent_and_has_no_rows(leases: Project) -> None:
    folder = spec_folder(leases)
    with open_instance(leases) as instance:
        register(folder, instance)
        instance.add_dynamic_partitions(f"{NAME}/evals", ["gone"])
        result = materialize(build_definitions(leases), instance, "verdicts", f"gone|{folder.version_keys()[0]}")

    (event,) = result.get_asset_materialization_events()
    metadata = event.step_materialization_data.materialization.metadata
    assert metadata["cell"].value == "absent: this version has no such eval"
    assert not (folder.kept("judged", "gone")).exists()


def test_what_dagsters_own_syntax_reads_is_refused_as_a_key() -> None:
    for key in ("a|b", "a...b", "a b", "a/b", "a,b", ""):
        with pytest.raises(RecordRoomError, match="cannot be a partition key"):
            checked_keys([key])


def test_the_checks_of_a_finished_run_pass(leases: Project) -> None:
    drive(leases, RunOrder(name=NAME))
    definitions = build_definitions(leases)
    checks = [check for definition in definitions.asset_checks or () for check in definition.check_keys]
    with open_instance(leases) as instance:
        latest = {
            check.name: instance.event_log_storage.get_latest_asset_check_execution_by_key([check]).get(check)
            for check in checks
        }

    status = {name: record.status.value if record else None for name, record in latest.items()}
    assert status == {"no_problems": "SUCCEEDED", "rows_agree_with_run_json": "SUCCEEDED", "everything_judged": "SUCCEEDED"}
