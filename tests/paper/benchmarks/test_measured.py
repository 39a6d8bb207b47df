"""Time and memory of a process of its own."""

import sys

import pytest

from verimv.paper.benchmarks.measured import measured

MEGABYTES = 1_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_is_the_childs_own():
    mine = bytearray(300 * MEGABYTES)
    small = measured([sys.executable, "-c", "import time; time.sleep(0.1); print('hello')"], 60)
    large = measured([sys.executable, "-c", f"import time; x = b'x' * {100 * MEGABYTES}; time.sleep(0.1)"], 60)
    assert (small.code, small.stdout) == (0, "hello\n")
    assert small.peak < 100 * MEGABYTES < large.peak < len(mine)


def test_time_is_bounded():
    stopped = measured([sys.executable, "-c", "import time; time.sleep(60)"], 0.3)
    assert stopped.code < 0
    assert 0.3 <= stopped.seconds < 30


def test_processor_time_is_that_of_the_work():
    idle = measured([sys.executable, "-c", "import time; time.sleep(1)"], 60)
    busy = measured([sys.executable, "-c", "import time\nwhile time.process_time() < 1: pass"], 60)
    assert idle.cpu < 0.8 < busy.cpu < 2
