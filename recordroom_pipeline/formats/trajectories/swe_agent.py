"""SWE-agent's ``.traj`` files: the `history` of one session, which is a chat with extra fields."""

from __future__ import annotations

from typing import Any

from recordroom_pipeline.formats.trajectories.chat import messages_of
from recordroom_pipeline.formats.trajectories.messages import Log, Record

_TAKEN = frozenset({"history"})


def is_swe_agent(value: Any) -> bool:
    """Whether a JSON document is a session of SWE-agent."""
    return isinstance(value, dict) and "messages" not in value and ("history" in value or "trajectory" in value)


def read_swe_agent(value: Any, log: Log) -> list[Record]:
    """The one session; worked examples that were put into its prompt are not its work."""
    found: list[Record] = []
    with log.record(1, ""):
        history = value.get("history")
        if not isinstance(history, list):
            log.fault("RR642", "the session has no list `history`", "keep `history` when saving the session")
        log.drop_keys(value, _TAKEN, frozenset({"info"}))
        demos = [item for item in history if isinstance(item, dict) and item.get("is_demo")]
        log.drop("message of a worked example", "shown to the agent, not done by it", len(demos))
        own = [item for item in history if not (isinstance(item, dict) and item.get("is_demo"))]
        found.append(Record(id=log.stem, messages=tuple(messages_of(own, log)), agent="swe-agent"))
    return found
