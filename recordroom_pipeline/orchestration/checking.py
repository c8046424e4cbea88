"""Every problem of one spec's folder: SPEC.md, corpus, recordings, reviews and how they fit each other."""

from __future__ import annotations

from recordroom_pipeline.corpus.hygiene import contaminated_outputs
from recordroom_pipeline.errors import Problem
from recordroom_pipeline.evidence.check_reads import reads_problems
from recordroom_pipeline.judges.recorded import read_recording
from recordroom_pipeline.judging.computed import check_problems
from recordroom_pipeline.orchestration.register import find_batches
from recordroom_pipeline.reviews.read import read_batch
from recordroom_pipeline.spec.changes import find_changes, largest, smallest_legal_version
from recordroom_pipeline.spec.changes_file import chain_problems, read_changes
from recordroom_pipeline.spec.model import Spec
from recordroom_pipeline.spec.versions import newer, version_order
from recordroom_pipeline.store.files import SpecFolder


def check_folder(folder: SpecFolder) -> list[Problem]:
    """All problems, sorted by file and line; nothing is written."""
    spec, problems = folder.check()
    corpus, _, found = folder.read_corpus()
    problems = [*problems, *found]
    if spec is not None:
        path = folder.project.shown(folder.spec_md)
        problems += [problem for eval_ in spec.evals for problem in check_problems(eval_, path=path)]
        problems += reads_problems(spec, corpus, path=path)
        problems += contaminated_outputs(spec, corpus, root=folder.project.shown(folder.corpus))
        problems += bump_problems(folder, spec, path=path)
        problems += changes_problems(folder, spec)
    for file in sorted(folder.recordings.glob("*.jsonl")):
        problems += read_recording(file.read_bytes(), path=folder.project.shown(file))[1]
    for batch, file in find_batches(folder).items():
        problems += read_batch(file.read_bytes(), path=folder.project.shown(file), batch=batch).problems
    return sorted(problems)


def bump_problems(folder: SpecFolder, spec: Spec, *, path: str) -> list[Problem]:
    """A warning where the version says less than what changed since the newest adopted one; adopting would refuse it."""
    earlier = [version for number, version in folder.adopted().items() if not newer(number, spec.version)]
    if not earlier:
        return []
    base = earlier[-1].spec
    changes = find_changes(base, spec)
    if not changes and base == spec:
        return []
    change = largest(changes)
    needed = smallest_legal_version(base.version, change)
    if version_order(spec.version) >= version_order(needed):
        return []
    named = ", ".join(f"{found.eval} ({found.change}: {', '.join(found.fields)})" for found in changes) or "prose only"
    message = f"the version {spec.version} says less than what changed since {base.version}: {named}"
    return [
        Problem(path=path, line=3, level="warning", code="RR130", message=message, remedy=f"write `version: {needed}` or newer")
    ]


def changes_problems(folder: SpecFolder, spec: Spec) -> list[Problem]:
    """What is wrong in changes.yaml, and a warning for each version that gives no reason."""
    path = folder.path / "changes.yaml"
    shown = folder.project.shown(path)
    entries, problems = read_changes(path.read_bytes(), path=shown) if path.is_file() else ([], [])
    versions = list(dict.fromkeys([*folder.adopted(), spec.version]))
    return [*problems, *chain_problems(entries, versions, path=shown)]
