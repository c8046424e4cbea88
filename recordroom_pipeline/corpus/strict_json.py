"""JSON as corpus files use it: no key twice, no NaN, and the line of whatever is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

import yaml

MAX_BYTES = 64 << 20


class JsonFault(Exception):
    """Where in the text (line and column from 1) and what to write instead."""

    def __init__(self, line: int, col: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.line, self.col, self.message, self.remedy = line, col, message, remedy


def load_json(data: bytes) -> Any:
    """The value of one JSON document in UTF-8, a byte order mark allowed.

    Raises:
        JsonFault: with the place of the first thing that is wrong.
    """
    if len(data) > MAX_BYTES:
        raise JsonFault(1, 1, f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read", "split it")
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise JsonFault(line, 1, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    except UnicodeEncodeError as error:
        raise JsonFault(1, 1, "half of a surrogate pair (\\ud8…) stands alone", "write the whole character") from error
    except json.JSONDecodeError as error:
        raise JsonFault(error.lineno, error.colno, f"not JSON: {error.msg}", "mend the JSON at this place") from error
    except _Refused as error:
        line = next((number for number, row in enumerate(text.split("\n"), 1) if error.mark in row), 1)
        raise JsonFault(line, 1, str(error), error.remedy) from error
    except RecursionError as error:
        raise JsonFault(1, 1, "nested too deeply", "flatten it") from error
    return value


class _Refused(ValueError):
    def __init__(self, message: str, mark: str, remedy: str) -> None:
        super().__init__(message)
        self.mark, self.remedy = mark, remedy


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the key '{twice}' stands twice in one object", json.dumps(twice), "keep one of them")
    return result


def _no_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is no JSON number", name, "write a number, or null")


def place_of(data: bytes, path: Sequence[str | int]) -> tuple[int, int]:
    """Line and column (from 1) of the value at a path of keys and indexes, or of the nearest part of it that exists.

    JSON is YAML, whose nodes know their places; it is slow, so it is asked only where there is something to report.
    """
    try:
        node = yaml.compose(data.decode("utf-8-sig").replace("\t", " "), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return 1, 1
    for part in path:
        child = _child(node, part)
        if child is None:
            break
        node = child
    return (node.start_mark.line + 1, node.start_mark.column + 1) if node else (1, 1)


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item: yaml.Node = node.value[part]
        return item
    return None
