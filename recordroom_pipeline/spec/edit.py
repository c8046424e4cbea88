"""Edits that the product makes in SPEC.md: the lines that must change, and not a byte more.

Each edit is read back: the new spec must be the old one with exactly that change, else nothing is returned.
"""

from __future__ import annotations

import re
from dataclasses import replace

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.spec.eval_section import FIELDS, without_comments
from recordroom_pipeline.spec.model import Example, Spec
from recordroom_pipeline.spec.read import read_spec

_VERSION = re.compile(r"(?P<before>version[ \t]*:[ \t]*)(?P<quote>[\"']?)(?P<version>[^\s\"'#]+)(?P=quote)")
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_-]*)[ \t]*:(?P<value>.*)")


def set_version(data: bytes, version: str) -> bytes:
    """The same SPEC.md with another version."""
    old = read_spec(data)
    lines = _lines(data)
    for index, line in enumerate(lines):
        match = _VERSION.match(line)
        if match:
            quote = match["quote"]
            lines[index] = f"{match['before']}{quote}{version}{quote}{line[match.end() :]}"
            return _checked(lines, replace(old, version=version), data)
        if index and line.rstrip() == "---":
            break
    raise RecordRoomError(f"SPEC.md: the line `version: {old.version}` is not where it can be changed; change it by hand")


def pin_example(data: bytes, eval_id: str, example: Example) -> bytes:
    """The same SPEC.md with one more example under an eval: one line, or two where the eval had none."""
    old = read_spec(data)
    eval_ = old.eval_by_id(eval_id)
    if eval_ is None:
        known = ", ".join(item.id for item in old.evals)
        raise RecordRoomError(f"SPEC.md has no eval '{eval_id}'; known: {known}")
    lines = _lines(data)
    end_of_line = "\r\n" if lines[0].endswith("\r\n") else "\n"
    start, stop = _section(lines, eval_.line)
    item = f"  - {example_line(example)}{end_of_line}"
    place = _field(lines, start, stop, "examples")
    if place is None:
        at = _last_content(lines, start, stop) + 1
        if not lines[at - 1].endswith(("\n", "\r")):
            lines[at - 1] += end_of_line
        lines[at:at] = [f"examples:{end_of_line}", item]
    else:
        _into_list(lines, place, _field_end(lines, place, stop), item, example)
    evals = tuple(replace(other, examples=(*other.examples, example)) if other.id == eval_id else other for other in old.evals)
    return _checked(lines, replace(old, evals=evals), data)


def example_line(example: Example) -> str:
    """An example as one line of YAML, every text in quotes that hide nothing.

    >>> example_line(Example(output="L1-a", verdict="fail", note='says "no"', reviewed_by="A. B", on="2026-09-01"))
    '{output: "L1-a", verdict: fail, note: "says \\\\"no\\\\"", reviewed_by: "A. B", on: 2026-09-01}'
    """
    note = f", note: {_quoted(example.note)}" if example.note is not None else ""
    by = _quoted(example.reviewed_by)
    return f"{{output: {_quoted(example.output)}, verdict: {example.verdict}{note}, reviewed_by: {by}, on: {example.on}}}"


def _quoted(text: str) -> str:
    """A YAML double-quoted text on one line; what is not plain is escaped."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(char) or (char if char.isprintable() else _escape(char)) for char in text) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _lines(data: bytes) -> list[str]:
    """Lines with their ends, as they stand; the byte order mark stays with the first."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", data.decode("utf-8"))


def _section(lines: list[str], heading: int) -> tuple[int, int]:
    """Line indexes of an eval's body: after its heading, up to the next one."""
    for index in range(heading, len(lines)):
        if re.match(r"#{1,3} ", lines[index]):
            return heading, index
    return heading, len(lines)


def _field(lines: list[str], start: int, stop: int, key: str) -> int | None:
    for index in without_comments(lines, start, stop):
        match = _FIELD.match(lines[index])
        if match and match["key"] == key:
            return index
    return None


def _field_end(lines: list[str], place: int, stop: int) -> int:
    """Index after the last line of a field: up to a blank line or the next field."""
    for index in range(place + 1, stop):
        match = _FIELD.match(lines[index])
        known = match and (match["key"] in FIELDS or match["key"].startswith("x-"))
        if not lines[index].strip() or known or lines[index].startswith("**"):
            return index
    return stop


def _last_content(lines: list[str], start: int, stop: int) -> int:
    """The last line of the section that is neither blank nor part of a comment."""
    kept = [index for index in without_comments(lines, start, stop) if lines[index].strip()]
    return kept[-1] if kept else start - 1


def _into_list(lines: list[str], place: int, stop: int, item: str, example: Example) -> None:
    """Add an item to a list in block form, or to one in brackets, as it was begun."""
    text = "".join(lines[place:stop])
    value = re.sub(r"\s#.*", "", text.split(":", 1)[1]).strip()
    if value in ("", "[]", "null", "~"):
        head = lines[place]
        end = head[len(head.rstrip("\r\n")) :] or "\n"
        comment = re.search(r"[ \t]+#.*", head.rstrip("\r\n"))
        lines[place:stop] = [f"examples:{comment[0] if comment else ''}{end}", item]
    elif value.startswith("["):
        closing = text.rstrip().rindex("]")
        comma = "" if text[:closing].rstrip().endswith((",", "[")) else ","
        changed = f"{text[:closing].rstrip()}{comma} {example_line(example)}{text[closing:]}"
        lines[place:stop] = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", changed)
    else:
        indent = next((re.match(r"[ \t]*", line)[0] for line in lines[place + 1 : stop] if line.lstrip().startswith("-")), "  ")  # type: ignore[index]
        if not lines[stop - 1].endswith(("\n", "\r")):
            lines[stop - 1] += item[len(item.rstrip("\r\n")) :]
        lines.insert(stop, indent + item.lstrip())


def _checked(lines: list[str], wanted: Spec, before: bytes) -> bytes:
    """The edited file, if it says exactly what it should."""
    data = "".join(lines).encode("utf-8")
    try:
        read = read_spec(data)
    except RecordRoomError as error:
        raise RecordRoomError(f"SPEC.md cannot be edited where it stands; make the change by hand\n{error}") from error
    if read != wanted:
        raise RecordRoomError("SPEC.md cannot be edited without changing something else; make the change by hand")
    return data
