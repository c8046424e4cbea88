"""Parsed documents as JSON values and back, exactly: for the cache and for the pipe to a reader's process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

from recordroom_pipeline.evidence.model import Cell, Document, Parsed, Segment

_SEGMENT = tuple(field.name for field in fields(Segment))
_CELL = tuple(field.name for field in fields(Cell))
_DECIMALS = ("number", "half_unit")
_TUPLES = ("flags", "heading_path")


def parsed_to_json(parsed: Parsed) -> dict[str, Any]:
    """JSON values; segments and cells as rows, decimals as text."""
    document = {field.name: getattr(parsed.document, field.name) for field in fields(Document)}
    return {
        "document": {**document, "flags": list(document["flags"])},
        "segments": [[_out(segment, name) for name in _SEGMENT] for segment in parsed.segments],
        "cells": [[_out(cell, name) for name in _CELL] for cell in parsed.cells],
    }


def _out(thing: Segment | Cell, name: str) -> Any:
    value = getattr(thing, name)
    if isinstance(value, Decimal):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def parsed_from_json(value: Mapping[str, Any]) -> Parsed:
    """The document that `parsed_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: when the value has another shape.
    """
    document = Document(**{**value["document"], "flags": tuple(value["document"]["flags"])})
    segments = tuple(Segment(**_in(_SEGMENT, row)) for row in value["segments"])
    cells = tuple(Cell(**_in(_CELL, row)) for row in value["cells"])
    return Parsed(document=document, segments=segments, cells=cells)


def _in(names: tuple[str, ...], row: list[Any]) -> dict[str, Any]:
    values = dict(zip(names, row, strict=True))
    for name in _DECIMALS:
        if values.get(name) is not None:
            values[name] = Decimal(values[name])
    for name in _TUPLES:
        if name in values:
            values[name] = tuple(values[name])
    return values
