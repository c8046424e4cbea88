"""Every test has a project and a Dagster instance of its own, and no judge that the machine's environment names."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_project import make_project

from recordroom_pipeline.store.files import Project


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "DAGSTER_HOME",
        "RECORDROOM_JUDGE_MODEL",
        "RECORDROOM_JUDGE_API_BASE",
        "RECORDROOM_WAREHOUSE",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def leases(tmp_path: Path) -> Project:
    """The small project, freshly made."""
    return make_project(tmp_path)
