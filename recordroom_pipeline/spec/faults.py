"""What is wrong with a SPEC.md, collected while it is read; and the near word that was probably meant."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from recordroom_pipeline.errors import Problem


def near(word: str, known: tuple[str, ...]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known word, or nothing."""
    found = difflib.get_close_matches(word.lower().replace("_", "-"), known, n=1, cutoff=0.7)
    return f" (did you mean '{found[0]}'?)" if found else ""


@dataclass(slots=True)
class Faults:
    """Problems of one file, in the order found."""

    path: str
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, code: str, message: str, remedy: str, col: int = 1) -> None:
        self.found.append(Problem(path=self.path, line=line, col=col, code=code, message=message, remedy=remedy))
