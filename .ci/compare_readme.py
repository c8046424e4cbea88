"""Fail when what `make run` printed is not what the README shows; ids, times and paths are masked in both.

Usage: compare_readme.py README.md FIRST.txt SECOND.txt
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

MASKS = (
    (re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}"), "<run>"),
    (re.compile(r"\b\d+(\.\d+)? ?s\b"), "<seconds>"),
    (re.compile(r"(/[\w.~-]+)+/(?=(specs|warehouse)/)"), ""),
    (re.compile(r"[ \t]+"), " "),
)


def masked(text: str) -> list[str]:
    """Lines with everything that differs from machine to machine replaced."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Installing ")]


def shown(readme: str, name: str) -> str:
    """The text block of the README that follows the comment `<!-- NAME -->`."""
    found = re.search(rf"<!-- {name} -->\n```text\n(.*?)\n```", readme, re.DOTALL)
    if found is None:
        raise SystemExit(f"README.md has no text block after <!-- {name} -->")
    return found[1]


def main() -> int:
    """Compare both runs; 1 when one of them differs."""
    readme = Path(sys.argv[1]).read_text()
    failed = 0
    for name, path in (("make run", sys.argv[2]), ("make run again", sys.argv[3])):
        expected, found = masked(shown(readme, name)), masked(Path(path).read_text())
        if expected[-1] == "…":  # The README shows only how it begins.
            expected, found = expected[:-1], found[: len(expected) - 1]
        difference = list(difflib.unified_diff(expected, found, "README.md", name, lineterm=""))
        print("\n".join(difference) or f"{name}: as the README shows")
        failed |= bool(difference)
    return failed


if __name__ == "__main__":
    sys.exit(main())
