"""Which sources an eval's `reads` names: by exact name, by alias, or by a unique leading part."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recordroom_pipeline.corpus.names import ALIASES, fold
from recordroom_pipeline.evidence.model import Evidence, Source

__all__ = ["Ambiguous", "fold", "resolve_read", "select_evidence"]


class Ambiguous(Exception):
    """One read names two sources."""

    # No frozen dataclass: a context manager that lets an exception pass sets its traceback.
    def __init__(self, *, read: str, candidates: tuple[str, ...]) -> None:
        super().__init__(f"'{read}' may be {' or '.join(candidates)}")
        self.read, self.candidates = read, candidates

    def __reduce__(self) -> tuple[partial[Ambiguous], tuple[()]]:
        return partial(Ambiguous, read=self.read, candidates=self.candidates), ()


def resolve_read(read: str, names: Sequence[str]) -> str | None:
    """The source that a read names, or None where there is none.

    >>> resolve_read("inspection", ["cover-sheet", "inspection-report"]), resolve_read("final answer", ["output"])
    ('inspection-report', 'output')

    Raises:
        Ambiguous: when it is the leading part of several names.
    """
    folded = fold(read)
    by_fold = {fold(name): name for name in names}
    if folded in by_fold:
        return by_fold[folded]
    if folded in ALIASES:
        return by_fold.get(ALIASES[folded])
    found = tuple(sorted(name for key, name in by_fold.items() if key.startswith(folded + "-")))
    if len(found) > 1:
        raise Ambiguous(read=read, candidates=found)
    return found[0] if found else None


def select_evidence(reads: Sequence[str], sources: Sequence[Source]) -> Evidence:
    """Exactly what `reads` allows of these sources, in its order, each once.

    Raises:
        Ambiguous: when a read names two sources of this task.
    """
    by_name = {source.name: source for source in sources}
    chosen: dict[str, Source] = {}
    missing: list[str] = []
    for read in reads:
        name = resolve_read(read, list(by_name))
        if name is None:
            missing.append(read)
        else:
            chosen[name] = by_name[name]
    return Evidence(sources=tuple(chosen.values()), missing=tuple(missing), missing_names=tuple(fold(read) for read in missing))
