"""A reader's process: one job a line on stdin, one parsed document a line on stdout.

A file that exhausts memory or time ends this process and no other. The password of encrypted files comes from the environment,
never over the pipe.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from recordroom_pipeline.evidence.codec import parsed_to_json
from recordroom_pipeline.evidence.parse import parse_bytes
from recordroom_pipeline.readers.process import PASSWORD_VARIABLE


def main() -> None:
    """Serve jobs until stdin ends; the first argument is the memory limit in MiB."""
    limit = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints must not pass for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr
    for line in sys.stdin:
        job = json.loads(line)
        _allow_cpu(job["cpu_s"])
        parsed = parse_bytes(
            Path(job["path"]).read_bytes(),
            file=job["file"],
            name=job["name"],
            encoding=job["encoding"],
            password=os.environ.get(PASSWORD_VARIABLE) or None,
        )
        answers.write(json.dumps(parsed_to_json(parsed)) + "\n")
        answers.flush()


def _allow_cpu(seconds: int) -> None:
    """Seconds of CPU for the next file, on top of what the process has used; holds even where its parent is gone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main()
