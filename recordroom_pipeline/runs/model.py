"""A run: every output × every eval of one version over one snapshot, judged by one instrument; and its document run.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.canonical import content_hash, plain
from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.judging.decision import Origin, Usage
from recordroom_pipeline.judging.verdict import LABELS, Citation, Finding
from recordroom_pipeline.spec.model import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One verdict of a run: a finding tied to its output and eval."""

    task: str
    output: str
    eval: str
    severity: Severity
    eval_identity: str
    evidence_sha256: str
    """Hash of exactly what was shown."""
    verdict_key: str
    origin: Origin
    finding: Finding
    usage: Usage

    @property
    def subject(self) -> str:
        """What a review of this verdict is about: it stays the same across runs and versions while these four do."""
        return subject_of(self.eval_identity, self.output, self.evidence_sha256, self.finding.verdict)


def subject_of(eval_identity: str, output: str, evidence_sha256: str, verdict: str) -> str:
    """Hash of eval identity, output id, evidence shown and verdict."""
    return content_hash({"eval": eval_identity, "output": output, "evidence": evidence_sha256, "verdict": verdict})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run, complete."""

    spec: str
    spec_version: str
    spec_hash: str
    version_key: str
    """Partition key: the version, or a draft's key."""
    corpus_hash: str
    corpus_key: str
    params: Mapping[str, Any]
    instruments: Mapping[str, Any]
    results: tuple[Result, ...]
    created_at: str = ""
    """UTC, ISO 8601 with `Z`."""
    id: str = ""


def totals_of(results: Sequence[Result]) -> dict[str, int]:
    """Verdicts by label, every label named."""
    counts = Counter(result.finding.verdict for result in results)
    return {label: counts[label] for label in LABELS}


def run_params(params_by_eval: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Values of all parameters; a name to which two evals give different values is written ``<eval>.<name>``.

    >>> run_params({"a": {"tolerance": 1}, "b": {"tolerance": 1}, "c": {"limit": 5}, "d": {"limit": 6}})
    {'tolerance': 1, 'c.limit': 5, 'd.limit': 6}
    """
    names = dict.fromkeys(name for params in params_by_eval.values() for name in params)
    result: dict[str, Any] = {}
    for name in names:
        given = {eval_id: params[name] for eval_id, params in params_by_eval.items() if name in params}
        values = list(given.values())
        if all(value == values[0] for value in values):
            result[name] = values[0]
        else:
            result |= {f"{eval_id}.{name}": value for eval_id, value in given.items()}
    return result


def run_content(run: Run) -> dict[str, Any]:
    """run.json without `created_at`: what its hash is over ("Runs")."""
    return {
        "kind": "run",
        "spec": {"name": run.spec, "version": run.spec_version, "hash": run.spec_hash},
        "corpus": {"hash": run.corpus_hash},
        "params": plain(run.params),
        "instruments": plain(run.instruments),
        "results": [_result_document(result) for result in run.results],
        "totals": totals_of(run.results),
    }


def run_document(run: Run) -> dict[str, Any]:
    """run.json, with the seed's fields in the seed's order."""
    content = run_content(run)
    tail = {key: content.pop(key) for key in ("results", "totals")}
    return {**content, "created_at": run.created_at, **tail}


def _result_document(result: Result) -> dict[str, Any]:
    finding = result.finding
    return {
        "task": result.task,
        "output": result.output,
        "eval": result.eval,
        "verdict": finding.verdict,
        "na_reason": finding.na_reason,
        "why": finding.why,
        "citations": [_citation_document(citation) for citation in finding.citations],
    }


def _citation_document(citation: Citation) -> dict[str, Any]:
    at = None if citation.at is None else citation.at.locator
    return {"from": citation.source, "span": citation.span, "at": at}


def run_content_hash(run: Run) -> str:
    """Hash by which the same content under an existing run is recognised."""
    return content_hash(run_content(run))


def run_id(created_at: str, content: str) -> str:
    """``<UTC time>-<8 hex of the content's hash>``.

    >>> run_id("2026-12-01T09:30:00Z", "sha256:0123456789abcdef")
    '20261201T093000Z-01234567'
    """
    return f"{created_at.replace('-', '').replace(':', '')}-{content.removeprefix('sha256:')[:8]}"


RUN_KEYS = ("kind", "spec", "corpus", "params", "instruments", "created_at", "results", "totals")
RESULT_KEYS = ("task", "output", "eval", "verdict", "na_reason", "why", "citations")


def check_run_document(document: Mapping[str, Any], *, path: str) -> None:
    """Whether a run.json holds what the format says, its totals agree and no output × eval stands twice.

    Raises:
        RecordRoomError: naming the file and what is wrong.
    """
    if tuple(document) != RUN_KEYS or document["kind"] != "run":
        raise RecordRoomError(f"{path}: no run.json; its keys must be {', '.join(RUN_KEYS)}")
    seen: set[tuple[str, str]] = set()
    for result in document["results"]:
        if tuple(result) != RESULT_KEYS:
            raise RecordRoomError(f"{path}: a result has the keys {', '.join(result)}, not {', '.join(RESULT_KEYS)}")
        pair = (result["output"], result["eval"])
        if pair in seen:
            raise RecordRoomError(f"{path}: {pair[0]} × {pair[1]} stands twice")
        seen.add(pair)
    counts = Counter(result["verdict"] for result in document["results"])
    if document["totals"] != {label: counts[label] for label in LABELS}:
        raise RecordRoomError(f"{path}: totals {document['totals']} are not those of the results {dict(counts)}")
