"""Markdown → headings, paragraphs, items, code and table rows, each the raw lines it was written as.

Structure comes from tokens, words from the source: a rendered cell drops what a pipe inside code cuts off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from recordroom_pipeline.evidence.csv_text import column_keys
from recordroom_pipeline.evidence.locators import lines_of, locator, make_segment
from recordroom_pipeline.evidence.model import Cell, Segment
from recordroom_pipeline.evidence.numbers import is_total_label, read_number

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_CONTAINERS = {"list_item_open": "list_item", "blockquote_open": "quote"}
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    first: int
    """Line index from 0; ``last`` is excluded."""
    last: int
    level: int = 0


@dataclass(slots=True)
class _State:
    segments: list[Segment] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    row: int = 0


def read_markdown(text: str, *, doc_id: str, file: str) -> tuple[tuple[Segment, ...], tuple[Cell, ...]]:
    """Segments in order of lines, none of which is lost, and the cells of tables."""
    lines = lines_of(text)
    state = _State()
    for block in _with_rest(_blocks(text, lines), lines, text):
        _add(state, block, text, lines, doc_id, file)
    return tuple(state.segments), tuple(state.cells)


def _blocks(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[_Block]:
    start = _front_matter_end(text, lines)
    yield from (_Block("front_matter", index, index + 1) for index in range(start))
    # markdown-it counts lines by LF alone; rejoined by it, its counts are ours.
    body = "\n".join(text[begin:end] for begin, end in lines[start:])
    within: list[str] = []
    in_head = False
    for token in _MARKDOWN.parse(body):
        if token.type in _CONTAINERS:
            within.append(_CONTAINERS[token.type])
        elif token.type.replace("_close", "_open") in _CONTAINERS:
            within.pop()
        in_head = token.type == "thead_open" or (in_head and token.type != "thead_close")
        kind = _kind(token, within, in_head)
        if kind is not None and token.map is not None:
            level = int(token.tag[1]) if kind == "heading" else 0
            yield _Block(kind, token.map[0] + start, token.map[1] + start, level)


def _front_matter_end(text: str, lines: Sequence[tuple[int, int]]) -> int:
    words = [text[begin:end].rstrip() for begin, end in lines[:200]]
    if not words or words[0] != "---" or "---" not in words[1:]:
        return 0
    return words.index("---", 1) + 1


def _kind(token: Token, within: Sequence[str], in_head: bool) -> str | None:
    if token.type == "heading_open":
        return "heading"
    if token.type == "paragraph_open":
        return within[-1] if within else "paragraph"
    if token.type in ("fence", "code_block"):
        return "code"
    if token.type == "html_block":
        return "html_comment" if token.content.lstrip().startswith("<!--") else "html_block"
    if token.type == "tr_open":
        return "table_header" if in_head else "table_row"
    return None


def _with_rest(blocks: Iterator[_Block], lines: Sequence[tuple[int, int]], text: str) -> list[_Block]:
    """The blocks and, as paragraphs, every other line that is not blank: rules, link definitions, delimiter rows."""
    found: list[_Block] = []
    covered: set[int] = set()
    for block in blocks:
        own = [index for index in range(block.first, min(block.last, len(lines))) if index not in covered]
        while own and not text[slice(*lines[own[-1]])].strip():
            own.pop()
        if own:
            found.append(_Block(block.kind, own[0], own[-1] + 1, block.level))
            covered.update(own)
    rest = [index for index, span in enumerate(lines) if index not in covered and text[slice(*span)].strip()]
    found += [_Block("paragraph", index, index + 1) for index in rest]
    return sorted(found, key=lambda block: block.first)


def _add(state: _State, block: _Block, text: str, lines: Sequence[tuple[int, int]], doc_id: str, file: str) -> None:
    span = (lines[block.first][0], lines[block.last - 1][1])
    if block.kind == "heading":
        title = text[slice(*span)].strip().strip("#").strip()
        state.headings = [item for item in state.headings if item[0] < block.level] + [(block.level, title)]
    if block.kind == "table_header":
        state.row, state.names = 0, [raw.strip() for raw, _, _ in _fields(text, span)]
    elif block.kind == "table_row":
        state.row += 1
    ends = (block.first + 1, block.last)
    place = f"L{ends[0]}" if ends[0] == ends[1] else f"L{ends[0]}-L{ends[1]}"
    segment = make_segment(
        doc_id,
        text,
        span,
        ordinal=len(state.segments),
        view="source",
        kind=block.kind,
        locator=locator(file, place),
        lines=ends,
        row=state.row if block.kind.startswith("table_") else None,
        heading_path=tuple(title for _, title in state.headings),
        hidden=block.kind == "html_comment",
    )
    state.segments.append(segment)
    if block.kind.startswith("table_"):
        state.cells += _cells(segment, text, span, state.names)


def _fields(text: str, span: tuple[int, int]) -> list[tuple[str, int, int]]:
    """Cells of one table row: trimmed text with its offsets; the outer pipes are no cells."""
    bounds = [match.start() for match in _PIPE.finditer(text, *span)]
    inner = text[slice(*span)]
    lead = span[0] + len(inner) - len(inner.lstrip())
    starts = [lead - 1, *bounds] if not bounds or bounds[0] != lead else bounds
    trail = span[0] + len(inner.rstrip())
    ends = [*bounds, trail] if not bounds or bounds[-1] != trail - 1 else bounds
    ends = ends[1:] if bounds and bounds[0] == lead else ends
    fields = []
    for start, end in zip(starts, ends, strict=False):
        raw = text[start + 1 : end]
        left = start + 1 + len(raw) - len(raw.lstrip())
        fields.append((raw.strip(), left, left + len(raw.strip())))
    return fields


def _cells(segment: Segment, text: str, span: tuple[int, int], names: Sequence[str]) -> Iterator[Cell]:
    keys = column_keys(names)
    fields = _fields(text, span)
    total = segment.kind == "table_row" and any(is_total_label(raw) for raw, _, _ in fields[:3])
    for place, (raw, start, end) in enumerate(fields):
        number = read_number(raw.strip("*_")) if segment.kind == "table_row" else None
        yield Cell(
            segment_id=segment.segment_id,
            row=segment.row or 0,
            col_index=place,
            col_name=names[place] if place < len(names) else "",
            col_key=keys[place] if place < len(keys) else f"c{place + 1}",
            raw=raw,
            char_start=start,
            char_end=end,
            number=number.value if number else None,
            number_kind=number.kind if number else None,
            currency=number.currency if number else None,
            half_unit=number.half_unit if number else None,
            is_total=total,
        )
