"""How each material was read, kept by its parse key: an unchanged file is never parsed twice."""

from __future__ import annotations

import json
from pathlib import Path

from recordroom_pipeline.evidence.codec import parsed_from_json, parsed_to_json
from recordroom_pipeline.evidence.model import Parsed
from recordroom_pipeline.store.atomic import write_bytes

_PASSING = ("timeout", "error", "encrypted")
"""A reader that was killed may succeed on a quieter machine, and a password may be set later, so these are not kept."""


class ParsedStore:
    """Parsed documents under ``<folder>/<kk>/<parse key>.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Parsed | None:
        """The kept reading, or None where there is none or it cannot be read."""
        path = self._path(key)
        if not path.is_file():
            return None
        try:
            return parsed_from_json(json.loads(path.read_bytes()))
        except (ValueError, KeyError, TypeError):
            return None  # Half a file of a dying disk: parse again.

    def put(self, key: str, parsed: Parsed) -> None:
        """Keep a reading that is final."""
        if parsed.document.status not in _PASSING:
            write_bytes(self._path(key), json.dumps(parsed_to_json(parsed), ensure_ascii=False).encode())

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
