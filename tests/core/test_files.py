"""Atomic writing: leftovers of killed runs, and symbolic links."""

import json
import os
import signal
import subprocess
import sys

import pytest

from verimv.core.errors import InputError
from verimv.core.files import Replaceable, check_directory, write_directory, write_file, write_into

#: Overwrite a directory with a certificate, and die at the N-th step.
KILLED = """
import os, signal, sys
from pathlib import Path
from verimv.core import files
directory, step = sys.argv[1], int(sys.argv[2])
counted = 0
def dying(function):
    def wrapper(*arguments, **options):
        global counted
        counted += 1
        if counted == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return wrapper
os.fsync, os.replace, Path.unlink = dying(os.fsync), dying(os.replace), dying(Path.unlink)
names = ("network.json", "certificate.jsonl", "certificate.jsonl.gz")
ours = lambda place: any((place / name).exists() for name in names[1:])
new = {"network.json": ["new"], "certificate.jsonl.gz": ["new"]}
files.write_directory(directory, new, files.Replaceable(names, ours))
"""
NAMES = ("network.json", "certificate.jsonl", "certificate.jsonl.gz")
LEFT = ".verimv-a1b2_3cd"


def is_ours(place):
    return any((place / name).exists() for name in NAMES[1:])


REPLACEABLE = Replaceable(NAMES, is_ours)


def contents(directory):
    return {path.name: path.read_text() for path in directory.iterdir()}


@pytest.mark.parametrize("step", range(1, 9))
def test_a_killed_run_leaves_a_directory_that_can_be_written_again(tmp_path, step):
    out = tmp_path / "out"
    write_directory(out, {"network.json": ["old"], "certificate.jsonl": ["old"]}, REPLACEABLE)
    process = subprocess.run([sys.executable, "-c", KILLED, str(out), str(step)], check=False)
    died = process.returncode == -signal.SIGKILL
    assert died == (step <= 6), "two files are synced, two removed, two put in place"
    assert any(path.name.startswith(".verimv-") for path in out.iterdir()) == died
    write_directory(out, {"network.json": ["again"], "certificate.jsonl": ["again"]}, REPLACEABLE)
    assert contents(out) == {"network.json": "again", "certificate.jsonl": "again"}


def test_what_single_files_leave_is_cleaned_up(tmp_path):
    (tmp_path / LEFT).write_text("half a page")
    write_directory(tmp_path, {"certificate.jsonl": ["new"]}, REPLACEABLE)
    assert contents(tmp_path) == {"certificate.jsonl": "new"}


def make_link(place, elsewhere):
    os.symlink(elsewhere, place / LEFT)


def make_folder_with_a_link(place, elsewhere):
    (place / LEFT).mkdir()
    os.symlink(elsewhere / "precious", place / LEFT / "network.json")


def make_folder_with_a_folder(place, elsewhere):
    (place / LEFT / "inner").mkdir(parents=True)


def make_similar_name(place, elsewhere):
    (place / ".verimv-notes").write_text("mine")


@pytest.mark.parametrize("make", [make_link, make_folder_with_a_link, make_folder_with_a_folder, make_similar_name])
def test_what_is_not_of_verimvs_making_is_refused_and_kept(tmp_path, make):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("precious")
    make(out, elsewhere)
    with pytest.raises(InputError, match=r"holds other files \(\.verimv-"):
        check_directory(out, REPLACEABLE)
    write_directory(out, {"certificate.jsonl": ["new"]}, Replaceable(NAMES, is_ours, force=True))
    assert len(list(out.iterdir())) == 2
    assert contents(elsewhere) == {"precious": "precious"}


def test_a_run_that_is_still_writing_is_left_alone(tmp_path):
    """The second run finishes first, and must not remove the temporary files of the first."""
    seen = []

    def slowly():
        yield "first"
        write_directory(tmp_path, {"certificate.jsonl": ["second"]}, REPLACEABLE)
        seen.append(contents_of_folders(tmp_path))

    write_directory(tmp_path, {"certificate.jsonl": slowly()}, REPLACEABLE)
    assert seen == [1]
    assert contents(tmp_path) == {"certificate.jsonl": "first"}


def contents_of_folders(directory):
    return sum(path.is_dir() for path in directory.iterdir())


def test_files_in_a_directory_are_never_written_through_links(tmp_path):
    out, victim = tmp_path / "out", tmp_path / "victim"
    out.mkdir()
    victim.write_text("precious")
    for target in (victim, tmp_path / "missing", "report.html"):
        os.symlink(target, out / "report.html")
        write_into(out, "report.html", "page")
        assert not (out / "report.html").is_symlink()
        assert contents(out) == {"report.html": "page"}
        (out / "report.html").unlink()
    assert victim.read_text() == "precious"
    assert not (tmp_path / "missing").exists()


def test_a_file_that_the_user_names_may_be_a_link(tmp_path):
    """As with cp or a shell's >: the link stays, and its target is replaced."""
    (tmp_path / "file").write_text("old")
    os.symlink("file", tmp_path / "link")
    write_file(tmp_path / "link", ["new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_commands_replace_links_in_certificate_directories(tmp_path):
    from tests.cli.conftest import HAT
    from verimv.cli import main

    network, out, victim = tmp_path / "hat.json", tmp_path / "out", tmp_path / "victim"
    network.write_text(json.dumps(HAT))
    assert main(["extract", str(network), "-o", str(out)]) == 0
    summary = (out / "summary.json").read_text()
    for name, command in (("report.html", "report"), ("summary.json", "prove")):
        victim.write_text(summary)
        (out / name).unlink()
        os.symlink(victim, out / name)
        assert main([command, str(out)]) == 0
        assert victim.read_text() == summary
        assert not (out / name).is_symlink()
    assert json.loads((out / "summary.json").read_text())["proofs"]
    (out / "report.html").unlink()
    os.symlink(victim, out / "report.html")
    assert main(["extract", str(network), "-o", str(out)]) == 0
    assert victim.read_text() == summary
    assert not (out / "report.html").is_symlink()


def test_records_of_experiments_are_not_links(tmp_path):
    from verimv.paper.experiments.campaign import EXPERIMENTS, ExperimentRecord

    os.symlink(tmp_path / "victim", tmp_path / "lengths-runs.csv")
    with pytest.raises(InputError, match="symbolic link"):
        ExperimentRecord(EXPERIMENTS["lengths"], "1", tmp_path / "lengths-runs.csv")
    assert not ExperimentRecord(EXPERIMENTS["lengths"], "1", tmp_path / "other-runs.csv").rows
