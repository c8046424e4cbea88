"""What assets are given from outside: which judge answers, and where progress is shown."""

from __future__ import annotations

import time
from collections.abc import Callable

import dagster as dg
from pydantic import Field

from recordroom_pipeline.judging.decision import Judge
from recordroom_pipeline.orchestration.judging import judge_for
from recordroom_pipeline.store.files import SpecFolder

LOG_EVERY_S = 10.0


class JudgeResource(dg.ConfigurableResource["JudgeResource"]):
    """The judge of evals that are not computed.

    Without a model here or in RECORDROOM_JUDGE_MODEL, the recording that a corpus ships answers; else nobody does, and verdicts
    are `na` / `not_judgeable`. Keys come from the environment only, never from configuration.
    """

    model: str = Field(default="", description="A litellm model, such as `openai/gpt-4.1-mini`; empty: RECORDROOM_JUDGE_MODEL.")

    def judge(self, folder: SpecFolder) -> Judge:
        """The judge for one spec."""
        return judge_for(folder, self.model or None)


class Progress:
    """Shows how far parsing and judging are; in the UI one log line every ten seconds."""

    def step(self, what: str, log: Callable[[str], None]) -> Callable[[int, int], None]:
        """A callback that takes how many are done, and of how many."""
        started = shown = time.monotonic()

        def report(done: int, total: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= LOG_EVERY_S:
                shown = now
                log(f"{what}: {done:,} of {total:,} after {now - started:.0f} s")

        return report
