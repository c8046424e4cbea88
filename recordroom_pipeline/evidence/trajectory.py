"""The session as evidence: turns, final message, instruction and tools, each line or call a segment of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from recordroom_pipeline.canonical import canonical_json, sha256_hex
from recordroom_pipeline.corpus.model import Material, Output, Task, Turn
from recordroom_pipeline.evidence.locators import lines_of, make_segment
from recordroom_pipeline.evidence.model import Parsed, Segment, Source, SourceKind

Piece = tuple[str, str, str]
"""Kind, locator and text of one segment."""


def turns_source(output: Output) -> Source:
    """The whole session: messages by line, each tool call as compact JSON, its result by line, verbatim."""
    digest = sha256_hex(canonical_json(output.turns))
    pieces = [piece for number, turn in enumerate(output.turns, start=1) for piece in _turn(number, turn)]
    return _source("turns", "turns", digest, pieces, turns=output.turns)


def _turn(number: int, turn: Turn) -> Iterable[Piece]:
    if turn.content is not None:
        yield from _lines("message", f"turns#turn{number}", turn.content)
        return
    args = json.dumps(turn.args, ensure_ascii=False, separators=(",", ":"))
    yield "tool_call", f"turns#turn{number}:call", f"{turn.tool} {args}"
    yield from _lines("tool_result", f"turns#turn{number}:result", turn.result or "")


def _lines(kind: str, place: str, text: str) -> Iterable[Piece]:
    for number, (start, end) in enumerate(lines_of(text), start=1):
        if text[start:end].strip():
            yield kind, f"{place}:L{number}", text[start:end]


def output_source(output: Output) -> Source:
    """The final message by line."""
    pieces = list(_lines("message", "output#final", output.final))
    return _source("output", "output", sha256_hex(output.final.encode()), pieces)


def instruction_source(task: Task) -> Source:
    """The task's instruction by line."""
    pieces = [
        (kind, place.replace("#:", "#"), text) for kind, place, text in _lines("paragraph", "instruction#", task.instruction)
    ]
    return _source("instruction", "instruction", sha256_hex(task.instruction.encode()), pieces)


def tools_source(task: Task) -> Source | None:
    """The tools that the task declares, one a segment; None where it declares none."""
    if not task.tools:
        return None
    pieces = [
        ("tool", f"tools#{number}", f"{tool.name}: {tool.description} Returns: {tool.returns}".strip())
        for number, tool in enumerate(task.tools, start=1)
    ]
    return _source("tools", "tools", sha256_hex(canonical_json(task.tools)), pieces)


def material_source(material: Material, parsed: Parsed) -> Source:
    """A file as a judge may read it: one view a page, nothing hidden."""
    shown = tuple(segment for segment in parsed.segments if segment.shown and not segment.hidden)
    ids = {segment.segment_id for segment in shown}
    return Source(
        name=material.name,
        kind="material",
        content_sha256=material.sha256,
        segments=shown,
        cells=tuple(cell for cell in parsed.cells if cell.segment_id in ids),
        status=parsed.document.status,
        reason=parsed.document.reason,
    )


def _source(name: str, kind: SourceKind, digest: str, pieces: Iterable[Piece], turns: tuple[Turn, ...] = ()) -> Source:
    segments: list[Segment] = []
    at = 0
    for ordinal, (what, place, text) in enumerate(pieces):
        segment = make_segment(digest, text, (0, len(text)), ordinal=ordinal, view="source", kind=what, locator=place)
        segments.append(_moved(segment, at))
        at += len(text) + 1
    return Source(name=name, kind=kind, content_sha256=digest, segments=tuple(segments), turns=turns)


def _moved(segment: Segment, by: int) -> Segment:
    """Segments of a session are offsets into its lines joined by line ends."""
    return replace(segment, char_start=segment.char_start + by, char_end=segment.char_end + by)
