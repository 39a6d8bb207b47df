"""Children end with their parent, however that ends."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import subprocess
from verimv.core.parent import dying_with_parent

child = subprocess.Popen(["sleep", "600"], preexec_fn=dying_with_parent(), stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers it")
def test_a_parent_that_is_killed_takes_its_children_along():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as parent:
        child = Path("/proc", parent.stdout.readline().strip())
        assert child.exists()
        parent.kill()
    end = time.monotonic() + 60
    while is_alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(child)


def is_alive(process):
    """Return whether the process still runs; somebody may have to collect it still."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
