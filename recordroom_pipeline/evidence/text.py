"""Bytes → text, with the encoding said; and plain text by line."""

from __future__ import annotations

import codecs
import contextlib
import re
import warnings
from dataclasses import dataclass

from charset_normalizer import from_bytes

from recordroom_pipeline.evidence.locators import lines_of, locator, make_segment
from recordroom_pipeline.evidence.model import Segment

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FEW_HIGH_BYTES = 64
"""Below this a statistical guess is worth less than the commonest single-byte encoding of business files."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_LATIN = ("cp125", "latin", "iso8859", "iso-8859", "mac", "cp850", "cp437", "cp775", "cp852", "cp858", "cp1140", "hp_roman8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text and how it was decoded."""

    text: str
    encoding: str
    source: str
    """bom, utf8, utf16_nul, default_cp1252, detected or override."""
    flags: tuple[str, ...] = ()


class Undecodable(Exception):
    """The named encoding does not fit; carries the reason in words."""


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """The text of some bytes: by override, byte order mark, NUL pattern, strict UTF-8 of the whole, else the likeliest guess.

    Bytes that the encoding does not know become U+FFFD, and a flag says so.

    Raises:
        Undecodable: when an encoding was named that does not exist or does not fit.
    """
    if encoding is not None:
        return Decoded(text=_as_named(data, encoding), encoding=encoding, source="override")
    for mark, name in _BOMS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], name, "bom")
    if (wide := _utf16_by_nuls(data)) is not None:
        return _decoded(data, wide, "utf16_nul")
    try:
        return Decoded(text=data.decode("utf-8"), encoding="utf-8", source="utf8")
    except UnicodeDecodeError:
        return _guess(data)


def whole_characters(text: str) -> str:
    """The text without halves of surrogate pairs, which no file can hold: each becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def _decoded(data: bytes, name: str, source: str, *flags: str) -> Decoded:
    try:
        return Decoded(text=data.decode(name), encoding=name, source=source, flags=flags)
    except UnicodeDecodeError:
        text = data.decode(name, "replace")
        return Decoded(text=text, encoding=name, source=source, flags=(*flags, "undecodable_bytes"))


def _as_named(data: bytes, encoding: str) -> str:
    try:
        # Some codecs warn and go on; here that is as wrong as failing.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return whole_characters(data.decode(encoding).removeprefix("\ufeff"))
    except (LookupError, ValueError, DeprecationWarning) as error:
        raise Undecodable(f"task.json says encoding {encoding!r}: {error}") from error


def _utf16_by_nuls(data: bytes) -> str | None:
    """UTF-16 without a mark decodes as UTF-8 full of NULs; every second byte tells."""
    sample = data[:4096]
    if len(sample) < 4 or sample.count(0) * 3 < len(sample):
        return None
    return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"


def _guess(data: bytes) -> Decoded:
    best = from_bytes(data).best()
    name = best.encoding if best is not None else "cp1252"
    high = sum(byte > 127 for byte in data)
    if name.startswith(_LATIN) or high < _FEW_HIGH_BYTES:
        # The statistics take Peña for Peńa: cp1250 and its sisters are rarer than what they are mistaken for.
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode("cp1252")
            if best is None or not _mostly_accented(text):
                return Decoded(text=text, encoding="cp1252", source="default_cp1252", flags=("encoding_guessed",))
    return _decoded(data, name, "detected", "encoding_guessed")


def _mostly_accented(text: str) -> bool:
    """No Latin language writes more letters with accents than without; what seems to is Hebrew, Greek or Russian misread."""
    letters = [character for character in text if character.isalpha()]
    return sum(character > "\x7f" for character in letters) * 2 > len(letters)


def text_segments(text: str, *, doc_id: str, file: str) -> list[Segment]:
    """One segment for each line that is not blank; where form feeds part pages, each with its page."""
    segments: list[Segment] = []
    is_paged = "\f" in text
    page, seen = 1, 0
    for number, (start, end) in enumerate(lines_of(text), start=1):
        line = text[start:end]
        if not line.strip():
            continue
        begin = end - len(line.lstrip())
        page += text.count("\f", seen, begin)
        seen = begin
        segments.append(
            make_segment(
                doc_id,
                text,
                (start, end),
                ordinal=len(segments),
                view="source",
                kind="paragraph",
                locator=locator(file, f"L{number}"),
                page=page if is_paged else None,
                lines=(number, number),
            )
        )
    return segments
