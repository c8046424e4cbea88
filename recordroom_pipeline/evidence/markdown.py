"""Markdown → headings, paragraphs, items, code and table rows, each the raw lines it was written as.

Structure comes from tokens, words from the source: a rendered cell drops what a pipe inside code cuts off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from recordroom_pipeline.evidence.csv_text import column_keys
from recordroom_pipeline.evidence.html_comments import Marks, comment_spans, marks_of
from recordroom_pipeline.evidence.locators import lines_of, locator, make_segment
from recordroom_pipeline.evidence.model import Cell, Segment
from recordroom_pipeline.evidence.numbers import is_total_label, read_number

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_LINK_COMMENT = re.compile(r" {0,3}\[(?://|#|comment)\]:", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=*_-]+")
_CONTAINERS = {"list_item_open": "list_item", "blockquote_open": "quote"}
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    first: int
    """Line index from 0; ``last`` is excluded."""
    last: int
    level: int = 0
    marks: Marks = ()


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
    tokens = _MARKDOWN.parse(body)
    for place, token in enumerate(tokens):
        if token.type in _CONTAINERS:
            within.append(_CONTAINERS[token.type])
        elif token.type.replace("_close", "_open") in _CONTAINERS:
            within.pop()
        in_head = token.type == "thead_open" or (in_head and token.type != "thead_close")
        kind = _kind(token, within, in_head)
        if kind is not None and token.map is not None:
            level = int(token.tag[1]) if kind == "heading" else 0
            yield _Block(kind, token.map[0] + start, token.map[1] + start, level, _marks(kind, tokens, place))


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
        return "html_block"
    if token.type == "tr_open":
        return "table_header" if in_head else "table_row"
    return None


def _marks(kind: str, tokens: Sequence[Token], place: int) -> Marks:
    """What the inline parser found in a block; a table row holds one inline for each cell."""
    if kind in ("code", "html_block"):
        return ()
    inline = [tokens[place + 1]]
    if kind.startswith("table_"):
        row = (tokens[index] for index in range(place, len(tokens)))
        inline = list(takewhile(lambda token: token.type != "tr_close", row))
    return marks_of(child for token in inline for child in token.children or ())


def _with_rest(blocks: Iterator[_Block], lines: Sequence[tuple[int, int]], text: str) -> list[_Block]:
    """The blocks and every other line that is not blank: rules, link definitions, the line under a table's header."""
    found: list[_Block] = []
    covered: set[int] = set()
    for block in blocks:
        own = [index for index in range(block.first, min(block.last, len(lines))) if index not in covered]
        while own and not text[slice(*lines[own[-1]])].strip():
            own.pop()
        if own:
            found.append(replace(block, first=own[0], last=own[-1] + 1))
            covered.update(own)
    rest = [index for index, span in enumerate(lines) if index not in covered and text[slice(*span)].strip()]
    found += [_Block(_rest_kind(text[slice(*lines[index])]), index, index + 1) for index in rest]
    return sorted(found, key=lambda block: block.first)


def _rest_kind(line: str) -> str:
    if _LINK_COMMENT.match(line):
        return "html_comment"
    return "rule" if _RULE.fullmatch(line) else "paragraph"


def _add(state: _State, block: _Block, text: str, lines: Sequence[tuple[int, int]], doc_id: str, file: str) -> None:
    """The segments of one block: one, or where comments stand in it, the pieces around them and the comments, hidden."""
    start, end = lines[block.first][0], lines[block.last - 1][1]
    pieces = _pieces(block, text[start:end])
    visible = [(begin, stop) for begin, stop, hidden in pieces if not hidden]
    words = " ".join(text[start + begin : start + stop] for begin, stop in visible)
    if block.kind == "heading":
        title = words.strip().strip("#").strip()
        state.headings = [item for item in state.headings if item[0] < block.level] + [(block.level, title)]
    row = _next_row(state, block.kind)
    ends = (block.first + 1, block.last)
    place = f"L{ends[0]}" if ends[0] == ends[1] else f"L{ends[0]}-L{ends[1]}"
    shown: list[Segment] = []
    for number, (begin, stop, hidden) in enumerate(pieces, start=1):
        segment = make_segment(
            doc_id,
            text,
            (start + begin, start + stop),
            ordinal=len(state.segments),
            view="source",
            kind="html_comment" if hidden else block.kind,
            locator=locator(file, place if number == 1 else f"{place}:{number}"),
            lines=ends,
            row=row,
            heading_path=tuple(title for _, title in state.headings),
            hidden=hidden,
        )
        state.segments.append(segment)
        shown += [] if hidden else [segment]
    if row is not None and shown:
        state.cells += _cells(state, shown, text[start:end], start, visible)


