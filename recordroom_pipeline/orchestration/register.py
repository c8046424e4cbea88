"""What lies in a spec's folder as partition keys; registering never judges, freezes or rewrites anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recordroom_pipeline.errors import Problem, errors_in
from recordroom_pipeline.reviews.read import batch_key
from recordroom_pipeline.store.files import Snapshot, SpecFolder, Version

BATCH_SUFFIXES = (".csv", ".jsonl", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that one spec's folder holds today."""

    versions: tuple[Version, ...]
    """Adopted versions, oldest first, and the draft that SPEC.md is, if it is one, last."""
    current: Version | None
    """SPEC.md as it stands; None where it has errors."""
    snapshot: Snapshot | None
    """The corpus as it stands; None where it has errors."""
    batches: Mapping[str, Path]
    """Review files by partition key, in the order of their names."""
    problems: tuple[Problem, ...]

    @property
    def evals(self) -> tuple[str, ...]:
        """Ids of all evals of all versions, in the order in which they appeared."""
        return tuple(dict.fromkeys(eval_.id for version in self.versions for eval_ in version.spec.evals))


def find_all(folder: SpecFolder) -> Found:
    """Register versions and corpus by content, and list the review batches; problems are returned, not raised."""
    spec, problems = folder.check()
    versions = [folder.keep_version(version.spec) for version in folder.adopted().values()]
    current = folder.keep_version(spec) if spec is not None else None
    if current is not None and current.key not in {version.key for version in versions}:
        versions.append(current)
    _, _, corpus_problems = folder.read_corpus()
    snapshot = None if errors_in(corpus_problems) else folder.keep_snapshot()
    return Found(
        versions=tuple(versions),
        current=current,
        snapshot=snapshot,
        batches=find_batches(folder),
        problems=tuple(sorted((*problems, *corpus_problems))),
    )


def find_batches(folder: SpecFolder) -> dict[str, Path]:
    """Review files by their keys: the stem slugged, a clash numbered."""
    found: dict[str, Path] = {}
    for path in sorted(folder.reviews.glob("*")):
        if path.suffix in BATCH_SUFFIXES and path.is_file():
            found[batch_key(path.stem, tuple(found))] = path
    return found
