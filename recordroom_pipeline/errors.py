"""What can go wrong that a user can mend. Everything else is a bug and keeps its traceback.

RecordRoomError
├── ProblemsFound      a spec, corpus or review file is wrong: one Problem for each fault
├── NotFound           a spec, version, eval, output or run that was named does not exist
├── AlreadyWritten     something immutable stands there with other content
├── Incomplete         work that was asked for could not finish; what is done is kept
└── JudgeUnavailable   the judge's endpoint or key does not work; never stored as a verdict
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """One fault in one file, with the place and the remedy."""

    path: str
    line: int = 1
    """1-based."""
    col: int = 1
    """1-based, in code points."""
    level: Level = "error"
    code: str
    """Stable, such as ``RR104``; listed in docs/codes.md."""
    message: str
    remedy: str

    def __str__(self) -> str:
        """One line, as every command prints it.

        >>> print(Problem(path="SPEC.md", line=3, code="RR104", message="no severity", remedy="write `severity: major`"))
        SPEC.md:3:1: error RR104 no severity — write `severity: major`
        """
        return f"{self.path}:{self.line}:{self.col}: {self.level} {self.code} {self.message} — {self.remedy}"


class RecordRoomError(Exception):
    """Base of all errors a user can mend."""


class NotFound(RecordRoomError):
    """A thing that was named does not exist; the message lists what does."""


class AlreadyWritten(RecordRoomError):
    """Something immutable stands there with other content."""


class Incomplete(RecordRoomError):
    """Asked-for work could not finish; what is done is kept and a second run goes on."""


class JudgeUnavailable(Incomplete):
    """The judge's endpoint, key or model does not work. An outage is never a verdict."""


class ProblemsFound(RecordRoomError):
    """Files are wrong. Carries every problem, so that one edit round can mend them all."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def errors_in(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Only the problems that forbid going on."""
    return tuple(sorted(problem for problem in problems if problem.level == "error"))


def raise_errors(problems: Iterable[Problem]) -> None:
    """Raise `ProblemsFound` when one of them is an error; warnings alone pass."""
    found = tuple(problems)
    if errors_in(found):
        raise ProblemsFound(found)
