"""One file's bytes → a document with segments and cells; never raises for what a file holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Any

from recordroom_pipeline.canonical import canonical_json, sha256_hex
from recordroom_pipeline.evidence.csv_text import read_csv
from recordroom_pipeline.evidence.limits import LIMITS, MAX_BYTES
from recordroom_pipeline.evidence.markdown import read_markdown
from recordroom_pipeline.evidence.model import Document, Parsed, Segment, Status, View
from recordroom_pipeline.evidence.text import Undecodable, decode, text_segments

VERSION = "2"
"""Of everything here that decides segments and cells; another one means that every file is read anew."""
MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".csv": "text/csv",
    ".tsv": "text/csv",
    ".pdf": "application/pdf",
}
_ENGINES = ("pypdf", "markdown-it-py", "charset-normalizer")
_PARSERS = {
    "text/markdown": ("markdown", ("markdown-it-py", "charset-normalizer")),
    "text/plain": ("text", ("charset-normalizer",)),
    "text/csv": ("csv", ("charset-normalizer",)),
    "application/pdf": ("pdf", ("pypdf",)),
}


def media_type(file: str) -> str:
    """What a file's name says it is.

    >>> media_type("Schedule.CSV"), media_type("plan.dwg")
    ('text/csv', 'application/octet-stream')
    """
    return MEDIA_TYPES.get(PurePosixPath(file).suffix.lower(), "application/octet-stream")


@cache
def _engines(packages: tuple[str, ...]) -> dict[str, str]:
    return {package: version(package) for package in packages}


def parser_of(file: str) -> tuple[str, str]:
    """The parser of a file and its version with its engine's: what enters every parse key."""
    name, packages = _PARSERS.get(media_type(file), ("none", ()))
    engines = " ".join(f"{package} {number}" for package, number in _engines(packages).items())
    return name, f"{VERSION} ({engines})" if engines else VERSION


PARSER_VERSION = f"{VERSION} ({', '.join(f'{package} {version(package)}' for package in _ENGINES)})"
"""What `instruments.parser` of a run says."""


def parse_key(sha256: str, *, file: str, name: str, encoding: str | None = None) -> str:
    """Cache key of one reading: the bytes, the parser with its engines and limits, and what the words of locators need."""
    parser, parser_version = parser_of(file)
    key = {
        "sha256": sha256,
        "file": file,
        "name": name,
        "parser": parser,
        "version": parser_version,
        "config": dict(LIMITS),
        "encoding": encoding,
    }
    return sha256_hex(canonical_json(key))


def parse_bytes(data: bytes, *, file: str, name: str, encoding: str | None = None, password: str | None = None) -> Parsed:
    """The document of some bytes; its status says why where there is no text."""
    digest = sha256_hex(data)
    reading = _Reading(digest, file, name, encoding, len(data))
    media = media_type(file)
    if len(data) > MAX_BYTES:
        return reading.failed("too_large", f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read")
    if media == "application/pdf":
        return reading.pdf(data, password)
    if media == "application/octet-stream":
        suffix, known = PurePosixPath(file).suffix, ", ".join(MEDIA_TYPES)
        kind = f"'{suffix}' files" if suffix else "files without an ending"
        return reading.failed("unsupported", f"{kind} are not read; known are {known}")
    try:
        return reading.text(data, media)
    except Undecodable as error:
        return reading.failed("unreadable", str(error))


def unread(sha256: str, size: int, *, file: str, name: str, encoding: str | None, status: Status, reason: str) -> Parsed:
    """The document of a file whose reader was stopped."""
    return _Reading(sha256, file, name, encoding, size).failed(status, reason)


class _Reading:
    def __init__(self, digest: str, file: str, name: str, encoding: str | None, size: int) -> None:
        self._digest, self._file, self._name, self._encoding, self._size = digest, file, name, encoding, size

    def failed(self, status: Status, reason: str) -> Parsed:
        return Parsed(document=self._document(status=status, reason=reason))

    def pdf(self, data: bytes, password: str | None) -> Parsed:
        # pypdf takes 0.2 s to import, which only the process that reads a PDF needs to pay.
        from recordroom_pipeline.evidence.pdf_pages import read_pdf

        found = read_pdf(data, doc_id=self._digest, file=self._file, password=password)
        n_chars = sum(len(segment.text) for segment in found.segments if segment.shown)
        document = self._document(
            status=found.status, reason=found.reason, n_pages=found.n_pages, n_chars=n_chars, flags=found.flags
        )
        return Parsed(document=document, segments=found.segments, cells=found.cells)

    def text(self, data: bytes, media: str) -> Parsed:
        decoded = decode(data, self._encoding)
        encoding: dict[str, Any] = {
            "encoding": decoded.encoding,
            "encoding_source": decoded.source,
            "n_chars": len(decoded.text),
        }
        if media == "text/csv":
            found = read_csv(decoded.text, doc_id=self._digest, file=self._file)
            document = self._document(
                **encoding,
                delimiter=found.delimiter,
                header_row=found.header_row,
                preamble_rows=found.preamble_rows,
                flags=(*decoded.flags, *found.flags),
            )
            return Parsed(document=document, segments=found.segments, cells=found.cells)
        document = self._document(**encoding, flags=decoded.flags)
        if media == "text/markdown":
            segments, cells = read_markdown(decoded.text, doc_id=self._digest, file=self._file)
            return Parsed(document=document, segments=segments, cells=cells)
        return Parsed(document=document, segments=tuple(text_segments(decoded.text, doc_id=self._digest, file=self._file)))

    def _document(self, *, status: Status = "ok", **facts: Any) -> Document:
        parser, parser_version = parser_of(self._file)
        return Document(
            doc_id=self._digest,
            media_type=media_type(self._file),
            parser=parser,
            parser_version=parser_version,
            parse_key=parse_key(self._digest, file=self._file, name=self._name, encoding=self._encoding),
            status=status,
            size=self._size,
            **facts,
        )


def text_of(parsed: Parsed | Sequence[Segment], view: View) -> str:
    """A view's canonical text as far as segments cover it; what lies between them is white space and stands as line ends."""
    segments = parsed.segments if isinstance(parsed, Parsed) else parsed
    mine = [segment for segment in segments if segment.view == view]
    text = ["\n"] * max((segment.char_end for segment in mine), default=0)
    for segment in mine:
        text[segment.char_start : segment.char_end] = segment.text
    return "".join(text)
