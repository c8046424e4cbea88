"""promptfoo's results.json (version 3): one prompt and one answer a result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.formats.trajectories.chat import is_message, messages_of
from recordroom_pipeline.formats.trajectories.messages import Log, Message, Record, compact

_TAKEN = frozenset({"prompt", "promptIdx", "testIdx", "provider", "response"})
_LABELS = frozenset({"gradingResult", "score", "success", "namedScores", "error", "failureReason", "testCase"})


def is_promptfoo(value: Any) -> bool:
    """Whether a JSON document is promptfoo's results."""
    results = value.get("results") if isinstance(value, dict) else None
    return isinstance(results, dict) and isinstance(results.get("results"), list)


def read_promptfoo(value: Any, log: Log) -> list[Record]:
    """Every result that has an answer, sorted by test, then prompt: the file's order is that of completion."""
    found: list[Record] = []
    repeats: Counter[str] = Counter()
    for index, result in sorted(enumerate(value["results"]["results"], start=1), key=lambda pair: _order(pair[1])):
        with log.record(1, f"result {index}"):
            record = _result(result, repeats, log)
            if record is not None:
                found.append(record)
    return found


def _order(result: Any) -> tuple[int, int]:
    pair = [result.get(key) if isinstance(result, dict) else None for key in ("testIdx", "promptIdx")]
    first, second = (item if isinstance(item, int) else 0 for item in pair)
    return first, second


def _result(result: Any, repeats: Counter[str], log: Log) -> Record | None:
    if not isinstance(result, dict):
        log.fault("RR642", "the result is no object", "export the results again")
    response = result.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    if output is None:
        log.drop("result without an answer", "there is no work to judge")
        return None
    log.drop_keys(result, _TAKEN, _LABELS)
    provider = result.get("provider")
    name = provider.get("id") if isinstance(provider, dict) else provider
    model = name if isinstance(name, str) and name.strip() else None
    # Prompts are variants of the instruction, so each is a task of its own.
    task = f"{log.stem}-{_order(result)[0]}-{_order(result)[1]}"
    repeats[f"{task} {model}"] += 1
    answer = output if isinstance(output, str) else compact(output)
    return Record(
        id=f"{task}-{model or 'agent'}-{repeats[f'{task} {model}']}",
        task=task,
        messages=(*_prompt(result, log), Message(role="agent", text=answer)),
        agent=model,
        model=model,
    )


def _prompt(result: Mapping[str, Any], log: Log) -> tuple[Message, ...]:
    prompt = result.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if not isinstance(raw, str):
        log.fault("RR642", "the result has no text `prompt.raw`", "export the results again")
    try:
        chat = json.loads(raw)
    except (ValueError, RecursionError):
        chat = None
    if isinstance(chat, list) and chat and all(is_message(item) for item in chat):
        return tuple(messages_of(chat, log))
    return (Message(role="user", text=raw),)
