"""The portable build: its integers against Python's, its program, and that it is the one that `make -C proofs` makes."""

import json
import math
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.certificate.by_verdict.make import HAT
from tests.effort import scaled
from tests.kernels.portable import native
from verimv.kernels import servers
from verimv.kernels.portable import GAVE_UP, SCRIPT, portable_command
from verimv.kernels.servers import portable_server

ROOT = Path(__file__).parents[2]
STUBS = ROOT / "proofs" / "verified" / "portable" / "z.js"

# -- integers ----------------------------------------------------------------------------------------------------------


def quotient(a, b):
    """Return a / b, rounded towards 0."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def length(a):
    """Return about how many words of 64 bits an integer takes, as far as cost is concerned."""
    bits = abs(a).bit_length()
    return 1 if bits <= 53 else 3 if bits <= 512 else 1 << (bits - 1).bit_length() - 6


#: What each function of z.js has to give, and for which operands.
ANY, NOT_ZERO, POSITIVE = (lambda b: True), (lambda b: b != 0), (lambda b: b > 0)
TWO = {
    "add": (lambda a, b: a + b, ANY),
    "sub": (lambda a, b: a - b, ANY),
    "mul": (lambda a, b: a * b, ANY),
    "and": (lambda a, b: a & b, ANY),
    "gcd": (math.gcd, ANY),
    "compare": (lambda a, b: (a > b) - (a < b), ANY),
    "equal": (lambda a, b: int(a == b), ANY),
    "fdiv": (lambda a, b: a // b, NOT_ZERO),
    "div": (quotient, NOT_ZERO),
    "rem": (lambda a, b: a - b * quotient(a, b), NOT_ZERO),
    "shift_left": (lambda a, b: a << b % 200, ANY),
    "shift_right": (lambda a, b: a >> b % 200, ANY),
    "divexact": (lambda a, b: a, POSITIVE),  # of a b and b
}
ONE = {
    "neg": lambda a: -a,
    "sign": lambda a: (a > 0) - (a < 0),
    "is_even": lambda a: int(a % 2 == 0),
    "numbits": lambda a: abs(a).bit_length(),
    "length": length,
    "sqrt": lambda a: math.isqrt(abs(a)),
    "to_string": lambda a: a,
}

#: Runs z.js on [name, operands] and writes what it gives as text, and whether an integer is kept as it must be.
RUNNER = """
const caml_jsbytes_of_string = (text) => text, caml_string_of_jsbytes = (text) => text, caml_call_gen = null;
const kept = (text) => (text[0] === "-" ? verimv_neg(verimv_of_digits(text.slice(1))) : verimv_of_digits(text));
const isKept = (a) => (typeof a === "number") === (BigInt(a) >= -(2n ** 53n) + 1n && BigInt(a) <= 2n ** 53n - 1n);
const results = (cases) => JSON.stringify(JSON.parse(cases).map(([name, first, second]) => {
  let a = kept(first), b = second === undefined ? undefined : kept(second);
  if (name.startsWith("shift")) b = Number(((BigInt(b) % 200n) + 200n) % 200n);
  if (name === "divexact") a = verimv_mul(a, b);
  if (name === "sqrt" && a < 0) a = verimv_neg(a);
  const found = FUNCTIONS[name](a, b);
  return [String(found), typeof found === "string" || (isKept(found) && !Object.is(found, -0))];
}));
"""

INTERESTING = [
    *range(-3, 4),
    *(s * (2**n + d) for n in (30, 31, 32, 52, 53, 54, 61, 62, 63, 64, 65, 127, 128, 256, 512, 1023, 1024, 4000)
      for d in (-1, 0, 1) for s in (1, -1)),
]  # fmt: skip


def integers(source):
    """Return an integer of a random kind: interesting, or with a random number of digits, perhaps many zeros at the end."""
    if source.random() < 0.3:
        return source.choice(INTERESTING)
    value = source.getrandbits(source.choice([4, 20, 33, 50, 54, 64, 80, 130, 300, 1100])) * source.choice([1, -1])
    return value << source.choice([0, 0, 0, 1, 10, 60, 200])


def cases(count, source):
    pairs = [(a, b) for a in INTERESTING for b in INTERESTING]
    for name, (_, is_allowed) in TWO.items():
        drawn = ((integers(source), integers(source)) for _ in range(count))
        yield from ((name, a, b) for a, b in [*source.sample(pairs, 2_000), *drawn] if is_allowed(b))
    for name in ONE:
        yield from ((name, a) for a in [*INTERESTING, *(integers(source) for _ in range(count))])


def test_integers(tmp_path):
    """Each function of z.js gives what Python's integers give, and keeps each integer in one way only."""
    asked = list(cases(scaled(2_000), random.Random(1)))
    names = ", ".join(f"{name}: verimv_{name}" for name in (*TWO, *ONE))
    script = f"{STUBS.read_text()}\nconst FUNCTIONS = {{{names}}};\n{RUNNER}"
    (tmp_path / "script.js").write_text(script)
    (tmp_path / "cases.json").write_text(json.dumps([[name, *map(str, operands)] for name, *operands in asked]))
    program = (
        "import os, sys; from pathlib import Path; from py_mini_racer import MiniRacer\n"
        "engine = MiniRacer(); engine.eval(Path('script.js').read_text())\n"
        "sys.stdout.write(engine.call('results', Path('cases.json').read_text()))\n"
        "sys.stdout.flush(); os._exit(0)"  # Python's clean-up may wait for V8 for ever
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=True, text=True,
                          timeout=300)  # fmt: skip
    # call() writes the text as JSON, and so does the script
    found = json.loads(done.stdout)
    assert len(found) == len(asked)
    for (name, *operands), (text, is_kept) in zip(asked, found, strict=True):
        expected = TWO[name][0](*operands) if name in TWO else ONE[name](*operands)
        assert (text, is_kept) == (str(expected), True), (name, operands)


