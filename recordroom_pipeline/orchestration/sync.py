"""Partition keys registered on an instance: what the spec sensor and `recordroom sync` both do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from recordroom_pipeline.canonical import plain
from recordroom_pipeline.errors import Problem
from recordroom_pipeline.orchestration.partitions import SpecPartitions, checked_keys, spec_partitions
from recordroom_pipeline.orchestration.register import Found, find_all
from recordroom_pipeline.store.files import SpecFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What one sync of one spec added."""

    name: str
    added: dict[str, list[str]]
    """New keys by dimension: versions, evals, corpora, batches."""
    problems: tuple[Problem, ...]

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {"spec": self.name, "added": self.added, "problems": plain(self.problems)}

    def line(self) -> str:
        """As one line for a person."""
        new = ", ".join(f"{kind} {' '.join(keys)}" for kind, keys in self.added.items() if keys)
        return f"{self.name}: {f'registered {new}' if new else 'nothing new'}"


def wanted_keys(found: Found) -> dict[str, list[str]]:
    """The keys of each dimension that a spec's folder asks for."""
    return {
        "versions": checked_keys([version.key for version in found.versions]),
        "evals": checked_keys(found.evals),
        "corpora": checked_keys([found.snapshot.key] if found.snapshot else []),
        "batches": checked_keys(list(found.batches)),
    }


def definition_of(parts: SpecPartitions, dimension: str) -> dg.DynamicPartitionsDefinition:
    """The dynamic partitions of one dimension."""
    return {"versions": parts.versions, "evals": parts.evals, "corpora": parts.corpora, "batches": parts.batches}[dimension]


def missing_keys(name: str, wanted: dict[str, list[str]], instance: dg.DagsterInstance) -> dict[str, list[str]]:
    """The wanted keys that the instance does not know yet."""
    missing = {}
    for dimension, keys in wanted.items():
        known = set(instance.get_dynamic_partitions(f"{name}/{dimension}"))
        missing[dimension] = [key for key in keys if key not in known]
    return missing


def register(folder: SpecFolder, instance: dg.DagsterInstance, found: Found | None = None) -> Registered:
    """Add every key that is missing; a version's evals in one call, so that they stay one contiguous range."""
    found = find_all(folder) if found is None else found
    missing = missing_keys(folder.name, wanted_keys(found), instance)
    parts = spec_partitions(folder.name)
    for dimension, keys in missing.items():
        if keys:
            instance.add_dynamic_partitions(_partitions_name(definition_of(parts, dimension)), keys)
    return Registered(name=folder.name, added=missing, problems=found.problems)


def _partitions_name(definition: dg.DynamicPartitionsDefinition) -> str:
    assert definition.name is not None
    return definition.name


def sync_folders(folders: Sequence[SpecFolder], instance: dg.DagsterInstance) -> list[Registered]:
    """Register every spec."""
    return [register(folder, instance) for folder in folders]
