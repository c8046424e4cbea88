"""docs/tables.md against the schemas: its reference part is what `reference` generates, and its joins lose no row. And what
docs/analysts.md says of the warehouse holds.

Run as a program, it writes the reference part anew.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from recordroom_pipeline.store.duck import VIEWS, build_warehouse, connect, query, sql
from recordroom_pipeline.store.tables import TABLES

if TYPE_CHECKING:
    from conftest import FinishedRun

PAGE = Path(__file__).resolve().parent.parent / "docs/tables.md"
REFRESH = ".venv/bin/python tests/test_docs_tables.py"
MARK = re.compile(r"<!-- From here on generated .*-->\n")


def reference() -> str:
    """A section for each table and view, with the types that DuckDB gives an empty warehouse."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "recordroom.duckdb"
        build_warehouse(database, Path(folder))
        with connect(str(database), read_only=True) as connection:
            described = {name: connection.execute(f"describe {name}").fetchall() for name in (*TABLES, *VIEWS)}
    types = {name: {str(row[0]): str(row[1]).lower() for row in rows} for name, rows in described.items()}
    sections = [_table(name, types[name]) for name in TABLES] + [_view(name, types[name]) for name in VIEWS]
    return "\n" + "\n".join(sections)


def _table(name: str, types: dict[str, str]) -> str:
    schema = TABLES[name]
    rows = [_row(name, column, type_) for column, type_ in types.items()]
    key = ", ".join(f"`{column}`" for column in schema.unique or ())
    return "\n".join([f"## {name}", "", f"{schema.description} Key: {key}.", "", *_HEAD, *rows, ""])


def _view(name: str, types: dict[str, str]) -> str:
    """A view of the same columns as a table has its descriptions."""
    base = next(table for table, schema in TABLES.items() if list(schema.columns) == list(types))
    head = dict(line.removeprefix("-- ").split(":", 1) for line in sql(name).splitlines() if line.startswith("-- "))
    meaning, rows = head[name].strip(), head["rows"].strip()
    lines = [f"A view: {meaning} Rows: {rows}. Its columns are those of `{base}`:", ""]
    return "\n".join([f"## {name}", "", *lines, ", ".join(f"`{column}`" for column in types) + ".", ""])


_HEAD = ("| column | type | what it is |", "|---|---|---|")


def _row(table: str, column: str, type_: str) -> str:
    schema = TABLES[table].columns[column]
    words = (schema.description or "").replace("|", "\\|").replace("<", "&lt;")
    return f"| `{column}` | {type_}{' or null' if schema.nullable else ''} | {words} |"


def with_reference(page: str) -> str:
    """The page as written by hand up to the mark, and the generated part after it."""
    mark = MARK.search(page)
    assert mark is not None, "docs/tables.md has lost the comment after which its generated part begins"
    return page[: mark.end()] + reference()


def test_the_page_lists_every_column_as_the_schemas_have_it() -> None:
    page = PAGE.read_text("utf-8")

    assert page == with_reference(page), f"docs/tables.md is out of date; refresh it with: {REFRESH}"


def test_every_table_view_and_column_has_words() -> None:
    text = reference()

    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [*TABLES, *VIEWS]
    assert text.count("\n| `") == sum(len(schema.columns) for schema in TABLES.values())
    assert re.findall(r"^\|.*\|\s*\|$", text, re.MULTILINE) == []


def test_what_it_calls_a_key_is_one_and_its_joins_find_every_row(finished_run: FinishedRun) -> None:
    """A left join by the page's columns neither drops nor multiplies rows of its left side, on a real run."""
    whole = {
        ("verdicts", "runs"): "spec, run",
        ("verdicts", "evals"): "spec, version_key, eval",
        ("verdicts", "outputs"): "spec, corpus, output",
        ("citations", "verdicts"): "spec, run, output, eval",
        ("precision", "evals"): "spec, version_key, eval",
    }
    page = PAGE.read_text("utf-8")
    with connect(str(finished_run.database), read_only=True) as connection:
        for (left, right), columns in whole.items():
            pair = (left, right) if left != "citations" else (right, left)
            assert f"| `{pair[0]}` | `{pair[1]}` | `{columns}` |" in page
            n, joined, found = connection.execute(
                f"select (select count(*) from {left}), count(*), count(r.spec) "
                f"from {left} l left join {right} r using ({columns})"
            ).fetchall()[0]

            assert n == joined == found > 0, (left, right)
        for name, schema in TABLES.items():
            key = ", ".join(f'"{column}"' for column in schema.unique or ())
            doubled = connection.execute(f"select count(*) from (select 1 from {name} group by {key} having count(*) > 1)")
            assert doubled.fetchall() == [(0,)], name


def test_the_way_from_a_citation_to_its_segment_is_as_the_page_says(finished_run: FinishedRun) -> None:
    with connect(str(finished_run.database), read_only=True) as connection:
        of_materials, there = connection.execute(
            """
            select
                (select count(*) from citations where source not in ('output', 'turns')),
                count(*) filter (where substring(text, start + 1, "end" - start) = span)
            from citations c
            join verdicts v using (spec, run, output, eval)
            join documents d using (spec, corpus, task, source)
            join segments s using (spec, corpus, doc_id, file, segment_id)
            """
        ).fetchall()[0]

    assert of_materials == there > 0


def statements(page: str) -> list[str]:
    """The SQL that a page shows, in blocks and in calls of `recordroom sql`."""
    blocks = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    return blocks + re.findall(r'^recordroom sql "(.*)"', page, re.MULTILINE)


def test_all_sql_that_the_analysts_page_shows_finds_rows(finished_run: FinishedRun) -> None:
    shown = statements(PAGE.with_name("analysts.md").read_text("utf-8"))

    assert len(shown) == 6
    for statement in shown:
        assert query(finished_run.database, statement).rows, statement


def test_the_words_that_must_be_quoted_are_the_ones_that_the_pages_name(finished_run: FinishedRun) -> None:
    refused = set()
    with connect(str(finished_run.database), read_only=True) as connection:
        for table, schema in TABLES.items():
            for column in schema.columns:
                try:
                    connection.execute(f"select {column} from {table} limit 0").fetchall()
                except duckdb.ParserException:
                    refused.add(column)

    assert refused == {"on", "end", "check"}
    for page in ("tables.md", "analysts.md"):
        assert {word for word in (*refused, "from") if f'`"{word}"`' in PAGE.with_name(page).read_text("utf-8")} == {
            *refused,
            "from",
        }


def test_a_replaced_file_is_seen_once_every_old_connection_of_the_process_is_closed(
    finished_run: FinishedRun, tmp_path: Path
) -> None:
    database, count = tmp_path / "recordroom.duckdb", "select count(*) from runs"
    build_warehouse(database, tmp_path / "nothing-yet")
    old = connect(str(database), read_only=True)
    before = old.execute(count).fetchall()
    build_warehouse(database, finished_run.warehouse / "tables")
    with connect(str(database), read_only=True) as beside_old:
        still = beside_old.execute(count).fetchall()
    old.close()
    with connect(str(database), read_only=True) as fresh:
        after = fresh.execute(count).fetchall()

    assert (before, still, after) == ([(0,)], [(0,)], [(3,)])


if __name__ == "__main__":
    PAGE.write_text(with_reference(PAGE.read_text("utf-8")), "utf-8")
    sys.stdout.write(f"{PAGE} written\n")
