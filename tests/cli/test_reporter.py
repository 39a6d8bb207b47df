"""What is shown while one waits."""

import re

import pytest

from verimv.cli.reporter import Reporter


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so."""
    now = [100.0]
    monkeypatch.setattr("verimv.cli.reporter.time.monotonic", lambda: now[0])

    def pass_seconds(seconds):
        now[0] += seconds

    return pass_seconds


def test_a_count_gives_share_and_time_left(clock):
    report = Reporter(quiet=False)
    report("bounding neurons", 0, 40)
    clock(5)
    report("bounding neurons, 3 units saved", 10, 40)
    assert report.line() == "bounding neurons, 3 units saved: 10 of 40 (25%), 15 s left"


def test_no_count_gives_the_time_spent_and_the_most_there_can_be(clock):
    report = Reporter(quiet=False)
    report("asking z3", 0, 1)
    clock(4)
    assert report.line() == "asking z3 … 4 s"
    report.within(60)
    clock(10)
    assert report.line() == "asking z3 … 14 s (at most 50 s more)"


def test_the_time_left_is_never_more_than_the_limit(clock):
    report = Reporter(quiet=False)
    report.within(60)
    report("sweeping", 0, 1000)
    clock(50)
    report("sweeping", 1, 1000)
    assert report.line() == "sweeping: 1 of 1,000 (0%), 10 s left"


def test_a_new_stage_starts_its_own_clock(clock):
    report = Reporter(quiet=False)
    report("one", 1, 2)
    clock(30)
    report("two", 1, 2)
    clock(2)
    assert report.line() == "two: 1 of 2 (50%), 2 s left"


@pytest.mark.skipif("sys.platform != 'linux'")
def test_reading_a_file_is_a_count(clock, tmp_path):
    path = tmp_path / "certificate"
    path.write_bytes(b"x" * 1000)
    report = Reporter(quiet=False)
    report("checking")
    report.reading(str(path))
    clock(3)
    assert report.line() == "checking … 3 s"
    with open(path, "rb", buffering=0) as file:
        file.read(100)
        clock(20)  # with something else
        assert report.line() == "checking: 10%, 180 s left"
        report.reading(str(path))
        assert report.line() == "checking … 23 s"
        clock(1)
        file.read(300)
        assert report.line() == "checking: 40%, 2 s left"
    report("writing")
    assert report.line() == "writing … 0 s"


def test_verbose_tells_each_stage_once(run, capsys):
    code, out, err = run("equiv", "x ⊙ (x → y)", "x ∧ y", "--verbose")
    assert (code, out.splitlines()[0]) == (0, "equal")
    stages = [re.fullmatch(r" *[0-9.]+ s  (.*)", line)[1] for line in err.splitlines()]
    assert stages[0] == "reading"
    assert any("z3" in stage for stage in stages)
    assert len(stages) == len(set(stages))


def test_without_it_stderr_stays_empty(run):
    assert run("equiv", "x", "x")[2] == ""
