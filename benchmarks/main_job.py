"""How the main job feels: start of the command line, a first run of the shipped spec, and a second one that judges nothing.

Ratios within one run of this script; seconds stand beside them and mean little on another machine.

    .venv/bin/python benchmarks/main_job.py [--json]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
NAME = "recordroom/property-underwriting"
TIMES = 5


def seconds(*command: str, cwd: Path = ROOT) -> float:
    """Wall time of one process that must succeed."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DAGSTER_HOME", "RECORDROOM_WAREHOUSE")}
    started = time.perf_counter()
    subprocess.run([sys.executable, *command], cwd=cwd, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def measure() -> dict[str, float]:
    """Every figure, in seconds and as ratios."""
    empty = median(seconds("-c", "pass") for _ in range(TIMES))
    helped = median(seconds("-m", "recordroom_pipeline.cli", "--help") for _ in range(TIMES))
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / "specs"
        shutil.copytree(ROOT / "specs", specs, ignore=shutil.ignore_patterns("runs", "spec.json"))
        command = ("-m", "recordroom_pipeline.cli", "--specs", str(specs), "run", NAME, "--version", "all")
        first = seconds(*command)
        second = median(seconds(*command) for _ in range(3))
    return {
        "help_s": helped,
        "help_ratio_to_empty_python": helped / empty,
        "first_run_s": first,
        "second_run_s": second,
        "second_to_first_ratio": second / first,
    }


def main() -> None:
    """Print the figures as a table, or as JSON."""
    figures = measure()
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:8.2f}")


if __name__ == "__main__":
    main()
