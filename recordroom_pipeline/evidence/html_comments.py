"""HTML comments in Markdown: in the file, invisible to a reader of the page, so never shown to a judge.

"Expected labels and case names never appear in judge evidence": a comment is where they would be left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown_it.token import Token

Marks = tuple[tuple[bool, str], ...]
"""Comments (True) and code spans (False) of a block in order, as the inline parser saw them."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def marks_of(inline: Iterable[Token]) -> Marks:
    """Comments and code spans among inline tokens; a comment inside a code span is code, and visible."""
    marks = []
    for token in inline:
        if token.type == "html_inline" and token.content.startswith("<!--"):
            marks.append((True, token.content))
        elif token.type == "code_inline":
            marks.append((False, token.content))
    return tuple(marks)


def comment_spans(raw: str, kind: str, marks: Marks) -> list[tuple[int, int]]:
    """Extents of comments in the raw lines of a block, in order.

    >>> comment_spans("<!-- expected: fail --> TIV", "html_block", ())
    [(0, 23)]
    """
    if kind == "html_block":
        return [match.span() for match in _COMMENT.finditer(raw)]
    if not any(is_comment for is_comment, _ in marks):
        return []
    found, at = [], 0
    for is_comment, content in marks:
        match = _raw_pattern(content).search(raw, at)
        if match is not None:
            at = match.end()
            found += [match.span()] if is_comment else []
        elif is_comment:
            # Hide too much rather than too little: what cannot be found again is hidden by its form alone.
            return [match.span() for match in _COMMENT.finditer(raw)]
    return found


def _raw_pattern(content: str) -> re.Pattern[str]:
    """The content as it stands in the file, where a quote's marks and indentation begin each of its lines."""
    return re.compile(r"\s*\n[ \t>]*".join(re.escape(line.strip()) for line in content.split("\n")))
