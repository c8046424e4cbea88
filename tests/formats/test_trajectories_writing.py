"""What an import writes: the seed's files, once, and never a label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recordroom_pipeline.corpus.read import FileFacts, read_corpus
from recordroom_pipeline.errors import AlreadyWritten, Problem, ProblemsFound
from recordroom_pipeline.formats.trajectories import read_trajectories, write_corpus

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Roofing?"},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "find", "arguments": '{"z": 1, "a": 2}'}}]},
    {"role": "tool", "tool_call_id": "a", "content": "no"},
    {"role": "assistant", "content": "Nein – out."},
]


def import_into(folder: Path, value: Any, path: str = "desk.json", **more: str) -> Any:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return write_corpus(read_trajectories(data, path=path), folder, **more)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def corpus_faults(files: Mapping[str, bytes]) -> list[str]:
    """What the corpus reader finds wrong with written files."""
    inside = {name.removeprefix("corpus/"): data for name, data in files.items()}
    documents = {name: data for name, data in inside.items() if name.endswith(".json") or name == "README.md"}
    materials = {name: FileFacts(sha256="", size=len(data)) for name, data in inside.items() if name not in documents}
    return [str(problem) for problem in read_corpus(documents, materials)[1]]


def test_the_files_are_those_of_the_format(tmp_path: Path) -> None:
    import_into(tmp_path, {"messages": MESSAGES, "id": "c7", "model": "gpt"})
    files = files_in(tmp_path)

    assert sorted(files) == [
        "corpus/README.md",
        "corpus/outputs/c7.json",
        "corpus/tasks/c7/policy.md",
        "corpus/tasks/c7/task.json",
    ]
    assert json.loads(files["corpus/tasks/c7/task.json"]) == {
        "id": "c7",
        "title": "c7",
        "instruction": "Roofing?",
        "materials": ["policy.md"],
    }
    assert files["corpus/tasks/c7/policy.md"] == b"Be brief.\n"
    assert json.loads(files["corpus/outputs/c7.json"]) == {
        "id": "c7",
        "task": "c7",
        "agent": {"id": "desk", "kind": "captured", "model": "gpt"},
        "turns": [
            {"role": "user", "content": "Roofing?"},
            {"role": "agent", "tool": "find", "args": {"z": 1, "a": 2}, "result": "no"},
            {"role": "agent", "content": "Nein – out."},
        ],
        "final": "Nein – out.",
    }
    assert '"z": 1,' in files["corpus/outputs/c7.json"].decode().split('"a": 2')[0]
    assert "Nein – out.".encode() in files["corpus/outputs/c7.json"]
    assert corpus_faults(files) == []


def test_readme_declares_where_the_sessions_come_from_and_is_never_rewritten(tmp_path: Path) -> None:
    import_into(tmp_path, {"messages": MESSAGES, "id": "a"}, path="logs/monday.json")
    readme = tmp_path / "corpus" / "README.md"
    first = readme.read_text()
    report = import_into(tmp_path, {"messages": MESSAGES, "id": "b"}, path="logs/tuesday.json")

    assert first.startswith('---\nsynthesized: false\nprovenance: "monday.json, sha256 ')
    assert readme.read_text() == first
    assert "add to it: tuesday.json, sha256" in str(report.warnings[0])


def test_a_second_import_writes_nothing_and_a_spec_is_never_made(tmp_path: Path) -> None:
    first = import_into(tmp_path, {"messages": MESSAGES})
    before = files_in(tmp_path)
    second = import_into(tmp_path, {"messages": MESSAGES})

    assert (len(first.written), second.written, len(second.unchanged)) == (4, (), 3)
    assert files_in(tmp_path) == before
    assert not (tmp_path / "SPEC.md").exists()


def test_what_stands_there_with_other_content_is_kept_and_nothing_is_written(tmp_path: Path) -> None:
    import_into(tmp_path, {"messages": MESSAGES, "id": "a"})
    before = files_in(tmp_path)

    with pytest.raises(AlreadyWritten, match=r"corpus/outputs/a\.json .*nothing was written"):
        import_into(tmp_path, [{"messages": MESSAGES, "id": "new"}, {"messages": MESSAGES[:-1], "id": "a"}])
    assert files_in(tmp_path) == before


def test_a_tasks_folder_without_a_system_message_has_no_policy(tmp_path: Path) -> None:
    import_into(tmp_path, {"messages": MESSAGES[1:], "id": "a"}, agent="desk-7", model="gpt")
    files = files_in(tmp_path)

    assert "corpus/tasks/a/policy.md" not in files
    assert json.loads(files["corpus/tasks/a/task.json"])["materials"] == []
    assert json.loads(files["corpus/outputs/a.json"])["agent"] == {"id": "desk-7", "kind": "captured", "model": "gpt"}


def test_the_report_says_the_same_to_people_and_to_programs(tmp_path: Path) -> None:
    report = import_into(tmp_path, [{"task_id": 1, "trial": 0, "reward": 1.0, "info": {}, "traj": MESSAGES[:3]}])

    assert report.taken == {"tasks": 1, "outputs": 1, "messages": 1, "tool calls": 1, "tool calls without a result": 1}
    assert "dropped: 1 × `reward` (a label: never evidence)" in report.lines()
    assert json.loads(json.dumps(report.as_json()))["dropped"][1]["what"] == "`reward`"
    assert report.as_json()["taken"] == report.taken


PLANTED = st.text(alphabet="qxz", min_size=12, max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(planted=PLANTED, chat=st.booleans())
def test_labels_never_reach_a_written_file(tmp_path_factory: pytest.TempPathFactory, planted: str, chat: bool) -> None:
    folder = tmp_path_factory.mktemp("labels")
    task = {"instruction": planted, "actions": [{"name": planted, "kwargs": {planted: planted}}], "outputs": [planted]}
    trial = {"task_id": 1, "trial": 0, "reward": planted, "info": {"task": task, planted: planted}, "traj": MESSAGES}
    labelled = {"id": "a", "messages": MESSAGES, **dict.fromkeys(("expected_output", "score", "metadata", planted), planted)}
    report = import_into(folder, labelled if chat else [trial])

    assert len(report.written) == 4
    assert not [name for name, data in files_in(folder).items() if planted.encode() in data]


@given(planted=PLANTED)
@settings(max_examples=20)
def test_labels_of_other_kinds_never_reach_a_written_file(tmp_path_factory: pytest.TempPathFactory, planted: str) -> None:
    sample = {"id": 1, "messages": MESSAGES_OF_INSPECT, "target": planted, "scores": {"m": planted}, "metadata": {"k": planted}}
    inspect = {"status": "success", "eval": {"task": "t"}, "samples": [sample], "results": planted, "reductions": [planted]}
    answer = {"prompt": {"raw": "Hi", "label": planted}, "response": {"output": "Ho"}, "vars": {"expected": planted}}
    graded = answer | {"testCase": {"assert": [planted]}, "gradingResult": {"reason": planted}, "error": planted}
    step = {"source": "agent", "message": "Ho", "metrics": {"reward": planted}}
    atif = {"schema_version": "ATIF-v1.4", "steps": [step], "final_metrics": {"reward": planted}, "extra": {"label": planted}}
    for value in (inspect, {"results": {"results": [graded]}}, atif, {"history": MESSAGES, "info": {"score": planted}}):
        folder = tmp_path_factory.mktemp("labels")
        import_into(folder, value)

        assert not [name for name, data in files_in(folder).items() if planted.encode() in data]


MESSAGES_OF_INSPECT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]

WORDS = st.sampled_from(
    [
        *(
            "messages",
            "role",
            "content",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "id",
            "tool_call_id",
            "traj",
            "task_id",
        ),
        *("trial", "info", "user", "assistant", "tool", "system", "history", "eval", "status", "samples", "steps", "source"),
        *("schema_version", "results", "response", "prompt", "raw", "attributes", "gen_ai.input.messages", "parts", "type"),
        *("text", "sessionId", "message", "ATIF-v1", "model", "tools", "observation", "agent", "reasoning", "\ud83d"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=4),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(WORDS, child, max_size=5),
    max_leaves=30,
)
ROWS = st.lists(st.dictionaries(WORDS, VALUES))
CALLS = st.lists(st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": WORDS, "arguments": VALUES})}))
LIKE_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "function"])},
    optional={"content": VALUES, "tool_calls": CALLS | VALUES, "parts": VALUES}
    | dict.fromkeys(("tool_call_id", "tool_call_ids", "name"), VALUES),
)
ANSWERS = st.fixed_dictionaries({"prompt": st.text() | VALUES, "response": st.fixed_dictionaries({"output": VALUES})})
CHATS = st.lists(LIKE_MESSAGE, max_size=4)
SAMPLES = st.lists(st.fixed_dictionaries({"messages": CHATS}, optional={"id": VALUES, "attachments": VALUES}))
SPANS = st.fixed_dictionaries(
    {"attributes": st.dictionaries(WORDS, VALUES)}, optional={"trace_id": VALUES, "start_time": VALUES}
)
LIKE_LOG = st.one_of(
    CHATS,
    st.fixed_dictionaries({"messages": CHATS}, optional={"id": VALUES, "tools": VALUES, "task_id": VALUES}),
    st.lists(st.fixed_dictionaries({"traj": CHATS, "task_id": st.integers() | VALUES}, optional={"trial": VALUES})),
    st.fixed_dictionaries({"history": CHATS | VALUES}),
    st.fixed_dictionaries({"status": VALUES, "eval": st.dictionaries(WORDS, VALUES), "samples": SAMPLES}),
    st.fixed_dictionaries({"schema_version": st.just("ATIF-v1.0"), "steps": ROWS, "agent": VALUES}),
    st.fixed_dictionaries({"results": st.fixed_dictionaries({"results": ROWS | st.lists(ANSWERS)})}),
    st.lists(SPANS),
    st.lists(st.fixed_dictionaries({"sessionId": VALUES, "type": WORDS, "message": VALUES}), min_size=2),
    VALUES,
)


@given(value=LIKE_LOG, as_lines=st.booleans())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_read_is_a_corpus_without_faults_or_a_list_of_problems(
    tmp_path_factory: pytest.TempPathFactory, value: Any, as_lines: bool
) -> None:
    rows = value if as_lines and isinstance(value, list) else [value]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    try:
        trajectories = read_trajectories(data, path="x.json")
    except ProblemsFound:
        return
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(trajectories, folder)

    assert [fault for fault in corpus_faults(files_in(folder)) if "error" in fault] == []
    assert write_corpus(trajectories, folder).written == ()


@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda tail: b"PK\x03\x04" + tail) | st.text().map(str.encode))
def test_no_bytes_raise_anything_but_problems(data: bytes) -> None:
    problems: tuple[Problem, ...] | None = None
    try:
        read_trajectories(data, path="x.json")
    except ProblemsFound as caught:
        problems = caught.problems

    assert problems is None or all(problem.code.startswith("RR6") for problem in problems)
