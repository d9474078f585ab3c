"""Oracle: the sum of a short range, found in a process that was forked after its parent had started the thread."""

import os
import subprocess
import sys

import pytest

FORKED = """
import os
from pycore.block import over_blocks
over_blocks(abs, range(6))
child = os.fork()
if child == 0:
    os._exit(sum(over_blocks(abs, range(6))))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_starts_a_thread_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"import sys{FORKED}"], timeout=60, check=False)
    assert done.returncode == sum(range(6))
