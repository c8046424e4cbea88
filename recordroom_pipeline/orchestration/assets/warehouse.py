"""The DuckDB file over all specs.

No postponed annotations here: Dagster reads the annotations of asset functions as objects.
"""

import dagster as dg

from recordroom_pipeline.orchestration.names import WAREHOUSE_KEY, asset_key
from recordroom_pipeline.store.duck import build_warehouse
from recordroom_pipeline.store.files import Project

_READS = ("spec_version", "corpus_snapshot", "evidence", "run", "review_batch", "precision", "flip_diff")


def warehouse_asset(project: Project) -> dg.AssetsDefinition:
    """`warehouse`: rebuilt from Parquet whenever something before it changed."""
    changed = dg.AutomationCondition.any_deps_updated()
    quiet = ~dg.AutomationCondition.any_deps_in_progress() & ~dg.AutomationCondition.in_progress()
    deps = [
        dg.AssetDep(asset_key(name, asset), partition_mapping=dg.AllPartitionMapping())
        for name in project.names()
        for asset in _READS
    ]

    @dg.asset(
        key=WAREHOUSE_KEY,
        group_name="warehouse",
        deps=deps,
        automation_condition=changed & quiet,
        kinds={"duckdb"},
        pool="warehouse",
    )
    def warehouse() -> dg.MaterializeResult[None]:
        """The DuckDB file that analysts open: every table and view, built beside and swapped in, so that readers never wait."""
        rows = build_warehouse(project.database, project.tables)
        return dg.MaterializeResult(metadata={"path": str(project.database), **{f"rows {name}": n for name, n in rows.items()}})

    return warehouse
