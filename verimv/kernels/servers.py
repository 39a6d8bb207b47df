"""Processes with the portable kernel, kept for the next question: V8 takes longer to start than most certificates."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, cast

from verimv.core.errors import InputError
from verimv.kernels.portable import GAVE_UP, portable_command

#: Seconds for an answer. The kernel limits its own work, so that only a process that is stuck takes longer.
PATIENCE = 3600.0
#: Seconds more for each second that `effort` allows: it counts work of the native build, on a usual machine.
PATIENCE_PER_SECOND = 20.0

#: Servers without a question, by the process that started them: a forked child must not talk to those of its parent.
_idle: dict[int, list[PortableServer]] = {}


class PortableServer:
    """A process that answers one question at a time, and ends when this process does."""

    def __init__(self) -> None:
        command = portable_command("serve")
        if command is None:
            raise InputError("the verified kernel cannot be run: `pip install mini-racer`")
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        # in a session of its own: Ctrl-C is for this process, which then ends the server
        self.process: subprocess.Popen[bytes] = subprocess.Popen(command, start_new_session=True, **pipes)

    def ask(self, path: str, files: Mapping[str, str | None], effort: int = 0) -> str | None:
        """Return what the kernel prints about these files; None if the process has ended instead."""
        questions, answers = cast(IO[bytes], self.process.stdin), cast(IO[bytes], self.process.stdout)
        absolute = {name: file and _absolute(file) for name, file in files.items()}
        line = b""
        is_late = threading.Event()

        def give_up() -> None:
            is_late.set()
            self.process.kill()

        timer = threading.Timer(PATIENCE + PATIENCE_PER_SECOND * effort, give_up)
        timer.daemon = True
        timer.start()
        try:
            with suppress(BrokenPipeError):
                questions.write(json.dumps([_absolute(path), absolute, effort]).encode() + b"\n")
                questions.flush()
                line = answers.readline()
        except BaseException:
            self.end()
            raise
        finally:
            timer.cancel()
        if not line:
            self.end()
            return f"{GAVE_UP}\n" if is_late.is_set() else None
        _idle.setdefault(os.getpid(), []).append(self)
        return str(json.loads(line)) + "\n"

    def end(self) -> None:
        """Kill the process. Nothing more is read: another process may still have the other end of the pipe."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                cast(IO[bytes], pipe).close()


def _absolute(path: str) -> str:
    """Return a path for a process in another directory; `..` after a symbolic link stays where it is."""
    with suppress(OSError):  # the directory of this process is gone: whatever the path is, nothing is there
        return os.path.join(os.getcwd(), path)
    return path


def portable_server() -> PortableServer:
    """Return a server for one question."""
    idle = _idle.setdefault(os.getpid(), [])
    while idle:
        server = idle.pop()
        if server.process.poll() is None:
            return server
        server.end()
    return PortableServer()


@atexit.register
def _end_all() -> None:
    for server in _idle.pop(os.getpid(), []):
        server.end()
