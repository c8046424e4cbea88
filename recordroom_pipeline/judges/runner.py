"""Puts questions to a judge: what is kept is not asked again, what is decided is kept at once, an outage loses nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from recordroom_pipeline.errors import JudgeUnavailable
from recordroom_pipeline.judging.decision import Decision, Judge, VerdictCache, verdict_key
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.judging.settle import computed_instrument, settle

CONCURRENCY = 16
FLUSH_COUNT = 200
FLUSH_SECONDS = 2.0
GIVE_UP_AFTER = 5
"""Outages in a row after which nothing more is sent: the endpoint is down."""
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Judged:
    """What one call of `judge_questions` did."""

    decisions: dict[str, Decision] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    """Keys that had been decided before."""
    outages: list[JudgeUnavailable] = field(default_factory=list)


def question_key(question: Question, judge: Judge) -> str:
    """The verdict key of a question under a judge."""
    return verdict_key(question, computed_instrument(question) or judge.key_part(question))


def judge_questions(
    questions: Mapping[str, Question], judge: Judge, cache: VerdictCache, *, progress: Progress | None = None
) -> Judged:
    """Decide every question, given by verdict key, whose verdict is not kept yet; each new decision is kept within seconds.

    Outages are collected in the result: the caller says what is missing, and a second call goes on from there.
    """
    judged = Judged(decisions=cache.get(questions))
    judged.kept = frozenset(judged.decisions)
    todo = {key: question for key, question in questions.items() if key not in judged.kept}
    sink = _Sink(cache, judged, progress, len(todo))
    try:
        asking = {key: question for key, question in todo.items() if not sink.settled(question)}
        if asking:
            asyncio.run(_ask_all(asking, judge, sink))
    finally:
        sink.flush()
    return judged


class _Sink:
    """Collects decisions and keeps them in batches, so that a crash loses at most the last seconds."""

    def __init__(self, cache: VerdictCache, judged: Judged, progress: Progress | None, total: int) -> None:
        self._cache, self._judged, self._progress, self._total = cache, judged, progress, total
        self._waiting: list[Decision] = []
        self._flushed_at = time.monotonic()
        self._done = 0

    def settled(self, question: Question) -> bool:
        decision = settle(question)
        if decision is not None:
            self.add(decision)
        return decision is not None

    def add(self, decision: Decision) -> None:
        self._judged.decisions[decision.key] = decision
        self._waiting.append(decision)
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        if len(self._waiting) >= FLUSH_COUNT or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            self._cache.put(self._waiting)
        self._waiting = []
        self._flushed_at = time.monotonic()

    def outage(self, error: JudgeUnavailable) -> None:
        self._judged.outages.append(error)


async def _ask_all(todo: dict[str, Question], judge: Judge, sink: _Sink) -> None:
    slots = asyncio.Semaphore(CONCURRENCY)
    in_a_row = 0

    async def ask(key: str, question: Question) -> None:
        nonlocal in_a_row
        async with slots:
            if in_a_row >= GIVE_UP_AFTER:
                return
            try:
                decision = await judge.decide(question, key)
            except JudgeUnavailable as error:
                in_a_row += 1
                sink.outage(error)
            else:
                in_a_row = 0
                sink.add(decision)

    await asyncio.gather(*(ask(key, question) for key, question in todo.items()))
