"""Bytes → `Trajectories`: which kind of log it is, and the names its conversations get."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.corpus.model import Agent, Output, Tool
from recordroom_pipeline.errors import ProblemsFound, errors_in
from recordroom_pipeline.formats.trajectories import atif, chat, claude_code, inspect_log, otel, promptfoo, swe_agent
from recordroom_pipeline.formats.trajectories.documents import decode, parse
from recordroom_pipeline.formats.trajectories.joining import join
from recordroom_pipeline.formats.trajectories.messages import NEUTRAL, Log, Message, Record, RecordFault, mended
from recordroom_pipeline.formats.trajectories.model import Conversation, Dropped, Trajectories

MAX_BYTES = 512 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of log."""

    name: str
    looks_like: Callable[[Any], bool]
    read: Callable[[Any, Log], list[Record]]


# The first that fits wins, so the narrow ones stand before the wide one.
KINDS: tuple[Kind, ...] = (
    Kind(name="tau-bench", looks_like=chat.is_tau_bench, read=chat.read_tau_bench),
    Kind(name="inspect", looks_like=inspect_log.is_inspect, read=inspect_log.read_inspect),
    Kind(name="claude-code", looks_like=claude_code.is_claude_code, read=claude_code.read_claude_code),
    Kind(name="atif", looks_like=atif.is_atif, read=atif.read_atif),
    Kind(name="promptfoo", looks_like=promptfoo.is_promptfoo, read=promptfoo.read_promptfoo),
    Kind(name="swe-agent", looks_like=swe_agent.is_swe_agent, read=swe_agent.read_swe_agent),
    Kind(name="otel-genai", looks_like=otel.is_otel, read=otel.read_otel),
    Kind(name="openai-chat", looks_like=chat.is_chat, read=chat.read_chat),
)


def read_trajectories(data: bytes, *, path: str) -> Trajectories:
    """The conversations of one log file; its kind is found by looking at it.

    Raises:
        ProblemsFound: carrying every fault of the file (RR640 to RR649).
    """
    log = Log(path=path, stem=slug(PurePath(path).name.split(".")[0]) or "log")
    kind, records = _records(data, log)
    conversations = _with_shared_instructions(tuple(_conversation(record, log) for record in records))
    _refuse_twins(conversations, records, log)
    if not conversations and not log.problems:
        _fault(log, "RR647", f"the {kind} log holds no conversation", "export a log with at least one conversation")
    if errors_in(log.problems):
        raise ProblemsFound(log.problems)
    return Trajectories(
        path=path,
        sha256=sha256_hex(data),
        kind=kind,
        conversations=conversations,
        dropped=tuple(Dropped(what=what, why=why, count=count) for (what, why), count in sorted(log.dropped.items())),
        warnings=tuple(log.problems),
        customer_is_simulated=kind == "tau-bench",
    )


def _records(data: bytes, log: Log) -> tuple[str, list[Record]]:
    if len(data) > MAX_BYTES:
        _fault(log, "RR641", f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read", "split the log")
    elif data.startswith(b"PK\x03\x04"):
        value = inspect_log.unzip(data, log)
        return "inspect", [] if value is None else _read(inspect_log.read_inspect, value, log)
    elif (text := decode(data, log)) is not None:
        value = parse(text, log)
        if not log.problems:
            return _sniff(value, log)
    return "unknown", []


def _sniff(value: Any, log: Log) -> tuple[str, list[Record]]:
    kind = next((kind for kind in KINDS if kind.looks_like(value)), None)
    if kind is None:
        known = ", ".join(kind.name for kind in KINDS)
        _fault(log, "RR640", "this is no kind of log that can be read", f"export one of these kinds: {known}")
        return "unknown", []
    return kind.name, _read(kind.read, value, log)


def _read(read: Callable[[Any, Log], list[Record]], value: Any, log: Log) -> list[Record]:
    try:
        return read(value, log)
    except RecordFault:
        return []


def _fault(log: Log, code: str, message: str, remedy: str) -> None:
    with log.record(1, ""):
        log.fault(code, message, remedy)


def slug(text: str) -> str:
    """A name that is safe as a file name and a partition key: lower case, words joined by hyphens, at most 80 characters.

    >>> slug("GPT-4o airline"), slug("../../etc/passwd"), slug("東京")
    ('gpt-4o-airline', 'etc-passwd', '')
    """
    return re.sub(r"[^a-z0-9.]+|\.{2,}", "-", text.casefold()).strip("-.")[:80].strip("-.")


def _conversation(record: Record, log: Log) -> Conversation:
    log.line, log.where = record.line, ""
    joined = join(record.messages, log)
    output_id = slug(record.id) or log.stem
    task_id = slug(record.task) if record.task is not None else output_id
    return Conversation(
        output=Output(
            id=output_id,
            task=task_id or output_id,
            agent=Agent(id=_one_line(record.agent) or log.stem, kind="captured", model=_one_line(record.model)),
            turns=joined.turns,
            final=joined.final,
        ),
        title=_one_line(record.id if record.task is None else record.task) or output_id,
        instruction=record.instruction or _first_request(record.messages) or NEUTRAL,
        policy=joined.policy,
        tools=tuple(Tool(name=mended(tool.name), description=mended(tool.description)) for tool in record.tools),
    )


def _one_line(text: str | None) -> str | None:
    return " ".join(mended(text).split()) or None if text else None


def _first_request(messages: tuple[Message, ...]) -> str | None:
    return next((mended(message.text) for message in messages if message.role == "user" and message.text.strip()), None)


def _with_shared_instructions(conversations: tuple[Conversation, ...]) -> tuple[Conversation, ...]:
    """Sessions on one task share its instruction; where their first messages differ, none of these is the task's."""
    requests: dict[str, set[str]] = {}
    for conversation in conversations:
        requests.setdefault(conversation.output.task, set()).add(conversation.instruction)
    return tuple(
        conversation if len(requests[conversation.output.task]) == 1 else replace(conversation, instruction=NEUTRAL)
        for conversation in conversations
    )


def _refuse_twins(conversations: tuple[Conversation, ...], records: list[Record], log: Log) -> None:
    """Two sessions of one id would overwrite each other; one task has one set of rules."""
    seen: set[str] = set()
    policies: dict[str, str | None] = {}
    for conversation, record in zip(conversations, records, strict=True):
        output = conversation.output
        with log.record(record.line, ""):
            if output.id in seen:
                log.fault("RR645", f"two conversations get the id '{output.id}'", "give each its own id in the log")
            seen.add(output.id)
        with log.record(record.line, ""):
            if policies.setdefault(output.task, conversation.policy) != conversation.policy:
                message = f"the conversations of task '{output.task}' have different system messages"
                log.fault("RR646", message, "give each its own task id in the log")
