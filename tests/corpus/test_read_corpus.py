"""Corpus files → tasks and outputs: each fault names file, line and remedy."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.corpus.model import Task
from recordroom_pipeline.corpus.read import FileFacts, read_corpus, read_declaration, read_output, read_task
from recordroom_pipeline.corpus.snapshot import snapshot_hash

FILES = {"schedule.csv": FileFacts(sha256="a" * 64, size=10), "notes/cover sheet.md": FileFacts(sha256="b" * 64, size=3)}
TASK: dict[str, Any] = {
    "id": "PU-1",
    "title": "Renewal",
    "instruction": "Underwrite it.",
    "materials": ["schedule.csv", {"file": "notes/cover sheet.md", "as": "cover"}],
    "tools": [{"name": "sum_column", "description": "adds up", "returns": "a number"}],
}
OUTPUT: dict[str, Any] = {
    "id": "PU-1-a",
    "task": "PU-1",
    "agent": {"id": "desk", "kind": "generated"},
    "turns": [
        {"role": "user", "content": "please"},
        {"role": "agent", "tool": "sum_column", "args": {"column": "TIV"}, "result": {"sum": 12}},
        {"role": "agent", "content": "Done."},
    ],
    "final": "Done.",
}


def task_problems(value: Any) -> tuple[Task | None, list[str]]:
    data = value if isinstance(value, bytes) else json.dumps(value, indent=1).encode()
    task, problems = read_task(data, path="tasks/PU-1/task.json", folder="PU-1", files=FILES)
    return task, [f"{problem.line} {problem.level} {problem.code}" for problem in problems]


def output_problems(value: Any) -> list[str]:
    task, _ = task_problems(TASK)
    assert task is not None
    data = value if isinstance(value, bytes) else json.dumps(value, indent=1).encode()
    _, problems = read_output(data, path="outputs/PU-1-a.json", stem="PU-1-a", tasks={"PU-1": task})
    return [f"{problem.line} {problem.level} {problem.code}" for problem in problems]


def test_a_good_task_and_output_have_no_problems() -> None:
    task, problems = task_problems(TASK)

    assert problems == []
    assert task is not None
    assert [material.name for material in task.materials] == ["schedule", "cover"]
    assert output_problems(OUTPUT) == []


@pytest.mark.parametrize(
    ("fault", "value", "problem"),
    [
        ("not JSON", b'{"id": "PU-1",\n oops}', "2 error RR201"),
        ("a key twice", b'{"id": "PU-1",\n "id": "PU-1"}', "1 error RR201"),
        ("not UTF-8", b'{"id":\n "\xff"}', "2 error RR201"),
        ("half a surrogate", b'{"id": "\\ud800"}', "1 error RR201"),
        ("not an object", b"[]", "1 error RR202"),
        ("no instruction", {key: value for key, value in TASK.items() if key != "instruction"}, "1 error RR203"),
        ("an empty title", TASK | {"title": " "}, "3 error RR204"),
        ("an unknown key", TASK | {"materails": []}, "19 warning RR205"),
        ("an id with a slash", TASK | {"id": "a/b"}, "2 error RR206"),
        ("another id than the folder", TASK | {"id": "PU-2"}, "2 error RR207"),
        ("a path that leaves the folder", TASK | {"materials": ["../secret.csv"]}, "6 error RR208"),
        ("an absolute path", TASK | {"materials": ["/etc/passwd"]}, "6 error RR208"),
        ("a missing material", TASK | {"materials": ["schedul.csv"]}, "6 error RR209"),
        (
            "one name for two",
            TASK | {"materials": ["schedule.csv", {"file": "schedule.csv", "as": "Schedule"}]},
            "7 error RR210",
        ),
        ("a reserved name", TASK | {"materials": [{"file": "schedule.csv", "as": "final answer"}]}, "6 error RR211"),
    ],
)
def test_RR12_a_task_fault_is_named_with_its_line(fault: str, value: Any, problem: str) -> None:
    assert problem in task_problems(value)[1], fault


def with_turn(**turn: Any) -> dict[str, Any]:
    return OUTPUT | {"turns": [turn, *OUTPUT["turns"][1:]]}


@pytest.mark.parametrize(
    ("fault", "value", "problem"),
    [
        ("unknown task", OUTPUT | {"task": "PU-9"}, "3 error RR212"),
        ("another id than the file", OUTPUT | {"id": "PU-1-b"}, "2 error RR207"),
        ("no agent", {key: value for key, value in OUTPUT.items() if key != "agent"}, "1 error RR203"),
        ("unknown kind", OUTPUT | {"agent": {"id": "x", "kind": "made-up"}}, "6 error RR213"),
        ("turns no list", OUTPUT | {"turns": {}}, "8 error RR203"),
        ("unknown role", with_turn(role="assistant", content="x"), "10 error RR214"),
        ("message and tool call", with_turn(role="agent", content="x", tool="y"), "9 error RR215"),
        ("neither", with_turn(role="user"), "9 error RR215"),
        ("a tool call by the user", with_turn(role="user", tool="sum_column"), "10 error RR214"),
        ("content no text", with_turn(role="user", content=7), "11 error RR214"),
        ("args no object", with_turn(role="agent", tool="sum_column", args=[1]), "12 error RR214"),
        ("final is another text", OUTPUT | {"final": "Finished."}, "28 error RR216"),
        ("final missing", {key: value for key, value in OUTPUT.items() if key != "final"}, "1 error RR203"),
        ("an undeclared tool", with_turn(role="agent", tool="guess"), "9 warning RR217"),
    ],
)
def test_RR14_an_output_fault_is_named_with_its_line(fault: str, value: Any, problem: str) -> None:
    assert problem in output_problems(value), fault


def test_a_result_that_is_no_text_is_kept_as_compact_json() -> None:
    task, _ = task_problems(TASK)
    assert task is not None
    output, _ = read_output(json.dumps(OUTPUT).encode(), path="p", stem="PU-1-a", tasks={"PU-1": task})

    assert output is not None
    assert output.turns[1].result == '{"sum":12}'


def corpus_files(**outputs: dict[str, Any]) -> dict[str, bytes]:
    files = {"README.md": b"---\nsynthesized: true\nprovenance: ours\n---\n", "tasks/PU-1/task.json": json.dumps(TASK).encode()}
    return files | {f"outputs/{stem}.json": json.dumps(value).encode() for stem, value in outputs.items()}


MATERIALS = {f"tasks/PU-1/{name}": facts for name, facts in FILES.items()}


def test_one_bad_output_loses_no_other() -> None:
    files = corpus_files(**{"PU-1-a": OUTPUT, "PU-1-b": {"id": "PU-1-b"}})
    corpus, problems = read_corpus(files, MATERIALS)

    assert [output.id for output in corpus.outputs] == ["PU-1-a"]
    assert {problem.path for problem in problems} == {"corpus/outputs/PU-1-b.json"}
    assert (corpus.synthesized, corpus.provenance) == (True, "ours")


def test_an_output_of_a_wrong_task_is_not_reported_for_it() -> None:
    files = corpus_files(**{"PU-1-a": OUTPUT}) | {"tasks/PU-1/task.json": b"{"}
    _, problems = read_corpus(files, MATERIALS)

    assert {problem.path for problem in problems} == {"corpus/tasks/PU-1/task.json"}


def test_white_space_changes_no_snapshot_and_a_word_does() -> None:
    one, _ = read_corpus(corpus_files(**{"PU-1-a": OUTPUT}), MATERIALS)
    spaced = corpus_files(**{"PU-1-a": OUTPUT}) | {"outputs/PU-1-a.json": json.dumps(OUTPUT, indent=4).encode()}
    other, _ = read_corpus(corpus_files(**{"PU-1-a": OUTPUT | {"x-note": "more"}}), MATERIALS)

    assert snapshot_hash(read_corpus(spaced, MATERIALS)[0]) == snapshot_hash(one)
    assert snapshot_hash(other) != snapshot_hash(one)


@pytest.mark.parametrize(
    ("text", "code"), [(b"no frontmatter", "RR220"), (b"---\nsynthesized: perhaps\n---\n", "RR220"), (None, "RR220")]
)
def test_a_corpus_that_does_not_declare_synthesis_is_warned_about(text: bytes | None, code: str) -> None:
    synthesized, _, problems = read_declaration(text, path="corpus/README.md")

    assert synthesized is None
    assert [(problem.level, problem.code) for problem in problems] == [("warning", code)]


@given(st.binary(max_size=300))
def test_any_bytes_give_problems_and_no_traceback(data: bytes) -> None:
    output, problems = read_output(data, path="p", stem="x", tasks={})

    assert output is None
    assert problems


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*OUTPUT, *TASK, "role", "content", "tool", "args"]), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
def test_any_json_gives_problems_and_no_traceback(value: Any) -> None:
    data = json.dumps({"id": "x", **(value if isinstance(value, dict) else {"turns": value})}).encode()
    read_output(data, path="p", stem="x", tasks={})
    read_task(data, path="p", folder="x", files=FILES)
