"""What only a real process shows: signals, limits, pipes, closed and non-UTF-8 streams."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import VALID
from verimv.networks.formats.json_format import write_network
from verimv.paper.experiments.families import random_network

VERIMV = [sys.executable, "-m", "verimv"]


def heed_interrupts():
    """In the child: tests that run in the background may have SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*words, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*VERIMV, *map(str, words)], preexec_fn=heed_interrupts, **pipes, **options)


def finish(process, timeout=600):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), err.decode()


def wait_until_ready(process):
    """Until the process handles SIGTERM, which it does once everything is imported; machines may be busy."""
    status = Path(f"/proc/{process.pid}/status")
    caught = re.compile(r"^SigCgt:\s*([0-9a-f]+)$", re.MULTILINE)
    while process.poll() is None and status.exists():  # a process that has ended keeps its status until it is asked
        if int(caught.search(status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1:
            break
        time.sleep(0.05)
    time.sleep(0.5 if status.exists() else 1.5)


@pytest.fixture
def slow_network(tmp_path):
    """About 4 million table entries: long enough to be interrupted."""
    path = tmp_path / "slow.json"
    layer = {"weights": [["3000"]], "bias": ["-1500"], "activation": "crelu"}
    path.write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": [layer]}))
    return path


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_signals_leave_nothing_behind(slow_network, tmp_path, number, code, word):
    process = start("extract", slow_network, "--strategy", "paper", "-o", tmp_path / "out")
    wait_until_ready(process)
    process.send_signal(number)
    assert finish(process) == (code, "", f"verimv: {word}\n")
    assert [p.name for p in tmp_path.iterdir()] == ["slow.json"]


@pytest.mark.parametrize("module", ["verimv.cli", "verimv.cli.parser", "verimv.cli.commands.eval"])
def test_interrupts_during_imports(module):
    """As if Ctrl-C came when that module is looked for."""
    program = f"""
import runpy, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = ["eval", "x", "--at", "x=1"]
runpy.run_module("verimv", run_name="__main__")
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=600)
    assert (process.returncode, process.stdout, process.stderr) == (130, b"", b"verimv: interrupted\n")


def test_time_limit(slow_network, tmp_path):
    code, out, err = finish(
        start("extract", slow_network, "--strategy", "paper", "-o", tmp_path / "out", "--timeout", "1")
    )
    assert (code, out, err) == (3, "", "verimv: the time limit of 1 s is used up\n")
    assert [p.name for p in tmp_path.iterdir()] == ["slow.json"]


def test_memory_limit(slow_network):
    assert finish(start("extract", slow_network, "--strategy", "paper", "--memory", "150")) == (
        3,
        "",
        "verimv: the memory limit of 150 MB is used up\n",
    )


def test_stdin(tmp_path):
    process = start("measure", "-", "--json", stdin=subprocess.PIPE)
    out, _ = process.communicate("\ufeffx ⊕ x\n".encode(), timeout=600)
    assert json.loads(out)["length"] == "2"
    process = start("measure", "-", stdin=subprocess.PIPE)
    _, err = process.communicate(b"\xff\xff", timeout=600)
    assert (process.returncode, err) == (2, b"verimv: stdin: not UTF-8 text (byte 0)\n")


def test_ascii_terminals():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    code, out, err = finish(start("extract", "examples/networks/hat.json", env=environment, cwd=ROOT))
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "(x1 (+) x1) (*) ~(x1 (*) x1)"
    assert finish(start("measure", "x (+) x", env=environment))[0] == 0
    assert finish(start("measure", "x (+) x", "--json", env=environment))[0] == 0
    assert finish(start("extract", "--help", env=environment))[0] == 0


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.mark.parametrize(("redirection", "code"), [
    (">&-", 2), ("2>&-", 0), ("2>/dev/full", 0), (">/dev/full", 2), ("| true", 0),
])  # fmt: skip
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_unusable_streams(redirection, code):
    command = f"{sys.executable} -m verimv eval x --at x=1 {redirection}"
    process = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=600)
    assert process.returncode == code
    assert b"Traceback" not in process.stderr
    assert b"Exception" not in process.stderr


def test_a_formula_that_cannot_be_shown_is_no_bug():
    words = "extract examples/networks/hat.json --quiet"
    process = subprocess.run(["sh", "-c", f"{sys.executable} -m verimv {words} >&-"], capture_output=True, check=False,
                             timeout=600, cwd=ROOT)  # fmt: skip
    assert process.returncode == 2
    assert b"stdout is closed" in process.stderr


def test_errors_keep_their_code_without_stderr():
    process = subprocess.run(["sh", "-c", f"{sys.executable} -m verimv eval x --at x=5 2>&-"], check=False, timeout=600)
    assert process.returncode == 2


def test_process_substitution_and_pipes(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    process = start("measure", fifo, "--json")
    with fifo.open("w") as pipe:
        pipe.write("x (+) y")
    assert json.loads(finish(process)[1])["length"] == "2"


def test_nothing_but_the_result_on_stdout():
    code, out, err = finish(start("eval", "x", "--at", "x=1"))
    assert (code, out, err) == (0, "1\n", "")


def test_an_interrupted_extraction_goes_on(tmp_path):
    network = tmp_path / "network.json"
    network.write_text("".join(write_network(random_network((4, 10, 10, 10, 1), 3, "integer"))))
    record = tmp_path / "bounds.jsonl"
    words = ("extract", network, "--bounds", "exact", "--scale-output", "--resume", record)
    process = start(*words, "-o", tmp_path / "out")
    while process.poll() is None and (not record.exists() or record.read_text().count("\n") < 4):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, "", f"verimv: interrupted; the same call continues from {record}\n")
    assert not (tmp_path / "out").exists()
    before = record.read_text()
    code, out, err = finish(start(*words, "-o", tmp_path / "out"), timeout=600)
    assert (code, err) == (0, ""), out
    assert record.read_text().startswith(before[: before.rindex("\n") + 1])
    code, text, *_ = finish(start("check", tmp_path / "out"))
    assert (code, text.splitlines()[0]) == (0, VALID)
