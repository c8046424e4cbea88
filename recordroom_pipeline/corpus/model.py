"""Tasks, outputs and the turns between people and agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "agent"]
AgentKind = Literal["captured", "generated"]
AGENT_KINDS: tuple[AgentKind, ...] = ("captured", "generated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One file of a task, under the name by which `reads` and citations call it."""

    file: str
    """Path inside the task's folder, POSIX."""
    name: str
    """Canonical source name: ``as`` where given, else the file's stem."""
    sha256: str
    """Hex digest of the file's bytes."""
    size: int
    """Bytes."""
    encoding: str | None = None
    """Override from task.json; None lets the reader decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An interface that the agent could call, as declared by the task."""

    name: str
    description: str = ""
    returns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Input materials and an instruction."""

    id: str
    title: str
    instruction: str
    materials: tuple[Material, ...] = ()
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message (``content``) or a tool call (``tool``, ``args``, ``result``); never both."""

    role: Role
    content: str | None = None
    tool: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    """Verbatim; a result that is not a string is kept as compact JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who worked."""

    id: str
    kind: AgentKind
    name: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A full working session of one agent on one task."""

    id: str
    task: str
    agent: Agent
    turns: tuple[Turn, ...]
    final: str
    """The last agent message: the deliverable. Empty when the agent never spoke."""
    sha256: str = ""
    """Hex digest of the output's canonical JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One state of all tasks and outputs."""

    tasks: tuple[Task, ...]
    outputs: tuple[Output, ...]
    synthesized: bool | None = None
    """As corpus/README.md declares; None where it does not say."""
    provenance: str = ""
