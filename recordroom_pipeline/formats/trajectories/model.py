"""What an import yields: conversations, what was left behind, and the report on both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recordroom_pipeline.corpus.model import Output, Tool
from recordroom_pipeline.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One captured session: an output, and what its task is made of."""

    output: Output
    title: str
    """The task's title: for people, never evidence."""
    instruction: str
    policy: str | None = None
    """The system message, which becomes the material ``policy.md``."""
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something of the file that no task and no output holds."""

    what: str
    why: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectories:
    """Every conversation of one file."""

    path: str
    sha256: str
    """Hex digest of the file's bytes."""
    kind: str
    conversations: tuple[Conversation, ...]
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[Problem, ...] = ()
    customer_is_simulated: bool = False
    """The user's side was played by a program, as the format itself says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `write_corpus` took, wrote and left behind."""

    path: str
    sha256: str
    kind: str
    taken: Mapping[str, int] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    written: tuple[str, ...] = ()
    """Files, relative to the spec's folder, POSIX."""
    unchanged: tuple[str, ...] = ()
    """Files that stood there with the same content."""
    warnings: tuple[Problem, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """For people, one fact a line."""
        taken = ", ".join(f"{count} {what}" for what, count in self.taken.items())
        return (
            f"{self.path}: {self.kind}, sha256 {self.sha256[:12]}…",
            f"taken: {taken}",
            *(f"dropped: {drop.count} × {drop.what} ({drop.why})" for drop in self.dropped),
            f"files: {len(self.written)} written, {len(self.unchanged)} unchanged",
            *(str(problem) for problem in self.warnings),
        )

    def as_json(self) -> dict[str, Any]:
        """For programs: the same facts as plain JSON values."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "kind": self.kind,
            "taken": dict(self.taken),
            "dropped": [{"what": drop.what, "why": drop.why, "count": drop.count} for drop in self.dropped],
            "written": list(self.written),
            "unchanged": list(self.unchanged),
            "warnings": [str(problem) for problem in self.warnings],
        }
