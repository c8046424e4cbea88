"""All definitions of a project: one group of assets a spec, one warehouse, one sensor."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import dagster as dg

from recordroom_pipeline.orchestration.assets.inputs import input_assets
from recordroom_pipeline.orchestration.assets.judging import judging_assets
from recordroom_pipeline.orchestration.assets.reviews import review_assets
from recordroom_pipeline.orchestration.assets.warehouse import warehouse_asset
from recordroom_pipeline.orchestration.checks import spec_checks
from recordroom_pipeline.orchestration.partitions import spec_partitions
from recordroom_pipeline.orchestration.resources import JudgeResource, Progress
from recordroom_pipeline.orchestration.sensors import spec_sensor
from recordroom_pipeline.store.files import Project


def build_definitions(project: Project, *, resources: Mapping[str, Any] | None = None) -> dg.Definitions:
    """The definitions of every spec under a project's specs folder; tests hand in resources of their own."""
    with warnings.catch_warnings():
        # Multi-partition mappings and backfill policies are marked beta; the versions are pinned and tests hold what we use.
        warnings.simplefilter("ignore", dg.BetaWarning)
        warnings.simplefilter("ignore", dg.PreviewWarning)
        assets: list[dg.AssetsDefinition] = []
        checks: list[dg.AssetChecksDefinition] = []
        for name in project.names():
            folder, parts = project.spec(name), spec_partitions(name)
            assets += [*input_assets(folder, parts), *judging_assets(folder, parts), *review_assets(folder, parts)]
            checks += spec_checks(folder)
        return dg.Definitions(
            assets=[*assets, warehouse_asset(project)],
            asset_checks=checks,
            sensors=[spec_sensor(project), _automation()],
            resources={"judge": JudgeResource(), "progress": Progress(), **(resources or {})},
            # A step process of its own would import everything again: 7.8 against 3.9 seconds a run.
            executor=dg.in_process_executor,
        )


def _automation() -> dg.AutomationConditionSensorDefinition:
    """New review batches carry on to precision, flips and the warehouse without anybody's asking; they spend no money."""
    return dg.AutomationConditionSensorDefinition(
        "carry_on", target=dg.AssetSelection.all(), default_status=dg.DefaultSensorStatus.RUNNING
    )
