"""The structure holds: what imports what, what stays pure, and what a start loads (docs/architecture.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = "recordroom_pipeline"
PURE = ("spec", "corpus", "evidence", "judging", "runs", "reviews")
EDGES = ("judges", "readers", "formats", "store")
DOORS = ("cli", "definitions", "printing")
FORBIDDEN_IN_PURE = {"dagster", "litellm", "duckdb", "polars", "pyarrow", "pandera", "pydantic", "click", "rich", "sqlite3"}
IMPURE_CALLS = {"open", "input", "print"}
IMPURE_MODULES = {"os", "time", "random", "subprocess", "socket", "pathlib", "tempfile", "secrets"}
PATHS_ONLY = {"PurePosixPath"}


def imports_of(tree: ast.Module) -> set[str]:
    """Dotted names of everything a module imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room_of(module: str) -> str:
    """The folder of the package that a module lies in, or the module itself."""
    return module.split(".")[1] if "." in module else ""


def may_import(room: str, other: str) -> bool:
    """Whether a room may know another one."""
    if other in ("errors", "canonical", room):
        return True
    if room in PURE:
        return other in PURE and PURE.index(other) < PURE.index(room)
    if room in EDGES:
        return other in PURE
    if room == "orchestration":
        return other in (*PURE, *EDGES)
    return room in DOORS and other in (*PURE, *EDGES, *DOORS, "orchestration")


def structure_faults(room: str, tree: ast.Module) -> list[str]:
    """What in a module of a room breaks the structure."""
    faults = []
    for name in sorted(imports_of(tree)):
        top = name.split(".")[0]
        if top == PACKAGE and not may_import(room, room_of(name)):
            faults.append(f"{room} may not import {name}")
        if top == "dagster" and room != "orchestration":
            faults.append(f"{room} may not import dagster")
        if room in PURE and top in FORBIDDEN_IN_PURE:
            faults.append(f"{room} is pure and may not import {top}")
        if room in PURE and top in IMPURE_MODULES and name.split(".")[-1] not in PATHS_ONLY:
            faults.append(f"{room} is pure and may not import {name}")
    if room in PURE:
        calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        faults += [f"{room} is pure and may not call {name}" for name in sorted(calls & IMPURE_CALLS)]
    return faults


def modules(project: Path) -> list[tuple[str, Path]]:
    root = project / PACKAGE
    return [(path.relative_to(root).parts[0].removesuffix(".py"), path) for path in sorted(root.rglob("*.py"))]


def test_every_module_keeps_to_its_room(project: Path) -> None:
    faults = [
        f"{path.relative_to(project)}: {fault}"
        for room, path in modules(project)
        for fault in structure_faults(room, ast.parse(path.read_text()))
    ]

    assert faults == []


@pytest.mark.parametrize(
    ("room", "source", "fault"),
    [
        ("spec", "from recordroom_pipeline.corpus.model import Task", "spec may not import"),
        ("evidence", "from recordroom_pipeline.judging.verdict import na", "evidence may not import"),
        ("store", "from recordroom_pipeline.judges.runner import judge_questions", "store may not import"),
        ("runs", "import duckdb", "may not import duckdb"),
        ("reviews", "def f():\n    import polars", "may not import polars"),
        ("judging", "from datetime import datetime\nimport os", "may not import os"),
        ("corpus", "from pathlib import Path", "may not import pathlib.Path"),
        ("evidence", "def f(p):\n    return open(p)", "may not call open"),
        ("judges", "import dagster as dg", "may not import dagster"),
        ("orchestration", "from recordroom_pipeline.cli import main", "orchestration may not import"),
    ],
)
def test_a_planted_fault_is_caught(room: str, source: str, fault: str) -> None:
    assert any(fault in found for found in structure_faults(room, ast.parse(source)))


@pytest.mark.parametrize(
    ("start", "absent"),
    [
        ("import recordroom_pipeline", ("dagster", "litellm", "duckdb", "polars", "click")),
        ("import recordroom_pipeline.cli", ("dagster", "litellm", "duckdb", "polars", "pyarrow", "markdown_it")),
        ("import recordroom_pipeline.definitions", ("litellm", "pypdf")),
    ],
)
def test_a_start_loads_nothing_heavy(start: str, absent: tuple[str, ...], project: Path) -> None:
    code = f"import sys; {start}; print([name for name in {absent!r} if name in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=project, check=True
    )

    assert found.stdout.strip() == "[]"
