"""What both builds of the verified kernel say of a directory."""

import subprocess
from functools import cache

from verimv.core.errors import InputError
from verimv.kernels.servers import portable_server
from verimv.kernels.verified import find_verified


@cache
def native():
    """Return the program that `make -C proofs` builds, or None."""
    try:
        return find_verified()
    except InputError:
        return None


def answers(directory):
    """Return what both builds print; the portable one alone where the other is not built."""
    found = [portable_server().ask(str(directory), {})]
    if native() is not None:
        done = subprocess.run([native(), str(directory)], capture_output=True, check=False, stdin=subprocess.DEVNULL)
        found.append(done.stdout.decode())
    return found


def head(answer):
    """Return the verdict and the place of an answer, or all of it if it is a proof. Reasons name files, or do not."""
    return answer if answer.startswith("valid") else answer.partition(":")[0]


def verified_head(directory, note=""):
    """Return what the verified kernel says, in whichever build."""
    found = answers(directory)
    assert len(set(map(head, found))) == 1, f"{note}: {found}"
    return head(found[0])
