"""Tasks in local processes: each is done once, errors and dead workers are reported, no process is left."""

import gc
import multiprocessing
import os
import signal
import time

import pytest

from verimv.core.errors import InternalError, Undecided
from verimv.core.workers import Processes, cores


def square(number):
    if number < 0:
        raise InternalError("negative", "the query")
    if number > 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return number, number * number, os.getpid()


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_is_done_once(workers, start):
    results = list(Processes(workers, start).results(square, range(9)))
    assert sorted((task, *result[:2]) for task, result in results) == [(n, n, n * n) for n in range(9)]
    assert (os.getpid() in {pid for _, (_, _, pid) in results}) == (workers == 1)
    assert not multiprocessing.active_children()


def frozen(_):
    return gc.get_freeze_count()


def test_what_the_parent_has_is_not_collected_again():
    assert all(count > 1000 for _, count in Processes(2).results(frozen, range(2)))


def test_errors_arrive_whole():
    with pytest.raises(InternalError, match="negative") as error:
        list(Processes(2).results(square, [1, 2, -3, 4]))
    assert error.value.reproduction == "the query"
    assert not multiprocessing.active_children()


def test_a_worker_that_dies_is_noticed():
    with pytest.raises(Undecided, match="a worker stopped") as error:
        list(Processes(2).results(square, [1, 101, 2, 3]))
    assert error.value.task == 101
    assert not multiprocessing.active_children()


def test_whoever_stops_listening_stops_the_work():
    results = Processes(2).results(square, range(50))
    next(results)
    results.close()
    assert not multiprocessing.active_children()


def test_time_and_memory_end_with_a_word():
    with pytest.raises(Undecided, match=r"no answer in 0\.2 s"):
        list(Processes(2).results(time.sleep, [0.01, 60, 60], seconds=0.2))
    with pytest.raises(Undecided, match="memory limit of 50 MB"):
        list(Processes(1, memory=50).results(bytearray, [1 << 33]))
    assert not multiprocessing.active_children()


def test_with_a_limit_even_one_task_has_its_own_process():
    ((_, (_, _, pid)),) = Processes(1, memory=1000).results(square, [2])
    assert pid != os.getpid()


def test_cores():
    assert cores() >= 1
