"""Decisions by their key: append-only Parquet segments, one folder an eval; nothing is judged twice or rewritten."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from recordroom_pipeline.judging.decision import Decision, Usage
from recordroom_pipeline.judging.verdict import Anchor, Citation, Finding
from recordroom_pipeline.store.atomic import beside

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("verdict", pa.string()),
        ("na_reason", pa.string()),
        ("why", pa.string()),
        ("citations", pa.string()),  # JSON: [{from, span, at}]
        ("origin", pa.string()),
        ("calls", pa.int64()),
        ("tokens_in", pa.int64()),
        ("tokens_out", pa.int64()),
        ("usd", pa.float64()),
        ("judge_said", pa.string()),
        ("decided_at", pa.string()),  # UTC, ISO 8601
    ]
)


class JudgedStore:
    """The decisions of one eval of one spec; implements `judging.VerdictCache`.

    Several processes may write: each writes segments of its own. A kill leaves whole segments and no others.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, keys: Iterable[str]) -> dict[str, Decision]:
        wanted = set(keys)
        found: dict[str, Decision] = {}
        for path in sorted(self._folder.glob("*.parquet")):
            for row in pq.ParquetFile(path).read().to_pylist():
                if row["key"] in wanted:
                    found.setdefault(row["key"], _decision(row))
        return found

    def put(self, decisions: Sequence[Decision]) -> None:
        now = datetime.now(UTC)
        table = pa.Table.from_pylist([_row(decision, now.isoformat()) for decision in decisions], schema=SCHEMA)
        # The time leads the name so that the oldest decision of a key is the one that counts.
        path = self._folder / f"{now:%Y%m%dT%H%M%S.%f}-{uuid.uuid4().hex[:8]}.parquet"
        with beside(path) as temporary:
            pq.write_table(table, temporary, compression="zstd")


def _row(decision: Decision, decided_at: str) -> dict[str, Any]:
    finding, usage = decision.finding, decision.usage
    return {
        "key": decision.key,
        "verdict": finding.verdict,
        "na_reason": finding.na_reason,
        "why": finding.why,
        "citations": json.dumps([_citation_json(citation) for citation in finding.citations], ensure_ascii=False),
        "origin": decision.origin,
        "calls": usage.calls,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "usd": usage.usd,
        "judge_said": decision.judge_said,
        "decided_at": decided_at,
    }


def _decision(row: dict[str, Any]) -> Decision:
    return Decision(
        key=row["key"],
        finding=Finding(
            verdict=row["verdict"],
            na_reason=row["na_reason"],
            why=row["why"],
            citations=tuple(_citation(item) for item in json.loads(row["citations"])),
        ),
        origin=row["origin"],
        usage=Usage(calls=row["calls"], tokens_in=row["tokens_in"], tokens_out=row["tokens_out"], usd=row["usd"]),
        judge_said=row["judge_said"],
    )


def _citation_json(citation: Citation) -> dict[str, Any]:
    at = citation.at
    place = None
    if at is not None:
        place = {"locator": at.locator, "segment_id": at.segment_id, "start": at.start, "end": at.end, "match": at.match}
    return {"from": citation.source, "span": citation.span, "at": place}


def _citation(item: dict[str, Any]) -> Citation:
    return Citation(source=item["from"], span=item["span"], at=Anchor(**item["at"]) if item["at"] else None)
