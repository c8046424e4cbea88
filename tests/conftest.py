"""What every test shares: the fixtures folder beside the project, and a Hypothesis profile without a clock."""

from __future__ import annotations

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
