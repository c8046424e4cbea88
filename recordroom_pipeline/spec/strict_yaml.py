"""YAML as specs use it: strings stay as written, nothing is repeated, aliased or tagged.

An ordinary loader turns ``on:`` into True, ``no`` into False and dates into objects; here only the scalars of the YAML 1.2 core
schema change type, and only where the caller asks for it (params of computed checks).
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

MAX_DEPTH = 12
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CORE = {"null": None, "~": None, "": None, "true": True, "True": True, "false": False, "False": False}
# Beyond this an integer has no exact JSON number (RFC 8785).
_MAX_INT = 2**53 - 1


class YamlFault(Exception):
    """Where in the text and what to write instead; lines and columns from 0."""

    def __init__(self, line: int, col: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.line, self.col, self.message, self.remedy = line, col, message, remedy


class _StrictLoader(yaml.SafeLoader):
    """Refuses what would let a short text mean much, or something else than it says."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlFault(mark.line, mark.column, "YAML anchors and aliases are not allowed", "write the value out")
        if getattr(event, "tag", None):
            raise YamlFault(mark.line, mark.column, f"the YAML tag {event.tag!r} is not allowed", "remove the tag")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise YamlFault(mark.line, mark.column, f"nested deeper than {MAX_DEPTH} levels", "flatten it")
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def load_yaml(text: str, *, typed: bool = False) -> tuple[Any, dict[str, tuple[int, int]]]:
    """The value of one YAML document, and where each top-level key stands (line, column from 0).

    ``typed`` turns plain numbers and true/false into JSON values; without it every scalar but null is a string.

    >>> load_yaml("on: 2026-08-01")[0], load_yaml("a: {default: 1, note: no}", typed=True)[0]
    ({'on': '2026-08-01'}, {'a': {'default': 1, 'note': 'no'}})

    Raises:
        YamlFault: with the place of the first thing that is wrong.
    """
    try:
        loader = _StrictLoader(text)
    except yaml.reader.ReaderError as error:
        raise YamlFault(0, 0, f"a character that YAML forbids: {error.reason}", "remove the control character") from error
    try:
        node = loader.get_single_node()
    except YamlFault:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, col = (mark.line, mark.column) if mark else (0, 0)
        raise YamlFault(line, col, f"not readable as YAML: {error.problem}", "quote the value, or mend the brackets") from error
    except (RecursionError, ValueError) as error:
        raise YamlFault(0, 0, f"not readable as YAML: {error}", "simplify it") from error
    finally:
        loader.dispose()
    if node is None:
        return None, {}
    places = {}
    if isinstance(node, yaml.MappingNode):
        places = {str(key.value): (key.start_mark.line, key.start_mark.column) for key, _ in node.value}
    return _value(node, typed), places


def _value(node: yaml.Node, typed: bool) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, typed)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, typed) for item in node.value]
    result: dict[str, Any] = {}
    for key, item in node.value:
        mark = key.start_mark
        if not isinstance(key, yaml.ScalarNode):
            raise YamlFault(mark.line, mark.column, "a key must be a plain word", "write `word: value`")
        name = _joined(key)
        if name in result:
            raise YamlFault(mark.line, mark.column, f"the key {name!r} stands twice", "keep one of them")
        result[name] = _value(item, typed)
    return result


def _joined(node: yaml.Node) -> str:
    """A scalar's text; JSON writes characters beyond the basic plane as two escapes, which YAML leaves as two halves."""
    text: str = node.value
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        mark = node.start_mark
        raise YamlFault(mark.line, mark.column, "half of a surrogate pair stands alone", "write the whole character") from error


def _scalar(node: yaml.ScalarNode, typed: bool) -> Any:
    text = _joined(node)
    if node.style is not None:
        return text
    if not typed:
        return None if text in ("null", "~", "") else text
    if text in _CORE:
        return _CORE[text]
    if _INT.fullmatch(text) and len(text) < 20 and abs(int(text)) <= _MAX_INT:
        return int(text)
    # A sum of digits that a float would round stays text, so that arithmetic can take it as a decimal.
    if _FLOAT.fullmatch(text) and len(text) <= 16 and math.isfinite(float(text)):
        return float(text)
    return text
