"""Spec → SPEC.md: for a new or forked spec, and for tests that read back what was written."""

from __future__ import annotations

import json
from typing import Any

from recordroom_pipeline.spec.edit import example_line
from recordroom_pipeline.spec.model import Eval, Param, Spec


def write_spec(spec: Spec) -> str:
    """A SPEC.md that reads back as this spec.

    Prose keeps its words; runs of white space inside it become one blank, as reading has it.
    """
    front = [
        "---",
        f"name: {spec.name}",
        f"version: {spec.version}",
        f"description: {_text(spec.description)}",
        f"maintainers: [{', '.join(_text(name) for name in spec.maintainers)}]",
        f"license: {_text(spec.license)}",
        f"forked_from: {spec.forked_from or 'null'}",
        "tasks:",
        *(f"  - {{id: {task.id}, name: {_text(task.name)}}}" for task in spec.tasks),
        *(f"{key}: {_json(value)}" for key, value in spec.extras.items()),
        "---",
    ]
    parts = ["\n".join(front), "## Evals", *(_eval(eval_) for eval_ in spec.evals)]
    if spec.about:
        parts.append(f"## About\n\n{spec.about}")
    return "\n\n".join(parts) + "\n"


def _eval(eval_: Eval) -> str:
    head = [f"### {eval_.id}", f"task: {eval_.task_group}", f"severity: {eval_.severity}"]
    body = [f"reads: {', '.join(eval_.reads)}", f"fail-when: {eval_.fail_when}"]
    if eval_.na_when is not None:
        body.append(f"na-when: {eval_.na_when}")
    if eval_.derived_from:
        body.append(f"derived_from: [{', '.join(_text(source) for source in eval_.derived_from)}]")
    if eval_.check is not None:
        body.append(f"check: computed {eval_.check}")
    if eval_.params:
        body.append("params:")
        body += [f"  {_param(param)}" for param in eval_.params]
    if eval_.examples:
        body.append("examples:")
        body += [f"  - {example_line(example)}" for example in eval_.examples]
    body += [f"{key}: {_json(value)}" for key, value in eval_.extras.items()]
    return "\n".join([*head, "", f"**{eval_.sentence}**", "", *body])


def _param(param: Param) -> str:
    unit = f", unit: {_text(param.unit)}" if param.unit is not None else ""
    return f"{_text(param.name)}: {{default: {_json(param.default)}{unit}}}"


def _text(text: str) -> str:
    """A text as YAML that reads back as itself."""
    return json.dumps(text, ensure_ascii=False) if text else '""'


def _json(value: Any) -> str:
    """A JSON value as YAML: JSON is YAML, but for characters that YAML forbids."""
    return json.dumps(value, ensure_ascii=True)
