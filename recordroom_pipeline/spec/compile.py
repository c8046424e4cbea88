"""Spec → the document of spec.json, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recordroom_pipeline.canonical import content_hash, plain
from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.spec.model import Eval, Example, Param, Spec, TaskGroup


def spec_document(spec: Spec) -> dict[str, Any]:
    """What spec.json holds: the whole spec, each eval's identity, and ``hash`` over everything but itself."""
    document: dict[str, Any] = {
        "kind": "spec",
        "name": spec.name,
        "version": spec.version,
        "description": spec.description,
        "maintainers": list(spec.maintainers),
        "license": spec.license,
        "forked_from": spec.forked_from,
        "tasks": [{"id": task.id, "name": task.name} for task in spec.tasks],
        "evals": [_eval_document(eval_) for eval_ in spec.evals],
        "about": spec.about,
        **spec.extras,
    }
    return {**document, "hash": content_hash(document)}


def spec_hash(spec: Spec) -> str:
    """Hash of one version's whole content."""
    return str(spec_document(spec)["hash"])


def _eval_document(eval_: Eval) -> dict[str, Any]:
    return {
        "id": eval_.id,
        "task": eval_.task_group,
        "severity": eval_.severity,
        "sentence": eval_.sentence,
        "reads": list(eval_.reads),
        "fail-when": eval_.fail_when,
        "na-when": eval_.na_when,
        "derived_from": list(eval_.derived_from),
        "check": eval_.check,
        "params": {param.name: {"default": param.default, "unit": param.unit} for param in eval_.params},
        "examples": [plain(example) for example in eval_.examples],
        **eval_.extras,
        "identity": eval_.identity,
        "examples_hash": examples_hash(eval_),
    }


def examples_hash(eval_: Eval) -> str:
    """Hash of the pinned examples: apart from the identity, since they reach only the judge."""
    return content_hash([plain(example) for example in eval_.examples])


def read_spec_document(document: Mapping[str, Any]) -> Spec:
    """The spec of a spec.json; its hash must be that of its content.

    Raises:
        RecordRoomError: when the document was edited by hand or is no spec.json.
    """
    try:
        spec = Spec(
            name=document["name"],
            version=document["version"],
            description=document["description"],
            maintainers=tuple(document["maintainers"]),
            license=document["license"],
            forked_from=document["forked_from"],
            tasks=tuple(TaskGroup(id=task["id"], name=task["name"]) for task in document["tasks"]),
            evals=tuple(_read_eval(entry) for entry in document["evals"]),
            about=document["about"],
            extras={key: value for key, value in document.items() if key.startswith("x-")},
        )
    except (KeyError, TypeError) as error:
        raise RecordRoomError(f"no compiled spec: {error!r} is missing or has another shape; compile SPEC.md again") from error
    if spec_hash(spec) != document.get("hash"):
        raise RecordRoomError(
            f"{spec.name} {spec.version}: the content does not match its hash {document.get('hash')}; "
            "restore the file from git, versions are never edited"
        )
    return spec


def _read_eval(entry: Mapping[str, Any]) -> Eval:
    params = tuple(Param(name=name, default=value["default"], unit=value["unit"]) for name, value in entry["params"].items())
    return Eval(
        id=entry["id"],
        task_group=entry["task"],
        severity=entry["severity"],
        sentence=entry["sentence"],
        reads=tuple(entry["reads"]),
        fail_when=entry["fail-when"],
        na_when=entry["na-when"],
        derived_from=tuple(entry["derived_from"]),
        check=entry["check"],
        params=params,
        examples=tuple(Example(**example) for example in entry["examples"]),
        extras={key: value for key, value in entry.items() if key.startswith("x-")},
        line=0,
    )
