"""A local Dask cluster: a real scheduler and real workers, which are killed while they work."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.certificate.from_extraction import extract
from verimv.cli import main
from verimv.core.effort import SECOND
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.core.workers import Processes, cluster, team
from verimv.networks.formats.json_format import write_network
from verimv.paper.experiments.families import random_network
from verimv.solvers.point_search import Search

pytest.importorskip("distributed")

# Dask's client may still have a coroutine waiting when its scheduler is gone.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:coroutine .* was never awaited:RuntimeWarning"
)


def start(name, *arguments, **environment):
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", "--host", "127.0.0.1", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    )


def stop(process):
    process.kill()
    process.wait()


class LocalCluster:
    """A scheduler on loopback and workers without nannies, so that a killed worker is not restarted."""

    def __init__(self, folder, **environment):
        self.file = folder / "scheduler.json"
        options = ("--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self.scheduler = start("scheduler", *options, **environment)
        self.workers = []

    @property
    def address(self):
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                return json.loads(self.file.read_text())["address"]
            except (OSError, ValueError):
                time.sleep(0.05)
        raise TimeoutError("no scheduler")

    def add_worker(self):
        options = ("--nthreads", "2", "--no-nanny", "--no-dashboard")
        self.workers.append(start("worker", self.address, *options))
        return self.workers[-1]

    def stop(self):
        for process in (*self.workers, self.scheduler):
            stop(process)


@pytest.fixture
def local(tmp_path):
    cluster = LocalCluster(tmp_path)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """Two workers that are not killed."""
    cluster = LocalCluster(tmp_path_factory.mktemp("cluster"))
    for _ in range(2):
        cluster.add_worker()
    yield cluster
    cluster.stop()


def square(number):
    if number < 0:
        raise InternalError("negative")
    return number * number


def noted(folder, number):
    """Record which worker has begun a task, then wait."""
    (folder / f"{number}-{os.getpid()}").touch()
    time.sleep(0.3)
    return number * number


def doomed(number):
    os.kill(os.getpid(), signal.SIGKILL)


def test_every_task_is_done_once(steady):
    with team(steady.address) as workers:
        assert workers.size >= 1
        for _ in range(2):  # a team can be used again
            assert sorted(workers.results(square, range(40))) == [(n, n * n) for n in range(40)]
        assert list(workers.results(square, [])) == []
        with pytest.raises(InternalError, match="negative"):
            list(workers.results(square, [1, -2, 3]))


def test_time_ends(steady):
    began = time.monotonic()
    with team(steady.address) as workers, pytest.raises(Undecided, match="no answer in time"):
        list(workers.results(time.sleep, [4.0], seconds=0.5))
    assert time.monotonic() - began < 60


@pytest.mark.slow  # mostly waiting
def test_nothing_is_lost_with_a_worker_that_is_killed(local, tmp_path):
    """When it is killed, it has begun tasks and holds the only copy of what they share."""
    folder = tmp_path / "begun"
    folder.mkdir()
    first = local.add_worker()
    with team(local.address) as workers:
        results = workers.results(partial(noted, folder), range(12))
        found = [next(results)]
        local.add_worker()
        stop(first)
        found += results
    assert sorted(found) == [(n, n * n) for n in range(12)]
    begun = [path.name.split("-") for path in folder.iterdir()]
    assert len({pid for _, pid in begun}) == 2
    assert {int(number) for number, _ in begun} == set(range(12))


@pytest.mark.slow  # mostly waiting
def test_bounds_are_the_same_when_a_worker_is_killed(local):
    network = random_network((4, 14, 14, 2), 3)
    alone = certified_bounds(network, SearchEffort("exact", nodes=60))
    first, _ = local.add_worker(), local.add_worker()
    done = []

    def progress(stage, count, total):
        done.append(count)
        if len(done) == 3:
            stop(first)

    together = certified_bounds(network, SearchEffort("exact", nodes=60, workers=local.address), progress)
    assert first.poll() is not None
    assert len(done) > 10
    assert together == alone


def test_work_that_is_too_little_is_shared_as_it_is_here(steady):
    network = random_network((4, 14, 14, 2), 3)
    efforts = [SearchEffort("exact", work=SECOND // 4, workers=workers) for workers in (1, 2, steady.address)]
    alone, *others = [certified_bounds(network, effort) for effort in efforts]
    assert alone.counts()["exact"] < network.neurons
    assert others == [alone, alone]


def test_obligations_are_proved_by_the_cluster(steady):
    network = random_network((2, 4, 4, 1), 1, "integer")
    certificate = extract(network, strategy="paper").certificate
    proved = [certificate.prove(Search(workers=workers)) for workers in (1, 2, steady.address)]
    assert [verdict.proved for verdict in proved] == [True] * 3
    assert len({verdict.evidence[0]["queries"] for verdict in proved}) == 1


@pytest.mark.slow
def test_the_scheduler_dies(local):
    local.add_worker()
    with team(local.address) as workers:
        results = workers.results(time.sleep, [0.2] * 50)
        next(results)
        stop(local.scheduler)
        with pytest.raises(Undecided, match="is gone"):
            list(results)


@pytest.mark.slow
def test_all_workers_die(local, monkeypatch):
    monkeypatch.setattr(cluster, "_ALONE", 1.0)
    worker = local.add_worker()
    with team(local.address) as workers:
        results = workers.results(time.sleep, [0.2] * 50)
        next(results)
        stop(worker)
        with pytest.raises(Undecided, match="no workers left"):
            list(results)


@pytest.mark.slow
def test_a_task_that_kills_its_workers(tmp_path):
    """The scheduler gives up a task after some deaths of workers: here after the first."""
    local = LocalCluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    try:
        local.add_worker()
        with team(local.address) as workers, pytest.raises(Undecided, match="again and again"):
            list(workers.results(doomed, [1]))
    finally:
        local.stop()


@pytest.mark.slow
def test_no_worker(local, monkeypatch):
    monkeypatch.setattr(cluster, "_FIRST_WORKER", 0.5)
    with pytest.raises(Undecided, match="has no worker"), team(local.address):
        pass


def test_other_versions(steady, monkeypatch):
    monkeypatch.setattr("verimv.__version__", "0.0.0")
    with pytest.raises(InputError, match="they must be the same"), team(steady.address):
        pass


@pytest.mark.parametrize(
    ("address", "words"),
    [("tcp://127.0.0.1:1", "cannot be reached"), ("nonsense", "expected an address"), ("tcp://127.0.0.1:99999", "cannot be reached"), ("ftp://x:1", "no Dask scheduler")],
)  # fmt: skip
def test_a_scheduler_that_cannot_be_reached(address, words):
    began = time.monotonic()
    with pytest.raises(InputError, match=words), team(address):
        pass
    assert time.monotonic() - began < 60


def test_command_line(steady, tmp_path, capsys):
    path = tmp_path / "net.json"
    path.write_text("".join(write_network(random_network((3, 6, 6, 1), 2))))
    outputs = []
    for options in ([], ["--workers", "2"], ["--scheduler", steady.address]):
        assert main(["bounds", str(path), "--method", "exact", "--seconds-per-bound", "60", "--json", *options]) == 0
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1] == outputs[2]


def test_command_line_without_a_scheduler(tmp_path, capsys):
    path = tmp_path / "net.json"
    path.write_text("".join(write_network(random_network((3, 20, 1), 2))))
    for command in (["extract"], ["bounds"]):
        assert main([*command, str(path), "--scheduler", "tcp://127.0.0.1:1"]) == 2
        assert (
            capsys.readouterr().err == "verimv: --scheduler tcp://127.0.0.1:1: cannot be reached: connection refused\n"
        )


def test_command_line_without_dask(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    path = tmp_path / "net.json"
    path.write_text("".join(write_network(random_network((3, 20, 1), 2))))
    assert main(["extract", str(path), "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert capsys.readouterr().err == "verimv: Dask is not installed: pip install 'verimv[dask]'\n"


def test_workers_and_scheduler_exclude_each_other(capsys):
    with pytest.raises(SystemExit):
        main(["bounds", "net.json", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"])
    assert "not allowed with" in capsys.readouterr().err
    assert isinstance(team(2).__enter__(), Processes)
