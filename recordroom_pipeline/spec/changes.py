"""What changed between two versions of a spec, and how large that change is ("Versioning")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recordroom_pipeline.spec.model import Eval, Spec
from recordroom_pipeline.spec.versions import version_order

ChangeClass = Literal["major", "minor", "patch"]
_ORDER: tuple[ChangeClass, ...] = ("patch", "minor", "major")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The class of one eval's change, and the fields that changed."""

    eval: str
    change: ChangeClass
    fields: tuple[str, ...]


def eval_change(before: Eval | None, after: Eval | None) -> tuple[ChangeClass, tuple[str, ...]] | None:
    """The class and fields of one eval's change; None when nothing changed.

    What decides a verdict is major, also removal; a new eval, another severity or other examples are minor; the rest is patch.
    """
    if before is None or after is None:
        if before is after:
            return None
        return ("minor", ("added",)) if before is None else ("major", ("removed",))
    fields = tuple(name for name in _FIELDS if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    if before.identity != after.identity:
        return "major", fields
    return ("minor" if {"severity", "examples"} & set(fields) else "patch"), fields


_FIELDS = (
    "sentence",
    "reads",
    "fail_when",
    "na_when",
    "check",
    "params",
    "severity",
    "examples",
    "task_group",
    "derived_from",
    "extras",
)


def find_changes(before: Spec, after: Spec) -> tuple[Change, ...]:
    """Every eval that changed, in the order of the later version, removed ones last."""
    ids = list(dict.fromkeys([eval_.id for eval_ in after.evals] + [eval_.id for eval_ in before.evals]))
    changes = []
    for eval_id in ids:
        change = eval_change(before.eval_by_id(eval_id), after.eval_by_id(eval_id))
        if change is not None:
            changes.append(Change(eval=eval_id, change=change[0], fields=change[1]))
    return tuple(changes)


def largest(changes: tuple[Change, ...]) -> ChangeClass:
    """The class that a version must at least move by; prose alone is a patch."""
    return max((change.change for change in changes), key=_ORDER.index, default="patch")


def smallest_legal_version(before: str, change: ChangeClass) -> str:
    """The next version that says this change; before 1.0.0 a major change moves the minor number.

    >>> [smallest_legal_version("0.2.0", change) for change in ("major", "patch")], smallest_legal_version("1.2.0", "major")
    (['0.3.0', '0.2.1'], '2.0.0')
    """
    version = version_order(before)
    if change == "patch":
        return str(version.bump_patch())
    if change == "minor" or version.major == 0:
        return str(version.bump_minor())
    return str(version.bump_major())
