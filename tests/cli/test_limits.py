"""Limits that are reached at a bad moment."""

import os
import subprocess
import sys

import pytest

# The signal arrives while the process is forked: Python handles it in the first Python function that runs afterwards.
# Without care this is the one that releases the lock of logging.
FORK = """
import os, signal, sys, threading
from functools import partial

arrive = partial(os.kill, os.getpid(), signal.{signal})
os.register_at_fork(after_in_parent=arrive)  # called before the hook of logging, which is imported later

import logging
from verimv.cli.limits import Terminated, limits
from verimv.core.errors import Undecided

try:
    with limits(600, None):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        threading.Event().wait(30)
        print("not ended")
except (Undecided, Terminated) as error:
    print(type(error).__name__)

signal.setitimer(signal.ITIMER_REAL, 0)
found = []
def look():
    found.append(logging._lock.acquire(timeout=5))
    if found[0]:
        logging._lock.release()
thread = threading.Thread(target=look)
thread.start()
thread.join()
print("free" if found[0] else "locked")
sys.stdout.flush()
os._exit(0)  # the clean-up would wait for the lock
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes are forked")
@pytest.mark.parametrize(("signal", "ending"), [("SIGALRM", "Undecided"), ("SIGTERM", "Terminated")])
def test_a_signal_during_a_fork_leaves_no_lock_behind(signal, ending):
    command = [sys.executable, "-c", FORK.replace("{signal}", signal)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.stdout.split(), done.stderr) == ([ending, "free"], "")


LIMIT = """
import resource
from verimv.cli.limits import limits

before = resource.getrlimit(resource.RLIMIT_AS)
with limits(None, 3000):
    print(resource.getrlimit(resource.RLIMIT_AS) != before)
print(resource.getrlimit(resource.RLIMIT_AS) == before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="where address space can be limited")
def test_a_memory_limit_ends_with_the_command():
    assert subprocess.check_output([sys.executable, "-c", LIMIT], text=True).split() == ["True", "True"]
