"""Asset checks: what must hold of files and tables, as functions that read them."""

import json

import dagster as dg

from recordroom_pipeline.errors import RecordRoomError, errors_in
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.names import asset_key
from recordroom_pipeline.runs.model import check_run_document
from recordroom_pipeline.store.files import SpecFolder
from recordroom_pipeline.store.parquet import read_table


def spec_checks(folder: SpecFolder) -> list[dg.AssetChecksDefinition]:
    """The checks of one spec."""
    return [_spec_problems(folder), _runs_agree(folder), _judged_share(folder)]


def _spec_problems(folder: SpecFolder) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset_key(folder.name, "spec_version"), name="no_problems", blocking=True)
    def no_problems() -> dg.AssetCheckResult:
        """SPEC.md, corpus, recordings and reviews hold no error; warnings are listed."""
        problems = check_folder(folder)
        errors = errors_in(problems)
        return dg.AssetCheckResult(
            passed=not errors,
            severity=dg.AssetCheckSeverity.ERROR,
            description="\n".join(map(str, errors)) or "no errors",
            metadata={"errors": len(errors), "warnings": len(problems) - len(errors)},
        )

    return no_problems


def _runs_agree(folder: SpecFolder) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset_key(folder.name, "run"), name="rows_agree_with_run_json")
    def rows_agree_with_run_json() -> dg.AssetCheckResult:
        """Each run.json is complete, its totals are those of its results, and its Parquet rows say the same."""
        wrong = [message for path in sorted(folder.runs.glob("*.json")) if (message := run_disagreement(folder, path.stem))]
        return dg.AssetCheckResult(passed=not wrong, description="\n".join(wrong) or "all agree")

    return rows_agree_with_run_json


def run_disagreement(folder: SpecFolder, run: str) -> str | None:
    """How a run.json and its Parquet rows differ; None where they agree."""
    path = folder.runs / f"{run}.json"
    document = json.loads(path.read_bytes())
    try:
        check_run_document(document, path=folder.project.shown(path))
    except RecordRoomError as error:
        return str(error)
    file = folder.table_file("verdicts", run)
    if not file.is_file():
        return f"{run}: no rows in Parquet; materialize `run` again"
    columns = ("output", "eval", "verdict", "na_reason", "why")
    rows = set(read_table([file], "verdicts").select(columns).iter_rows())
    results = {tuple(result[column] for column in columns) for result in document["results"]}
    return None if rows == results else f"{run}: {len(rows ^ results)} rows differ between run.json and Parquet"


def _judged_share(folder: SpecFolder) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset_key(folder.name, "run"), name="everything_judged")
    def everything_judged() -> dg.AssetCheckResult:
        """Warns where the newest run holds verdicts that no instrument could give."""
        path = max(folder.runs.glob("*.json"), default=None)
        results = json.loads(path.read_bytes())["results"] if path else []
        unjudged = sum(result["na_reason"] == "not_judgeable" for result in results)
        return dg.AssetCheckResult(
            passed=unjudged == 0,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"verdicts": len(results), "unjudged": unjudged},
        )

    return everything_judged
