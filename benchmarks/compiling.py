"""Whether reading SPEC.md is linear: time per eval of a spec of 2,000 evals against one of 200, in one run.

.venv/bin/python benchmarks/compiling.py [--json]
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median

from recordroom_pipeline.spec.read import read_spec

FRONT = """---
name: acme/large
version: 0.1.0
description: As many rules as a desk may have.
maintainers: [acme]
license: CC-BY-4.0
tasks:
  - {id: t, name: T}
---

## Evals
"""
EVAL = """
### rule-{number}
task: t
severity: major

**Rule {number} holds of the memo: its figure is that of the schedule.**

reads: schedule, final answer
fail-when: the memo's figure number {number} is another than the schedule's: "no", # and all,
  beyond the tolerance.
na-when: there is no schedule.
derived_from: [manual]
check: computed sum_equals
params: {{tolerance: {{default: 1, unit: USD}}}}
"""
TIMES = 5


def seconds(evals: int) -> float:
    """Median time to read a spec of that many evals."""
    data = (FRONT + "".join(EVAL.format(number=number) for number in range(evals))).encode()
    taken = []
    for _ in range(TIMES):
        started = time.perf_counter()
        assert len(read_spec(data).evals) == evals
        taken.append(time.perf_counter() - started)
    return median(taken)


def main() -> None:
    """Print the figures as a table, or as JSON."""
    small, large = seconds(200), seconds(2_000)
    figures = {"ms_per_eval_200": small / 0.2, "ms_per_eval_2000": large / 2, "ratio_per_eval": large / 10 / small}
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:8.2f}")


if __name__ == "__main__":
    main()
