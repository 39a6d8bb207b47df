"""Hostile files: a kernel gives up on them, or refuses them, before they have cost much."""

import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.certificate import hostile
from tests.effort import scaled
from verimv import kernel
from verimv.core.errors import InputError
from verimv.kernels.portable import portable_command
from verimv.kernels.verified import find_verified

#: These take a second or two.
QUICK = ("roots_in_a_leaf", "a_wide_cone", "long_denominators", "a_number_of_millions_of_terms", "a_long_plus")
#: Far more than a kernel needs: the limits only keep a failure from taking the machine with it.
SECONDS, BYTES = 120, 3 << 29
#: What a kernel may do grows with the size: a usual run has a quarter of what takes it longest.
PADDED = min(hostile.MOST_BYTES, scaled(hostile.MOST_BYTES // 4))
FOLDER = Path(__file__).parent / "by_verdict"
PYTHON = [sys.executable, "-I", "-S", kernel.__file__]
PORTABLE = portable_command()


def verdict(command, *paths):
    """What a kernel says, in a process with bounded time and memory."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        if command != PORTABLE:  # V8 reserves more addresses than it uses
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    done = subprocess.run(
        [*command, *map(str, paths)], capture_output=True, text=True, preexec_fn=limit, stdin=subprocess.DEVNULL
    )
    assert done.stderr == ""
    assert "MemoryError" not in done.stdout
    return done.returncode, done.stdout


def program(which):
    return {"python": lambda: PYTHON, "verified": verified, "portable": lambda: PORTABLE}[which]()


def verified():
    try:
        return [find_verified()]
    except InputError:
        pytest.skip("the verified kernel is not built")


@pytest.mark.parametrize("name", QUICK)
def test_little_work_for_small_files(name, tmp_path):
    directory = hostile.write(name, tmp_path / "files")
    assert sum(file.stat().st_size for file in directory.iterdir()) < 1_000_000
    code, text = verdict(PYTHON, directory)
    assert (code, text.split(",")[0]) == (3, "incomplete")


@pytest.mark.slow
@pytest.mark.parametrize("name", hostile.MAKERS)
def test_both_kernels_give_up_or_find_out(name, tmp_path):
    """Neither is convinced; and where one gives up, the other may find out what is wrong."""
    directory = hostile.write(name, tmp_path / "files", padded=PADDED)
    with ThreadPoolExecutor(2) as pool:
        codes = {code for code, _ in pool.map(lambda command: verdict(command, directory), (PYTHON, verified()))}
    assert codes in ({1}, {2}, {3}, {1, 3}, {2, 3})


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_the_portable_build_gives_up_or_finds_out(name, tmp_path):
    directory = hostile.write(name, tmp_path / "files")
    assert verdict(PORTABLE, directory)[0] in (1, 2, 3)


# -- what is not a file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["python", "verified", "portable"])
@pytest.mark.parametrize("name", ["network.json", "formula.mv", "certificate.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "device", "directory", "dangling link"])
def test_only_regular_files_are_read(kind, name, which, tmp_path):
    command = program(which)
    directory = tmp_path / "hat"
    hostile.HAT.write(directory)
    assert verdict(command, directory)[0] == 0
    path = directory / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "nothing")
    code, text = verdict(command, directory)
    assert (code, text.split(":")[0].split(",")[0]) == (2, "malformed")


@pytest.mark.parametrize("which", ["python", "verified", "portable"])
@pytest.mark.parametrize("name", ["source.json", "other.json", "original.mv"])
def test_a_subject_that_the_certificate_does_not_name(name, which, tmp_path):
    """Whoever reads the directory would take it for a part of the statement."""
    command = program(which)
    hostile.HAT.write(tmp_path / "hat")
    (tmp_path / "hat" / name).write_text("{}")
    code, text = verdict(command, tmp_path / "hat")
    assert (code, text.startswith("malformed")) == (2, True)
    assert name.split(".")[0] in text
    (tmp_path / "hat" / name).rename(tmp_path / "hat" / f"old-{name}")
    assert verdict(command, tmp_path / "hat")[0] == 0, "other names are nobody's business"
