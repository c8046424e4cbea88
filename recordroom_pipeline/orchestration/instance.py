"""The Dagster instance of a project: one for the command line and the UI, its state in warehouse/dagster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from recordroom_pipeline.store.files import Project


def open_instance(project: Project) -> dg.DagsterInstance:
    """The instance of $DAGSTER_HOME where that is set, else the project's own.

    The project's dagster.yaml names places relative to its folder, and the command line may stand elsewhere, so they are given
    here in full; a specs folder without dagster.yaml gets the same.
    """
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
    home = os.environ.get("DAGSTER_HOME")
    if home and Path(home).resolve() != project.root:
        return dg.DagsterInstance.get()
    state = project.warehouse / "dagster"
    state.mkdir(parents=True, exist_ok=True)
    return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(project.root), overrides=_places(state)))


def _places(state: Path) -> dict[str, Any]:
    return {
        "storage": {"sqlite": {"base_dir": str(state)}},
        "local_artifact_storage": {
            "module": "dagster._core.storage.root",
            "class": "LocalArtifactStorage",
            "config": {"base_dir": str(state)},
        },
        "compute_logs": {
            "module": "dagster._core.storage.local_compute_log_manager",
            "class": "LocalComputeLogManager",
            "config": {"base_dir": str(state / "logs")},
        },
        "telemetry": {"enabled": False},
    }
