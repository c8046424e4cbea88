"""Importing conversations: what is taken from each kind of log, what stays behind, and which faults are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recordroom_pipeline.corpus.model import Turn
from recordroom_pipeline.errors import ProblemsFound
from recordroom_pipeline.formats.trajectories import KINDS, Trajectories, read_trajectories


def read(value: Any, path: str = "desk.json") -> Trajectories:
    return read_trajectories(json.dumps(value).encode(), path=path)


def lines(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def said(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def calls(*named: tuple[str, str, str]) -> dict[str, Any]:
    """An assistant message with calls of (id, function, arguments)."""
    made = [{"id": id_, "type": "function", "function": {"name": name, "arguments": args}} for id_, name, args in named]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(id_: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


ARGS = {"naics": "238160", "limit": 2}
CHAT = [
    said("system", "Insure no roofs."),
    said("user", "Is roofing in appetite?"),
    calls(("c1", "query_appetite", '{"naics": "238160", "limit": 2}')),
    result("c1", "out of appetite"),
    said("assistant", "No, roofing is out."),
]
TURNS = (
    Turn(role="user", content="Is roofing in appetite?"),
    Turn(role="agent", tool="query_appetite", args=ARGS, result="out of appetite"),
    Turn(role="agent", content="No, roofing is out."),
)


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(CHAT).encode(),
        json.dumps({"messages": CHAT}).encode(),
        json.dumps([{"messages": CHAT}]).encode(),
        json.dumps([CHAT]).encode(),
        lines({"messages": CHAT}),
        lines(*CHAT),
        b"\xef\xbb\xbf" + json.dumps({"messages": CHAT}, indent=2).replace("\n", "\r\n").encode(),
    ],
    ids=["messages", "object", "list", "list of lists", "lines", "a message a line", "byte order mark and CRLF"],
)
def test_a_chat_is_one_output_whatever_wraps_its_messages(data: bytes) -> None:
    (conversation,) = read_trajectories(data, path="logs/desk.json").conversations

    assert conversation.output.turns == TURNS
    assert conversation.output.final == "No, roofing is out."
    assert conversation.output.id == conversation.output.task == "desk-0001"
    assert conversation.output.agent.kind == "captured"
    assert conversation.policy == "Insure no roofs."
    assert conversation.instruction == "Is roofing in appetite?"


def test_results_are_joined_to_their_calls_by_id_not_by_place() -> None:
    chat = [said("user", "Both?"), calls(("a", "first", "{}"), ("b", "second", "{}")), result("b", "2"), result("a", "1")]

    turns = read(chat).conversations[0].output.turns

    assert [(turn.tool, turn.result) for turn in turns[1:]] == [("first", "1"), ("second", "2")]


def test_an_id_that_is_used_again_belongs_to_the_newer_call() -> None:
    chat = [said("user", "Go"), calls(("a", "lost", "{}")), calls(("a", "found", "{}")), result("a", "here")]

    turns = read(chat).conversations[0].output.turns

    assert [(turn.tool, turn.result) for turn in turns[1:]] == [("lost", None), ("found", "here")]


def test_a_result_that_answers_no_call_is_counted_and_reported_not_guessed() -> None:
    trajectories = read([said("user", "Go"), calls(("a", "find", "{}")), result("z", "stray")])

    assert trajectories.conversations[0].output.turns[1].result is None
    assert [(drop.what, drop.count) for drop in trajectories.dropped] == [("tool result without a call", 1)]
    assert "'z' that answers no call" in str(trajectories.warnings[0])


def test_function_calls_of_the_old_api_are_joined_by_name() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}}
    chat = [said("user", "Go"), old, {"role": "function", "name": "find", "content": "here"}]

    assert read(chat).conversations[0].output.turns[1] == Turn(role="agent", tool="find", result="here")


def test_words_said_beside_a_call_come_before_it() -> None:
    chat = [said("user", "Go"), calls(("a", "find", "{}")) | {"content": "I will look."}, result("a", "here")]

    turns = read(chat).conversations[0].output.turns

    assert [turn.content or turn.tool for turn in turns] == ["Go", "I will look.", "find"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('{"b": 1, "a": [2.50, null]}', {"b": 1, "a": [2.5, None]}),
        ("", {}),
        (None, {}),
        ({"n": 1}, {"n": 1}),
        ('{"n": ', {"_unparsed": '{"n": '}),
        ("[1, 2]", {"_unparsed": "[1, 2]"}),
        ('{"n": 1, "n": 2}', {"_unparsed": '{"n": 1, "n": 2}'}),
        ('{"n": NaN}', {"_unparsed": '{"n": NaN}'}),
        ('{"n": 12345678901234567890}', {"_unparsed": '{"n": 12345678901234567890}'}),
        ('{"t": "\\ud83d"}', {"_unparsed": '{"t": "\\ud83d"}'}),
    ],
)
def test_arguments_keep_their_order_and_stay_text_where_json_cannot_say_them(written: Any, kept: dict[str, Any]) -> None:
    chat = [said("user", "Go"), calls(("a", "find", written))]

    args = read(chat).conversations[0].output.turns[1].args

    assert json.dumps(args) == json.dumps(kept)


def test_final_is_the_last_thing_the_agent_said_even_where_a_call_follows() -> None:
    ends_in_call = [said("user", "Go"), said("assistant", "Please hold."), calls(("a", "transfer", "{}"))]
    silent = [said("user", "Go"), calls(("a", "transfer", "{}"))]

    assert read(ends_in_call).conversations[0].output.final == "Please hold."
    assert read(silent).conversations[0].output.final == ""


def test_parts_are_read_as_text_and_what_has_none_is_counted() -> None:
    parts = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "this"},
    ]
    trajectories = read([{"role": "user", "content": parts}, said("assistant", "Yes.")])

    assert trajectories.conversations[0].output.turns[0].content == "See\nthis"
    assert [(drop.what, drop.count) for drop in trajectories.dropped] == [("image_url part", 1)]


def test_declared_functions_become_the_tasks_tools() -> None:
    tools = [{"type": "function", "function": {"name": "find", "description": "Finds it."}}]

    assert [(t.name, t.description) for t in read({"messages": CHAT, "tools": tools}).conversations[0].tools] == [
        ("find", "Finds it.")
    ]


def test_a_log_names_its_conversations_and_a_name_is_safe_for_files() -> None:
    chat = {"messages": CHAT, "id": "../Case 7/ä", "model": "gpt-4o"}

    output = read(chat).conversations[0].output

    assert (output.id, output.agent.model) == ("case-7", "gpt-4o")


TRIAL = {
    "task_id": 3,
    "trial": 1,
    "reward": 1.0,
    "info": {"task": {"instruction": "You are Mia.", "actions": []}},
    "traj": [*CHAT, said("user", "Thanks! ###STOP###")],
}


def test_trials_of_tau_bench_share_a_task_whose_instruction_is_not_the_customers() -> None:
    other = TRIAL | {"trial": 2, "traj": [CHAT[0], said("user", "Roofing?"), said("user", "###STOP###")]}
    trajectories = read([TRIAL, other], path="gpt.json")

    first, second = trajectories.conversations
    assert trajectories.kind == "tau-bench"
    assert [first.output.id, second.output.id, first.output.task, second.output.task] == [
        "gpt-3-1",
        "gpt-3-2",
        "task-3",
        "task-3",
    ]
    assert first.instruction == second.instruction != "Is roofing in appetite?"
    assert first.output.turns[-1].content == "Thanks!"
    assert [turn.content for turn in second.output.turns] == ["Roofing?"]
    assert {drop.what: drop.count for drop in trajectories.dropped} == {
        "`info`": 2,
        "`reward`": 2,
        "###STOP###": 2,
        "blank user message": 1,
    }


INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "desk", "model": "openai/gpt"},
    "samples": [
        {
            "id": 7,
            "epoch": 2,
            "target": "no",
            "scores": {"match": {"value": "C"}},
            "attachments": {"aa": "Is roofing in appetite?"},
            "messages": [
                said("system", "Insure no roofs."),
                said("user", "attachment://aa"),
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c1", "function": "query_appetite", "arguments": ARGS}],
                },
                result("c1", "out of appetite"),
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "reasoning": "…"}, {"type": "text", "text": "No, roofing is out."}],
                },
            ],
        }
    ],
}
ATIF = {
    "schema_version": "ATIF-v1.6",
    "session_id": "S 7",
    "agent": {"name": "desk", "model_name": "gpt"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Insure no roofs."},
        {"step_id": 2, "source": "user", "message": "Is roofing in appetite?"},
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "query_appetite", "arguments": ARGS}],
            "observation": {"results": [{"source_call_id": "c1", "content": "out of appetite"}]},
        },
        {"step_id": 4, "source": "agent", "message": "No, roofing is out."},
    ],
}
SWE_AGENT = {
    "history": [
        said("user", "For example: …") | {"is_demo": True},
        *CHAT[:3],
        {"role": "tool", "content": "out of appetite", "tool_call_ids": ["c1"]},
        CHAT[4],
    ],
    "info": {"exit_status": "submitted"},
}


def claude(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s1", "message": {"role": kind, "content": content, "model": "claude"}} | more


CLAUDE = [
    {"type": "summary", "summary": "Roofing", "sessionId": "s1"},
    claude("user", "Is roofing in appetite?"),
    claude("assistant", [{"type": "thinking", "thinking": "…"}]),
    claude("assistant", [{"type": "tool_use", "id": "c1", "name": "query_appetite", "input": ARGS}]),
    claude("user", [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "out of appetite"}]}]),
    claude("assistant", [{"type": "text", "text": "No, roofing is out."}]),
    claude("assistant", [{"type": "text", "text": "You've hit your limit"}], isApiErrorMessage=True),
]


def part(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


ASK = part("user", {"type": "text", "content": "Is roofing in appetite?"})
CALL = part("assistant", {"type": "tool_call", "id": "c1", "name": "query_appetite", "arguments": ARGS})
ANSWER = part("assistant", {"type": "text", "content": "No, roofing is out."})
RULES = [{"type": "text", "content": "Insure no roofs."}]


def span(start: int, operation: str, **attributes: Any) -> dict[str, Any]:
    """A span whose structured attributes are JSON in texts, as exporters write them."""
    held = {"operation__name": operation} | attributes
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in held.items()}
    pairs = [{"key": f"gen_ai.{key.replace('__', '.')}", "value": {"stringValue": text}} for key, text in texts.items()]
    return {"traceId": "t1", "startTimeUnixNano": str(start), "attributes": pairs}


RESPONSE = part("tool", {"type": "tool_call_response", "id": "c1", "response": "out of appetite"})
SPANS = [
    span(1, "invoke_agent", input__messages=[ASK], output__messages=[ANSWER]),
    span(40, "chat", input__messages=[ASK, CALL, RESPONSE], output__messages=[ANSWER]),
    span(20, "chat", system_instructions=RULES, input__messages=[ASK], output__messages=[CALL]),
    span(30, "execute_tool", tool__call__id="c1", tool__call__result="out of appetite"),
]
OTEL = {"resourceSpans": [{"scopeSpans": [{"spans": SPANS}]}]}


@pytest.mark.parametrize(
    ("kind", "data", "output_id", "policy"),
    [
        ("openai-chat", json.dumps(CHAT).encode(), "desk-0001", True),
        ("tau-bench", json.dumps([TRIAL | {"traj": CHAT}]).encode(), "desk-3-1", True),
        ("inspect", json.dumps(INSPECT).encode(), "desk-7-openai-gpt-e2", True),
        ("atif", json.dumps(ATIF).encode(), "s-7", True),
        ("swe-agent", json.dumps(SWE_AGENT).encode(), "desk", True),
        ("claude-code", lines(*CLAUDE), "s1", False),
        ("otel-genai", json.dumps(OTEL).encode(), "desk-t1", True),
    ],
)
def test_every_kind_tells_the_same_session_in_the_same_turns(kind: str, data: bytes, output_id: str, policy: bool) -> None:
    trajectories = read_trajectories(data, path="desk.json")

    (conversation,) = trajectories.conversations
    assert trajectories.kind == kind
    assert conversation.output.turns == TURNS
    assert conversation.output.final == "No, roofing is out."
    assert conversation.output.id == output_id
    assert conversation.policy == ("Insure no roofs." if policy else None)
    assert not trajectories.warnings


def test_an_answer_of_promptfoo_is_a_session_of_one_question() -> None:
    given = {"prompt": {"raw": "Is roofing in?"}, "testIdx": 0, "promptIdx": 0, "provider": {"id": "openai:gpt"}}
    graded = given | {"response": {"output": "No."}, "success": False, "gradingResult": {"pass": False}}
    failed = given | {"response": {"error": "no key"}}
    trajectories = read({"results": {"version": 3, "results": [graded, failed, graded]}})

    assert trajectories.kind == "promptfoo"
    assert [conversation.output.id for conversation in trajectories.conversations] == [
        "desk-0-0-openai-gpt-1",
        "desk-0-0-openai-gpt-2",
    ]
    assert [turn.content for turn in trajectories.conversations[0].output.turns] == ["Is roofing in?", "No."]
    assert {drop.what for drop in trajectories.dropped} == {"result without an answer", "`success`", "`gradingResult`"}


def test_side_sessions_of_claude_code_are_sessions_of_their_own() -> None:
    data = lines(claude("user", "Go"), claude("user", "Look", isSidechain=True, agentId="a2"), claude("assistant", "Done"))

    assert [c.output.id for c in read_trajectories(data, path="s.jsonl").conversations] == ["s1", "a2"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfe", "desk.json:1:1: error RR641 byte 0 is not UTF-8"),
        (b"[1,\n2,\n", "desk.json:3:1: error RR641 not readable as JSON"),
        (b'{"messages": []}\n{"messages": \n', "desk.json:2:1: error RR641 the line is not JSON"),
        (b"[" * 5000, "RR641 not readable"),
        (b"[" * 300 + b"]" * 300, "RR641 not readable"),
        (b'{"a": ' + b"9" * 5000 + b"}", "RR641 not readable"),
        (b"PK\x03\x04rest", "RR649 the archive cannot be unpacked"),
        (b'{"rows": [1]}', "RR640 this is no kind of log"),
        (b"[]", "RR640 this is no kind of log"),
        (b'{"eval": {}, "status": "success", "samples": []}', "RR647 the inspect log holds no conversation"),
        (b'[{"messages": [{"role": "user"}]}, {"chat": 1}]', "record 2: the record has no list `messages`"),
        (b'[{"messages": [{"role": "narrator"}]}, {"messages": []}]', "record 1: message 1 has the role 'narrator'"),
        (b'{"messages": [7]}', "message 1 is no object with a `role`"),
        (b'{"messages": [{"role": "user", "content": 7}]}', "the content of message 1 is a number"),
        (b'{"messages": [{"role": "user", "content": [7]}]}', "a part of message 1 is a number"),
        (b'{"messages": [{"role": "assistant", "tool_calls": [{}]}]}', "RR644 record 1: tool call 1 of message 1 names"),
        (b'{"messages": [{"role": "assistant", "tool_calls": {"a": 1}}]}', "RR644 record 1: `tool_calls` of message 1 is an"),
        (b'[{"task_id": 1, "traj": "x"}]', "record 1: the result has no list `traj`"),
        (b'{"trajectory": []}', "the session has no list `history`"),
    ],
)
def test_a_fault_is_named_with_its_place_and_remedy(data: bytes, expected: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        read_trajectories(data, path="desk.json")

    assert expected in str(caught.value)
    assert all(problem.remedy for problem in caught.value.problems)


def test_all_faults_of_a_file_are_named_at_once_each_at_its_line() -> None:
    data = lines({"messages": CHAT}, {"messages": "none"}, {"messages": [said("narrator", "…")]}, {"messages": CHAT, "id": 1})

    with pytest.raises(ProblemsFound) as caught:
        read_trajectories(data, path="desk.jsonl")

    assert [(problem.line, problem.code) for problem in caught.value.problems] == [(2, "RR642"), (3, "RR643")]


def test_an_unknown_kind_says_which_kinds_are_known() -> None:
    with pytest.raises(ProblemsFound) as caught:
        read({"rows": []})

    assert all(kind.name in str(caught.value) for kind in KINDS)


def test_two_conversations_of_one_id_are_refused() -> None:
    with pytest.raises(ProblemsFound, match="RR645 two conversations get the id 'case-7'"):
        read([{"messages": CHAT, "id": "case 7"}, {"messages": CHAT, "id": "Case-7"}])


def test_one_task_has_one_set_of_rules() -> None:
    with pytest.raises(ProblemsFound, match="RR646 the conversations of task 'task-3' have different system messages"):
        read([TRIAL, TRIAL | {"trial": 2, "traj": [said("system", "Insure all."), *CHAT[1:]]}])


def test_the_real_samples_of_every_kind_are_read(shared_fixtures: Path) -> None:
    folder = shared_fixtures / "trajectories"
    kinds = {
        "claude-code/*.jsonl": "claude-code",
        "inspect/*.json": "inspect",
        "inspect/*.eval": "inspect",
        "openai-chat/*.jsonl": "openai-chat",
        "otel-genai/*.json": "otel-genai",
        "promptfoo/*.json": "promptfoo",
        "swe-agent/*.traj": "swe-agent",
        "tau-bench/*.json": "tau-bench",
    }
    read_as = {
        pattern: {read_trajectories(path.read_bytes(), path=path.name).kind for path in folder.glob(pattern)}
        for pattern in kinds
    }

    assert read_as == {pattern: {kind} for pattern, kind in kinds.items()}
