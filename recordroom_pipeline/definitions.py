"""The door for Dagster: `dagster dev` and workers load `defs`."""

from __future__ import annotations

import os
from pathlib import Path

from recordroom_pipeline.orchestration.build import build_definitions
from recordroom_pipeline.store.files import find_project

_specs = os.environ.get("RECORDROOM_SPECS")
defs = build_definitions(find_project(Path(_specs) if _specs else None))
