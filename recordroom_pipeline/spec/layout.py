"""`recordroom fmt`: the order of fields and the spacing of SPEC.md, which have no meaning."""

from __future__ import annotations

import re

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.spec.compile import spec_hash
from recordroom_pipeline.spec.eval_section import FIELDS
from recordroom_pipeline.spec.read import read_spec

_HEAD = ("task", "severity")
_TAIL = ("reads", "fail-when", "na-when", "derived_from", "check", "params", "examples")
_FIELD = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_-]*)[ \t]*:[ \t]*(?P<value>.*)")


def format_spec(data: bytes) -> bytes:
    """The same spec, laid out: LF, no byte order mark, fields in the format's order, one blank line around what stands apart.

    What follows the evals stays as it was written. Formatting twice changes nothing more.

    Raises:
        ProblemsFound: when the file has errors.
        RecordRoomError: when laying it out would change what it says; nothing is lost then.
    """
    before = read_spec(data)
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.rstrip() for line in text.split("\n")]
    front_end = lines.index("---", 1)
    bounds = [eval_.line - 1 for eval_ in before.evals]
    rest_at = _rest(lines, bounds[-1])
    parts = [_front(lines[: front_end + 1]), *_between(lines, front_end + 1, bounds[0])]
    parts += [_section(lines[start:end]) for start, end in zip(bounds, [*bounds[1:], rest_at], strict=True)]
    raw_rest = "\n".join(text.split("\n")[rest_at:]).rstrip("\n")
    laid_out = "\n\n".join(part for part in (*parts, raw_rest) if part) + "\n"
    if spec_hash(read_spec(laid_out.encode())) != spec_hash(before):
        raise RecordRoomError("SPEC.md cannot be laid out without changing what it says; please report this file")
    return laid_out.encode()


def _rest(lines: list[str], last_eval: int) -> int:
    """Where the evals end: the next heading of level 1 or 2."""
    return next((index for index in range(last_eval + 1, len(lines)) if re.match(r"##? ", lines[index])), len(lines))


def _front(lines: list[str]) -> str:
    return "\n".join(line for line in lines if line)


def _between(lines: list[str], start: int, stop: int) -> list[str]:
    """`## Evals` and comments before the first eval."""
    return ["\n".join(block) for block in _blocks(lines[start:stop])]


def _blocks(lines: list[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _section(lines: list[str]) -> str:
    """One eval: heading, head fields, sentence, the other fields; a comment goes with what follows it."""
    pieces: dict[str, list[str]] = {}
    pending: list[str] = []
    current: list[str] | None = None
    in_comment = False
    for line in lines[1:]:
        key = _key(line)
        if in_comment or line.startswith("<!--"):
            in_comment = "-->" not in line
            pending.append(line)
            current = None
        elif line.startswith("**") and (current is None or current is not pieces.get("sentence")):
            current = pieces["sentence"] = [*pending, line]
            pending = []
        elif key is not None:
            match = _FIELD.fullmatch(line)
            assert match is not None
            value = f" {match['value']}" if match["value"] else ""
            current = pieces[key] = [*pending, f"{key}:{value}"]
            pending = []
        elif not line:
            current = None
        elif current is not None:
            current.append(line)
    own = [key for key in pieces if key.startswith("x-")]
    head = [line for key in _HEAD for line in pieces.get(key, [])]
    tail = [line for key in (*_TAIL, *own) for line in pieces.get(key, [])]
    blocks = ["\n".join([lines[0], *head]), "\n".join(pieces.get("sentence", [])), "\n".join(tail), "\n".join(pending)]
    return "\n\n".join(block for block in blocks if block)


def _key(line: str) -> str | None:
    match = _FIELD.fullmatch(line)
    return match["key"] if match and (match["key"] in FIELDS or match["key"].startswith("x-")) else None
