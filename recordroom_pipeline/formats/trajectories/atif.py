"""ATIF, the Agent Trajectory Interchange Format of Harbor (1.0 to 1.8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recordroom_pipeline.formats.trajectories.messages import HIDDEN, Call, Log, Message, Record, compact, text_of

_SOURCES = ("system", "user", "agent")
_TAKEN = frozenset({"schema_version", "session_id", "trajectory_id", "agent", "steps"})


def is_atif(value: Any) -> bool:
    """Whether a JSON document says that it is ATIF, or is a list of such."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and str(first.get("schema_version", "")).upper().startswith("ATIF")


def read_atif(value: Any, log: Log) -> list[Record]:
    """Each trajectory of the document."""
    found: list[Record] = []
    for index, item in enumerate(value if isinstance(value, list) else [value], start=1):
        with log.record(1, f"trajectory {index}"):
            found.append(_trajectory(item, index, log))
    return found


def _trajectory(item: Any, index: int, log: Log) -> Record:
    if not isinstance(item, dict) or not isinstance(item.get("steps"), list):
        log.fault("RR642", "the trajectory has no list `steps`", "export the trajectory again")
    log.drop_keys(item, _TAKEN, frozenset({"final_metrics", "reward"}))
    agent: Any = item.get("agent")
    agent = agent if isinstance(agent, dict) else {}
    id_ = next((item[key] for key in ("trajectory_id", "session_id") if isinstance(item.get(key), str)), None)
    return Record(
        id=id_ or f"{log.stem}-{index:04d}",
        messages=tuple(m for number, step in enumerate(item["steps"], 1) for m in _step(step, f"step {number}", log)),
        agent=agent["name"] if isinstance(agent.get("name"), str) else None,
        model=agent["model_name"] if isinstance(agent.get("model_name"), str) else None,
    )


def _step(step: Any, what: str, log: Log) -> Iterator[Message]:
    if not isinstance(step, dict) or step.get("source") not in _SOURCES:
        log.fault("RR643", f"{what} has no `source` that is known", f"write one of {', '.join(_SOURCES)}")
    if step.get("reasoning_content"):
        log.drop("reasoning", HIDDEN)
    text = text_of(step.get("message"), log, what)
    if step["source"] != "agent":
        yield Message(role=step["source"], text=text)
        return
    calls = step.get("tool_calls") or []
    if not isinstance(calls, list):
        log.fault("RR644", f"`tool_calls` of {what} is no list", "export the trajectory again")
    yield Message(role="agent", text=text, calls=tuple(_call(call, what, log) for call in calls))
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    for result in results if isinstance(results, list) else []:
        if isinstance(result, dict):
            yield _result(result, what, log)


def _call(call: Any, what: str, log: Log) -> Call:
    if not isinstance(call, dict) or not isinstance(call.get("function_name"), str) or not call["function_name"].strip():
        log.fault("RR644", f"a tool call of {what} has no `function_name`", "export the trajectory again")
    id_ = call.get("tool_call_id")
    return Call(id=id_ if isinstance(id_, str) else None, name=call["function_name"], arguments=call.get("arguments"))


def _result(result: Mapping[str, Any], what: str, log: Log) -> Message:
    content, id_ = result.get("content"), result.get("source_call_id")
    text = compact(content) if isinstance(content, dict) else text_of(content, log, f"a result of {what}")
    return Message(role="result", text=text, call_id=id_ if isinstance(id_, str) else None)
