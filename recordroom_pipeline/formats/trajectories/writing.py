"""`Trajectories` → the seed's corpus files. All are compared with what stands there before the first is written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from recordroom_pipeline.corpus.model import Output, Turn
from recordroom_pipeline.errors import AlreadyWritten, Problem
from recordroom_pipeline.formats.trajectories.model import Conversation, Report, Trajectories

POLICY = "policy.md"
_README = "corpus/README.md"
_SIMULATED = "The user's side of these sessions was played by a program; the agent's work was captured as it happened."
_CAPTURED = "These sessions were captured as they happened."


def write_corpus(
    trajectories: Trajectories, spec_folder: Path, *, agent: str | None = None, model: str | None = None
) -> Report:
    """Write each task, policy and output below ``spec_folder``/corpus; a second time writes nothing.

    ``agent`` is the agent's id (else the log's, else the file's stem), ``model`` its model where the log names none.
    A corpus/README.md that stands there is left alone.

    Raises:
        AlreadyWritten: when one of the files stands there with other content; then nothing was written.
    """
    files = _files(trajectories, agent, model)
    standing = {name: _bytes_at(spec_folder / name) for name in files}
    different = [name for name, held in standing.items() if held is not None and held != files[name]]
    if different:
        more = f" and {len(different) - 5} more" if len(different) > 5 else ""
        raise AlreadyWritten(
            f"{spec_folder}: {', '.join(different[:5])}{more} stand there with other content — "
            "import into another spec, or remove them first; nothing was written"
        )
    readme, warnings = _readme(trajectories, _bytes_at(spec_folder / _README))
    fresh = {name: data for name, data in files.items() if standing[name] is None} | readme
    for name, data in fresh.items():
        _create(spec_folder / name, data)
    return Report(
        path=trajectories.path,
        sha256=trajectories.sha256,
        kind=trajectories.kind,
        taken=_taken(trajectories),
        dropped=trajectories.dropped,
        written=tuple(sorted(fresh)),
        unchanged=tuple(sorted(name for name, held in standing.items() if held is not None)),
        warnings=(*trajectories.warnings, *warnings),
    )


def _files(trajectories: Trajectories, agent: str | None, model: str | None) -> dict[str, bytes]:
    """Every file but README.md by its path; tasks first, so that no output ever stands without its task."""
    tasks: dict[str, bytes] = {}
    outputs: dict[str, bytes] = {}
    for conversation in trajectories.conversations:
        folder = f"corpus/tasks/{conversation.output.task}"
        if conversation.policy is not None:
            tasks[f"{folder}/{POLICY}"] = (conversation.policy.rstrip("\n") + "\n").encode()
        tasks[f"{folder}/task.json"] = _json(_task(conversation))
        outputs[f"corpus/outputs/{conversation.output.id}.json"] = _json(_output(conversation.output, agent, model))
    return {**tasks, **outputs}


def _task(conversation: Conversation) -> dict[str, Any]:
    tools = [{"name": tool.name, "description": tool.description, "returns": tool.returns} for tool in conversation.tools]
    return {
        "id": conversation.output.task,
        "title": conversation.title,
        "instruction": conversation.instruction,
        "materials": [POLICY] if conversation.policy is not None else [],
        **({"tools": tools} if tools else {}),
    }


def _output(output: Output, agent: str | None, model: str | None) -> dict[str, Any]:
    who = {"id": agent or output.agent.id, "kind": output.agent.kind, "model": output.agent.model or model}
    return {
        "id": output.id,
        "task": output.task,
        "agent": {key: value for key, value in who.items() if value is not None},
        "turns": [_turn(turn) for turn in output.turns],
        "final": output.final,
    }


def _turn(turn: Turn) -> dict[str, Any]:
    if turn.tool is None:
        return {"role": turn.role, "content": turn.content}
    return {"role": turn.role, "tool": turn.tool, "args": dict(turn.args), "result": turn.result}


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _readme(trajectories: Trajectories, standing: bytes | None) -> tuple[dict[str, bytes], list[Problem]]:
    """README.md where there is none; else, where it does not name this file, a warning that says what to add."""
    provenance = f"{PurePath(trajectories.path).name}, sha256 {trajectories.sha256}, {trajectories.kind}"
    if standing is None:
        words = _SIMULATED if trajectories.customer_is_simulated else _CAPTURED
        text = f"---\nsynthesized: false\nprovenance: {json.dumps(provenance)}\n---\n\n{words}\n"
        return {_README: text.encode()}, []
    if trajectories.sha256.encode() in standing:
        return {}, []
    message = "corpus/README.md does not name this file's origin"
    return {}, [Problem(path=_README, level="warning", code="RR650", message=message, remedy=f"add to it: {provenance}")]


def _taken(trajectories: Trajectories) -> dict[str, int]:
    turns = [turn for conversation in trajectories.conversations for turn in conversation.output.turns]
    calls = [turn for turn in turns if turn.tool is not None]
    unanswered = sum(call.result is None for call in calls)
    return {
        "tasks": len({conversation.output.task for conversation in trajectories.conversations}),
        "outputs": len(trajectories.conversations),
        "messages": len(turns) - len(calls),
        "tool calls": len(calls),
        **({"tool calls without a result": unanswered} if unanswered else {}),
    }


def _bytes_at(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _create(path: Path, data: bytes) -> None:
    """A whole file or none: written beside, then linked to its name, which fails where another writer was first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        os.link(beside, path)
    except FileExistsError:
        if path.read_bytes() != data:
            raise AlreadyWritten(f"{path} was written by another process meanwhile — look at it, then import again") from None
    finally:
        beside.unlink(missing_ok=True)
