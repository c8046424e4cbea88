"""One worker process from outside: asked for one file after another, stopped when it takes too long."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.evidence.codec import parsed_from_json
from recordroom_pipeline.evidence.model import Parsed, Status

PASSWORD_VARIABLE = "RECORDROOM_PDF_PASSWORD"
_KEPT = ("PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "VIRTUAL_ENV", "LD_LIBRARY_PATH", PASSWORD_VARIABLE)
_KEPT_BEGIN = ("LC_", "PYTHON")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A process that gave no answer, and why; it is gone."""

    status: Status
    reason: str


class ReaderProcess:
    """A process that parses files under limits of memory and time."""

    def __init__(self, memory_mb: int) -> None:
        command = [sys.executable, "-m", "recordroom_pipeline.readers.worker", str(memory_mb)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=_environment())

    def ask(self, request: Mapping[str, Any], timeout_s: float) -> Parsed | Failed:
        """The document that a request asks for. After a failure the process is closed."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout_s, stop)
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange({**request, "cpu_s": math.ceil(timeout_s) + 1})
        finally:
            timer.cancel()
        # A process that was killed just after its answer is no use for the next file.
        if answer.endswith(b"\n") and not late.is_set():
            return parsed_from_json(json.loads(answer))
        self.close()
        if late.is_set() or self._process.returncode == -signal.SIGXCPU:
            return Failed(status="timeout", reason=f"reading it took longer than {timeout_s:g} s and was stopped")
        return Failed(status="error", reason="its reader ran out of memory or crashed")

    def _exchange(self, request: Mapping[str, Any]) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except BrokenPipeError:
            return b""

    def close(self) -> None:
        """End the process and wait for it."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # The process may be gone, and with it what was not yet sent.
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


def _environment() -> dict[str, str]:
    """What a reader of hostile files needs; keys of models and clouds are none of its business."""
    return {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_BEGIN)}
