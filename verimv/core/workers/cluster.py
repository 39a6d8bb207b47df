"""Tasks on an existing Dask cluster (`pip install 'verimv[dask]'`): workers come, go and die, results do not change.

Dask gives a task whose worker has died to another one. What all tasks share is itself the result of a task, so it is
computed again where it was lost. Only a few tasks are submitted at a time, since a time budget starts when its task is
submitted.
"""

from __future__ import annotations

import importlib
import logging
import math
import pickle
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

from verimv.core.errors import InputError, Undecided
from verimv.core.workers.child import OutOfBudget

T = TypeVar("T")
R = TypeVar("R")

#: Seconds to reach the scheduler, and then for a first worker to finish a task.
_CONNECT = 5.0
_FIRST_WORKER = 30.0
#: Seconds without any worker after which the run ends.
_ALONE = 30.0
_POLL = 1.0
#: Tasks submitted for each worker: one that runs, and the next.
_AHEAD = 2


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, and check that a worker can do verimv's tasks."""
    distributed = _distributed()
    _check_reachable(address)
    with _silent():
        try:
            client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(f"--scheduler {address}: no Dask scheduler: {_first_line(error)}") from None
        except AssertionError:  # a thread of its own has not begun within ten seconds
            raise Undecided("Dask's client does not start here") from None
        try:
            yield Cluster(client, address)
        finally:
            with suppress(OSError, TimeoutError, RuntimeError):  # the scheduler may be gone already
                client.close(timeout=_CONNECT)


def _distributed(module: str = "distributed") -> Any:
    """Import Dask, which is optional and has no type stubs."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError("Dask is not installed: pip install 'verimv[dask]'") from None


def _check_reachable(address: str) -> None:
    """Fail earlier than Dask would, and with a clearer message."""
    comm = _distributed("distributed.comm")
    try:
        scheme, _ = comm.parse_address(address)
        if scheme not in ("tcp", "tls"):
            return
        host, port = comm.get_address_host_port(address, strict=True)
    except ValueError as error:
        raise InputError(f"--scheduler {address}: expected an address such as tcp://host:8786 ({error})") from None
    try:
        socket.create_connection((host, port), _CONNECT).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"--scheduler {address}: cannot be reached: {_first_line(error).lower()}") from None


def _first_line(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]


@contextmanager
def _silent() -> Iterator[None]:
    """Silence Dask's log messages about workers that come and go; real errors are raised."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "distributed.core")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Cluster:
    """A team of a cluster's worker processes."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._check_worker()
        self.size = max(1, len(client.nthreads()))

    def _check_worker(self) -> None:
        """Check that workers have the same version of verimv: tasks and results are its objects."""
        probe = self._client.submit(_version, pure=False)
        try:
            found = probe.result(timeout=_FIRST_WORKER)
        except TimeoutError:
            raise Undecided(f"the cluster at {self._address} has no worker that is free") from None
        except ImportError as error:
            raise InputError(f"--scheduler {self._address}: a worker lacks verimv: {_first_line(error)}") from None
        if found != _version():
            raise InputError(
                f"--scheduler {self._address}: a worker has verimv {found}, here is {_version()}; they must be the same"
            )

    def results(
        self, function: Callable[[T], R], tasks: Sequence[T], seconds: float | None = None
    ) -> Generator[tuple[T, R], None, None]:
        end = None if seconds is None or math.isinf(seconds) else time.monotonic() + seconds
        loaded = self._client.submit(pickle.loads, pickle.dumps(function), pure=False)
        waiting = iter(tasks)
        pending: dict[Any, T] = {}
        try:
            while True:
                for task in islice(waiting, _AHEAD * self.size - len(pending)):
                    pending[self._client.submit(_run, loaded, task, pure=False)] = task
                if not pending:
                    return
                for future in self._finished(list(pending), end):
                    yield pending.pop(future), self._result(future)
        finally:
            with suppress(OSError, TimeoutError, RuntimeError):
                self._client.cancel([*pending, loaded])

    def _finished(self, futures: list[Any], end: float | None) -> list[Any]:
        """Wait for at least one finished future. Unlike the scheduler, do not wait for workers forever."""
        distributed = _distributed()
        lonely_since: float | None = None
        while True:
            try:
                with self._client.as_current():
                    return list(distributed.wait(futures, timeout=_POLL, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                pass
            except CancelledError:  # by the client, when it has lost the scheduler
                raise self._gone() from None
            now = time.monotonic()
            if end is not None and now > end:
                raise OutOfBudget("the cluster gave no answer in time")
            lonely_since = None if self._has_workers() else lonely_since or now
            if lonely_since is not None and now - lonely_since > _ALONE:
                raise Undecided(f"the cluster at {self._address} has no workers left")

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except (OSError, TimeoutError, RuntimeError):
            raise self._gone() from None

    def _gone(self) -> Undecided:
        return Undecided(f"the scheduler at {self._address} is gone")

    def _result(self, future: Any) -> Any:
        distributed = _distributed()
        try:
            return future.result()
        except CancelledError:
            raise self._gone() from None
        except distributed.KilledWorker:
            raise Undecided(
                f"workers at {self._address} stopped again and again at one task: perhaps they lack memory"
            ) from None


def _version() -> str:
    return str(importlib.import_module("verimv").__version__)


#: z3's default context and HiGHS models are not thread-safe, and Dask workers may have several threads.
_one_at_a_time = threading.Lock()


def _run(function: Callable[[T], R], task: T) -> R:
    """Run one task, in a worker."""
    with _one_at_a_time:
        return function(task)
