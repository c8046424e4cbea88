"""Whether the reads of a spec name something in a corpus."""

from __future__ import annotations

from recordroom_pipeline.corpus.model import Corpus, Task
from recordroom_pipeline.corpus.names import RESERVED
from recordroom_pipeline.errors import Level, Problem
from recordroom_pipeline.evidence.reads import Ambiguous, resolve_read
from recordroom_pipeline.spec.model import Eval, Spec


def source_names(task: Task) -> tuple[str, ...]:
    """Every name that reads may use for outputs of this task."""
    names = [material.name for material in task.materials]
    return (*names, *(name for name in RESERVED if name != "tools" or task.tools))


def reads_problems(spec: Spec, corpus: Corpus, *, path: str) -> list[Problem]:
    """An error for each read that names two sources of a task, a warning for each that no task has."""
    return [
        problem
        for eval_ in spec.evals
        for read in eval_.reads
        if corpus.tasks and (problem := _problem(eval_, read, corpus, path)) is not None
    ]


def _problem(eval_: Eval, read: str, corpus: Corpus, path: str) -> Problem | None:
    def problem(level: Level, code: str, message: str, remedy: str) -> Problem:
        return Problem(path=path, line=eval_.line or 1, level=level, code=code, message=message, remedy=remedy)

    found = False
    for task in corpus.tasks:
        try:
            found = resolve_read(read, source_names(task)) is not None or found
        except Ambiguous as ambiguous:
            message = f"eval '{eval_.id}': the read {ambiguous} in task '{task.id}'"
            return problem("error", "RR232", message, f"write {' or '.join(ambiguous.candidates)}")
    if found:
        return None
    known = sorted({name for task in corpus.tasks for name in source_names(task)})
    return problem("warning", "RR231", f"eval '{eval_.id}' reads '{read}', which no task has", f"use one of {', '.join(known)}")
