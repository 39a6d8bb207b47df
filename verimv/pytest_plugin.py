"""The pytest plugin of verimv, which pytest finds by itself.

It has the fixtures `assert_equivalent` and `assert_certified`, and collects every promise of a `verimv.toml`, or of a
`pyproject.toml` with [tool.verimv], as a test. It loads nothing of verimv until one of them is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from verimv.promises.outcome import PromiseOutcome
    from verimv.promises.promise import Promise


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., None]:
    """assert_equivalent(a, b, tolerance=0, effort=60): fail unless two networks or formulas are proved equal."""
    from verimv import testing

    return testing.assert_equivalent


@pytest.fixture(scope="session")
def assert_certified() -> Callable[..., None]:
    """assert_certified(directory, network=None): fail unless the certificate is valid and about that network."""
    from verimv import testing

    return testing.assert_certified


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name not in ("verimv.toml", "pyproject.toml"):
        return None
    if file_path.name == "pyproject.toml":
        if b"verimv" not in file_path.read_bytes():
            return None
        from verimv.promises.promise_file import has_promises

        if not has_promises(file_path):
            return None
    return PromiseTests.from_parent(parent, path=file_path)


class PromiseTests(pytest.File):
    """A file of promises."""

    def collect(self) -> Iterator[pytest.Item]:
        from verimv.core.errors import InputError
        from verimv.promises.promise_file import read_promises

        try:
            promises = read_promises(self.path).promises
        except InputError as error:
            raise self.CollectError(str(error)) from None
        for promise in promises:
            yield PromiseTest.from_parent(self, name=promise.full_name, promise=promise)


class PromiseTest(pytest.Item):
    """A promise, which passes if it is proved."""

    def __init__(self, *, promise: Promise, **given: Any) -> None:
        super().__init__(**given)
        self._promise = promise

    def runtest(self) -> None:
        from verimv.promises.deciding import decide
        from verimv.promises.keeper import FOLDER, Keeper

        outcome = decide(self._promise, Keeper(str(self.path.parent / FOLDER)))
        if outcome.status != "proved":
            raise _NotProved(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what became of the promise, without a traceback."""
        if isinstance(excinfo.value, _NotProved):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._promise.line - 1, self.name


class _NotProved(Exception):
    """A promise is broken, undecided, or malformed."""

    def __init__(self, outcome: PromiseOutcome) -> None:
        super().__init__("\n".join([f"{outcome.word}: {outcome.reason}", *outcome.notes]))
