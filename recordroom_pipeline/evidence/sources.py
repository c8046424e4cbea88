"""All sources that one output has: its task's materials and instruction, and the session itself."""

from __future__ import annotations

from collections.abc import Mapping

from recordroom_pipeline.canonical import content_hash
from recordroom_pipeline.corpus.model import Output, Task
from recordroom_pipeline.evidence.model import Evidence, Parsed, Source
from recordroom_pipeline.evidence.trajectory import (
    instruction_source,
    material_source,
    output_source,
    tools_source,
    turns_source,
)


def task_sources(task: Task, parsed: Mapping[str, Parsed]) -> tuple[Source, ...]:
    """What every output of a task shares; ``parsed`` by material file."""
    materials = tuple(material_source(material, parsed[material.file]) for material in task.materials)
    tools = tools_source(task)
    return (*materials, instruction_source(task), *((tools,) if tools else ()))


def output_sources(output: Output) -> tuple[Source, ...]:
    """What an output adds: its turns and its final message."""
    return turns_source(output), output_source(output)


def evidence_hash(evidence: Evidence) -> str:
    """Hash of exactly what is shown: sources, status, and each segment's locator and text, in order."""
    return content_hash(
        {
            "sources": [
                {
                    "name": source.name,
                    "status": source.status,
                    "segments": [[segment.locator, segment.text] for segment in source.segments],
                }
                for source in evidence.sources
            ],
            "missing": list(evidence.missing_names),
        }
    )
