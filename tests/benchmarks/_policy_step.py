"""Times one update step of practicum A, slice by slice; the same file runs natively and inside Pyodide.

Processor time, not time of day: other programs on the machine do not count.
"""

import json
import statistics
import sys
import time
from dataclasses import replace

from pycore.train import HEALTHY, Part, Progress, Record, run

UPDATES = 30
ITERATIONS = 4


if sys.platform == "emscripten":
    from js import process

    def clock() -> float:
        """Seconds of processor time of this Node process."""
        spent = process.cpuUsage()
        return (spent.user + spent.system) * 1e-6
else:
    clock = time.process_time


def measure(base: bytes) -> dict[str, float]:
    """Milliseconds of one update (sample, verify, four iterations, record), and of the longest slice."""
    recipe = replace(
        HEALTHY,
        updates=UPDATES,
        protocol=replace(HEALTHY.protocol, iterations=ITERATIONS),
        evaluation=replace(HEALTHY.evaluation, every=10_000, prompts=2, samples=1),
        show_every=10_000,
        checkpoint_every=10_000,
    )
    updates, slices = [], []
    total = 0.0
    last = clock()
    for step in run(recipe, base=base):
        now = clock()
        spent, last = now - last, now
        if isinstance(step, Part) or (isinstance(step, Progress) and step.stage != "evaluate"):
            slices.append(spent)
            total += spent
        elif isinstance(step, Record) and step.kind == "update":
            updates.append(total + spent)
            total = 0.0
        last = clock()
    # The first updates warm caches, and clear the machine of what ran before.
    return {"update_ms": 1e3 * statistics.median(updates[5:]), "slice_ms": 1e3 * statistics.quantiles(slices, n=20)[-1]}


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        print("@" + json.dumps(measure(file.read())))
