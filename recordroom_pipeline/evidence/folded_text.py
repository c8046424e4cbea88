"""Text as spans are compared, with the way back: every folded character knows the verbatim characters it stands for.

Folded are white space, Unicode form (NFKC), quotes, dashes, invisible characters and hyphens at line ends. Letters are never
folded to other letters, case is kept, and no edit distance is measured: ``48.2M`` and ``47.2M`` are 98 % alike.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LINE_HYPHEN = "\x1f"
"""Stands for a hyphen that a line end may have put there; raw U+001F is white space, so it cannot be mistaken."""

_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛′ʼ`´＇", "'") | dict.fromkeys("“”„‟″«»＂", '"'))
_DASHES = "‐‑‒–—―−﹘﹣－"
_CHARACTERS = _QUOTES | str.maketrans(dict.fromkeys(_DASHES, "-"))
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_PLAIN = re.compile(r"[!-,./0-_a-~]+")
_SPACE = re.compile(rf"[{_INVISIBLE}]*\s[\s{_INVISIBLE}]*")
_HIDDEN = re.compile(rf"[{_INVISIBLE}]+")
# pdfium writes U+0002 in place of the hyphen at a line end, with or without the line end; soft hyphens come both ways too.
_HYPHEN_BREAK = re.compile("(?:[-‐][ \t]*(?:\r\n|\n|\r)|[\x02\u00ad])\\s*")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; ``starts[i]`` and ``ends[i]`` bound the raw characters that ``text[i]`` stands for."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def is_whole(self, start: int, end: int) -> bool:
        """Whether a stretch of folded text begins and ends between raw characters, not inside a ligature."""
        inside = start > 0 and self.starts[start] == self.starts[start - 1]
        return not inside and (end == len(self.text) or self.starts[end] != self.starts[end - 1])


def fold_text(raw: str) -> Folded:
    """Raw text as spans are compared.

    >>> fold_text("the roof mem-\\nbrane –  “new”").text.replace(LINE_HYPHEN, "")
    'the roof membrane - "new"'
    """
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(raw):
        folded, end = _step(raw, at)
        text.append(folded)
        if len(folded) == end - at and end - at > 1 and _PLAIN.fullmatch(raw, at, end):
            starts.extend(range(at, end))
            ends.extend(range(at + 1, end + 1))
        else:
            starts.extend([at] * len(folded))
            ends.extend([end] * len(folded))
        at = end
    return Folded("".join(text), tuple(starts), tuple(ends))


def _step(raw: str, at: int) -> tuple[str, int]:
    """The folded form of what begins here, and where it ends."""
    if plain := _PLAIN.match(raw, at):
        end = plain.end()
        if end == len(raw) or not unicodedata.combining(raw[end]):
            return plain[0], end
        if end - 1 > at:  # its last letter belongs to the accent that follows
            return raw[at : end - 1], end - 1
        return _cluster(raw, at)
    if (hyphen := _HYPHEN_BREAK.match(raw, at)) and _splits_a_word(raw, at, hyphen.end()):
        return LINE_HYPHEN, hyphen.end()
    if space := _SPACE.match(raw, at):
        return " ", space.end()
    if hidden := _HIDDEN.match(raw, at):
        return "", hidden.end()
    return _cluster(raw, at)


def _splits_a_word(raw: str, start: int, end: int) -> bool:
    return start > 0 and raw[start - 1].isalpha() and end < len(raw) and raw[end].islower()


def _cluster(raw: str, at: int) -> tuple[str, int]:
    end = at + 1
    while end < len(raw) and unicodedata.combining(raw[end]):
        end += 1
    if unicodedata.category(raw[at]) == "No":
        # NFKC would make 2,500² into 2,5002 and 2½ into 21⁄2.
        return raw[at:end], end
    return unicodedata.normalize("NFKC", raw[at:end].translate(_CHARACTERS)).translate(_CHARACTERS), end


def folded_pattern(span: str) -> re.Pattern[str]:
    """What finds a span in folded text: a hyphen at a line end may be the word's own or the line's.

    >>> bool(folded_pattern("membrane").search(fold_text("mem-\\nbrane").text))
    True
    >>> bool(folded_pattern("well-kept").search(fold_text("well-\\nkept").text))
    True
    """
    folded = fold_text(span).text.strip(" " + LINE_HYPHEN)
    parts: list[str] = []
    for at, char in enumerate(folded):
        before = folded[at - 1] if at else ""
        if char == LINE_HYPHEN:
            parts.append(f"[-{LINE_HYPHEN}]?")
        elif char == "-":
            parts.append(f"(?:- |{LINE_HYPHEN})" if folded[at + 1 : at + 2] == " " else f"[-{LINE_HYPHEN}]")
        elif not (char == " " and before == "-"):
            parts.append((f"{LINE_HYPHEN}?" if char.isalpha() and before.isalpha() else "") + re.escape(char))
    return re.compile("".join(parts))
