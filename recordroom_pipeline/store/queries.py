"""Precision and flips, computed in DuckDB over the Parquet tables; rows come ready for `write_table`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from recordroom_pipeline.reviews.precision import wilson
from recordroom_pipeline.store.duck import connect, load_tables, sql


def compute_precision(root: Path, *, spec: str, slug: str, batches: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of table `precision` as of the last of ``batches``; the experts' newest reviews in all of them count."""
    with connect() as connection:
        load_tables(connection, root, ("verdicts", "runs", "reviews", "evals"), spec=slug)
        found = _rows(connection, sql("precision"), {"spec": spec, "batches": list(batches)})
    return [_precision_row(row, spec, batches[-1]) for row in found]


def _precision_row(row: dict[str, Any], spec: str, batch: str) -> dict[str, Any]:
    n, agreeing = row["n"], row["n_agree"]
    agreed, reviewed = row.pop("n_reviews_agree"), row.pop("n_reviewed")
    ends = wilson(agreeing, n)
    return {
        "spec": spec,
        "batch": batch,
        **row,
        "precision": agreeing / n if n else None,
        "low": ends[0] if ends else None,
        "high": ends[1] if ends else None,
        "agreement": agreed / row["n_reviews"] if row["n_reviews"] else None,
        "reviewed_share": reviewed / row["n_verdicts"] if row["n_verdicts"] else None,
        "reason": None if n else _why_null(row),
    }


def _why_null(row: dict[str, Any]) -> str:
    if not row["n_verdicts"]:
        return "no verdict of this label"
    if row["n_split"]:
        return "experts are tied on every verdict they reviewed"
    return "every reviewed output is a pinned example" if row["n_pinned"] else "nobody has reviewed one yet"


def compute_flips(root: Path, *, spec: str, slug: str, before: str, after: str, batches: Sequence[str]) -> list[dict[str, Any]]:
    """The flips between two runs, marked by the reviews of ``batches``."""
    with connect() as connection:
        load_tables(connection, root, ("verdicts", "reviews"), spec=slug)
        values = {"spec": spec, "before": before, "after": after, "batches": list(batches)}
        return _rows(connection, sql("flips"), values)


def _rows(connection: duckdb.DuckDBPyConnection, statement: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    cursor = connection.execute(statement, values)
    columns = [str(column[0]) for column in cursor.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
