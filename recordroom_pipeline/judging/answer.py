"""An answer → a finding, or the list of what is wrong with it. A missing or malformed answer is never a pass."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.evidence.citations import verify_all
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.judging.request import allowed_answers
from recordroom_pipeline.judging.verdict import Citation, Finding, na

MAX_REPLY_CHARS = 200_000
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n\s*```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violations:
    """Why an answer cannot be taken, in words that a repair request can list."""

    found: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(self.found)


def read_reply(text: str, question: Question) -> Finding | Violations:
    """The finding of a raw reply: one JSON object, bare or in one code fence."""
    if len(text) > MAX_REPLY_CHARS:
        return Violations(found=(f"the reply has {len(text):,} characters; at most {MAX_REPLY_CHARS:,} are read",))
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (json.JSONDecodeError, RecursionError):
        return Violations(found=("the reply is not one JSON object",))
    if not isinstance(value, dict):
        return Violations(found=("the reply is not one JSON object",))
    return read_answer(value, question)


def read_answer(value: Mapping[str, Any], question: Question) -> Finding | Violations:
    """The finding of an answer's fields: every citation verified against the evidence shown."""
    faults = _shape_faults(value, question)
    if faults:
        return Violations(found=tuple(faults))
    citations = tuple(Citation(source=item["from"], span=item["span"]) for item in value["citations"])
    verified = verify_all(citations, question.evidence)
    faults = [str(rejected.reason) for rejected in verified.rejected]
    if value["answer"] != "insufficient_evidence" and not verified.accepted:
        return Violations(
            found=(*faults, f"the answer {value['answer']} needs at least one citation that stands in the record")
        )
    if faults and not verified.accepted:
        return _finding(value["answer"], value["why"], ())
    return _finding(value["answer"], value["why"], verified.accepted)


def _shape_faults(value: Mapping[str, Any], question: Question) -> list[str]:
    faults = [f"the key '{key}' is missing" for key in ("why", "citations", "answer") if key not in value]
    faults += [f"the key '{key}' is not allowed" for key in value if key not in ("why", "citations", "answer")]
    why, citations, answer = value.get("why"), value.get("citations"), value.get("answer")
    if "why" in value and (not isinstance(why, str) or not why.strip()):
        faults.append("`why` is empty or no text")
    if "citations" in value and not _are_citations(citations):
        faults.append('`citations` is no list of {"from": source, "span": words}')
    allowed = allowed_answers(question)
    if "answer" in value and answer not in allowed:
        faults.append(f"the answer {json.dumps(answer, ensure_ascii=False)[:60]} is none of {', '.join(allowed)}")
    return faults


def _are_citations(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and set(item) == {"from", "span"}
        and isinstance(item["from"], str)
        and isinstance(item["span"], str)
        for item in value
    )


def _finding(answer: str, why: str, citations: tuple[Citation, ...]) -> Finding:
    match answer:
        case "pass" | "fail":
            return Finding(verdict=answer, why=why, citations=citations)
        case "not_applicable" | "insufficient_evidence":
            return na(answer, why, citations)
    raise AssertionError(f"answer {answer!r} was not checked")
