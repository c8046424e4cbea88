"""Verdicts by spec version × eval, and the runs assembled from them.

No postponed annotations here: Dagster reads the annotations of asset functions as objects.
"""

from collections.abc import Iterator

import dagster as dg
from pydantic import Field

from recordroom_pipeline.orchestration.names import asset_key, group_name, key_prefix
from recordroom_pipeline.orchestration.partitions import SpecPartitions, cell_of
from recordroom_pipeline.orchestration.resources import JudgeResource, Progress
from recordroom_pipeline.orchestration.runs import finish_run
from recordroom_pipeline.orchestration.verdicts import judge_cells
from recordroom_pipeline.store.files import SpecFolder


class VerdictsConfig(dg.Config):
    """For which states of the corpus the outputs are judged."""

    snapshots: list[str] = Field(
        default=["current"], description="`current` (the corpus as it stands), `all` (every one registered), or snapshot keys."
    )


class RunConfig(dg.Config):
    """How a run is assembled."""

    rejudge: str = Field(default="", description="An id that makes a new run even where nothing changed.")


VERDICTS = "Every output × one eval of one version. What was judged before with the same content is not asked again."


def judging_assets(folder: SpecFolder, parts: SpecPartitions) -> list[dg.AssetsDefinition]:
    """`verdicts` and `run` of one spec."""
    return [_verdicts(folder, parts), _run(folder, parts)]


def _verdicts(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    version_of = dg.MultiToSingleDimensionPartitionMapping("spec_version")

    spec = dg.AssetSpec(
        asset_key(folder.name, "verdicts"),
        group_name=group_name(folder.name),
        deps=[
            dg.AssetDep(asset_key(folder.name, "spec_version"), partition_mapping=version_of),
            dg.AssetDep(asset_key(folder.name, "evidence"), partition_mapping=dg.AllPartitionMapping()),
        ],
        description=VERDICTS,
        kinds={"parquet"},
        # The body logs each cell itself, the moment it is done: a later failure takes nothing back, and the cost of a cell does
        # not grow with the number of cells, as it does with add_asset_metadata.
        skippable=True,
    )

    @dg.multi_asset(
        name="__".join(spec.key.path),
        specs=[spec],
        partitions_def=parts.verdicts,
        backfill_policy=dg.BackfillPolicy.single_run(),
        pool="judge",
    )
    def verdicts(
        context: dg.AssetExecutionContext,
        config: VerdictsConfig,
        judge: JudgeResource,
        progress: dg.ResourceParam[Progress],
    ) -> Iterator[dg.MaterializeResult[None]]:
        cells: dict[str, list[str]] = {}
        for key in context.partition_keys:
            eval_id, version = cell_of(key)
            cells.setdefault(version, []).append(eval_id)
        report = progress.step("verdicts", context.log.info)
        for version, eval_ids in cells.items():
            done = judge_cells(folder, version, eval_ids, config.snapshots, judge.judge(folder), report)
            for eval_id in done.complete(eval_ids):
                cell = dg.MultiPartitionKey({"eval": eval_id, "spec_version": version})
                context.log_event(dg.AssetMaterialization(spec.key, partition=cell, metadata=done.metadata(eval_id)))
            if done.missing:
                raise dg.Failure(description=done.unfinished(), allow_retries=False)
        yield from ()

    return verdicts


def _run(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    same_version = dg.DimensionPartitionMapping("spec_version", dg.IdentityPartitionMapping())
    corpus_of = dg.MultiToSingleDimensionPartitionMapping("corpus")

    @dg.asset(
        name="run",
        key_prefix=key_prefix(folder.name),
        group_name=group_name(folder.name),
        partitions_def=parts.runs,
        backfill_policy=dg.BackfillPolicy.single_run(),
        deps=[
            dg.AssetDep(
                asset_key(folder.name, "verdicts"),
                partition_mapping=dg.MultiPartitionMapping({"spec_version": same_version}),
            ),
            dg.AssetDep(asset_key(folder.name, "evidence"), partition_mapping=corpus_of),
        ],
        kinds={"json", "parquet"},
    )
    def run(context: dg.AssetExecutionContext, config: RunConfig, judge: JudgeResource) -> None:
        """run.json and its rows: one version over one snapshot, by one instrument, once every output × eval has its verdict."""
        for key in context.partition_keys:
            snapshot, version = cell_of(key)
            outcome = finish_run(folder, version, snapshot, judge.judge(folder), rejudge=config.rejudge or None)
            context.add_asset_metadata(outcome.metadata(), partition_key=key)

    return run
