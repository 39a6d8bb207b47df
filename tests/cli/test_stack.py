"""Several certificates at once: every one gets its verdict, in order, however many processes check them."""

import json
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.test_check import FOLDER, HAT, STATEMENT, WRONG
from tests.cli.test_process import finish, start
from tests.core.test_parent import is_alive
from verimv import kernel
from verimv.cli import stack
from verimv.cli.stack import shortened

LACKING = FOLDER / "incomplete" / "no-lines"


def rows(text):
    """The rows of a table, by certificate: verdict, kernels, and the lines below."""
    found = []
    for line in text.split("\n\n")[0].splitlines()[1:]:
        if line.startswith("    "):
            found[-1][-1].append(line.strip())
        else:
            found.append((*line.split()[:3], []))
    return found


def some_directories(seed, count):
    source = random.Random(seed)
    return [source.choice(sorted((FOLDER / source.choice(list(kernel.EXIT_CODES))).iterdir())) for _ in range(count)]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_stack(workers, run):
    directories = list(dict.fromkeys(some_directories(workers, 24)))
    expected = [directory.parent.name for directory in directories]
    code, text, err = run("check", *directories, "--workers", workers)
    assert [row[1] for row in rows(text)] == expected
    assert [bool(row[-1]) for row in rows(text)] == [status != "valid" for status in expected]
    counts = {status: expected.count(status) for status in kernel.EXIT_CODES if status in expected}
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    assert text.splitlines()[-1].startswith(f"{told} of {len(expected)}, ")
    assert (code, err) == (min(kernel.EXIT_CODES[status] for status in expected if status != "valid"), "")
    data = json.loads(run("check", *directories, "--workers", workers, "--json")[1])
    assert [entry["path"] for entry in data["certificates"]] == [str(directory) for directory in directories]
    assert [entry["verdict"] for entry in data["certificates"]] == expected
    assert data["counts"] == counts


def test_a_page(run, tmp_path):
    """Every row is there, with its reason or its statement; names are text, and reports are linked from where the page is."""
    hostile = tmp_path / "a<b>&'\"c"
    shutil.copytree(HAT, hostile)
    (hostile / "report.html").write_text("a report")
    page = tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    code, text, err = run("check", hostile, WRONG, LACKING, "--html", page)
    assert (code, err) == (1, "")
    assert text.splitlines()[-1].startswith("1 valid, 1 invalid, 1 incomplete of 3, ")
    html = page.read_text()
    assert re.findall('class="verdict ([a-z]+)"', html) == ["valid", "invalid", "incomplete"]
    assert STATEMENT in html
    assert "a<b>" not in html
    assert "a&lt;b&gt;&amp;" in html
    assert re.findall('href="([^"]*)"', html) == ["data:,", "../a%3Cb%3E%26%27%22c/report.html#check"]
    assert run("check", HAT, "--html", page)[0] == 0
    files = ["--network", HAT / "network.json", "--formula", HAT / "formula.mv"]
    assert run("check", HAT / "certificate.jsonl", *files, "--html", page)[0] == 2


def test_the_verdicts_are_those_of_single_checks(run):
    directories = some_directories(9, 8)
    together = json.loads(run("check", *directories, "nowhere", "--json")[1])["certificates"]
    for entry in together:
        alone = json.loads(run("check", entry["path"], "--json")[1])
        for data in (alone, entry):
            data.pop("seconds", None)
            [answer.pop("seconds") for answer in data["kernels"]]
        assert entry == alone


def test_one_that_cannot_be_read_does_not_stop_the_others(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("no certificate")
    code, text, _ = run("check", tmp_path / "none", HAT, tmp_path / "empty", tmp_path / "file", LACKING)
    assert [row[1] for row in rows(text)] == ["malformed", "valid", "malformed", "malformed", "incomplete"]
    assert (code, text.splitlines()[-1].split(" of ")[0]) == (2, "1 valid, 3 malformed, 1 incomplete")


def test_statements_are_printed_on_request(run):
    twice = FOLDER / "valid" / "two-outputs"
    assert "formula on" not in run("check", HAT, twice)[1]
    text = run("check", HAT, twice, WRONG, "--statements")[1]
    assert [len(row[-1]) for row in rows(text)] == [1, 2, 1]
    assert rows(text)[0][-1] == [STATEMENT]


# -- a directory of directories ----------------------------------------------------------------------------------------


def test_a_directory_of_directories(run, tmp_path):
    for name in ("b", "a", "c"):
        shutil.copytree(HAT, tmp_path / "runs" / name)
    (tmp_path / "runs" / "notes").mkdir()
    shutil.copytree(WRONG, tmp_path / "runs" / ".verimv-a1b2c3d4")  # while another command writes it
    code, text, _ = run("check", f"{tmp_path / 'runs'}/")
    assert code == 0
    data = json.loads(run("check", tmp_path / "runs", "--json")[1])
    assert [Path(entry["path"]).name for entry in data["certificates"]] == ["a", "b", "c"]
    assert text.splitlines()[-1].startswith("3 valid of 3, ")
    # what has a certificate itself is no directory of directories
    shutil.copytree(WRONG, tmp_path / "runs" / "a" / "inner")
    assert run("check", tmp_path / "runs" / "a")[0] == 0


def test_a_stack_of_one_names_it(run, tmp_path):
    shutil.copytree(HAT, tmp_path / "runs" / "only")
    assert "only" in run("check", tmp_path / "runs")[1]


def test_nothing_was_found(run, tmp_path):
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "b").mkdir()
    code, text, _ = run("check", tmp_path / "runs")
    assert (code, text.count("\n")) == (2, 1)
    assert text.startswith("malformed: expected one of certificate.jsonl and certificate.jsonl.gz")
    assert text.endswith("; nor has any of its 2 subdirectories a certificate\n")


