"""Without what only POSIX has, as on Windows: files are written, kernels asked, time limits kept. (It is simulated.)"""

import subprocess
import sys

import pytest

#: Takes away what Windows lacks, then runs a command.
WITHOUT = """
import multiprocessing, os, signal, sys
for module in ("fcntl", "resource"):
    sys.modules[module] = None
for name in ("SIGALRM", "setitimer", "ITIMER_REAL", "pthread_sigmask", "pthread_kill"):
    delattr(signal, name)
for name in ("O_NONBLOCK", "O_NOFOLLOW"):
    delattr(os, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
from verimv.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def run(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WITHOUT, encoding="utf-8")

    def command(*words):
        call = [sys.executable, program, *map(str, words)]
        return subprocess.run(call, capture_output=True, encoding="utf-8", check=False, timeout=600)

    return command


def test_extract_and_check(run, tmp_path):
    for _ in range(2):  # the second time into the directory
        done = run("extract", "examples/networks/hat.json", "-o", tmp_path / "hat")
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "hat" / "formula.mv").read_bytes().count(b"\r") == 0
    assert run("check", tmp_path / "hat", "--kernel", "both").stdout.startswith(
        "valid (kernel.py and the verified kernel)"
    )


def test_solvers_and_workers(run):
    assert run("valid", "(x → y) ∨ (y → x)").stdout.startswith("valid")
    assert run("bounds", "examples/networks/hat.json", "--workers", "2", "--method", "exact").returncode == 0


def test_limits(run):
    parts = [f"Δ[{i}/{i + 7}](x{i % 3} ⊙ ¬y{i % 4}) ⊙ (z{i % 5} ⊕ x{i % 4})" for i in range(1, 60)]
    done = run("simplify", " ⊕ ".join(parts), "--timeout", "1")  # without the limit, it takes several seconds
    assert (done.returncode, done.stderr) == (3, "verimv: the time limit of 1 s is used up\n")
    done = run("measure", "x", "--memory", "500")
    assert (done.returncode, done.stderr) == (
        2,
        "verimv: --memory: this system has no limit on memory; leave the option out\n",
    )
