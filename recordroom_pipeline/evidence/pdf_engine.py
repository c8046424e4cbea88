"""Everything asked of pypdf: the pages of a file as text in two views, its form fields, and what it could not read.

pypdf reads hostile files without hanging or crashing (77 tried), but raises almost anything on the way, and says only in its
log that it cut a page short.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError

from recordroom_pipeline.evidence.limits import MAX_PAGE_CHARS, MAX_PAGES
from recordroom_pipeline.evidence.pdf_hidden import Ink
from recordroom_pipeline.evidence.text import whole_characters

_GLYPH_NAMES = re.compile(r"/(?:g|G|C|cid|uni)[0-9A-Fa-f]+(?=/|\s|$)")
_NO_LETTER = re.compile("[\x00-\x08\x0e-\x1f\ue000-\uf8ff\ufffd]")
_MANY_NAMES = 20
_MUCH_NOISE = 0.1


class Encrypted(Exception):
    """The file needs a password, or another one; says so in words."""


class Unreadable(Exception):
    """The file as a whole cannot be read; carries what pypdf said."""


@dataclass(slots=True)
class Page:
    """One page as text."""

    number: int
    flow: str = ""
    """In the order of drawing, which is mostly the order of reading."""
    layout: str = ""
    """As it stands on the page."""
    hidden: bytes = b""
    """For each character of the flow 1 where nobody sees it, else 0."""
    error: str | None = None
    has_image: bool = False

    @property
    def is_garbled(self) -> bool:
        """Whether its fonts lack a character map, so that glyph names or control characters stand for words."""
        noise = len(_NO_LETTER.findall(self.flow))
        return len(_GLYPH_NAMES.findall(self.flow)) > _MANY_NAMES or noise > _MUCH_NOISE * max(len(self.flow), 1)

    @property
    def is_scan(self) -> bool:
        """Whether a picture stands there without any text."""
        return self.has_image and self.error is None and not self.flow.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What was read of a file."""

    pages: tuple[Page, ...]
    fields: dict[str, str]
    """Values that were filled into its form; they stand in neither view."""
    count: int
    """Pages it has, whether read or not."""
    flags: tuple[str, ...]


def read_pages(data: bytes, password: str | None) -> Pages:
    """The pages of a file; a page that cannot be read carries its error.

    Raises:
        Encrypted: when the password is missing or wrong.
        Unreadable: when the file as a whole cannot be read.
        MemoryError: which says something about this process, not about the file.
    """
    with _warnings() as warned:
        try:
            reader = PdfReader(io.BytesIO(data), password=password)
            count = len(reader.pages)
            turned = _turned(data, password, reader)
            pages = tuple(_page(reader, turned, number) for number in range(1, min(count, MAX_PAGES) + 1))
        except (WrongPasswordError, FileNotDecryptedError) as error:
            wrong = (
                "its password is not that of RECORDROOM_PDF_PASSWORD"
                if password
                else "set RECORDROOM_PDF_PASSWORD to its password"
            )
            raise Encrypted(f"the file is encrypted; {wrong}") from error
        except MemoryError:
            raise
        # A hostile file raises almost anything, RecursionError among it; each is a fact about the file.
        except Exception as error:
            if isinstance(error, DependencyError) and "crypt" in str(error).lower():
                raise Encrypted("the file is encrypted in a way that cannot be read here") from error
            raise Unreadable(said(error)) from error
        fields = _fields(reader)
    flags = [*warned, *(["xfa_form"] if _is_xfa(reader) else []), *(["page_cap"] if count > MAX_PAGES else [])]
    return Pages(pages=pages, fields=fields, count=count, flags=tuple(flags))


def said(error: BaseException) -> str:
    """An error in one line."""
    words = str(error).strip().splitlines()
    return f"{type(error).__name__}: {words[0][:200]}" if words else type(error).__name__


@contextmanager
def _warnings() -> Iterator[list[str]]:
    seen: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "skipped" in record.getMessage() and "truncated" not in seen:
                seen.append("truncated")

    logger, handler = logging.getLogger("pypdf"), Collect()
    logger.addHandler(handler)
    propagates, logger.propagate = logger.propagate, False
    try:
        yield seen
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


def _turned(data: bytes, password: str | None, reader: PdfReader) -> PdfWriter | None:
    """A copy whose turned pages stand upright, for layout, which drops turned text; None where no page is turned."""
    try:
        if not any(page.rotation for page in reader.pages[:MAX_PAGES]):
            return None
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data), password=password))
        for page in writer.pages:
            page.transfer_rotation_to_content()
        return writer
    except MemoryError:
        raise
    except Exception:  # The layout is then that of the file as it is, or empty; the flow stands.
        return None


def _page(reader: PdfReader, turned: PdfWriter | None, number: int) -> Page:
    page, ink = Page(number), Ink()
    try:
        flow = reader.pages[number - 1].extract_text(
            visitor_operand_before=ink.before, visitor_operand_after=ink.after, visitor_text=ink.text
        )
        page.flow, page.hidden = whole_characters(flow)[:MAX_PAGE_CHARS], ink.hidden(flow)[:MAX_PAGE_CHARS]
        page.has_image = ink.has_image
    except MemoryError:
        raise
    except Exception as error:
        page.error = said(error)
        return page
    # Upright text on a page with a /Rotate entry is lost by turning it, turned text by not turning it.
    layouts = [_layout(source, number) for source in (reader, turned) if source is not None]
    page.layout = max(layouts, key=lambda layout: len(layout) - layout.count(" "))
    return page


def _layout(source: PdfReader | PdfWriter, number: int) -> str:
    try:
        return whole_characters(source.pages[number - 1].extract_text(extraction_mode="layout"))[:MAX_PAGE_CHARS]
    except MemoryError:
        raise
    except Exception:  # The flow stands; the page is shown in it.
        return ""


def _fields(reader: PdfReader) -> dict[str, str]:
    try:
        found = reader.get_fields() or {}
        values = {str(name): _value(entry.get("/V")) for name, entry in found.items()}
    except MemoryError:
        raise
    except Exception:
        return {}
    return {whole_characters(name): whole_characters(value) for name, value in values.items() if value not in ("", "Off")}


def _value(value: Any) -> str:
    """A field's value; a ticked box has a name, ``/Yes``."""
    value = value.get_object() if hasattr(value, "get_object") else value
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "" if value is None else str(value).removeprefix("/").strip()


def _is_xfa(reader: PdfReader) -> bool:
    try:
        form: Any = reader.root_object.get("/AcroForm")
        return form is not None and "/XFA" in form.get_object()
    except MemoryError:
        raise
    except Exception:
        return False
