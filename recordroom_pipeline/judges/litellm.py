"""Any model that litellm reaches, asked one question at a time; litellm is imported at the first call, which takes seconds."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.errors import JudgeUnavailable
from recordroom_pipeline.judging.answer import Violations, read_reply
from recordroom_pipeline.judging.decision import Decision, Usage
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.judging.request import (
    MAX_EVIDENCE_CHARS,
    PROMPT_VERSION,
    Request,
    evidence_chars,
    render_request,
)
from recordroom_pipeline.judging.verdict import Finding, na

TIMEOUT_S = 120.0
RETRIES = 3
FIRST_DELAY_S = 1.0
_MODES = ("json_schema", "json_object", "plain")
_RETRYABLE = ("RateLimitError", "Timeout", "ServiceUnavailableError", "InternalServerError", "APIConnectionError", "APIError")
# At temperature 0 a model that broke the form once repeats itself (lesson: 16 of 20 repairs were byte-identical).
_REPAIR_TEMPERATURE = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    text: str
    usage: Usage


class LitellmJudge:
    """One model, one-shot; its answer is taken only with citations that stand in the evidence."""

    def __init__(self, model: str, *, api_base: str | None = None, first_delay_s: float = FIRST_DELAY_S) -> None:
        self.model = model
        self.api_base = api_base
        self._first_delay_s = first_delay_s
        self._mode = _MODES[0]

    def instrument(self) -> Mapping[str, Any]:
        return {
            "model": self.model,
            "strategy": "one-shot",
            "votes": 1,
            "temperature": 0,
            "prompt": PROMPT_VERSION,
            **({"api_base": self.api_base} if self.api_base else {}),
        }

    def key_part(self, question: Question) -> Mapping[str, Any]:
        return {"origin": "model", **self.instrument(), "request": render_request(question).hash}

    async def decide(self, question: Question, key: str) -> Decision:
        size = evidence_chars(question)
        if size > MAX_EVIDENCE_CHARS:
            why = f"The evidence has {size:,} characters; at most {MAX_EVIDENCE_CHARS:,} are shown to a judge."
            return Decision(key=key, finding=na("not_judgeable", why), origin="model")
        request = render_request(question)
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
        first = await self._ask(messages, request, temperature=0)
        found = read_reply(first.text, question)
        if not isinstance(found, Violations):
            return Decision(key=key, finding=found, origin="model", usage=first.usage, judge_said=first.text)
        repair = f"Your answer cannot be taken: {found}. Answer again, as one JSON object that keeps to the form."
        messages += [{"role": "assistant", "content": first.text}, {"role": "user", "content": repair}]
        second = await self._ask(messages, request, temperature=_REPAIR_TEMPERATURE)
        finding = _taken(read_reply(second.text, question))
        said = f"{first.text}\n--------\n{second.text}"
        return Decision(key=key, finding=finding, origin="model", usage=first.usage + second.usage, judge_said=said)

    async def _ask(self, messages: list[dict[str, str]], request: Request, *, temperature: float) -> _Reply:
        """One call, in the strictest answer mode that the endpoint takes; what was refused once is not tried again."""
        while True:
            mode = self._mode
            try:
                return await self._call(messages, request, mode, temperature)
            except _ModeRefused as refused:
                if mode == _MODES[-1]:
                    raise JudgeUnavailable(f"the judge {self.model} refuses the request: {refused}") from refused
                if self._mode == mode:
                    self._mode = _MODES[_MODES.index(mode) + 1]

    async def _call(self, messages: list[dict[str, str]], request: Request, mode: str, temperature: float) -> _Reply:
        litellm = _import_litellm()
        delay = self._first_delay_s
        for attempt in range(RETRIES + 1):
            try:
                response = await asyncio.wait_for(
                    litellm.acompletion(
                        model=self.model,
                        messages=messages,
                        temperature=temperature,
                        api_base=self.api_base,
                        num_retries=0,
                        drop_params=True,
                        timeout=TIMEOUT_S,
                        **_response_format(mode, request),
                    ),
                    TIMEOUT_S + 5,
                )
                return _reply(litellm, response)
            # litellm raises classes of its own for every provider; all derive from the openai client's base or from these.
            except Exception as error:
                name = type(error).__name__
                if name == "BadRequestError" or (name == "InternalServerError" and "response_format" in str(error)):
                    raise _ModeRefused(_said(error)) from error
                retryable = name in _RETRYABLE or isinstance(error, TimeoutError)
                if not retryable or attempt == RETRIES or _lacks_key(error):
                    raise JudgeUnavailable(f"the judge {self.model} does not answer ({name}): {_said(error)}") from error
                await asyncio.sleep(delay)
                delay *= 2
        raise AssertionError("unreachable")


class _ModeRefused(Exception):
    pass


def _taken(found: Finding | Violations) -> Finding:
    if isinstance(found, Violations):
        return na("not_judgeable", f"The judge gave no answer that can be taken, also when asked again: {found}.")
    return found


def _response_format(mode: str, request: Request) -> dict[str, Any]:
    if mode == "json_schema":
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}


def _reply(litellm: Any, response: Any) -> _Reply:
    usage = response.usage
    try:
        usd = float(litellm.completion_cost(completion_response=response))
    except Exception:  # The price table lacks most local models; an unknown price is None, not 0.
        usd = None
    used = Usage(calls=1, tokens_in=usage.prompt_tokens, tokens_out=usage.completion_tokens, usd=usd or None)
    return _Reply(text=response.choices[0].message.content or "", usage=used)


def _lacks_key(error: Exception) -> bool:
    """A missing OpenAI key arrives as an InternalServerError, which looks worth a retry."""
    return "api_key" in str(error).lower()


def _said(error: Exception) -> str:
    """The first line of an error without any key that the environment holds."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    for name, value in os.environ.items():
        if len(value) >= 8 and name.endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, f"<{name}>")
    return text


def _import_litellm() -> Any:
    # Without this, importing asks the network for a price table.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm
