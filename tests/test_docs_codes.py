"""docs/codes.md against the source: every problem code once, with the level that the code gives it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

CODE = re.compile(r"RR\d{3}")
ROW = re.compile(r"^\| (RR\d{3}) \| (error|warning) \| (.+) \| (.+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def sources(project: Path) -> dict[str, str]:
    files = sorted((project / "recordroom_pipeline").rglob("*.py"))
    return {file.relative_to(project).as_posix(): file.read_text("utf-8") for file in files}


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    return (project / "docs/codes.md").read_text("utf-8")


def codes_of_calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each code that a call is given, and the level that the same call gives."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            constants = [value.value for value in given if isinstance(value, ast.Constant)]
            warns = isinstance(node.func, ast.Attribute) and node.func.attr == "warn"
            warns = warns or "warning" in constants or any(keyword.arg == "level_is_warning" for keyword in node.keywords)
            for value in constants:
                if isinstance(value, str) and CODE.fullmatch(value):
                    yield value, "warning" if warns else "error"


def test_every_code_of_the_source_is_one_row_and_no_row_is_left_over(sources: dict[str, str], page: str) -> None:
    used = {code for text in sources.values() for code in CODE.findall(text)}
    rows = [code for code, *_ in ROW.findall(page)]

    assert len(used) > 60
    assert sorted(used - set(rows)) == [], "add a row for these to docs/codes.md"
    assert sorted(set(rows) - used) == [], "no code gives these any more: take them out of docs/codes.md"
    assert rows == sorted(set(rows)), "one row a code, in order"


def test_each_code_has_one_level_and_the_page_says_which(sources: dict[str, str], page: str) -> None:
    levels = defaultdict(set)
    for text in sources.values():
        for code, level in codes_of_calls(ast.parse(text)):
            levels[code].add(level)
    written = {code: {level} for code, level, *_ in ROW.findall(page)}

    # RR107 stands as a default only: the code of most faults of the frontmatter.
    assert written.keys() - levels.keys() == {"RR107"}
    assert {code: written[code] for code in levels} == levels


def test_a_code_stands_in_the_section_of_its_hundred(page: str) -> None:
    for head, *body in (section.splitlines() for section in page.split("\n## ")[1:]):
        hundreds = {code[:3] for code in CODE.findall("\n".join(line for line in body if line.startswith("| RR")))}

        assert hundreds == {head[:3]}
