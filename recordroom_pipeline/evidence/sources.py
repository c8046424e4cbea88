"""All sources that one output has: its task's materials and instruction, and the session itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
    return tuple(map(sealed, (*materials, instruction_source(task), *((tools,) if tools else ()))))


def output_sources(output: Output) -> tuple[Source, ...]:
    """What an output adds: its turns and its final message."""
    return sealed(turns_source(output)), sealed(output_source(output))


def sealed(source: Source) -> Source:
    """The same source with the digest of what it shows, computed once for all evals that read it."""
    shown = [[segment.locator, segment.text] for segment in source.segments]
    return replace(source, shown_sha256=content_hash({"name": source.name, "status": source.status, "segments": shown}))


def evidence_hash(evidence: Evidence) -> str:
    """Hash of exactly what is shown: each source's name, status, locators and words, in order, and what is missing."""
    shown = [source.shown_sha256 or sealed(source).shown_sha256 for source in evidence.sources]
    return content_hash({"sources": shown, "missing": list(evidence.missing_names)})
