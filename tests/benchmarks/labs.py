"""How long every lab takes to answer in the browser's own Python (Pyodide under Node): `python3 build.py bench labs`.

For each lab, in milliseconds of the processor: the 95th percentile of `compute` at its defaults, the slowest setting
among its presets and the bounds of all controls (the best of three tries of each, so that a busy machine does not
speak for the lab), and how much writing the answer out adds. Of a process the longest of its steps up to its fifth
frame is meant, each step's best of three tries. `python -m tests.benchmarks.labs train loop` measures the labs that
are named.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.site.play import defaults, telling
from web import labs
from web.builder import node, runtime, site

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPEATS = 40
AT_DEFAULTS, AT_EXTREMES = 16.0, 50.0  # milliseconds


def measured(names: Sequence[str]) -> list[dict[str, object]]:
    """One record a lab: milliseconds (compute, writing) of every answer, by kind of setting."""
    settings = {
        name: {"default": [defaults(labs.load(name))], "extreme": list(telling(labs.load(name)))} for name in names
    }
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        runtime.build(target / "runtime", cache=ROOT / ".cache")
        (target / "settings.json").write_text(json.dumps(settings))
        inputs = (target / "runtime", site.whole_application(), target / "settings.json", str(REPEATS), ROOT)
        command = [node.tool("node"), HERE / "_labs_wasm.mjs", *inputs]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    """Prints the table; the exit status says whether a lab is slower than promised."""
    print(f"{'lab':20} {'p95':>8} {'extreme':>8} {'writing':>8}  ms; at most {AT_DEFAULTS:g} and {AT_EXTREMES:g}")
    slow = 0
    for record in measured(sys.argv[1:] or labs.names()):
        if "error" in record:
            print(f"{record['lab']:20} {record['error']}")
            slow += 1
            continue
        usual, extreme = (np.array(record[kind]) for kind in ("default", "extreme"))
        p95 = float(np.percentile(usual[:, 0], 95))
        tries = 1 if record["process"] else 3
        worst = float(extreme[:, 0].reshape(-1, tries).min(axis=1).max())
        late = p95 > AT_DEFAULTS or worst > AT_EXTREMES
        slow += late
        writing = float(np.median(usual[:, 1]))
        print(f"{record['lab']:20} {p95:8.2f} {worst:8.2f} {writing:8.2f}  {'too slow' if late else ''}")
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
