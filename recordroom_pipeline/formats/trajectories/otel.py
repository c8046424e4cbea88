"""OpenTelemetry spans with GenAI attributes, as OTLP JSON or as a tool's own nesting of spans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recordroom_pipeline.formats.trajectories.documents import Line
from recordroom_pipeline.formats.trajectories.messages import HIDDEN, NO_TEXT, Call, Log, Message, Record, compact, is_deep

_MAX_DEPTH = 60
_ROLES: Mapping[str, Any] = {"system": "system", "user": "user", "assistant": "agent", "tool": "result"}


def is_otel(value: Any) -> bool:
    """Whether spans with GenAI attributes stand anywhere in a JSON document."""
    return next(_spans(value, _MAX_DEPTH), None) is not None


def read_otel(value: Any, log: Log) -> list[Record]:
    """One session for each trace: its model calls by start time, and the tools that ran between them."""
    traces: dict[str, list[dict[str, Any]]] = {}
    for span in _spans(value, _MAX_DEPTH):
        traces.setdefault(str(span["trace"]), []).append(span)
    found: list[Record] = []
    for number, (trace, spans) in enumerate(traces.items(), start=1):
        with log.record(1, f"trace {number}"):
            found.append(_trace(trace, sorted(spans, key=lambda span: _start(span["start"])), log))
    return found


def _spans(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, Line):
        value = value.value
    if depth == 0 or not isinstance(value, dict | list):
        return
    if isinstance(value, dict) and (attributes := _attributes(value.get("attributes"))):
        trace = value.get("trace_id", value.get("traceId", ""))
        start = value.get("start_time", value.get("startTimeUnixNano", value.get("start_time_unix_nano")))
        yield {"attributes": attributes, "trace": trace, "start": start}
    for child in value.values() if isinstance(value, dict) else value:
        yield from _spans(child, depth - 1)


def _attributes(value: Any) -> dict[str, Any]:
    """GenAI attributes as a mapping, whether they came as one or as OTLP's list of typed values."""
    if isinstance(value, list):
        pairs = [(item.get("key"), item.get("value")) for item in value if isinstance(item, dict)]
        value = {key: next(iter(held.values()), None) for key, held in pairs if isinstance(key, str) and isinstance(held, dict)}
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(key, str) and key.startswith("gen_ai.")}


def _start(value: Any) -> tuple[int, int | float, str]:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 30:
        value = int(value)
    return (0, value, "") if isinstance(value, int | float) and value == value else (1, 0, str(value))


def _trace(trace: str, spans: list[dict[str, Any]], log: Log) -> Record:
    inner = [span for span in spans if span["attributes"].get("gen_ai.operation.name") != "invoke_agent"]
    outer = [span for span in spans if span not in inner]
    messages: list[Message] = []
    for span in inner:
        _extend(messages, _of_span(span["attributes"], log))
    # An agent's own span opens before the calls inside it but ends with the answer that follows them.
    for span in outer:
        whole = _of_span(span["attributes"], log)
        _extend(messages, whole if not inner else [message for message in whole[-1:] if message.role == "agent"])
    return Record(
        id=f"{log.stem}-{trace}" if trace else log.stem,
        messages=tuple(messages),
        agent=_first(spans, "gen_ai.agent.name"),
        model=_first(spans, "gen_ai.request.model"),
    )


def _first(spans: list[dict[str, Any]], key: str) -> str | None:
    return next((span["attributes"][key] for span in spans if isinstance(span["attributes"].get(key), str)), None)


def _of_span(attributes: Mapping[str, Any], log: Log) -> list[Message]:
    if attributes.get("gen_ai.operation.name") == "execute_tool":
        result = _loaded(attributes.get("gen_ai.tool.call.result"))
        id_ = attributes.get("gen_ai.tool.call.id")
        if result is None or not isinstance(id_, str):
            return []
        return [Message(role="result", text=result if isinstance(result, str) else compact(result), call_id=id_)]
    system = _loaded(attributes.get("gen_ai.system_instructions"))
    found = list(_message({"role": "system", "parts": system}, log)) if isinstance(system, list) else []
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        held = _loaded(attributes.get(key))
        found += [message for item in (held if isinstance(held, list) else []) for message in _message(item, log)]
    return found


def _loaded(value: Any) -> Any:
    """An attribute that is JSON in a text, as the value it holds."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        loaded = json.loads(value)
        return value if is_deep(loaded) else loaded
    except (ValueError, RecursionError):
        return value


def _message(item: Any, log: Log) -> Iterator[Message]:
    if not isinstance(item, dict) or item.get("role") not in _ROLES or not isinstance(item.get("parts"), list):
        log.fault("RR643", "a message has no known `role` or no list `parts`", 'write `{"role": "user", "parts": […]}`')
    role = _ROLES[item["role"]]
    for part in item["parts"]:
        if not isinstance(part, dict):
            log.fault("RR643", "a part of a message is no object", 'write `{"type": "text", "content": "…"}`')
        yield from _part(part, role, log)


def _part(part: Mapping[str, Any], role: Any, log: Log) -> Iterator[Message]:
    kind, id_ = part.get("type"), part.get("id") if isinstance(part.get("id"), str) else None
    if kind == "text" and isinstance(part.get("content"), str):
        yield Message(role=role, text=part["content"])
    elif kind == "tool_call" and isinstance(part.get("name"), str) and part["name"].strip():
        yield Message(role="agent", calls=(Call(id=id_, name=part["name"], arguments=part.get("arguments")),))
    elif kind == "tool_call_response":
        held = part.get("response", part.get("result"))
        yield Message(role="result", text=held if isinstance(held, str) else compact(held), call_id=id_)
    else:
        log.drop(f"{str(kind)[:30]} part", HIDDEN if kind == "reasoning" else NO_TEXT)


def _extend(messages: list[Message], new: list[Message]) -> None:
    """Append what a span adds: each model call repeats messages that came before it."""
    held, coming = [_key(message) for message in messages], [_key(message) for message in new]
    shared = next(size for size in range(min(len(held), len(coming)), -1, -1) if held[len(held) - size :] == coming[:size])
    messages.extend(new[shared:])


def _key(message: Message) -> tuple[Any, ...]:
    # A result is logged twice, by the tool's span and in the next call's input, not always in the same form.
    if message.role == "result":
        return ("result", message.call_id)
    return (message.role, message.text, *((call.id, call.name) for call in message.calls))
