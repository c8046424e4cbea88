"""Tables: one schema each, checked at every write. The DuckDB file: derived, documented, read-only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.store.duck import VIEWS, build_warehouse, connect, query
from recordroom_pipeline.store.parquet import read_table, write_table
from recordroom_pipeline.store.tables import TABLES, column_types, frame

REJECT: dict[str, Any] = {"spec": "a/b", "batch": "b", "row": 1, "reason": "wrong", "remedy": "mend"}


def test_every_table_and_column_says_what_it_holds() -> None:
    wanted = "documents segments cells specs evals outputs verdicts citations runs reviews precision flips"

    assert set(wanted.split()) <= set(TABLES)
    for schema in TABLES.values():
        assert schema.description
        assert schema.unique
        assert all(column.description for column in schema.columns.values())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"row": -1}, "greater_than_or_equal_to"),
        ({"reason": None}, "not_nullable"),
        ({"row": "one"}, "one"),
        ({"surplus": 1}, "no column surplus"),
    ],
)
def test_a_row_that_breaks_its_schema_is_refused_and_the_old_file_kept(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "r.parquet"
    write_table(path, "review_rejects", [REJECT])

    with pytest.raises(RecordRoomError, match=message):
        write_table(path, "review_rejects", [REJECT | change])
    assert read_table([path], "review_rejects").height == 1


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(RecordRoomError, match="review_rejects"):
        frame("review_rejects", [REJECT, REJECT])


def test_equal_rows_give_equal_files_in_whatever_order(tmp_path: Path) -> None:
    rows = [REJECT | {"row": number} for number in (3, 1, 2)]
    write_table(tmp_path / "a.parquet", "review_rejects", rows)
    write_table(tmp_path / "b.parquet", "review_rejects", rows[::-1])

    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_empty_tables_have_all_their_columns(tmp_path: Path) -> None:
    for table in TABLES:
        write_table(tmp_path / f"{table}.parquet", table, [])

        assert list(read_table([tmp_path / f"{table}.parquet"], table).columns) == list(column_types(table))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    write_table(tmp_path / "tables/review_rejects/spec=a~b/b.parquet", "review_rejects", [REJECT])
    build_warehouse(tmp_path / "recordroom.duckdb", tmp_path / "tables")
    return tmp_path / "recordroom.duckdb"


def test_the_warehouse_holds_every_table_view_and_comment(database: Path) -> None:
    tables = query(database, "select table_name, comment from duckdb_tables()").rows
    views = query(database, "select view_name, comment from duckdb_views() where not internal").rows
    bare = query(database, "select table_name, column_name from duckdb_columns() where not internal and comment is null").rows

    assert {name for name, comment in tables if comment} == set(TABLES)
    assert {name for name, comment in views if comment} == set(VIEWS)
    assert {table for table, _ in bare} <= set(VIEWS)
    assert query(database, "select reason from review_rejects").rows == (("wrong",),)


@pytest.mark.parametrize(
    "statement",
    [
        "create table x (i int)",
        "delete from review_rejects",
        "select * from read_csv('/etc/hostname')",
        "copy (select 1) to '/tmp/never.csv'",
        "set enable_external_access = true",
        "install httpfs",
        "attach ':memory:' as other",
        "select nonsense",
    ],
)
def test_a_users_sql_can_only_read_the_warehouse(database: Path, statement: str) -> None:
    with pytest.raises(RecordRoomError, match="tables and views: documents"):
        query(database, statement)
    assert query(database, "select count(*) from review_rejects").rows == ((1,),)


def test_a_reader_keeps_what_it_opened_while_the_file_is_rebuilt(database: Path, tmp_path: Path) -> None:
    with connect(str(database), read_only=True) as reader:
        assert reader.execute("select count(*) from review_rejects").fetchall() == [(1,)]
        write_table(tmp_path / "tables/review_rejects/spec=a~b/c.parquet", "review_rejects", [REJECT | {"batch": "c"}])
        build_warehouse(database, tmp_path / "tables")
        assert reader.execute("select count(*) from review_rejects").fetchall() == [(1,)]

    assert query(database, "select count(*) from review_rejects").rows == ((2,),)


def test_a_rebuild_that_fails_keeps_the_file(database: Path, tmp_path: Path) -> None:
    (tmp_path / "tables/runs/spec=a~b").mkdir(parents=True)
    (tmp_path / "tables/runs/spec=a~b/broken.parquet").write_bytes(b"no parquet")

    with pytest.raises(duckdb.Error):
        build_warehouse(database, tmp_path / "tables")
    assert query(database, "select count(*) from review_rejects").rows == ((1,),)
    assert not list(tmp_path.glob(".*"))
