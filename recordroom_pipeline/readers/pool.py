"""Materials parsed: text in this process, PDFs and long Markdown in workers that are killed when they take too long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from recordroom_pipeline.evidence.model import Parsed, Status
from recordroom_pipeline.evidence.parse import media_type, parse_bytes, unread
from recordroom_pipeline.readers.process import Failed, ReaderProcess

TIMEOUT_S = 60.0
MEMORY_MB = 1024
WORKERS = 2
_LONG_MARKDOWN = 200_000
"""Bytes. A table of 0.8 MB took 11 seconds and 1.2 million tokens; a book of 0.2 MB a tenth of one second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialJob:
    """One file to parse."""

    path: Path
    """Where its bytes lie."""
    file: str
    """Its name in the task, which says its type and begins its locators."""
    name: str
    encoding: str | None = None


Report = Callable[[MaterialJob, Parsed], None]


def parse_materials(
    jobs: Sequence[MaterialJob],
    *,
    workers: int = WORKERS,
    timeout_s: float = TIMEOUT_S,
    memory_mb: int = MEMORY_MB,
    progress: Report | None = None,
) -> list[Parsed]:
    """The documents of some files, in the order given. A reader that dies or hangs is a document with that status."""
    if not jobs:
        return []
    with _Readers(timeout_s, memory_mb) as readers, ThreadPoolExecutor(max_workers=workers) as threads:
        reported = threading.Lock()

        def parse(job: MaterialJob) -> Parsed:
            parsed = readers.parse(job) if _needs_worker(job) else _parse_here(job)
            if progress is not None:
                with reported:
                    progress(job, parsed)
            return parsed

        return list(threads.map(parse, jobs))


def _needs_worker(job: MaterialJob) -> bool:
    media = media_type(job.file)
    return media == "application/pdf" or (media == "text/markdown" and job.path.stat().st_size > _LONG_MARKDOWN)


def _parse_here(job: MaterialJob) -> Parsed:
    return parse_bytes(job.path.read_bytes(), file=job.file, name=job.name, encoding=job.encoding)


class _Readers:
    """Worker processes that are free, and how a job gets one."""

    def __init__(self, timeout_s: float, memory_mb: int) -> None:
        self._timeout_s, self._memory_mb = timeout_s, memory_mb
        self._free: list[ReaderProcess] = []
        self._lock = threading.Lock()

    def __enter__(self) -> _Readers:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._free:
            reader.close()

    def parse(self, job: MaterialJob) -> Parsed:
        with self._lock:
            reader = self._free.pop() if self._free else None
        if reader is not None:
            parsed = self._parse(reader, job)
            if parsed.document.status != "error":
                return parsed
            # What an earlier file left behind in that process must not decide how this one is read.
        return self._parse(ReaderProcess(self._memory_mb), job)

    def _parse(self, reader: ReaderProcess, job: MaterialJob) -> Parsed:
        request = {"path": str(job.path), "file": job.file, "name": job.name, "encoding": job.encoding}
        answer = reader.ask(request, self._timeout_s)
        if isinstance(answer, Failed):
            return _unread(job, answer.status, answer.reason)
        if answer.document.status == "error":
            reader.close()
        else:
            with self._lock:
                self._free.append(reader)
        return answer


def _unread(job: MaterialJob, status: Status, reason: str) -> Parsed:
    with job.path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    size = job.path.stat().st_size
    return unread(digest, size, file=job.file, name=job.name, encoding=job.encoding, status=status, reason=reason)
