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

PASSWORD_VARIABLE = "RECORDROOM_PDF_PASSWORD"


def main() -> None:
    """Serve jobs until stdin ends; the first argument is the memory limit in MiB."""
    limit = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints must not pass for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="surrogatepass")
    sys.stdout = sys.stderr
    for line in sys.stdin:
        job = json.loads(line)
        data = Path(job["path"]).read_bytes()
        parsed = parse_bytes(
            data, file=job["file"], name=job["name"], encoding=job["encoding"], password=os.environ.get(PASSWORD_VARIABLE)
        )
        answers.write(json.dumps(parsed_to_json(parsed)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
