"""Names of sources: how they are compared, and the words that mean a part of the session."""

from __future__ import annotations

import re

RESERVED = ("instruction", "turns", "output", "tools")
ALIASES = {
    "trajectory": "turns",
    "conversation": "turns",
    "tool-calls": "turns",
    "final-answer": "output",
    "final": "output",
    "deliverable": "output",
}
_SEPARATORS = re.compile(r"[\W_]+")


def fold(name: str) -> str:
    """A name as names are compared: case-folded, everything but letters and digits a separator.

    >>> fold("Cover sheet"), fold("loss_runs.2024")
    ('cover-sheet', 'loss-runs-2024')
    """
    return _SEPARATORS.sub("-", name.casefold()).strip("-")