def _next_row(state: _State, kind: str) -> int | None:
    if kind not in ("table_header", "table_row"):
        return None
    state.row = 0 if kind == "table_header" else state.row + 1
    return state.row


def _pieces(block: _Block, raw: str) -> list[tuple[int, int, bool]]:
    """Extent in the block of each visible or hidden piece, white space at the ends left out."""
    comments = [(0, len(raw))] if block.kind == "html_comment" else comment_spans(raw, block.kind, block.marks)
    bounds = [(0, 0), *comments, (len(raw), len(raw))]
    pieces: list[tuple[int, int, bool]] = []
    for (_, begin), (stop, after) in pairwise(bounds):
        pieces.append((begin, stop, False))
        pieces.append((stop, after, True))
    trimmed = [(*_trimmed(raw, begin, stop), hidden) for begin, stop, hidden in pieces] if comments else [(0, len(raw), False)]
    return [piece for piece in trimmed if piece[0] < piece[1]]


def _trimmed(raw: str, start: int, end: int) -> tuple[int, int]:
    words = raw[start:end]
    left = start + len(words) - len(words.lstrip())
    return left, left + len(words.strip())


def _fields(row: str) -> list[tuple[int, int]]:
    """Extent of each cell of one table row, trimmed; the outer pipes are no cells."""
    inner = row.strip()
    lead = row.index(inner) if inner else 0
    bounds = [lead - 1, *(match.start() for match in _PIPE.finditer(row, lead, lead + len(inner))), lead + len(inner)]
    if inner.startswith("|"):
        del bounds[0]
    if len(bounds) > 2 and bounds[-2] == lead + len(inner) - 1:
        del bounds[-1]
    return [_trimmed(row, start + 1, end) for start, end in pairwise(bounds)]


def _cells(
    state: _State, shown: Sequence[Segment], row: str, offset: int, visible: Sequence[tuple[int, int]]
) -> Iterator[Cell]:
    mask = "".join(
        row[begin:end].rjust(end - gap) for gap, (begin, end) in zip([0, *(end for _, end in visible)], visible, strict=False)
    )
    fields = [_outside(begin, end, visible) for begin, end in _fields(mask)]
    is_row = shown[0].kind == "table_row"
    if not is_row:
        state.names = [row[begin:end] for begin, end, _ in fields]
    keys = column_keys(state.names)
    total = is_row and any(is_total_label(row[begin:end]) for begin, end, _ in fields[:3])
    for place, (begin, end, piece) in enumerate(fields):
        raw = row[begin:end]
        number = read_number(raw.strip("*_")) if is_row else None
        yield Cell(
            segment_id=shown[piece].segment_id,
            row=shown[piece].row or 0,
            col_index=place,
            col_name=state.names[place] if place < len(state.names) else "",
            col_key=keys[place] if place < len(keys) else f"c{place + 1}",
            raw=raw,
            char_start=offset + begin,
            char_end=offset + end,
            number=number.value if number else None,
            number_kind=number.kind if number else None,
            currency=number.currency if number else None,
            half_unit=number.half_unit if number else None,
            is_total=total,
        )


def _outside(begin: int, end: int, visible: Sequence[tuple[int, int]]) -> tuple[int, int, int]:
    """The first part of a cell that no comment hides, and the piece that it stands in."""
    for piece, (start, stop) in enumerate(visible):
        if begin < stop and start < end:
            return max(begin, start), min(end, stop), piece
    piece = next((piece for piece, (start, stop) in enumerate(visible) if start <= begin <= stop), 0)
    at = min(max(begin, visible[piece][0]), visible[piece][1])
    return at, at, piece
