"""Work shared out: every task once, errors and dead workers reported, nobody left behind."""

import multiprocessing
import os
import signal

import pytest

from verimv.errors import InternalError, Undecided
from verimv.experiments.workers import cores, in_parallel


def square(number):
    if number < 0:
        raise InternalError("negative", "the query")
    if number > 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return number, number * number, os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_is_done_once(workers):
    results = list(in_parallel(square, range(9), workers))
    assert sorted(result[:2] for result in results) == [(n, n * n) for n in range(9)]
    assert (os.getpid() in {pid for _, _, pid in results}) == (workers == 1)
    assert not multiprocessing.active_children()


def test_errors_arrive_whole():
    with pytest.raises(InternalError, match="negative") as error:
        list(in_parallel(square, [1, 2, -3, 4], 2))
    assert error.value.reproduction == "the query"
    assert not multiprocessing.active_children()


def test_a_worker_that_dies_is_noticed():
    with pytest.raises(Undecided, match="a worker stopped"):
        list(in_parallel(square, [1, 101, 2, 3], 2))
    assert not multiprocessing.active_children()


def test_whoever_stops_listening_stops_the_work():
    results = in_parallel(square, range(50), 2)
    next(results)
    results.close()
    assert not multiprocessing.active_children()


def test_cores():
    assert cores() >= 1
