"""OpenAI-style chat messages: one conversation a file, a list of them, or one a line; and tau-bench's result files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recordroom_pipeline.corpus.model import Tool
from recordroom_pipeline.formats.trajectories.documents import Line
from recordroom_pipeline.formats.trajectories.messages import (
    HIDDEN,
    NEUTRAL,
    Call,
    Log,
    Message,
    Record,
    compact,
    kind_of,
    text_of,
)

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_TAKEN = frozenset({"messages", "id", "conversation_id", "task_id", "trial", "model", "tools"})
# Only so that the report can say why: whatever is not taken stays behind, label or not.
_LABELS = frozenset(
    {"reward", "rewards", "score", "scores", "label", "labels", "grade", "rating", "feedback", "annotations", "evaluation"}
    | {"expected", "expected_output", "expectedOutput", "target", "ideal", "answer", "reference", "ground_truth"}
    | {"chosen", "rejected", "prediction", "predictions"}
)
# tau-bench plays the customer with a model, which says this word when it is done.
_STOP = "###STOP###"


def is_message(value: Any) -> bool:
    """Whether a JSON value looks like one chat message."""
    return isinstance(value, dict) and value.get("role") in _ROLES


def is_chat(value: Any) -> bool:
    """Whether a JSON document holds chats: messages, an object with `messages`, or a list of either."""
    first = value[0] if isinstance(value, list) and value else value
    first = first.value if isinstance(first, Line) else first
    if isinstance(first, list):
        return bool(first) and is_message(first[0])
    return is_message(first) or (isinstance(first, dict) and isinstance(first.get("messages"), list))


def is_tau_bench(value: Any) -> bool:
    """Whether a JSON document is a list of tau-bench results."""
    first = value[0] if isinstance(value, list) and value else None
    first = first.value if isinstance(first, Line) else first
    return isinstance(first, dict) and "traj" in first


def numbered(value: Any) -> list[tuple[int, str, Any]]:
    """The records of a document with their lines and names."""
    items = value if isinstance(value, list) else [value]
    return [
        (item.number, "", item.value) if isinstance(item, Line) else (1, f"record {index}", item)
        for index, item in enumerate(items, start=1)
    ]


def read_chat(value: Any, log: Log) -> list[Record]:
    """Every conversation of a chat log."""
    records = numbered(value)
    # Messages without a wrapper: the whole file is one conversation.
    if records and is_message(records[0][2]):
        records = [(1, "", {"messages": [item for _, _, item in records]})]
    found: list[Record] = []
    for index, (line, where, item) in enumerate(records, start=1):
        with log.record(line, where):
            found.append(_chat_record(item, index, log))
    return found


def _chat_record(item: Any, index: int, log: Log) -> Record:
    record = {"messages": item} if isinstance(item, list) else item
    if not isinstance(record, dict) or not isinstance(record.get("messages"), list):
        log.fault("RR642", "the record has no list `messages`", 'write `{"messages": [{"role": …, "content": …}, …]}`')
    log.drop_keys(record, _TAKEN, _LABELS)
    given = next((record[key] for key in ("id", "conversation_id") if isinstance(record.get(key), str | int)), None)
    task = record.get("task_id")
    trial = record.get("trial")
    name = f"{log.stem}-{index:04d}" if given is None else str(given)
    return Record(
        id=name if trial is None or given is not None else f"{name}-{trial}",
        messages=tuple(messages_of(record["messages"], log)),
        line=log.line,
        task=str(task) if isinstance(task, str | int) else None,
        model=record["model"] if isinstance(record.get("model"), str) else None,
        tools=declared_tools(record.get("tools")),
    )


def read_tau_bench(value: Any, log: Log) -> list[Record]:
    """Every trial of a tau-bench result file. `reward` and `info` (script, expected actions) stay behind unread."""
    found: list[Record] = []
    for line, where, item in numbered(value):
        with log.record(line, where):
            found.append(_trial(item, log))
    return found


def _trial(item: Any, log: Log) -> Record:
    if not isinstance(item, dict) or not isinstance(item.get("traj"), list):
        log.fault("RR642", "the result has no list `traj`", "export the results again")
    task, trial = item.get("task_id"), item.get("trial", 0)
    if not isinstance(task, int | str) or not isinstance(trial, int | str):
        log.fault("RR642", "`task_id` or `trial` is no number", "export the results again")
    log.drop_keys(item, frozenset({"task_id", "trial", "traj"}), _LABELS | {"info"})
    messages = (_without_stop(message, log) for message in messages_of(item["traj"], log))
    return Record(
        id=f"{log.stem}-{task}-{trial}",
        # What the played customer happened to say first is not what the agent was asked to do.
        instruction=NEUTRAL,
        task=f"task-{task}",
        messages=tuple(messages),
        line=log.line,
    )


def _without_stop(message: Message, log: Log) -> Message:
    if message.role != "user" or _STOP not in message.text:
        return message
    log.drop(_STOP, "a signal of the program that plays the customer")
    return Message(role="user", text=message.text.replace(_STOP, "").rstrip())


def messages_of(items: Sequence[Any], log: Log) -> Iterator[Message]:
    """Chat messages as messages."""
    for number, item in enumerate(items, start=1):
        yield from _message(item, f"message {number}", log)


def _message(item: Any, what: str, log: Log) -> Iterator[Message]:
    if not isinstance(item, dict) or not isinstance(item.get("role"), str):
        log.fault("RR643", f"{what} is no object with a `role`", 'write `{"role": "user", "content": "…"}`')
    role = item["role"]
    if role not in _ROLES:
        log.fault("RR643", f"{what} has the role '{role[:40]}'", f"write one of {', '.join(_ROLES)}")
    if any(item.get(key) for key in ("reasoning_content", "reasoning", "thinking")):
        log.drop("reasoning", HIDDEN)
    text = _result_text(item, log, what) if role in ("tool", "function") else text_of(item.get("content"), log, what)
    if role in ("system", "developer"):
        yield Message(role="system", text=text)
    elif role in ("tool", "function"):
        yield from _results(item, text)
    elif role == "user":
        yield Message(role="user", text=text)
    else:
        yield Message(role="agent", text=text or _refusal(item), calls=tuple(_calls(item, what, log)))


def _result_text(item: Mapping[str, Any], log: Log, what: str) -> str:
    content = item.get("content")
    # Some clients store a result as the object it was.
    return compact(content) if isinstance(content, dict | int | float) else text_of(content, log, what)


def _results(item: Mapping[str, Any], text: str) -> Iterator[Message]:
    many = item.get("tool_call_ids")
    id_ = item.get("tool_call_id") or (many[0] if isinstance(many, list) and many else None)
    name = item.get("name")
    yield Message(
        role="result",
        text=text,
        call_id=id_ if isinstance(id_, str) else None,
        name=name if isinstance(name, str) else None,
    )


def _refusal(item: Mapping[str, Any]) -> str:
    refusal = item.get("refusal")
    return refusal if isinstance(refusal, str) else ""


def _calls(item: Mapping[str, Any], what: str, log: Log) -> Iterator[Call]:
    calls = item.get("tool_calls") or []
    if not isinstance(calls, list):
        log.fault("RR644", f"`tool_calls` of {what} is {kind_of(calls)}", "write a list of calls, or leave it out")
    legacy = item.get("function_call")
    for number, call in enumerate([*calls, *([{"function": legacy}] if legacy else [])], start=1):
        yield _call(call, f"tool call {number} of {what}", log)


def _call(call: Any, what: str, log: Log) -> Call:
    function = call.get("function", call) if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name.strip():
        log.fault("RR644", f"{what} names no function", 'write `{"id": …, "function": {"name": …, "arguments": "{…}"}}`')
    assert isinstance(call, dict)
    assert isinstance(function, dict)
    id_ = call.get("id")
    return Call(id=id_ if isinstance(id_, str) else None, name=name, arguments=function.get("arguments"))


def declared_tools(value: Any) -> tuple[Tool, ...]:
    """The functions that a request declared; one without a name is no tool."""
    entries = value if isinstance(value, list) else []
    functions = [entry.get("function", entry) for entry in entries if isinstance(entry, dict)]
    named = {f["name"]: f for f in functions if isinstance(f, dict) and isinstance(f.get("name"), str) and f["name"].strip()}
    return tuple(
        Tool(name=name, description=entry["description"] if isinstance(entry.get("description"), str) else "")
        for name, entry in named.items()
    )
