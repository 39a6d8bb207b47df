"""Progress: one line on stderr, once a command has taken two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

_PATIENCE = 2.0
_REFRESH = 0.2
#: Seconds of a stage before its pace is used for an estimate.
_SETTLED = 1.0


class Reporter:
    """Shows the current stage with its count, share and time left; or the seconds spent and the most that may follow.

    Silent if `quiet`, or if stderr is not a terminal. If `verbose`, each stage is a line with the time at which it
    began, whatever stderr is.
    """

    def __init__(self, quiet: bool, verbose: bool = False) -> None:
        self._active = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._verbose = verbose and sys.stderr is not None
        self._started = self._stage_started = time.monotonic()
        self._stage, self._done, self._total = "", 0, 0
        self._end: float | None = None
        self._file: Path | None = None
        self._mark: tuple[float, int] | None = None
        self._quiet = quiet
        #: warnings and notes that were printed
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        # text after a comma changes during a stage
        if stage.partition(",")[0] != self._stage.partition(",")[0]:
            self._stage_started = time.monotonic()
            self._file = None
            if self._verbose:
                self._tell(stage)
        self._stage, self._done, self._total = stage, done, total

    def within(self, seconds: float) -> None:
        """Set the time after which the command ends at the latest."""
        self._end = time.monotonic() + seconds

    def reading(self, path: str) -> None:
        """Measure the progress of this stage by how much of a file this process has read."""
        self._file, self._mark = Path(path).resolve(), None

    def _tell(self, stage: str) -> None:
        clear = "\r\x1b[K" if self._active else ""
        sys.stderr.write(f"{clear}{time.monotonic() - self._started:8.2f} s  {stage}\n")
        sys.stderr.flush()

    def warn(self, text: str) -> None:
        """Print a warning on stderr once, whether or not it is a terminal."""
        self._tell_once(self.warnings, "warning", text)

    def note(self, text: str) -> None:
        """Print on stderr once what a user should know about the input."""
        self._tell_once(self.notes, "note", text)

    def _tell_once(self, told: list[str], kind: str, text: str) -> None:
        if text in told:
            return
        told.append(text)
        if not self._quiet and sys.stderr is not None:
            sys.stderr.write(("\r\x1b[K" if self._active else "") + f"verimv: {kind}: {text}\n")
            sys.stderr.flush()

    def __enter__(self) -> Reporter:
        if self._active:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active:
            self._stop.set()
            self._thread.join()

    def _run(self) -> None:
        shown = False
        while not self._stop.wait(_REFRESH):
            if self._stage and time.monotonic() - self._started > _PATIENCE:
                sys.stderr.write(f"\r\x1b[K{self.line()}")
                sys.stderr.flush()
                shown = True
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def line(self) -> str:
        now = time.monotonic()
        spent = now - self._stage_started
        if self._file is not None:
            return self._line_of_file(now, spent)
        if self._total <= 1 or not self._done:
            return self._line_without_count(now, spent)
        left = self._at_most(now, spent * (self._total - self._done) / self._done)
        pace = f", {left:.0f} s left" if spent > _SETTLED else ""
        return f"{self._stage}: {self._done:,} of {self._total:,} ({self._done / self._total:.0%}){pace}"

    def _line_without_count(self, now: float, spent: float) -> str:
        most = f" (at most {max(0.0, self._end - now):.0f} s more)" if self._end is not None else ""
        return f"{self._stage} … {spent:.0f} s{most}"

    def _line_of_file(self, now: float, spent: float) -> str:
        """Return the progress in a file. Its pace counts from the first read: other files may be read before."""
        done, total = _read_so_far(self._file) if self._file is not None else (0, 0)
        if self._mark is None or done <= self._mark[1]:
            self._mark = (now, done)
            return self._line_without_count(now, spent)
        begun, skipped = self._mark
        left = self._at_most(now, (now - begun) * (total - done) / (done - skipped))
        return f"{self._stage}: {done / total:.0%}, {left:.0f} s left"

    def _at_most(self, now: float, left: float) -> float:
        return left if self._end is None else min(left, max(0.0, self._end - now))


def _read_so_far(path: Path) -> tuple[int, int]:
    """Return the bytes of a file that this process has read, and its size; (0, 0) if the system does not say."""
    names = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fdinfo") else []
    for name in names:
        with suppress(OSError):  # closed meanwhile
            if os.readlink(f"/proc/self/fd/{name}") == str(path):
                position = Path("/proc/self/fdinfo", name).read_text(encoding="ascii").split()[1]
                return int(position), path.stat().st_size
    return 0, 0