# -- kernels -----------------------------------------------------------------------------------------------------------


def test_kernels_that_disagree_or_give_up(run, program, tmp_path):
    """A bug decides the exit code, but the others are still checked."""
    program("incomplete: expected at most 4 steps for each byte of the files\\n", "exit 3")
    code, text, _ = run("check", HAT, WRONG)
    assert code == 1
    assert [row[1:3] for row in rows(text)] == [("valid", "kernel.py"), ("invalid", "kernel.py")]
    assert all(row[-1][-1].startswith("the verified kernel gave up: ") for row in rows(text))
    assert run("check", HAT, WRONG, "--kernel", "both")[0] == 3
    program(f"valid\\n{STATEMENT}\\n", "exit 0")
    code, text, _ = run("check", HAT, WRONG, LACKING)
    assert (code, [row[1] for row in rows(text)]) == (4, ["valid", "bug", "bug"])
    assert "the kernels disagree" in rows(text)[1][-1][0]
    data = json.loads(run("check", HAT, WRONG, "--json")[1])
    assert (data["verdict"], data["certificates"][0]["verdict"]) == ("bug", "valid")


def test_a_worker_that_is_killed_costs_one_certificate(run, monkeypatch):
    """As the system does when memory is short."""
    ask = stack.judge_path

    def killed(path, *more, **options):
        if path == str(WRONG):
            os.kill(os.getpid(), signal.SIGKILL)
        return ask(path, *more, **options)

    monkeypatch.setattr(stack, "judge_path", killed)
    others = [FOLDER / "valid" / name for name in ("two-outputs", "sorted", "square-root")]
    code, text, _ = run("check", HAT, WRONG, LACKING, *others, "--workers", "2")
    assert [row[1] for row in rows(text)] == ["valid", "incomplete", "incomplete", "valid", "valid", "valid"]
    assert "a worker stopped without an answer" in rows(text)[1][-1][0]
    assert code == 3


def test_an_interrupt_ends_all_processes(tmp_path):
    """Also the programs that the workers have started."""
    program, started = tmp_path / "verimv-kernel", tmp_path / "started"
    started.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {started}/$$\nexec sleep 600\n")
    program.chmod(0o755)
    environment = {**os.environ, "VERIMV_VERIFIED_KERNEL": str(program)}
    for words in ([HAT, WRONG, LACKING, "--workers", "2"], [HAT]):
        process = start("check", *words, env=environment)
        while len(list(started.iterdir())) < min(len(words), 2) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert finish(process) == (130, "", "verimv: interrupted\n")
        for left in started.iterdir():
            end = time.monotonic() + 60
            while is_alive(Path("/proc", left.name)) and time.monotonic() < end:
                time.sleep(0.05)
            assert not is_alive(Path("/proc", left.name))
            left.unlink()


# -- how it is told ----------------------------------------------------------------------------------------------------


def test_each_case_has_its_own_time(run, tmp_path, monkeypatch):
    ask = stack.judge_path

    def slow(path, *more, **options):
        time.sleep(0.5 if path == str(WRONG) else 0)
        return ask(path, *more, **options)

    monkeypatch.setattr(stack, "judge_path", slow)
    run("check", HAT, WRONG, "--junit", tmp_path / "out.xml")
    [suite] = ElementTree.parse(tmp_path / "out.xml").getroot()
    times = [float(case.get("time")) for case in suite]
    assert times[1] > times[0] + 0.2
    assert times[1] >= 0.5


def test_columns_are_aligned(run, tmp_path):
    shutil.copytree(HAT, tmp_path / ("long" * 30))
    text = run("check", HAT, WRONG, tmp_path / ("long" * 30))[1]
    lines = [line for line in text.split("\n\n")[0].splitlines() if not line.startswith("    ")]
    assert max(map(len, lines)) < 100
    assert len({re.match(r"\S+ +", line).end() for line in lines}) == 1
    assert len({len(line) for line in lines}) == 1


@given(st.text(max_size=80), st.integers(5, 60))
def test_long_names_keep_both_ends(text, width):
    short = shortened(text, width)
    assert len(short) <= width
    assert short == text or (len(short) == width and short[-width // 2 :] == text[-width // 2 :])
    assert short[: width // 4] == text[: width // 4]


def test_names_of_directories_do_not_break_the_table(run, tmp_path):
    for name in ("a\nb", "c\x1b[31md", "e\u202ef"):
        shutil.copytree(WRONG, tmp_path / "stack" / name)
    (tmp_path / "stack" / "nothing").mkdir()
    code, text, _ = run("check", tmp_path / "stack", "--html", tmp_path / "page.html")
    assert code == 1
    assert [row[1] for row in rows(text)] == ["invalid"] * 3
    assert not set(text) & {"\x1b", "\u202e"}
    assert text.splitlines()[-1].endswith("; no certificate in 1 more directory")
    assert json.loads(run("check", tmp_path / "stack", "--json")[1])["without_certificate"] == 1


def test_odd_names(run, tmp_path):
    assert "empty name" in run("check", "")[2]
    code, text, _ = run("check", tmp_path / "no\nsuch")
    assert (code, text.split(":")[0]) == (2, "malformed")
