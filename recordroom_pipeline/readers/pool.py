"""Materials parsed: small text in this process, everything else in workers that are killed when they take too long."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from recordroom_pipeline.evidence.codec import parsed_from_json
from recordroom_pipeline.evidence.model import Parsed, Status
from recordroom_pipeline.evidence.parse import media_type, parse_bytes, unread

TIMEOUT_S = 60.0
MEMORY_MB = 1024
WORKERS = 2
_IN_PROCESS_BYTES = 1 << 20
"""Text up to this size cannot take long: the slowest Markdown measured took 11 seconds at 0.8 MB, all else far less."""


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
    free: list[_Worker] = []
    lock = threading.Lock()

    def parse(job: MaterialJob) -> Parsed:
        if _is_small_text(job):
            data = job.path.read_bytes()
            parsed = parse_bytes(data, file=job.file, name=job.name, encoding=job.encoding)
        else:
            with lock:
                worker = free.pop() if free else _Worker(memory_mb)
            parsed = worker.parse(job, timeout_s)
            if worker.alive:
                with lock:
                    free.append(worker)
        if progress is not None:
            with lock:
                progress(job, parsed)
        return parsed

    try:
        with ThreadPoolExecutor(max_workers=workers) as threads:
            return list(threads.map(parse, jobs))
    finally:
        for worker in free:
            worker.close()


def _is_small_text(job: MaterialJob) -> bool:
    return media_type(job.file) != "application/pdf" and job.path.stat().st_size <= _IN_PROCESS_BYTES


class _Worker:
    """One reader's process, used for one job after another while it lives."""

    def __init__(self, memory_mb: int) -> None:
        command = [sys.executable, "-m", "recordroom_pipeline.readers.worker", str(memory_mb)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def parse(self, job: MaterialJob, timeout_s: float) -> Parsed:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout_s, stop)
        timer.start()
        try:
            request = {"path": str(job.path), "file": job.file, "name": job.name, "encoding": job.encoding}
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        finally:
            timer.cancel()
        if answer.endswith(b"\n"):
            return parsed_from_json(json.loads(answer))
        self.close()
        if late.is_set():
            return _unread(job, "timeout", f"reading took longer than {timeout_s:g} s and was stopped")
        return _unread(job, "error", "the reader ran out of memory or crashed")

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # The process may be gone, and with it what was not yet sent.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if self.alive:
            self._process.kill()
        self._process.wait()


def _unread(job: MaterialJob, status: Status, reason: str) -> Parsed:
    with job.path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    size = job.path.stat().st_size
    return unread(digest, size, file=job.file, name=job.name, encoding=job.encoding, status=status, reason=reason)
