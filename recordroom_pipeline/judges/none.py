"""Nobody answers: an honest `not_judgeable` that names the setting to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.judging.decision import Decision
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.judging.verdict import na

SETTING = "set RECORDROOM_JUDGE_MODEL (for example `openai/gpt-4.1-mini`), or pass --judge MODEL"


class NoJudge:
    """The judge of a machine on which none was named and no recording is shipped."""

    def instrument(self) -> Mapping[str, Any]:
        return {"model": None, "strategy": "none", "votes": 0}

    def key_part(self, question: Question) -> Mapping[str, Any]:
        return {"origin": "none"}

    async def decide(self, question: Question, key: str) -> Decision:
        return Decision(key=key, finding=na("not_judgeable", f"No judge is configured: {SETTING}."), origin="none")
