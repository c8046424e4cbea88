"""A project as small as a project can be: one task, two outputs, a computed and a judged eval, a recording, a review batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recordroom_pipeline.orchestration.stamping import stamp_recordings
from recordroom_pipeline.store.files import Project, SpecFolder

NAME = "acme/leases"
SPEC = """---
name: acme/leases
version: 0.1.0
description: What a lease abstract must hold.
maintainers: [acme]
license: CC-BY-4.0
tasks:
  - {id: rent, name: Rent}
---

## Evals

### rent-agrees
task: rent
severity: blocking

**The abstract's annual rent is that of the lease.**

reads: lease, output
fail-when: both state an annual rent and they differ.
check: computed equals
params: {label: {default: annual rent}, left: {default: lease}, right: {default: output}}

### deposit-named
task: rent
severity: major

**The abstract names the deposit.**

reads: lease, output
fail-when: the lease names a deposit and the abstract does not.
na-when: the lease names no deposit.
"""
LEASE = "# Lease\n\nAnnual rent: $120,000\n\nDeposit: $20,000\n"
ANSWERS = {
    "a": ("pass", [("output", "Deposit: $20,000")]),
    "b": ("fail", [("lease", "Deposit: $20,000"), ("output", "Annual rent: $102,000")]),
}
FINALS = {"a": "Annual rent: $120,000\nDeposit: $20,000", "b": "Annual rent: $102,000"}


def make_project(root: Path, *, recording: bool = True, reviews: bool = True) -> Project:
    """The project on disk, its recording stamped."""
    project = Project(specs=root / "specs", warehouse=root / "warehouse")
    folder = project.specs / NAME
    write(folder / "SPEC.md", SPEC)
    write(folder / "corpus/README.md", "---\nsynthesized: true\nprovenance: written for tests\n---\n")
    task = {"id": "L1", "title": "Lease 1", "instruction": "Abstract the lease.", "materials": ["lease.md"]}
    write(folder / "corpus/tasks/L1/task.json", json.dumps(task))
    write(folder / "corpus/tasks/L1/lease.md", LEASE)
    for stem, final in FINALS.items():
        write_output(project, stem, final)
    if recording:
        write(folder / "corpus/recordings/authored.jsonl", "".join(json.dumps(row) + "\n" for row in _recording()))
        stamp_recordings(spec_folder(project))
    if reviews:
        write_batch(project, "2026-09", [("a", "deposit-named", "pass", "agree"), ("b", "rent-agrees", "fail", "disagree")])
    return project


def _recording() -> list[dict[str, Any]]:
    head = {"kind": "recording", "origin": "authored", "by": "A. Lawyer", "on": "2026-09-01"}
    rows = [
        {
            "match": None,
            "eval": "deposit-named",
            "output": output,
            "answer": answer,
            "why": "Read and compared.",
            "citations": [{"from": source, "span": span} for source, span in citations],
        }
        for output, (answer, citations) in ANSWERS.items()
    ]
    return [head, *rows]


def write_output(project: Project, stem: str, final: str) -> None:
    """One output whose only agent message is its final one."""
    turns = [{"role": "user", "content": "Abstract the lease, please."}, {"role": "agent", "content": final}]
    value = {"id": stem, "task": "L1", "agent": {"id": "desk", "kind": "generated"}, "turns": turns, "final": final}
    write(project.specs / NAME / f"corpus/outputs/{stem}.json", json.dumps(value))


def write_batch(project: Project, stem: str, rows: list[tuple[str, str, str, str]], version: str = "0.1.0") -> None:
    """A review batch of one expert: output, eval, verdict, agree."""
    lines = ["version,output,eval,verdict,agree,reviewed_by,on"]
    lines += [f"{version},{output},{eval_id},{verdict},{agree},E. Xpert,2026-09-10" for output, eval_id, verdict, agree in rows]
    write(project.specs / NAME / f"reviews/{stem}.csv", "\n".join(lines) + "\n")


def change_spec(project: Project, old: str, new: str) -> None:
    """Edit SPEC.md by hand."""
    path = project.specs / NAME / "SPEC.md"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def write_reason(project: Project, version: str, base: str) -> None:
    """An entry of changes.yaml as its author writes it, not adopted yet."""
    path = project.specs / NAME / "changes.yaml"
    entry = (
        f"- version: {version}\n  from: {base}\n  on: 2026-09-20\n  by: A. Lawyer\n  reason: reviewers asked for it\n"
        "  evals: {rent-agrees: major}\n  adopted: null  # yet\n"
    )
    path.write_text((path.read_text() if path.is_file() else "# Why each version came to be.\n") + entry)


def spec_folder(project: Project) -> SpecFolder:
    """The one spec."""
    return project.spec(NAME)


def write(path: Path, text: str) -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
