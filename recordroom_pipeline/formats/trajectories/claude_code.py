"""Claude Code session logs: JSON Lines in which one answer is spread over several lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recordroom_pipeline.formats.trajectories.documents import Line
from recordroom_pipeline.formats.trajectories.messages import HIDDEN, NOT_EVIDENCE, Call, Log, Message, Record, kind_of, text_of

_TYPES = ("user", "assistant")


def is_claude_code(value: Any) -> bool:
    """Whether one of the first lines is a session's message."""
    return isinstance(value, list) and any(
        isinstance(line, Line) and isinstance(line.value, dict) and "sessionId" in line.value and "type" in line.value
        for line in value[:20]
    )


def read_claude_code(value: Any, log: Log) -> list[Record]:
    """Each session and each side session of the file, in the order of its lines."""
    sessions: dict[str, list[Line]] = {}
    for line in value:
        entry = line.value if isinstance(line.value, dict) else {}
        if entry.get("type") not in _TYPES or entry.get("isMeta") or entry.get("isApiErrorMessage"):
            reason = "a note of the program, not of the agent" if entry.get("type") in _TYPES else NOT_EVIDENCE
            log.drop(f"{str(entry.get('type', 'untyped'))[:30]} line", reason)
            continue
        side = entry.get("agentId") if entry.get("isSidechain") else None
        sessions.setdefault(str(side or entry.get("sessionId") or log.stem), []).append(line)
    found: list[Record] = []
    for name, lines in sessions.items():
        with log.record(lines[0].number, ""):
            found.append(_session(name, lines, log))
    return found


def _session(name: str, lines: list[Line], log: Log) -> Record:
    messages: list[Message] = []
    models: list[str] = []
    for line in lines:
        log.line = line.number
        message = line.value.get("message")
        if not isinstance(message, dict):
            log.fault("RR643", "the line has no object `message`", "delete the line or export the session again")
        if isinstance(message.get("model"), str) and not message["model"].startswith("<"):
            models.append(message["model"])
        messages.extend(_messages(message, "agent" if line.value["type"] == "assistant" else "user", log))
    return Record(
        id=name,
        messages=tuple(messages),
        line=lines[0].number,
        agent="claude-code",
        model=models[0] if models else None,
    )


def _messages(message: Mapping[str, Any], role: Any, log: Log) -> Iterator[Message]:
    content = message.get("content")
    if not isinstance(content, list):
        yield Message(role=role, text=text_of(content, log, "the message"))
        return
    for block in content:
        if not isinstance(block, dict):
            log.fault("RR643", f"a block of the message is {kind_of(block)}", 'write `{"type": "text", "text": "…"}`')
        yield from _block(block, role, log)


def _block(block: Mapping[str, Any], role: Any, log: Log) -> Iterator[Message]:
    kind = block.get("type")
    if kind == "tool_use":
        name, id_ = block.get("name"), block.get("id")
        if not isinstance(name, str) or not name.strip():
            log.fault("RR644", "a tool_use block names no tool", "export the session again")
        call = Call(id=id_ if isinstance(id_, str) else None, name=name, arguments=block.get("input"))
        yield Message(role="agent", calls=(call,))
    elif kind == "tool_result":
        id_ = block.get("tool_use_id")
        text = text_of(block.get("content"), log, "a tool result")
        yield Message(role="result", text=text, call_id=id_ if isinstance(id_, str) else None)
    elif kind in ("thinking", "redacted_thinking"):
        log.drop("thinking block", HIDDEN)
    else:
        yield Message(role=role, text=text_of([block], log, "the message"))
