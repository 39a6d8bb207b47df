"""Reports of progress: the name of a stage, how much of it is done, and how much there is in all."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing: the default."""


class ProgressCounter:
    """Adds up the work done in one stage and reports it."""

    def __init__(self, progress: Progress, stage: str, total: int) -> None:
        self._progress = progress
        self._stage = stage
        self._total = total
        self._done = 0

    def __call__(self, amount: int) -> None:
        self._done += amount
        self._progress(self._stage, self._done, self._total)
