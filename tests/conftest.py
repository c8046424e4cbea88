"""What every test shares: the fixtures folder beside the project, a finished run, and a Hypothesis profile without a clock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

# The first DuckDB connection took 3.2 s on a busy machine; a deadline would fail at random.
settings.register_profile("recordroom", deadline=None)
settings.load_profile("recordroom")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """Root of the checkout."""
    return PROJECT


@pytest.fixture(scope="session")
def shared_fixtures() -> Path:
    """Real files that nobody here wrote; tests that need them are skipped where they are absent."""
    folder = PROJECT.parent / "shared" / "fixtures"
    if not folder.is_dir():
        pytest.skip("the folder of real files (../shared/fixtures) is not here")
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """The shipped spec after `recordroom run … --version all`, in a folder of its own."""

    specs: Path
    warehouse: Path
    stdout: str
    """What the run printed."""

    @property
    def database(self) -> Path:
        """The DuckDB file that analysts open."""
        return self.warehouse / "recordroom.duckdb"


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One real run a session, on a copy of specs/ without what earlier runs left there. For reading only."""
    root = tmp_path_factory.mktemp("finished-run")
    specs, warehouse = root / "specs", root / "warehouse"
    shutil.copytree(PROJECT / "specs", specs, ignore=shutil.ignore_patterns("runs", "spec.json", "queues"))
    # The machine's own settings stay out: another Dagster home, a judge model, a key.
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RECORDROOM_", "DAGSTER_")) and not name.endswith("_API_KEY")
    }
    order = ["run", "recordroom/property-underwriting", "--version", "all"]
    done = subprocess.run(
        [sys.executable, "-m", "recordroom_pipeline.cli", "--specs", str(specs), *order],
        cwd=root,
        env=kept | {"RECORDROOM_WAREHOUSE": str(warehouse)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return FinishedRun(specs=specs, warehouse=warehouse, stdout=done.stdout)
