"""Canonical JSON (RFC 8785) and the hashes over it; the only place that hashes structured content."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

import rfc8785

_MAX_INT = 2**53 - 1


def plain(value: Any) -> Any:
    """Dataclasses, tuples and Decimals as JSON values; absent (None) fields stay as null.

    An integer that no double holds becomes its digits as text, and infinity its name, because RFC 8785 has no number for them.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Decimal) or _has_no_number(value):
        return str(value)
    return value


def _has_no_number(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) > _MAX_INT


def canonical_json(value: Any) -> bytes:
    """RFC 8785 bytes: the same for equal content whatever the key order or platform.

    >>> canonical_json({"b": 1.0, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    return rfc8785.dumps(plain(value))


def sha256_hex(data: bytes) -> str:
    """Lower-case hex digest of bytes."""
    return hashlib.sha256(data).hexdigest()


def content_hash(value: Any) -> str:
    """``sha256:`` and the hex digest over canonical JSON.

    >>> content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    True
    """
    return "sha256:" + sha256_hex(canonical_json(value))
