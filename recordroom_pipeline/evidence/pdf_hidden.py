"""Text in a PDF that nobody sees: drawn invisibly, in white on nothing, or too small to read.

Every extractor returns it like any other text, so instructions to a judge can be hidden there. Two things look alike and are
not hidden: the text layer of a scan, invisible over its image, and white headings on a coloured bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

_TOO_SMALL = 2.0
"""Points: a full stop in ordinary print is about as high."""
_WHITE = 0.97
_SHOW = (b"Tj", b"TJ", b"'", b'"')
_FILL = (b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*")
_INVISIBLE = (3, 7)


@dataclass(frozen=True, slots=True)
class _State:
    is_white: bool = False
    mode: int = 0
    size: float = 12.0


@dataclass(slots=True)
class Ink:
    """Follows the operators of one page, and says for each character of its text whether it can be seen."""

    has_image: bool = False
    _has_background: bool = False
    _state: _State = field(default_factory=_State)
    _stack: list[_State] = field(default_factory=list)
    _forms: list[tuple[_State, list[_State], int]] = field(default_factory=list)
    _operators: int = 0
    _drawn: list[tuple[str, int]] = field(default_factory=list)
    """How text was drawn since the last piece was given out, and how many bytes of it are no spaces."""
    _pieces: list[tuple[int, str]] = field(default_factory=list)

    def before(self, operator: bytes, operands: Any, matrix: Sequence[float], text_matrix: Sequence[float]) -> None:
        """Called by pypdf before each operator."""
        self._operators += 1
        if operator in _SHOW:
            self._drawn.append((self._kind(matrix, text_matrix), sum(map(_inked, operands))))
        elif operator == b"Do":
            self._forms.append((self._state, self._stack, self._operators))
            self._stack = []
        elif operator in (b"INLINE IMAGE", b"BI", b"EI", b"sh"):
            self.has_image = True
        elif operator in _FILL:
            self._has_background |= not self._state.is_white
        elif operator == b"q":
            self._stack.append(self._state)
        elif operator == b"Q":
            self._state = self._stack.pop() if self._stack else self._state
        else:
            self._set(operator, operands)

    def after(self, operator: bytes, operands: Any, matrix: Sequence[float], text_matrix: Sequence[float]) -> None:
        """Called by pypdf after each operator: a form leaves the state as it found it."""
        if operator == b"Do" and self._forms:
            self._state, self._stack, operators = self._forms.pop()
            self.has_image |= operators == self._operators  # It drew something, yet has no operators of its own.

    def text(self, text: str, *_: Any) -> None:
        """Called by pypdf with each piece of the page's text, in order."""
        self._pieces += _split(text, self._drawn)
        if text.strip():
            self._drawn = []

    def hidden(self, text: str) -> bytes:
        """For each character 1 where it is hidden, else 0; nothing is where the pieces do not add up to the text."""
        if sum(length for length, _ in self._pieces) != len(text):
            return bytes(len(text))
        hides = {"small": True, "white": not (self._has_background or self.has_image), "invisible": not self.has_image}
        marks = b"".join((b"\1" if hides.get(kind) else b"\0") * length for length, kind in self._pieces)
        # A page of nothing but invisible text is a text layer whose image was taken away.
        is_all = all(mark for mark, character in zip(marks, text, strict=True) if not character.isspace())
        return bytes(len(text)) if is_all else marks

    def _kind(self, matrix: Sequence[float], text_matrix: Sequence[float]) -> str:
        scale = abs(_determinant(matrix) * _determinant(text_matrix)) ** 0.5
        if abs(self._state.size) * scale < _TOO_SMALL:
            return "small"
        if self._state.mode in _INVISIBLE:
            return "invisible"
        return "white" if self._state.is_white else "seen"

    def _set(self, operator: bytes, operands: Any) -> None:
        try:
            if operator == b"Tr":
                self._state = replace(self._state, mode=int(operands[0]))
            elif operator == b"Tf":
                self._state = replace(self._state, size=float(operands[1]))
            elif operator in (b"g", b"rg", b"sc", b"scn"):
                # One operand of sc may be the tint of any colour, so it is never taken for white.
                values = [float(value) for value in operands]
                is_white = all(value >= _WHITE for value in values) and len(values) == (1 if operator == b"g" else 3)
                self._state = replace(self._state, is_white=is_white)
            elif operator == b"k":
                self._state = replace(self._state, is_white=all(float(value) <= 1 - _WHITE for value in operands))
            elif operator == b"cs":
                self._state = replace(self._state, is_white=False)
        except (TypeError, ValueError, IndexError, OverflowError):
            return  # Malformed operands set nothing.


def _inked(operand: Any) -> int:
    """Bytes of what a text operator shows that are no spaces."""
    if isinstance(operand, (list, tuple)):
        return sum(map(_inked, operand))
    return sum(not byte.isspace() for byte in operand) if isinstance(operand, str) else _inked_bytes(operand)


def _inked_bytes(operand: Any) -> int:
    return len(operand) - operand.count(b" ") if isinstance(operand, bytes) else 0


def _split(text: str, drawn: Sequence[tuple[str, int]]) -> list[tuple[int, str]]:
    """A piece by how it was drawn. Where one piece mixes both, characters are dealt out as bytes were, one or two each."""
    kinds = {kind for kind, _ in drawn}
    if len(kinds) < 2:
        # White space between two pieces is drawn by nobody.
        return [(len(text), next(iter(kinds), "seen"))]
    per_character = sum(count for _, count in drawn) / max(sum(not character.isspace() for character in text), 1)
    if per_character not in (1, 2):
        return [(len(text), "seen")]
    order = [kind for kind, count in drawn for _ in range(int(count / per_character))]
    found, at = [], 0
    for character in text:
        found.append((1, order[min(at, len(order) - 1)]))
        at += not character.isspace()
    return found


def _determinant(matrix: Sequence[float]) -> float:
    return float(matrix[0]) * float(matrix[3]) - float(matrix[1]) * float(matrix[2])


def runs(line: str, marks: bytes) -> Iterator[tuple[int, int, bool]]:
    """Extent of each stretch of a line that is hidden throughout or seen throughout, white space at its ends left out."""
    seen = {mark for mark, character in zip(marks, line, strict=True) if not character.isspace()}
    stretches = [(seen == {1}, len(line))]
    if len(seen) == 2:
        stretches = [(mark == 1, len(list(group))) for mark, group in groupby(marks)]
    at = 0
    for hidden, length in stretches:
        words = line[at : at + length]
        if words.strip():
            start = at + len(words) - len(words.lstrip())
            yield start, start + len(words.strip()), hidden
        at += length
