"""From a version and a snapshot to questions and their judge; what several assets share, without dagster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recordroom_pipeline.corpus.model import Material, Output
from recordroom_pipeline.errors import ProblemsFound, raise_errors
from recordroom_pipeline.evidence.check_reads import reads_problems
from recordroom_pipeline.evidence.model import Parsed, Source
from recordroom_pipeline.evidence.parse import parse_key
from recordroom_pipeline.evidence.reads import select_evidence
from recordroom_pipeline.evidence.sources import evidence_hash, output_sources, task_sources
from recordroom_pipeline.judges.recorded import Recording, read_recording
from recordroom_pipeline.judges.resolve import resolve_judge
from recordroom_pipeline.judging.decision import Decision, Judge, VerdictCache
from recordroom_pipeline.judging.question import Question, choose_precedents
from recordroom_pipeline.readers import MaterialJob, parse_materials
from recordroom_pipeline.spec.model import Eval
from recordroom_pipeline.store.files import Snapshot, SpecFolder, Version
from recordroom_pipeline.store.judged import JudgedStore
from recordroom_pipeline.store.parsed import ParsedStore

ParsedMaterials = Mapping[tuple[str, str], Parsed]
"""How each material was read, by (task id, material file)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCount:
    """What parsing one snapshot took."""

    parsed: int
    reused: int


def parse_snapshot(
    folder: SpecFolder, snapshot: Snapshot, *, progress: Callable[[int, int], None] | None = None
) -> tuple[ParsedMaterials, EvidenceCount]:
    """Every material of a snapshot as evidence; only what was never read under its parse key is opened."""
    store = ParsedStore(folder.project.warehouse / "evidence")
    wanted = [(task.id, material) for task in snapshot.corpus.tasks for material in task.materials]
    keys = {(task, material.file): _key(material) for task, material in wanted}
    found = {key: parsed for key in set(keys.values()) if (parsed := store.get(key)) is not None}
    todo = {_key(material): material for _, material in wanted if _key(material) not in found}
    jobs = [_job(folder, material) for material in todo.values()]
    done = 0

    def report(_job: MaterialJob, _parsed: Parsed) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, len(jobs))

    for key, parsed in zip(todo, parse_materials(jobs, progress=report), strict=True):
        store.put(key, parsed)
        found[key] = parsed
    materials = {place: found[key] for place, key in keys.items()}
    return materials, EvidenceCount(parsed=len(todo), reused=len(keys) - len(todo))


def _key(material: Material) -> str:
    return parse_key(material.sha256, file=material.file, name=material.name, encoding=material.encoding)


def _job(folder: SpecFolder, material: Material) -> MaterialJob:
    return MaterialJob(path=folder.blob(material.sha256), file=material.file, name=material.name, encoding=material.encoding)


def snapshot_sources(snapshot: Snapshot, materials: ParsedMaterials) -> dict[str, tuple[Source, ...]]:
    """Every source that each output of the snapshot has, by output id."""
    by_task = {
        task.id: task_sources(task, {item.file: materials[task.id, item.file] for item in task.materials})
        for task in snapshot.corpus.tasks
    }
    return {output.id: (*by_task[output.task], *output_sources(output)) for output in snapshot.corpus.outputs}


@lru_cache(maxsize=1)
def load_sources(folder: SpecFolder, snapshot_key: str) -> dict[str, tuple[Source, ...]]:
    """`snapshot_sources` of a registered snapshot; kept, since several versions in turn are judged over the same one."""
    snapshot = folder.snapshot(snapshot_key)
    materials, _ = parse_snapshot(folder, snapshot)
    return snapshot_sources(snapshot, materials)


def plan_questions(
    version: Version,
    snapshot: Snapshot,
    sources: Mapping[str, Sequence[Source]],
    *,
    evals: Iterable[str] | None = None,
    shown_path: str = "SPEC.md",
) -> list[Question]:
    """One question for each output × eval, outputs in order of id, evals in the spec's order.

    Raises:
        ProblemsFound: when a read names two sources of a task.
    """
    raise_errors(reads_problems(version.spec, snapshot.corpus, path=shown_path))
    wanted = None if evals is None else set(evals)
    chosen = [eval_ for eval_ in version.spec.evals if wanted is None or eval_.id in wanted]
    outputs = sorted(snapshot.corpus.outputs, key=lambda output: output.id)
    task_of = {output.id: output.task for output in outputs}
    return [_question(output, eval_, sources[output.id], task_of) for output in outputs for eval_ in chosen]


def _question(output: Output, eval_: Eval, sources: Sequence[Source], task_of: Mapping[str, str]) -> Question:
    evidence = select_evidence(eval_.reads, sources)
    same_task = frozenset(other for other, task in task_of.items() if task == output.task)
    return Question(
        task=output.task,
        output=output.id,
        eval=eval_,
        params=eval_.param_values(),
        evidence=evidence,
        evidence_sha256=evidence_hash(evidence),
        precedents=choose_precedents(eval_, output.id, same_task=same_task),
    )


def load_recordings(folder: SpecFolder) -> list[Recording]:
    """The authored recordings that the corpus ships.

    Raises:
        ProblemsFound: naming file and line of every entry that cannot be read.
    """
    found, problems = [], []
    for path in sorted(folder.recordings.glob("*.jsonl")):
        recording, faults = read_recording(path.read_bytes(), path=folder.project.shown(path))
        problems += faults
        if recording is not None:
            found.append(recording)
    if problems:
        raise ProblemsFound(problems)
    return found


def judge_for(folder: SpecFolder, model: str | None, env: Mapping[str, str] | None = None) -> Judge:
    """The judge that answers for this spec."""
    return resolve_judge(model, load_recordings(folder), env=os.environ if env is None else env)


def judged_store(folder: SpecFolder, eval_id: str) -> JudgedStore:
    """Where the decisions of one eval are kept."""
    return JudgedStore(folder.kept("judged", eval_id))


class JudgedBySpec:
    """The decisions of all evals of a spec, each eval's in a folder of its own; implements `judging.VerdictCache`."""

    def __init__(self, folder: SpecFolder, eval_of: Mapping[str, str]) -> None:
        self._folder, self._eval_of = folder, eval_of

    def get(self, keys: Iterable[str]) -> dict[str, Decision]:
        found: dict[str, Decision] = {}
        for eval_id, wanted in self._by_eval(keys).items():
            found |= judged_store(self._folder, eval_id).get(wanted)
        return found

    def put(self, decisions: Sequence[Decision]) -> None:
        by_key = {decision.key: decision for decision in decisions}
        for eval_id, keys in self._by_eval(by_key).items():
            judged_store(self._folder, eval_id).put([by_key[key] for key in keys])

    def _by_eval(self, keys: Iterable[str]) -> dict[str, list[str]]:
        grouped: dict[str, list[str]] = {}
        for key in keys:
            grouped.setdefault(self._eval_of[key], []).append(key)
        return grouped


def cache_for(folder: SpecFolder, keys: Sequence[str], questions: Sequence[Question]) -> VerdictCache:
    """The kept decisions of these questions."""
    return JudgedBySpec(folder, {key: question.eval.id for key, question in zip(keys, questions, strict=True)})


def as_metadata(instrument: Mapping[str, Any]) -> dict[str, Any]:
    """An instrument as Dagster shows it."""
    return {key: value for key, value in instrument.items() if value is not None}
