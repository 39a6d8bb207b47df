"""`verimv check`: which kernel is asked, what happens if there is none or if the two disagree, and what is proved."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import one_line_error
from verimv import kernel
from verimv.kernels import verified

FOLDER = Path(__file__).parents[1] / "certificate" / "by_verdict"
HAT, WRONG = FOLDER / "valid" / "hat", FOLDER / "invalid" / "lemma-upside-down"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts a program in the place of the verified kernel: it says what it is told to."""

    def put(text, code):
        path = tmp_path / "verimv-kernel"
        path.write_text(f"#!/bin/sh\nprintf '%s' \"$*\" > {tmp_path}/called\nprintf '{text}'\n{code}\n")
        path.chmod(0o755)
        monkeypatch.setenv("VERIMV_VERIFIED_KERNEL", str(path))
        return tmp_path / "called"

    return put


def test_the_program_is_asked(run, program):
    called = program("valid\\ny1 = formula on [0,1]\\n", "exit 0")
    assert run("check", HAT, "--kernel", "verified") == (0, "valid\ny1 = formula on [0,1]\n", "")
    assert called.read_text() == f"-- {HAT}"
    assert run("check", HAT, "--kernel", "verified", "--network", "n.json")[0] == 0
    assert called.read_text() == f"--network n.json -- {HAT}"


@pytest.mark.parametrize(("word", "code"), [("invalid", 1), ("malformed", 2), ("incomplete", 3)])
def test_its_verdict_is_passed_on(word, code, run, program):
    program(f"{word}, line 7: a claim from the future\\n", f"exit {code}")
    text = f"{word}, line 7: a claim from the future\n"
    assert run("check", HAT, "--kernel", "verified") == (code, text, "")
    data = json.loads(run("check", HAT, "--kernel", "verified", "--json")[1])
    assert (data["verdict"], data["kernel"]) == (word, "verified")
    assert (data["place"], data["reason"]) == ("line 7", "a claim from the future")


def test_both_agree(run, program):
    program("valid\\ny1 = formula on [0,1]\\n", "exit 0")
    assert run("check", HAT, "--kernel", "both") == (0, "valid\ny1 = formula on [0,1]\n", "")
    data = json.loads(run("check", HAT, "--kernel", "both", "--json")[1])
    assert (data["verdict"], data["statement"]) == ("valid", ["y1 = formula on [0,1]"])
    program("invalid: no\\n", "exit 1")
    code, text, _ = run("check", WRONG, "--kernel", "both")
    assert (code, text.startswith("invalid, line ")) == (1, True)
    assert json.loads(run("check", WRONG, "--kernel", "both", "--json")[1])["kernel"] == "both"


def test_a_disagreement_is_a_bug(run, program):
    program("valid\\ny1 = formula on [0,1]\\n", "exit 0")
    assert "the kernels disagree" in one_line_error(run("check", WRONG, "--kernel", "both"), 4)
    program("valid\\ny1 = 2·formula on [0,1]\\n", "exit 0")
    assert "the kernels disagree" in one_line_error(run("check", HAT, "--kernel", "both"), 4)
    program("incomplete: no\\n", "exit 3")
    assert "the kernels disagree" in one_line_error(run("check", HAT, "--kernel", "both"), 4)


@pytest.mark.parametrize(
    ("text", "code"),
    [("valid\\n", "exit 1"), ("invalid: no\\n", "exit 0"), ("", "exit 0"), ("valid\\n", "exit 0")],
)
def test_an_answer_that_makes_no_sense_is_no_verdict(text, code, run, program):
    program(text, code)
    assert "the verified kernel answers" in one_line_error(run("check", HAT, "--kernel", "verified"), 4)


def test_a_program_that_is_killed_is_no_verdict(run, program):
    program("valid\\n", "kill -9 $$")
    assert "signal 9" in one_line_error(run("check", HAT, "--kernel", "verified"), 3)


def test_without_the_program(run, tmp_path, monkeypatch):
    monkeypatch.setenv("VERIMV_VERIFIED_KERNEL", str(tmp_path / "nothing"))
    assert "no such program" in one_line_error(run("check", HAT, "--kernel", "verified"))
    monkeypatch.delenv("VERIMV_VERIFIED_KERNEL")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(verified, "_BUILT", tmp_path / "nothing")
    assert "make -C proofs" in one_line_error(run("check", HAT, "--kernel", "both"))
    assert run("check", HAT) == (0, "valid\ny1 = formula on [0,1]\n", "")
    program = tmp_path / "verimv-kernel"
    program.write_text("#!/bin/sh\necho valid; echo 'y1 = formula on [0,1]'\n")
    program.chmod(0o755)
    assert run("check", HAT, "--kernel", "verified") == (0, "valid\ny1 = formula on [0,1]\n", "")
    program.write_text("no program")
    assert "cannot be run" in one_line_error(run("check", HAT, "--kernel", "verified"))


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("range-of-a-network", ["0 ≤ y1 ≤ 1 on [0,1]"]),
        ("range-bounded-twice", ["0 ≤ y1 ≤ 2 on [0,1]"]),
        ("range-of-clipped-units", ["0 ≤ y1 ≤ 1 on [0,1]"]),  # −1/2 before the ReLU
        ("range-with-a-square-root", ["-1/2 ≤ y1 ≤ sqrt(2) on [0,1]"]),
        ("difference-of-twins", ["0 ≤ y1 − other y1 ≤ 0 on [0,1]"]),
        ("hat", ["y1 = formula on [0,1]"]),
    ],
)
def test_what_is_proved(run, name, statement):
    directory = FOLDER / "valid" / name
    text = "\n".join(["valid", *statement]) + "\n"
    assert run("check", directory) == (0, text, "")
    given = [word for file in kernel.FILES if (directory / kernel.FILES[file]).exists()
             for word in (f"--{file}", directory / kernel.FILES[file])]  # fmt: skip
    assert run("check", directory / "certificate.jsonl", *given) == (0, text, "")
    assert json.loads(run("check", directory, "--json")[1])["statement"] == statement


def test_nothing_is_said_to_be_proved_otherwise(run):
    code, text, _ = run("check", FOLDER / "incomplete" / "range-with-one-end")
    assert (code, "≤" in text) == (3, False)
