"""What a person sees while waiting: one line on stderr, once a command has taken two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

_PATIENCE = 2.0
_REFRESH = 0.2


class Reporter:
    """Shows the current stage with count, share and time left, or the seconds spent where there is no count.

    Silent when stderr is not a terminal, or when asked to be.
    """

    def __init__(self, quiet: bool) -> None:
        self._active = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._started = self._stage_started = time.monotonic()
        self._stage, self._done, self._total = "", 0, 0
        self._quiet = quiet
        #: what the user has been warned of
        self.warnings: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        if stage.partition(",")[0] != self._stage.partition(",")[0]:  # what follows a comma is a running remark
            self._stage_started = time.monotonic()
        self._stage, self._done, self._total = stage, done, total

    def warn(self, text: str) -> None:
        """One line on stderr, once, whether or not it is a terminal."""
        if text in self.warnings:
            return
        self.warnings.append(text)
        if not self._quiet and sys.stderr is not None:
            sys.stderr.write(("\r\x1b[K" if self._active else "") + f"verimv: warning: {text}\n")
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
        spent = time.monotonic() - self._stage_started
        if self._total <= 1 or not self._done:
            return f"{self._stage} … {spent:.0f} s"
        left = spent * (self._total - self._done) / self._done
        return f"{self._stage}: {self._done:,} of {self._total:,} ({self._done / self._total:.0%}), {left:.0f} s left"
