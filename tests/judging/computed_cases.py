"""Evidence built by hand for tests of computed checks: prose, tables, conversations, and one eval asked of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recordroom_pipeline.corpus.model import Turn
from recordroom_pipeline.evidence.citations import verify
from recordroom_pipeline.evidence.model import Cell, Evidence, Segment, Source, SourceKind
from recordroom_pipeline.evidence.numbers import read_number
from recordroom_pipeline.evidence.reads import fold
from recordroom_pipeline.judging.computed import decide
from recordroom_pipeline.judging.verdict import Finding
from recordroom_pipeline.spec.model import Eval, Param


def segments(name: str, pieces: Sequence[tuple[str, str, str]]) -> tuple[Segment, ...]:
    """One segment for each (kind, locator, text)."""
    made, at = [], 0
    for ordinal, (kind, locator, text) in enumerate(pieces):
        made.append(
            Segment(
                segment_id=f"{name}-{ordinal}",
                ordinal=ordinal,
                view="source",
                kind=kind,
                locator=locator,
                text=text,
                char_start=at,
                char_end=at + len(text),
            )
        )
        at += len(text) + 1
    return tuple(made)


def prose(name: str, *lines: str, kind: str = "paragraph", source_kind: SourceKind = "material") -> Source:
    pieces = [(kind, f"{name}.md#L{number}", line) for number, line in enumerate(lines, start=1)]
    return Source(name=name, kind=source_kind, content_sha256="0" * 64, segments=segments(name, pieces))


def final(*lines: str) -> Source:
    pieces = [("message", f"output#final:L{number}", line) for number, line in enumerate(lines, start=1)]
    return Source(name="output", kind="output", content_sha256="0" * 64, segments=segments("output", pieces))


def instruction(text: str) -> Source:
    return Source(
        name="instruction",
        kind="instruction",
        content_sha256="0" * 64,
        segments=segments("instruction", [("paragraph", "instruction#L1", text)]),
    )


def table(name: str, header: str, *rows: str, status: Any = "ok", kind: str = "csv_row") -> Source:
    """Rows with cells parted by ``|``; a row that begins with Total is one."""
    pieces = [(kind, f"{name}.csv#r{number}", row) for number, row in enumerate([header, *rows])]
    made = segments(name, pieces)
    names = [cell.strip() for cell in header.split("|")]
    cells = [
        cell for number, segment in enumerate(made) for cell in _cells(segment, number, names, segment.text.startswith("Total"))
    ]
    return Source(name=name, kind="material", content_sha256="0" * 64, segments=made, cells=tuple(cells), status=status)


def _cells(segment: Segment, row: int, names: Sequence[str], is_total: bool) -> list[Cell]:
    cells, at = [], 0
    for index, raw in enumerate(segment.text.split("|")):
        amount = read_number(raw) if row else None
        key = names[index] if names.index(names[index]) == index else f"{names[index]}~2"
        cells.append(
            Cell(
                segment_id=segment.segment_id,
                row=row,
                col_index=index,
                col_name=names[index],
                col_key=key,
                raw=raw,
                char_start=segment.char_start + at,
                char_end=segment.char_start + at + len(raw),
                number=amount.value if amount else None,
                number_kind=amount.kind if amount else None,
                currency=amount.currency if amount else None,
                half_unit=amount.half_unit if amount else None,
                is_total=is_total and row > 0,
            )
        )
        at += len(raw) + 1
    return cells


def user(text: str) -> Turn:
    return Turn(role="user", content=text)


def says(text: str) -> Turn:
    return Turn(role="agent", content=text)


def call(tool: str, result: str = "done", **args: Any) -> Turn:
    return Turn(role="agent", tool=tool, args=args, result=result)


def conversation(*turns: Turn) -> Source:
    pieces = []
    for number, turn in enumerate(turns, start=1):
        if turn.tool is None:
            lines = [line for line in (turn.content or "").split("\n") if line.strip()]
            pieces += [("message", f"turns#turn{number}:L{at}", line) for at, line in enumerate(lines, start=1)]
        else:
            text = f"{turn.tool} {json.dumps(dict(turn.args), separators=(',', ':'), ensure_ascii=False)}"
            pieces.append(("tool_call", f"turns#turn{number}:call", text))
            lines = [line for line in (turn.result or "").split("\n") if line.strip()]
            pieces += [("tool_result", f"turns#turn{number}:result:L{at}", line) for at, line in enumerate(lines, start=1)]
    return Source(name="turns", kind="turns", content_sha256="0" * 64, segments=segments("turns", pieces), turns=turns)


def unreadable(source: Source, reason: str) -> Source:
    return replace(source, segments=(), cells=(), status="unreadable", reason=reason)


def rule(check: str | None, *, reads: Sequence[str] = (), na_when: str | None = None, **params: Any) -> Eval:
    return Eval(
        id="rule",
        task_group="schedule",
        severity="major",
        sentence="The rule holds.",
        reads=tuple(reads),
        fail_when="it does not.",
        na_when=na_when,
        check=check,
        params=tuple(Param(name=name.rstrip("_"), default=value) for name, value in params.items()),
    )


def ask(eval_: Eval, *sources: Source, missing: Sequence[str] = ()) -> Finding:
    """Decides, and holds every citation against the evidence, as it stands there."""
    evidence = Evidence(sources=sources, missing=tuple(missing), missing_names=tuple(fold(name) for name in missing))
    finding = decide(eval_, eval_.param_values(), evidence)
    for citation in finding.citations:
        source = evidence.source(citation.source)
        assert source is not None
        assert citation.at is not None
        segment = next(segment for segment in source.segments if segment.segment_id == citation.at.segment_id)
        assert segment.text[citation.at.start : citation.at.end] == citation.span
        assert citation.at.locator == f"{segment.locator}@{citation.at.start}-{citation.at.end}"
        assert isinstance(verify(citation, evidence), tuple), citation
    assert finding.why.endswith("."), finding.why
    return finding


def spans(finding: Finding) -> list[str]:
    return [citation.span for citation in finding.citations]
