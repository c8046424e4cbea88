"""The compiled spec: the format's words as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from recordroom_pipeline.canonical import content_hash

Severity = Literal["blocking", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("blocking", "major", "minor")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGroup:
    """A heading that groups evals for people (frontmatter ``tasks``); never a filter."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter of a computed check, with its default."""

    name: str
    default: Any
    """A JSON value: string, number, boolean, list or mapping."""
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A reviewed verdict pinned to an eval: a precedent."""

    output: str
    verdict: Literal["pass", "fail", "na"]
    reviewed_by: str
    on: str
    """A date as written, ``YYYY-MM-DD``."""
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eval:
    """One expert sentence and how it is checked."""

    id: str
    task_group: str
    severity: Severity
    sentence: str
    reads: tuple[str, ...]
    """Names as written; the judge's entire visible evidence."""
    fail_when: str
    na_when: str | None = None
    derived_from: tuple[str, ...] = ()
    check: str | None = None
    """Name of a computed check; None for an eval that a judge decides."""
    params: tuple[Param, ...] = ()
    examples: tuple[Example, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Keys beginning ``x-``, passed through."""
    line: int = field(default=1, compare=False)
    """Line of the heading in SPEC.md, 1-based; 0 when read from spec.json."""
    identity: str = field(init=False, compare=False, repr=False, default="")
    """Hash over what decides a verdict: sentence, reads, fail-when, na-when, check, params."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "identity", _identity(self))

    @property
    def origin(self) -> Literal["computed", "judged"]:
        """Whether arithmetic or a judge decides this eval."""
        return "computed" if self.check else "judged"

    def param_values(self) -> dict[str, Any]:
        """Each parameter's value: its default."""
        return {param.name: param.default for param in self.params}


def _identity(eval_: Eval) -> str:
    return content_hash(
        {
            "sentence": eval_.sentence,
            "reads": list(eval_.reads),
            "fail-when": eval_.fail_when,
            "na-when": eval_.na_when,
            "check": eval_.check,
            "params": {param.name: {"default": param.default, "unit": param.unit} for param in eval_.params},
            **({"x-jev": eval_.extras["x-jev"]} if "x-jev" in eval_.extras else {}),
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One version of a spec."""

    name: str
    """``org/name``."""
    version: str
    description: str
    maintainers: tuple[str, ...]
    license: str
    forked_from: str | None = None
    tasks: tuple[TaskGroup, ...] = ()
    evals: tuple[Eval, ...] = ()
    about: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)

    def eval_by_id(self, eval_id: str) -> Eval | None:
        """The eval of that id, or None when this version lacks it."""
        return next((eval_ for eval_ in self.evals if eval_.id == eval_id), None)