# -- the program -------------------------------------------------------------------------------------------------------


def run(*arguments, **options):
    command = [*portable_command(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)


def test_the_program(tmp_path):
    HAT.write(tmp_path / "hat")
    done = run(tmp_path / "hat")
    assert (done.returncode, done.stdout, done.stderr) == (0, "valid\ny1 = formula on [0,1]\n", "")
    (tmp_path / "hat" / "formula.mv").write_text("verimv-formula 1\ninputs x1\ny1 = x1\noutputs y1\n")
    done = run(tmp_path / "hat")
    assert (done.returncode, done.stdout) == (1, "invalid: expected the formula that is named\n")
    done = run(tmp_path / "nowhere")
    assert (done.returncode, done.stdout.split(":")[0]) == (2, "malformed")


def test_files_are_given_one_by_one(tmp_path):
    hat = tmp_path / "hat"
    HAT.write(hat)
    files = ["--network", hat / "network.json", "--formula", hat / "formula.mv"]
    assert run(hat / "certificate.jsonl", *files).returncode == 0
    assert run(hat / "certificate.jsonl", *files[:2]).returncode == 2


def test_nothing_of_the_working_directory_is_run(tmp_path):
    HAT.write(tmp_path / "hat")
    for name in ("py_mini_racer.py", "verimv.py", "argparse.py"):
        (tmp_path / name).write_text("raise SystemExit('hostile')")
    assert run("hat", cwd=tmp_path).returncode == 0


def test_paths_mean_what_they_mean_for_the_system(tmp_path, monkeypatch):
    """`..` after a symbolic link is the parent of where the link leads."""
    HAT.write(tmp_path / "far" / "x")
    (tmp_path / "far" / "deep").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "deep")
    monkeypatch.chdir(tmp_path)
    assert portable_server().ask("link/../x", {}).startswith("valid")
    assert portable_server().ask("x", {}).startswith("malformed")


def test_limits_on_addresses_are_not_for_v8(tmp_path):
    HAT.write(tmp_path / "hat")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 31, resource.RLIM_INFINITY)); "
    program = f"{limit}from verimv.kernels.servers import portable_server; print(portable_server().ask('hat', {{}}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=True, timeout=300)  # fmt: skip
    assert done.stdout.startswith("valid")


@pytest.mark.parametrize(("end", "code"), [("return 3", 3), ("raise ValueError", 1), ("raise KeyboardInterrupt", 1)])
def test_a_program_ends_without_the_clean_up_that_may_wait_for_v8(end, code):
    """However it ends. The clean-up waits for ever only now and then, so it is checked that there is none."""
    program = f"""
import atexit
from verimv.kernels.portable import PortableKernel, run

def program():
    global kept
    kept = PortableKernel()
    print("begun")
    {end}

atexit.register(print, "cleaning up")
run(program)
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=False, timeout=300)  # fmt: skip
    assert done.returncode == code
    assert "cleaning up" not in done.stdout
    assert done.stdout == "begun\n" or code == 1
    assert ("Traceback" in done.stderr) == (code == 1)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="only POSIX has this signal")
def test_a_process_that_is_stuck_has_no_answer(tmp_path, monkeypatch):
    server = servers.PortableServer()
    server.process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(servers, "PATIENCE", 0.2)
    assert server.ask(str(tmp_path), {}) == f"{GAVE_UP}\n"
    assert server.process.poll() is not None
    HAT.write(tmp_path / "hat")
    monkeypatch.undo()
    another = portable_server()
    assert another is not server
    assert another.ask(str(tmp_path / "hat"), {}).startswith("valid")


@pytest.mark.skipif(native() is None, reason="the native build is not there (make -C proofs)")
def test_the_packaged_build_is_the_one_that_is_made():
    built = ROOT / "proofs" / "verified" / "verimv-kernel.js"
    if not built.exists():
        pytest.skip("only the native build was made")
    newest = max(path.stat().st_mtime for path in (ROOT / "proofs" / "verified" / "portable").iterdir())
    if os.path.getmtime(built) < newest:
        pytest.skip("z.js has changed since")
    assert built.read_bytes() == SCRIPT.read_bytes()
