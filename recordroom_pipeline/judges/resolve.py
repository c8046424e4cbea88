"""Which judge answers: the model that was named, else the recording that the corpus ships, else nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recordroom_pipeline.judges.litellm import LitellmJudge
from recordroom_pipeline.judges.none import NoJudge
from recordroom_pipeline.judges.recorded import RecordedJudge, Recording
from recordroom_pipeline.judging.decision import Judge

MODEL_VARIABLE = "RECORDROOM_JUDGE_MODEL"
BASE_VARIABLE = "RECORDROOM_JUDGE_API_BASE"
_KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "AZURE_API_KEY")


def resolve_judge(model: str | None, recordings: Sequence[Recording], *, env: Mapping[str, str]) -> Judge:
    """The judge by the named order; a key that merely lies in the environment is no choice of a judge."""
    named = model or env.get(MODEL_VARIABLE)
    if named:
        return LitellmJudge(named, api_base=env.get(BASE_VARIABLE) or None)
    return RecordedJudge(recordings) if recordings else NoJudge()


def unused_keys(model: str | None, env: Mapping[str, str]) -> tuple[str, ...]:
    """Names of provider keys that lie in the environment while no model was named."""
    if model or env.get(MODEL_VARIABLE):
        return ()
    return tuple(name for name in _KEY_VARIABLES if env.get(name))
