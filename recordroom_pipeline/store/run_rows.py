"""A run as rows of `runs`, `verdicts` and `citations`: the same verdicts as run.json, with what analysts join on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.runs.model import Result, Run, totals_of


def run_row(run: Run, path: str) -> dict[str, Any]:
    """The row of table `runs`; ``path`` of run.json relative to the project's root."""
    totals = totals_of(run.results)
    return {
        "spec": run.spec,
        "run": run.id,
        "version_key": run.version_key,
        "version": run.spec_version,
        "spec_hash": run.spec_hash,
        "corpus": run.corpus_key,
        "corpus_hash": run.corpus_hash,
        "judge": run.instruments["judge"].get("model"),
        "created_at": run.created_at,
        "n_verdicts": len(run.results),
        "n_pass": totals["pass"],
        "n_fail": totals["fail"],
        "n_na": totals["na"],
        "n_unjudged": sum(result.finding.na_reason == "not_judgeable" for result in run.results),
        "usd": run.instruments["usage"]["usd"],
        "path": path,
    }


def verdict_rows(run: Run) -> list[dict[str, Any]]:
    """Rows of table `verdicts`: one a result."""
    return [_verdict_row(run, result) for result in run.results]


def _verdict_row(run: Run, result: Result) -> dict[str, Any]:
    finding = result.finding
    return {
        "spec": run.spec,
        "run": run.id,
        "version_key": run.version_key,
        "corpus": run.corpus_key,
        "task": result.task,
        "output": result.output,
        "eval": result.eval,
        "severity": result.severity,
        "verdict": finding.verdict,
        "na_reason": finding.na_reason,
        "why": finding.why,
        "origin": result.origin,
        "n_citations": len(finding.citations),
        "eval_identity": result.eval_identity,
        "evidence_sha256": result.evidence_sha256,
        "subject": result.subject,
        "verdict_key": result.verdict_key,
        "tokens_in": result.usage.tokens_in,
        "tokens_out": result.usage.tokens_out,
        "usd": result.usage.usd,
    }


def citation_rows(run: Run) -> list[dict[str, Any]]:
    """Rows of table `citations`: one a quote."""
    return [
        _citation_row(run, result, place, citation.source, citation.span, _at(citation.at))
        for result in run.results
        for place, citation in enumerate(result.finding.citations)
    ]


def _at(at: Any) -> Mapping[str, Any]:
    if at is None:
        return {}
    return {"locator": at.locator, "segment_id": at.segment_id, "start": at.start, "end": at.end, "match": at.match}


def _citation_row(run: Run, result: Result, place: int, source: str, span: str, at: Mapping[str, Any]) -> dict[str, Any]:
    ids = {"spec": run.spec, "run": run.id, "output": result.output, "eval": result.eval}
    return {**ids, "place": place, "source": source, "span": span, **at}
