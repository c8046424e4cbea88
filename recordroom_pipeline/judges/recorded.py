"""Answers that people wrote after reading each case, replayed only where eval and evidence are the ones they read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.canonical import content_hash
from recordroom_pipeline.errors import Problem
from recordroom_pipeline.judges.none import SETTING
from recordroom_pipeline.judging.answer import Violations, read_answer
from recordroom_pipeline.judging.decision import Decision
from recordroom_pipeline.judging.question import Question, recording_match
from recordroom_pipeline.judging.verdict import na

_ENTRY_KEYS = ("match", "eval", "output", "answer", "why", "citations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The entries of one recording file, by their match hash."""

    origin: str
    by: str
    on: str
    entries: Mapping[str, Mapping[str, Any]]


def read_recording(data: bytes, *, path: str) -> tuple[Recording | None, list[Problem]]:
    """One recording: a header line, then an answer a line. None when it has errors."""
    problems: list[Problem] = []

    def bad(line: int, code: str, message: str, remedy: str) -> None:
        problems.append(Problem(path=path, line=line, code=code, message=message, remedy=remedy))

    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(data.decode("utf-8-sig", errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            bad(number, "RR241", f"not JSON: {error.msg}", "write one JSON object a line")
            continue
        if isinstance(value, dict):
            rows.append((number, value))
        else:
            bad(number, "RR241", "no JSON object", "write one JSON object a line")
    header = rows[0][1] if rows else {}
    if header.get("kind") != "recording" or header.get("origin") != "authored":
        remedy = 'begin with {"kind": "recording", "origin": "authored", "by": …, "on": …}'
        bad(1, "RR242", "the first line does not declare an authored recording", remedy)
        return None, problems
    entries: dict[str, Mapping[str, Any]] = {}
    for number, row in rows[1:]:
        missing = [key for key in _ENTRY_KEYS if key not in row]
        if missing:
            bad(number, "RR243", f"the answer lacks `{missing[0]}`", f"give each answer {', '.join(_ENTRY_KEYS)}")
        elif row["match"] is None:
            bad(number, "RR244", "the answer was never stamped", "run `recordroom recording stamp ORG/NAME`")
        elif entries.setdefault(row["match"], row)["answer"] != row["answer"]:
            # Outputs whose evidence is the same are one question; the first of equal answers is replayed.
            bad(number, "RR245", f"another answer to the same question ({row['eval']}, {row['output']})", "make them agree")
    if problems:
        return None, problems
    by, on = str(header.get("by", "")), str(header.get("on", ""))
    return Recording(origin="authored", by=by, on=on, entries=entries), []


def _answer(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"why": entry["why"], "citations": entry["citations"], "answer": entry["answer"]}


class RecordedJudge:
    """Replays authored answers; what no longer matches is not judgeable, never silently replayed."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self._recordings = tuple(recordings)
        self._entries = {key: entry for recording in self._recordings for key, entry in recording.entries.items()}

    def instrument(self) -> Mapping[str, Any]:
        sources = [{"by": recording.by, "on": recording.on} for recording in self._recordings]
        return {"model": "recorded/authored", "strategy": "recorded", "votes": 1, "origin": "authored", "recordings": sources}

    def key_part(self, question: Question) -> Mapping[str, Any]:
        entry = self._entries.get(recording_match(question))
        return {"origin": "authored", "entry": None if entry is None else content_hash(_answer(entry))}

    async def decide(self, question: Question, key: str) -> Decision:
        entry = self._entries.get(recording_match(question))
        if entry is None:
            why = f"No recorded answer is to this rule and this evidence, and no model is configured: {SETTING}."
            return Decision(key=key, finding=na("not_judgeable", why), origin="none")
        said = json.dumps(_answer(entry), ensure_ascii=False)
        found = read_answer(_answer(entry), question)
        if isinstance(found, Violations):
            finding = na("not_judgeable", f"The recorded answer cannot be taken: {found}.")
            return Decision(key=key, finding=finding, origin="authored", judge_said=said)
        return Decision(key=key, finding=found, origin="authored", judge_said=said)
