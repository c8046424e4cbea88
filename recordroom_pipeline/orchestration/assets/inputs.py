"""What comes in: a compiled version, a snapshot of the corpus, and its materials as evidence.

No postponed annotations here: Dagster reads the annotations of asset functions as objects.
"""

from typing import Any

import dagster as dg

from recordroom_pipeline.orchestration import inputs
from recordroom_pipeline.orchestration.names import asset_key, group_name, key_prefix
from recordroom_pipeline.orchestration.partitions import SpecPartitions
from recordroom_pipeline.orchestration.resources import Progress
from recordroom_pipeline.store.files import SpecFolder


def input_assets(folder: SpecFolder, parts: SpecPartitions) -> list[dg.AssetsDefinition]:
    """`spec_version`, `corpus_snapshot` and `evidence` of one spec."""
    return [_spec_version(folder, parts), _corpus_snapshot(folder, parts), _evidence(folder, parts)]


def _common(folder: SpecFolder) -> dict[str, Any]:
    return {
        "key_prefix": key_prefix(folder.name),
        "group_name": group_name(folder.name),
        "backfill_policy": dg.BackfillPolicy.single_run(),
    }


def _spec_version(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(name="spec_version", partitions_def=parts.versions, kinds={"parquet", "json"}, **_common(folder))
    def spec_version(context: dg.AssetExecutionContext) -> None:
        """One version of SPEC.md, compiled: its evals with their identity hashes. A changed version has another key."""
        for key in context.partition_keys:
            context.add_asset_metadata(inputs.write_version(folder, key), partition_key=key)

    return spec_version


def _corpus_snapshot(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(name="corpus_snapshot", partitions_def=parts.corpora, kinds={"parquet"}, **_common(folder))
    def corpus_snapshot(context: dg.AssetExecutionContext) -> None:
        """One state of tasks and outputs, by content; it stays judgeable when the files change."""
        for key in context.partition_keys:
            context.add_asset_metadata(inputs.write_snapshot(folder, key), partition_key=key)

    return corpus_snapshot


def _evidence(folder: SpecFolder, parts: SpecPartitions) -> dg.AssetsDefinition:
    @dg.asset(
        name="evidence",
        partitions_def=parts.corpora,
        deps=[asset_key(folder.name, "corpus_snapshot")],
        kinds={"parquet"},
        pool="evidence",
        **_common(folder),
    )
    def evidence(context: dg.AssetExecutionContext, progress: dg.ResourceParam[Progress]) -> None:
        """Documents, segments and cells of a snapshot; each file is parsed once for each version of its parser."""
        report = progress.step("documents parsed", context.log.info)
        for key in context.partition_keys:
            context.add_asset_metadata(inputs.write_evidence(folder, key, report), partition_key=key)

    return evidence
