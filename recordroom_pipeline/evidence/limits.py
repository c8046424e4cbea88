"""How much of one file is read. Part of every parse key: another limit is another reading."""

from __future__ import annotations

from types import MappingProxyType

MAX_BYTES = 64 << 20
MAX_PAGES = 2_000
MAX_PAGE_CHARS = 2_000_000

LIMITS = MappingProxyType({"max_bytes": MAX_BYTES, "max_pages": MAX_PAGES, "max_page_chars": MAX_PAGE_CHARS})
