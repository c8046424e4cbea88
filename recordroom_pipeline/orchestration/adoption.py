"""Taking a version on: what it would flip is shown, its content is frozen, and the reason is recorded ("Versioning").

The order of writing makes a crash harmless: the diff, then the frozen version, then changes.yaml; each step can be done again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.errors import Problem, RecordRoomError, errors_in, raise_errors
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.register import find_batches
from recordroom_pipeline.orchestration.reviews import RunPair, attach_again, flip_rows
from recordroom_pipeline.spec.changes import find_changes, largest, smallest_legal_version
from recordroom_pipeline.spec.changes_file import Adoption, ChangeEntry, read_changes, record_adoption
from recordroom_pipeline.spec.compile import spec_document
from recordroom_pipeline.spec.model import Spec
from recordroom_pipeline.spec.versions import base_version, newer, version_order
from recordroom_pipeline.store.atomic import create_same, write_bytes
from recordroom_pipeline.store.files import SpecFolder, json_bytes
from recordroom_pipeline.store.parquet import read_table, table_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """What adopting did."""

    version: str
    base: str | None
    change: str
    diff: str | None
    marks: dict[str, int]
    uncovered: int
    unjudged: int
    already: bool = False

    def lines(self) -> list[str]:
        """For a person."""
        if self.already:
            return [f"{self.version} is adopted already, with this content; nothing changed"]
        told = [
            f"adopted {self.version}" + (f", a {self.change} change from {self.base}" if self.base else ", the first version")
        ]
        if self.diff:
            flips = ", ".join(f"{count} {mark}" for mark, count in sorted(self.marks.items())) or "none"
            told.append(f"flips: {flips}; {self.uncovered} pairs the version before never judged, {self.unjudged} unjudged")
            told.append(f"diff: {self.diff}")
        return told


def adopt(folder: SpecFolder, version: str, *, reason: str, by: str, on: str, accept_unjudged: bool = False) -> Adopted:
    """Freeze SPEC.md as it stands under its version.

    Raises:
        ProblemsFound: naming everything that forbids it: errors of the files, a bump too small, an id that comes back with
            another meaning.
        RecordRoomError: when a major change was not run where the version before it was, or unjudged pairs were not accepted.
    """
    path = folder.project.shown(folder.spec_md)
    problems = check_folder(folder)
    spec, _ = folder.check()
    if spec is None or errors_in(problems):
        raise_errors(problems)
    assert spec is not None
    frozen = folder.adopted()
    if version in frozen and frozen[version].spec == spec:
        return Adopted(version=version, base=None, change="patch", diff=None, marks={}, uncovered=0, unjudged=0, already=True)
    raise_errors(_refusals(folder, spec, version, [item.spec for item in frozen.values()], path))
    base = list(frozen.values())[-1].spec if frozen else None
    change = largest(find_changes(base, spec)) if base else "minor"
    shown = _Diff.empty()
    if base is not None and change == "major":
        shown = _diff(folder, spec, base, accept_unjudged)
    if shown.path is not None:
        write_bytes(folder.path / shown.path, json_bytes(shown.document))
    create_same(folder.versions / f"{version}.json", _compiled(spec))
    if base is not None:
        _record(folder, spec, base, Adoption(on=on, by=by, reason=reason, diff=shown.path))
    return Adopted(
        version=version,
        base=base.version if base else None,
        change=change,
        diff=shown.path,
        marks=shown.marks,
        uncovered=shown.uncovered,
        unjudged=shown.unjudged,
    )


def _compiled(spec: Spec) -> bytes:
    return json_bytes(spec_document(spec))


def _refusals(folder: SpecFolder, spec: Spec, version: str, frozen: Sequence[Spec], path: str) -> list[Problem]:
    problems = []

    def refuse(line: int, code: str, message: str, remedy: str) -> None:
        problems.append(Problem(path=path, line=line, code=code, message=message, remedy=remedy))

    if spec.version != version:
        refuse(3, "RR131", f"SPEC.md is version {spec.version}, not {version}", f"name {spec.version}, or change SPEC.md")
    if not frozen:
        return problems
    base = frozen[-1]
    change = largest(find_changes(base, spec))
    needed = smallest_legal_version(base.version, change)
    if not newer(spec.version, base.version):
        refuse(3, "RR132", f"version {spec.version} does not come after {base.version}", f"write `version: {needed}`")
    elif version_order(spec.version) < version_order(needed):
        zero = " (before 1.0.0 a major change moves the minor number)" if change == "major" and base.version[0] == "0" else ""
        refuse(3, "RR132", f"a {change} change needs at least {needed}{zero}", f"write `version: {needed}`")
    for eval_ in spec.evals:
        gone = next((old for old in frozen[:-1] if old.eval_by_id(eval_.id) and not base.eval_by_id(eval_.id)), None)
        earlier = gone.eval_by_id(eval_.id) if gone else None
        if gone and earlier and earlier.identity != eval_.identity:
            message = f"eval '{eval_.id}' was in {gone.version} with another meaning, and dropped since"
            refuse(eval_.line, "RR133", message, "give it a new id; ids are never reused")
    return problems


@dataclass(frozen=True, slots=True, kw_only=True)
class _Diff:
    path: str | None
    document: dict[str, Any]
    marks: dict[str, int]
    uncovered: int
    unjudged: int

    @classmethod
    def empty(cls) -> _Diff:
        return cls(path=None, document={}, marks={}, uncovered=0, unjudged=0)


def _diff(folder: SpecFolder, spec: Spec, base: Spec, accept_unjudged: bool) -> _Diff:
    """The flips against the newest adopted version, over every snapshot that it was run on."""
    runs = read_table(table_files(folder.project.tables, "runs", spec=folder.slug), "runs").sort("created_at", "run")
    by_place = {(key, corpus): run for key, corpus, run in runs.select("version_key", "corpus", "run").iter_rows()}
    own_key = folder.keep_version(spec).key
    batches = list(find_batches(folder))
    attach_again(folder, batches)
    pairs, missing = [], []
    for (key, corpus), run in by_place.items():
        if base_version(key) != base.version:
            continue
        if (own_key, corpus) in by_place:
            after = by_place[own_key, corpus]
            pairs.append(RunPair(before=run, after=after, corpus=corpus, version_before=key, version_after=spec.version))
        else:
            missing.append(corpus)
    if missing:
        launches = "; ".join(f"recordroom run {folder.name} --corpus {corpus}" for corpus in missing)
        raise RecordRoomError(f"{base.version} was run over snapshots that {spec.version} was not; first: {launches}")
    flips = [row for pair in pairs for row in flip_rows(folder, pair, batches[-1] if batches else "-", batches)]
    uncovered, unjudged = _gaps(folder, pairs)
    if unjudged and not accept_unjudged:
        raise RecordRoomError(
            f"{unjudged} pairs of output and eval are not judged, so nobody can say whether they flip; "
            "judge them, or pass --accept-unjudged"
        )
    marks = Counter(row["mark"] for row in flips)
    names = ("corpus", "output", "eval", "verdict_before", "verdict_after", "mark", "why_before", "why_after")
    document = {
        "kind": "diff",
        "spec": folder.name,
        "from": base.version,
        "to": spec.version,
        "runs": [{"corpus": pair.corpus, "before": pair.before, "after": pair.after} for pair in pairs],
        "note": None if pairs else f"no run of {base.version} is kept, so nothing could be compared",
        "marks": dict(marks),
        "uncovered": uncovered,
        "unjudged": unjudged,
        "flips": [{name: row[name] for name in names} for row in flips],
    }
    path = f"dist/diffs/{base.version}__{spec.version}.json"
    return _Diff(path=path, document=document, marks=dict(marks), uncovered=uncovered, unjudged=unjudged)


def _gaps(folder: SpecFolder, pairs: Sequence[RunPair]) -> tuple[int, int]:
    """Pairs that only the new version judged, and pairs that one of both left unjudged."""
    uncovered = unjudged = 0
    for pair in pairs:
        sides = []
        for run in (pair.before, pair.after):
            rows = read_table([folder.table_file("verdicts", run)], "verdicts").select("output", "eval", "na_reason")
            sides.append({(output, eval_id): reason for output, eval_id, reason in rows.iter_rows()})
        uncovered += len(sides[1].keys() - sides[0].keys())
        both = sides[0].keys() & sides[1].keys()
        unjudged += sum("not_judgeable" in (sides[0][key], sides[1][key]) for key in both)
    return uncovered, unjudged


def _record(folder: SpecFolder, spec: Spec, base: Spec, adoption: Adoption) -> None:
    path = folder.path / "changes.yaml"
    data = path.read_bytes() if path.is_file() else b""
    entries, problems = read_changes(data, path=folder.project.shown(path))
    raise_errors(problems)
    if any(entry.version == spec.version and entry.adopted for entry in entries):
        return
    evals = {change.eval: change.change for change in find_changes(base, spec)}
    entry = ChangeEntry(
        version=spec.version,
        base=base.version,
        on=adoption.on,
        by=adoption.by,
        reason=adoption.reason,
        evals=evals,
        adopted=adoption,
    )
    write_bytes(path, record_adoption(data, entry))
