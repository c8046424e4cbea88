"""A snapshot: the manifest of content hashes of one state of a corpus, by which history can be judged again."""

from __future__ import annotations

from typing import Any

from recordroom_pipeline.canonical import content_hash
from recordroom_pipeline.corpus.model import Corpus, Task

KEY_LENGTH = 12


def snapshot_hash(corpus: Corpus) -> str:
    """Hash over all tasks and outputs; what README.md declares stands outside of it."""
    return content_hash(
        {
            "tasks": {task.id: _task_facts(task) for task in corpus.tasks},
            "outputs": {output.id: output.sha256 for output in corpus.outputs},
        }
    )


def snapshot_key(hash_: str) -> str:
    """Partition key of a snapshot: the first 12 hex digits of its hash.

    >>> snapshot_key("sha256:0123456789abcdef")
    '0123456789ab'
    """
    return hash_.removeprefix("sha256:")[:KEY_LENGTH]


def _task_facts(task: Task) -> dict[str, Any]:
    return {
        "title": task.title,
        "instruction": task.instruction,
        "tools": list(task.tools),
        "materials": [
            {"file": item.file, "name": item.name, "sha256": item.sha256, "encoding": item.encoding} for item in task.materials
        ],
    }
