"""The verified kernel as JavaScript, run by V8: a program with the options and answers of `verimv-kernel`.

`make -C proofs update` writes verimv-kernel.js. PyPI's mini-racer brings V8, so that neither Coq nor OCaml nor node is
needed. It is a program of its own, so that nothing that a certificate does to V8 happens to the process that asks.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import queue
import re
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from verimv import kernel

if TYPE_CHECKING:
    from py_mini_racer import JSFunction

SCRIPT = Path(__file__).with_name("verimv-kernel.js")
#: Memory that V8 may take for its heap: so many bytes, and more for each byte of the files.
FREE_MEMORY, MEMORY_PER_BYTE = 1 << 30, 1 << 10
#: Bytes of the stack, where it can be chosen: as much as the native build takes.
STACK, VARIABLE = 1 << 28, "VERIMV_KERNEL_STACK"
GAVE_UP = "incomplete: not memory and time enough"


def portable_command(function: str = "main") -> list[str] | None:
    """Return how to run this program; None if V8 is not installed. Nothing of the working directory is imported."""
    if importlib.util.find_spec("py_mini_racer") is None or not SCRIPT.is_file() or not sys.executable:
        return None
    root = str(Path(__file__).parents[2])  # for a checkout that is not installed
    program = f"import sys; sys.path.append({root!r}); from {__name__} import {function}, run; run({function})"
    return [sys.executable, "-P", "-c", program]


def files_to_check(path: str, given: Mapping[str, str | None]) -> dict[str, bytes]:
    """Return the files of a certificate by their usual names, found as the Python kernel finds them."""
    certificate, files = kernel.files_of(path, given)
    name = kernel.CERTIFICATE_FILES[os.fspath(certificate).endswith(".gz")]
    found = {kernel.FILES[subject]: kernel.contents_of(file) for subject, file in files.items()}
    return {name: kernel.contents_of(certificate), **found}


class PortableKernel:
    """V8 with the kernel in it, for any number of certificates."""

    def __init__(self) -> None:
        from py_mini_racer import DEFAULT_V8_FLAGS, MiniRacer, init_mini_racer

        flags = [*DEFAULT_V8_FLAGS, f"--stack-size={_stack() * 7 // 8 >> 10}"] if _stack() else DEFAULT_V8_FLAGS
        init_mini_racer(flags=flags, ignore_duplicate_init=True)
        self._engine = MiniRacer()
        self._engine.eval(SCRIPT.read_text(encoding="ascii") + "\n;0")
        put = self._engine.eval("var files; (name, bytes) => { files[name] = bytes; return 0; }")
        self._put = cast("JSFunction", put)

    def answer(self, files: Mapping[str, bytes], effort: int = 0) -> str:
        """Return what the kernel says of these files, as `verimv-kernel` prints it."""
        from py_mini_racer import JSOOMException

        self._engine.set_hard_memory_limit(FREE_MEMORY + MEMORY_PER_BYTE * sum(map(len, files.values())))
        self._engine.eval("files = {}")
        for name, data in files.items():
            self._put(name, data.decode("latin-1"))  # a character for each byte
        try:
            return str(self._engine.eval(f"verimvKernel(files, null, {effort})"))
        except JSOOMException:
            return GAVE_UP


def _stack() -> int:
    """Return the bytes of a thread's stack if this process has chosen them, otherwise 0."""
    return STACK if os.environ.get(VARIABLE) == "large" else 0


def with_a_large_stack() -> None:
    """Start this program again with a large stack, where the system allows that, and without a soft limit on addresses.

    Lists can be long, and the checker's functions over them go down the stack.
    """
    if sys.platform != "linux" or VARIABLE in os.environ:
        return
    import resource

    addresses = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))  # V8 reserves far more than it uses
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    is_allowed = most == resource.RLIM_INFINITY or most >= STACK
    os.environ[VARIABLE] = "large" if is_allowed else "as it is"
    if is_allowed:
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, most))
        os.execv(sys.executable, sys.orig_argv)


def answer_about(path: str, given: Mapping[str, str | None], verified: PortableKernel, effort: int = 0) -> str:
    """Return what the kernel says of a directory, or of a certificate and the given files."""
    try:
        return verified.answer(files_to_check(path, given), effort)
    except kernel.Rejected as rejected:
        return str(rejected)
    except OSError as error:
        return f"malformed: {error.filename}: {error.strerror}"
    except (MemoryError, KeyboardInterrupt):
        return GAVE_UP


def main() -> int:
    """Check what the command line names."""
    about = "Check a certificate of verimv, without a solver."
    parser = argparse.ArgumentParser(prog="verimv-kernel", description=about)
    parser.add_argument("path", help="a directory written by verimv, or a certificate")
    for subject in kernel.FILES:
        parser.add_argument(f"--{subject}", help=f"the {subject} that the certificate is about")
    parser.add_argument("--effort", metavar="SECONDS", help="of work to allow, if files of this size may cost less")
    options = vars(parser.parse_args())
    with_a_large_stack()
    path, effort = options.pop("path"), options.pop("effort")
    try:
        seconds = kernel.read_effort(effort)
        text = answer_about(path, options, PortableKernel(), seconds)
    except kernel.Rejected as rejected:
        text = str(rejected)
    sys.stdout.buffer.write(f"{text}\n".encode())
    return kernel.EXIT_CODES[re.split("[,:\n]", text)[0]]


def serve() -> int:
    """Answer one question after the other: [path, files, effort] and answers are lines of JSON. End with who asks."""
    with_a_large_stack()
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            questions.put(line)
        os._exit(0)  # there is nobody left who waits for an answer

    threading.Thread(target=read, daemon=True).start()
    verified = PortableKernel()
    while True:
        path, files, effort = json.loads(questions.get())
        sys.stdout.buffer.write(json.dumps(answer_about(path, files, verified, effort)).encode() + b"\n")
        sys.stdout.buffer.flush()


def run(function: Callable[[], int]) -> NoReturn:
    """Run a program, and end it without Python's clean-up, which may wait for V8 for ever.

    V8's thread ends as soon as it asks for Python's lock during that clean-up, and V8 is freed by that thread alone.
    """
    code = 1
    try:
        code = function()
        sys.stdout.flush()
    except SystemExit:  # options that are wrong: V8 is not there yet
        raise
    except BaseException:
        traceback.print_exc()
    os._exit(code)


if __name__ == "__main__":
    run(main)
