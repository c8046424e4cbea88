"""The partitions of one spec: versions, evals, corpora and review batches, all dynamic, and the two grids over them.

Dagster takes any character in a key, and its command line reads ``|`` and ``...`` as separators, so keys are checked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg

from recordroom_pipeline.errors import RecordRoomError

_KEY = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecPartitions:
    """The partition definitions of one spec."""

    versions: dg.DynamicPartitionsDefinition
    evals: dg.DynamicPartitionsDefinition
    corpora: dg.DynamicPartitionsDefinition
    batches: dg.DynamicPartitionsDefinition
    verdicts: dg.MultiPartitionsDefinition
    """spec_version × eval; Dagster orders the dimensions by name, so a key reads ``eval|spec_version``."""
    runs: dg.MultiPartitionsDefinition
    """spec_version × corpus; a key reads ``corpus|spec_version``."""


def spec_partitions(name: str) -> SpecPartitions:
    """The partition definitions of the spec ``org/name``."""
    versions = dg.DynamicPartitionsDefinition(name=f"{name}/versions")
    evals = dg.DynamicPartitionsDefinition(name=f"{name}/evals")
    corpora = dg.DynamicPartitionsDefinition(name=f"{name}/corpora")
    return SpecPartitions(
        versions=versions,
        evals=evals,
        corpora=corpora,
        batches=dg.DynamicPartitionsDefinition(name=f"{name}/batches"),
        verdicts=dg.MultiPartitionsDefinition({"eval": evals, "spec_version": versions}),
        runs=dg.MultiPartitionsDefinition({"corpus": corpora, "spec_version": versions}),
    )


def checked_keys(keys: Sequence[str]) -> list[str]:
    """The same keys.

    Raises:
        RecordRoomError: when one holds a character that Dagster's own syntax gives a meaning.
    """
    for key in keys:
        if not _KEY.fullmatch(key) or "..." in key:
            raise RecordRoomError(f"'{key}' cannot be a partition key; use letters, digits, `.`, `_` and `-`, never `...`")
    return list(keys)


def cell_of(key: str) -> tuple[str, str]:
    """The two parts of a grid's key, in the order of its dimensions' names.

    A range run hands over `MultiPartitionKey`, a test's context a plain string; both read ``a|b``.

    >>> cell_of("tiv-sum|0.2.0")
    ('tiv-sum', '0.2.0')
    """
    first, _, second = str(key).partition("|")
    return first, second
