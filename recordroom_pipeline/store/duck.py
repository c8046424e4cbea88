"""The DuckDB file that analysts open: derived from the Parquet tables, built beside and swapped in.

Parquet is the truth: one writer of a DuckDB file locks out every reader, so nobody ever writes the one that is read. Who holds
the old file open keeps seeing it until the connection is closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.store.atomic import beside
from recordroom_pipeline.store.parquet import table_files
from recordroom_pipeline.store.tables import TABLES, column_types, frame

VIEWS = ("latest_runs", "latest_verdicts", "precision_latest")


def sql(name: str) -> str:
    """One statement of ``store/sql``."""
    return resources.files(__package__).joinpath("sql", f"{name}.sql").read_text("utf-8")


def connect(database: str = ":memory:", *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection that never loads an extension from the network."""
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    return duckdb.connect(database, read_only=read_only, config=config)


def load_tables(
    connection: duckdb.DuckDBPyConnection, root: Path, names: Sequence[str] = tuple(TABLES), *, spec: str | None = None
) -> dict[str, int]:
    """Create tables from their Parquet files, empty ones too; returns how many rows each has."""
    counts = {}
    for name in names:
        files = [str(path) for path in table_files(root, name, spec=spec)]
        if files:
            run(
                connection,
                f"create table {name} as select * from read_parquet($files, hive_partitioning = false)",
                {"files": files},
            )
        else:
            empty = frame(name, []).to_arrow()
            connection.register("empty_rows", empty)
            run(connection, f"create table {name} as select * from empty_rows")
            connection.unregister("empty_rows")
        counts[name] = int(run(connection, f"select count(*) from {name}")[0][0])
    return counts


def run(
    connection: duckdb.DuckDBPyConnection, statement: str, values: Mapping[str, Any] | None = None
) -> list[tuple[Any, ...]]:
    """All rows of a statement; DuckDB 2 refuses the next statement while rows of the last one are left."""
    return connection.execute(statement, values).fetchall() if values else connection.execute(statement).fetchall()


def build_warehouse(database: Path, root: Path) -> dict[str, int]:
    """Build the file anew from all Parquet tables and put it in place; returns rows by table."""
    with beside(database) as temporary:
        temporary.unlink()  # DuckDB refuses an empty file that it did not make.
        with connect(str(temporary)) as connection:
            counts = load_tables(connection, root)
            for name in VIEWS:
                run(connection, f"create view {name} as {sql(name)}")
            for statement in _comments():
                run(connection, statement)
    return counts


def _comments() -> list[str]:
    statements = []
    for name, schema in TABLES.items():
        statements.append(f"comment on table {name} is {_quoted(schema.description or '')}")
        for column in column_types(name):
            text = _quoted(schema.columns[column].description or "")
            statements.append(f'comment on column {name}."{column}" is {text}')
    for name in VIEWS:
        first = sql(name).splitlines()[0].removeprefix(f"-- {name}: ")
        statements.append(f"comment on view {name} is {_quoted(first)}")
    return statements


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """Rows of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query(database: Path, statement: str) -> QueryResult:
    """Ask the warehouse, read-only and without access to other files.

    Raises:
        RecordRoomError: with what DuckDB says, and the tables there are.
    """
    with connect(str(database), read_only=True) as connection:
        run(connection, "set enable_external_access = false")
        run(connection, "set lock_configuration = true")
        try:
            cursor = connection.execute(statement)
            if cursor.description is None:
                return QueryResult(columns=(), rows=())
            columns = tuple(str(column[0]) for column in cursor.description)
            return QueryResult(columns=columns, rows=tuple(cursor.fetchall()))
        except duckdb.Error as error:
            known = ", ".join((*TABLES, *VIEWS))
            raise RecordRoomError(f"{str(error).strip()}\ntables and views: {known}") from error
