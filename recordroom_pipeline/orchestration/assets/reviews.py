"""Review batches, and what follows from them: precision, flips and the diff that adoption needs.

No postponed annotations here: Dagster reads the annotations of asset functions as objects.
"""

from typing import Any

import dagster as dg

from recordroom_pipeline.orchestration import reviews
from recordroom_pipeline.orchestration.names import asset_key, group_name, key_prefix
from recordroom_pipeline.orchestration.partitions import SpecPartitions
from recordroom_pipeline.store.files import SpecFolder


def review_assets(folder: SpecFolder, parts: SpecPartitions) -> list[dg.AssetsDefinition]:
    """`review_batch`, `precision`, `flip_diff` and `version_diff` of one spec."""
    return [
        _review_batch(folder, parts),
        _precision(folder, parts),
        _flip_diff(folder, parts),
        _version_diff(folder, parts),
    ]


def _common(folder: SpecFolder) -> dict[str, Any]:
    return {
        "key_prefix": key_prefix(folder.name),
        "group_name": group_name(folder.name),
        "backfill_policy": dg.BackfillPolicy.single_run(),
    }


def _batches(context: dg.AssetExecutionContext, folder: SpecFolder) -> list[str]:
    """Every batch in order of registration, which decides between two reviews of one date."""
    return list(context.instance.get_dynamic_partitions(f"{folder.name}/batches"))


def _with_runs(folder: SpecFolder) -> list[dg.AssetDep]:
    """A batch's own reviews, and the runs they are about."""
    return [
        dg.AssetDep(asset_key(folder.name, "review_batch")),
        dg.AssetDep(asset_key(folder.name, "run"), partition_mapping=dg.AllPartitionMapping()),
    ]


def _on_new_reviews(folder: SpecFolder) -> dg.AutomationCondition[dg.AssetKey]:
    """A new batch carries on by itself; runs do not count, since the grid of runs is ragged and never complete."""
    runs = dg.AssetSelection.assets(asset_key(folder.name, "run"))
    return dg.AutomationCondition.eager().ignore(runs)


def _review_batch(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(
        name="review_batch",
        partitions_def=parts.batches,
        deps=[dg.AssetDep(asset_key(folder.name, "run"), partition_mapping=dg.AllPartitionMapping())],
        kinds={"parquet"},
        **_common(folder),
    )
    def review_batch(context: dg.AssetExecutionContext) -> None:
        """One file of agree/disagree: each good row tied to its verdict, each bad row rejected with its number."""
        for key in context.partition_keys:
            context.add_asset_metadata(reviews.take_in(folder, key, _batches(context, folder)), partition_key=key)

    return review_batch


def _precision(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(
        name="precision",
        partitions_def=parts.batches,
        deps=_with_runs(folder),
        automation_condition=_on_new_reviews(folder),
        kinds={"duckdb", "parquet"},
        **_common(folder),
    )
    def precision(context: dg.AssetExecutionContext) -> None:
        """Share of reviewed verdicts that experts agree with, by eval and verdict, with Wilson intervals, as of a batch."""
        for key in context.partition_keys:
            found = reviews.write_precision(folder, key, _batches(context, folder))
            context.add_asset_metadata(found, partition_key=key)

    return precision


def _flip_diff(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(
        name="flip_diff",
        partitions_def=parts.batches,
        deps=_with_runs(folder),
        automation_condition=_on_new_reviews(folder),
        kinds={"duckdb", "parquet"},
        **_common(folder),
    )
    def flip_diff(context: dg.AssetExecutionContext) -> None:
        """Verdicts that changed from each version to the next, marked fixes, breaks, disputed or unreviewed as of a batch."""
        for key in context.partition_keys:
            context.add_asset_metadata(reviews.write_flips(folder, key, _batches(context, folder)), partition_key=key)

    return flip_diff


def _version_diff(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(
        name="version_diff",
        partitions_def=parts.versions,
        deps=[
            dg.AssetDep(
                asset_key(folder.name, "run"), partition_mapping=dg.MultiToSingleDimensionPartitionMapping("spec_version")
            ),
            dg.AssetDep(asset_key(folder.name, "review_batch"), partition_mapping=dg.AllPartitionMapping()),
        ],
        kinds={"json"},
        **_common(folder),
    )
    def version_diff(context: dg.AssetExecutionContext) -> None:
        """The flips of a version against the one before it: what adopting it would change."""
        for key in context.partition_keys:
            found = reviews.write_version_diff(folder, key, _batches(context, folder))
            context.add_asset_metadata(found, partition_key=key)

    return version_diff
