"""Parquet files of the tables: validated, written beside and put in place as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from recordroom_pipeline.store.atomic import beside
from recordroom_pipeline.store.tables import TABLES, column_types, frame


def write_table(path: Path, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Write one partition's rows, sorted by the table's key so that equal rows give equal files; returns how many.

    Raises:
        RecordRoomError: when a row breaks the table's schema; the file that stands there is kept.
    """
    built = frame(table, rows).sort(list(TABLES[table].unique or ()))
    with beside(path) as temporary:
        built.write_parquet(temporary, compression="zstd")
    return built.height


def table_files(root: Path, table: str, *, spec: str | None = None) -> list[Path]:
    """Every file of a table, of one spec (its folder name) or of all."""
    folder = root / table / f"spec={spec}" if spec else root / table
    return sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith("."))


def read_table(paths: Sequence[Path], table: str) -> pl.DataFrame:
    """The rows of some files of a table; an empty frame with every column where there are none."""
    if not paths:
        return pl.DataFrame(schema=column_types(table))
    return pl.concat([pl.read_parquet(path, hive_partitioning=False) for path in paths], how="vertical")
