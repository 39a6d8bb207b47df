"""`verimv check` and `extract`: which kernels are asked, what happens if there is none or if they disagree, what is proved."""

import json
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import KERNELS, VALID, one_line_error
from verimv import kernel
from verimv.kernels import judge, servers, verified
from verimv.kernels.portable import portable_command

FOLDER = Path(__file__).parents[1] / "certificate" / "by_verdict"
HAT, WRONG = FOLDER / "valid" / "hat", FOLDER / "invalid" / "lemma-upside-down"
STATEMENT = "y1 = formula on [0,1]"
BOTH = "kernel.py and the verified kernel"
GAVE_UP = "expected at most 4 steps for each byte of the files"


def test_the_program_is_asked(run, program):
    called = program(f"valid\\n{STATEMENT}\\n", "exit 0")
    assert run("check", HAT, "--kernel", "verified") == (0, f"valid (the verified kernel)\n{STATEMENT}\n", "")
    assert called.read_text() == f"-- {HAT}"
    assert run("check", HAT, "--kernel", "verified", "--network", "n.json")[0] == 0
    assert called.read_text() == f"--network n.json -- {HAT}"


@pytest.mark.parametrize(("word", "code"), [("invalid", 1), ("malformed", 2), ("incomplete", 3)])
def test_its_verdict_is_passed_on(word, code, run, program):
    program(f"{word}, line 7: a claim from the future\\n", f"exit {code}")
    text = f"{word}, line 7: a claim from the future (the verified kernel)\n"
    assert run("check", HAT, "--kernel", "verified") == (code, text, "")
    data = json.loads(run("check", HAT, "--kernel", "verified", "--json")[1])
    assert (data["verdict"], data["kernel"]) == (word, "verified")
    assert (data["place"], data["reason"]) == ("line 7", "a claim from the future")
    assert [answer["kernel"] for answer in data["kernels"]] == ["verified (native)"]


@pytest.mark.parametrize("words", [[], ["--kernel", "both"]], ids=["default", "both"])
def test_both_agree(words, run, program):
    called = program(f"valid\\n{STATEMENT}\\n", "exit 0")
    assert run("check", HAT, *words) == (0, f"valid ({BOTH})\n{STATEMENT}\n", "")
    assert called.exists()
    data = json.loads(run("check", HAT, *words, "--json")[1])
    assert (data["verdict"], data["statement"], data["kernel"]) == ("valid", [STATEMENT], "both")
    assert [answer["kernel"] for answer in data["kernels"]] == ["kernel.py", "verified (native)"]
    assert all(answer["verdict"] == "valid" and answer["seconds"] >= 0 for answer in data["kernels"])
    program("invalid: no\\n", "exit 1")
    code, text, _ = run("check", WRONG, *words)
    assert (code, text.count("\n")) == (1, 1)
    assert text.startswith("invalid, line 8, rule lemma: ")
    assert text.endswith(f"({BOTH})\n")
    data = json.loads(run("check", WRONG, *words, "--json")[1])
    assert (data["kernel"], data["line"], data["rule"]) == ("both", 8, "lemma")


def test_kernel_py_alone(run, program):
    called = program("invalid: no\\n", "exit 1")
    assert run("check", HAT, "--kernel", "python") == (0, f"valid (kernel.py)\n{STATEMENT}\n", "")
    assert not called.exists()
    assert json.loads(run("check", HAT, "--kernel", "python", "--json")[1])["kernel"] == "python"


def test_more_effort_is_for_both_kernels(run, program, monkeypatch):
    called = program(f"valid\\n{STATEMENT}\\n", "exit 0")
    allowed, work = [], kernel.Work

    def noted(size, effort=0):
        allowed.append(effort)
        return work(size, effort)

    monkeypatch.setattr(kernel, "Work", noted)
    for words, expected in ([[], 0], [["--effort", "70"], 70]):
        assert run("check", HAT, *words)[0] == 0
        assert allowed.pop() == expected
        assert ("--effort 70" in called.read_text()) == bool(words)
    assert run("check", HAT, HAT.parent / "sorted", "--effort", "70")[0] == 4, "the program says the same of both"
    assert "--effort 70" in called.read_text()


@pytest.mark.parametrize("text", ["0", "1.5", "ten", "1000001"])
def test_effort_that_is_none(text, run, capsys):
    with pytest.raises(SystemExit) as stopped:
        run("check", HAT, "--effort", text)
    told = one_line_error((stopped.value.code, *capsys.readouterr()))
    assert f"argument --effort: expected an integer from 1 to 1000000, found '{text}'" in told


@pytest.mark.parametrize("words", [[], ["--kernel", "both"]], ids=["default", "both"])
@pytest.mark.parametrize(
    ("directory", "text", "code"),
    [
        (WRONG, f"valid\\n{STATEMENT}\\n", 0),
        (WRONG, "malformed: no\\n", 2),
        (WRONG, "incomplete: expected proofs of all outputs\\n", 3),
        (HAT, "valid\\ny1 = 2·formula on [0,1]\\n", 0),
        (HAT, "invalid, line 2: no\\n", 1),
        (HAT, "malformed: no\\n", 2),
        (HAT, "incomplete: expected no bounds without evidence\\n", 3),
        (FOLDER / "incomplete" / "no-lines", f"valid\\n{STATEMENT}\\n", 0),
        (FOLDER / "incomplete" / "range-with-one-end", "invalid: no\\n", 1),
    ],
)
def test_a_disagreement_is_a_bug(words, directory, text, code, run, program):
    program(text, f"exit {code}")
    told = one_line_error(run("check", directory, *words), 4)
    assert "the kernels disagree: kernel.py says '" in told
    assert str(directory) in told
    assert directory.is_dir()


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        (f"incomplete, line 3: {GAVE_UP}\\n", "exit 3", f"line 3: {GAVE_UP}"),
        ("incomplete: not memory and time enough\\n", "exit 3", "not memory and time enough"),
        ("valid\\n", "kill -9 $$", "its process was stopped by signal 9, perhaps for want of memory"),
    ],
)
def test_a_kernel_that_gives_up_does_not_disagree(text, code, reason, run, program):
    program(text, code)
    told = f"the verified kernel gave up: {reason}"
    assert run("check", HAT) == (0, f"valid (kernel.py; {told})\n{STATEMENT}\n", "")
    status, out, _ = run("check", WRONG)
    assert (status, out.startswith("invalid, line 8"), out.endswith(f" (kernel.py; {told})\n")) == (1, True, True)
    data = json.loads(run("check", HAT, "--json")[1])
    assert [answer["verdict"] for answer in data["kernels"]] == ["valid", "incomplete"]
    assert (data["verdict"], data["kernel"], data["statement"]) == ("valid", "both", [STATEMENT])
    # if both are required, this is no verdict
    assert run("check", HAT, "--kernel", "both") == (3, f"incomplete: kernel.py: valid; {told}\n", "")
    data = json.loads(run("check", HAT, "--kernel", "both", "--json")[1])
    assert (data["verdict"], "statement" in data) == ("incomplete", False)
    assert run("check", HAT, "--kernel", "verified")[0] == 3


def test_kernel_py_may_give_up_as_well(run, program, monkeypatch):
    monkeypatch.setattr(kernel.Work, "spend", lambda self, units: kernel.within_limits(False, "less work", "more"))
    program(f"valid\\n{STATEMENT}\\n", "exit 0")
    code, text, _ = run("check", HAT)
    assert (code, text.splitlines()[1]) == (0, STATEMENT)
    assert text.startswith("valid (the verified kernel; kernel.py gave up: ")
    assert run("check", HAT, "--kernel", "both")[0] == 3
    program(f"incomplete: {GAVE_UP}\\n", "exit 3")
    for words in ([], ["--kernel", "both"]):
        code, text, _ = run("check", HAT, *words)
        assert (code, text.startswith("incomplete"), text.endswith(f"({BOTH})\n")) == (3, True, True)


def test_a_kernel_that_never_answers_has_given_up(run, program, monkeypatch):
    monkeypatch.setattr(servers, "PATIENCE", 0.5)
    program("", "exec sleep 600")
    code, text, _ = run("check", HAT)
    assert (code, text.splitlines()[0]) == (0, "valid (kernel.py; the verified kernel gave up: no answer in 0.5 s)")
    assert run("check", HAT, "--kernel", "verified")[0] == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [("valid\\n", "exit 1"), ("invalid: no\\n", "exit 0"), ("", "exit 0"), ("valid\\n", "exit 0"), ("", "exit 2")],
)
def test_an_answer_that_makes_no_sense_is_no_verdict(text, code, run, program):
    program(text, code)
    for words in (["--kernel", "verified"], []):
        assert "the verified kernel answers" in one_line_error(run("check", HAT, *words), 4)


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No verified kernel, of whatever build."""
    monkeypatch.delenv("VERIMV_VERIFIED_KERNEL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(verified, "_BUILT", tmp_path / "nothing")
    monkeypatch.setattr(verified, "portable_command", lambda: None)


def test_without_the_program(run, tmp_path, hat, alone):
    for kernels in ("verified", "both"):
        assert "make -C proofs" in one_line_error(run("check", HAT, "--kernel", kernels))
        assert "make -C proofs" in one_line_error(run("extract", hat, "-o", tmp_path / "out", "--kernel", kernels))
    assert not (tmp_path / "out").exists()
    assert run("check", HAT) == (0, f"valid (kernel.py)\n{STATEMENT}\n", "")
    assert run("extract", hat)[1].endswith("certified: 8 claims, checked by kernel.py\n")
    program = tmp_path / "verimv-kernel"
    program.write_text(f"#!/bin/sh\necho valid; echo '{STATEMENT}'\n")
    program.chmod(0o755)
    assert run("check", HAT, "--kernel", "verified")[:2] == (0, f"valid (the verified kernel)\n{STATEMENT}\n")
    program.write_text("no program")
    assert "cannot be run" in one_line_error(run("check", HAT, "--kernel", "verified"))


def test_a_program_that_is_named_must_exist(run, tmp_path, monkeypatch):
    monkeypatch.setenv("VERIMV_VERIFIED_KERNEL", str(tmp_path / "nothing"))
    for words in ([], ["--kernel", "verified"]):
        assert "no such program" in one_line_error(run("check", HAT, *words))


def test_the_portable_build_is_asked_if_there_is_no_other(run, alone, monkeypatch):
    monkeypatch.setattr(verified, "portable_command", portable_command)
    assert run("check", HAT)[:2] == (0, f"valid ({BOTH})\n{STATEMENT}\n")
    data = json.loads(run("check", HAT, "--json")[1])
    assert [answer["kernel"] for answer in data["kernels"]] == ["kernel.py", "verified (portable)"]


# -- extract -----------------------------------------------------------------------------------------------------------


def test_extract_says_who_has_checked(run, hat, tmp_path, program):
    program(f"valid\\n{STATEMENT}\\n", "exit 0")
    code, text, _ = run("extract", hat, "-o", tmp_path / "out")
    assert (code, text.splitlines()[-2]) == (0, f"certified: 8 claims, checked by {BOTH}")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    proofs = [(entry["checker"], entry["verdict"]) for entry in summary["proofs"]]
    assert proofs == [("kernel.py", "proved"), ("verified (native)", "proved")]
    for word, name in (("python", "kernel.py"), ("verified", "the verified kernel"), ("both", BOTH)):
        text = run("extract", hat, "--kernel", word)[1]
        assert text.splitlines()[-1] == f"certified: 8 claims, checked by {name}"


def test_extract_with_a_kernel_that_gives_up(run, hat, tmp_path, program):
    program(f"incomplete: {GAVE_UP}\\n", "exit 3")
    code, text, _ = run("extract", hat, "-o", tmp_path / "out")
    told = f"checked by kernel.py; the verified kernel gave up: {GAVE_UP}"
    assert (code, text.splitlines()[-2]) == (0, f"certified: 8 claims, {told}")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [entry["verdict"] for entry in summary["proofs"]] == ["proved", "undecided"]
    code, text, _ = run("extract", hat, "--kernel", "both")
    assert (code, text.splitlines()[-1].startswith("not certified: incomplete: kernel.py: valid; ")) == (3, True)


@pytest.mark.parametrize(
    ("text", "code"),
    [("invalid, line 2: no\\n", 1), ("valid\\ny1 = 2·formula on [0,1]\\n", 0), ("", 2)],
)
def test_extract_keeps_the_files_of_a_disagreement(text, code, run, hat, tmp_path, program, monkeypatch):
    program(text, f"exit {code}")
    told = one_line_error(run("extract", hat, "-o", tmp_path / "out"), 4)
    assert f"the files are in {tmp_path / 'out'}/" in told
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["status"] == "extracted"
    assert run("check", tmp_path / "out")[0] == 4
    assert run("check", tmp_path / "out", "--kernel", "python")[0] == 0
    # without a directory, in one of their own
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = one_line_error(run("extract", hat), 4).partition("the files are in ")[2].partition("/:")[0]
    assert run("check", place, "--kernel", "python")[0] == 0
    assert Path(place).parent == tmp_path


# -- what is proved ----------------------------------------------------------------------------------------------------


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
    text = "\n".join([VALID, *statement]) + "\n"
    assert run("check", directory) == (0, text, "")
    given = [word for file in kernel.FILES if (directory / kernel.FILES[file]).exists()
             for word in (f"--{file}", directory / kernel.FILES[file])]  # fmt: skip
    assert run("check", directory / "certificate.jsonl", *given) == (0, text, "")
    assert json.loads(run("check", directory, "--json")[1])["statement"] == statement


def test_nothing_is_said_to_be_proved_otherwise(run):
    code, text, _ = run("check", FOLDER / "incomplete" / "range-with-one-end")
    assert (code, "≤" in text) == (3, False)


@pytest.mark.parametrize("status", ["valid", "invalid", "malformed", "incomplete"])
def test_the_first_word_is_the_verdict(status, run):
    for directory in sorted((FOLDER / status).iterdir())[:8]:
        code, text, _ = run("check", directory)
        assert (code, text.replace(",", " ").replace(":", " ").split()[0]) == (kernel.EXIT_CODES[status], status)
        assert text.splitlines()[0].endswith(f"({KERNELS})")


def test_extraction_asks_each_kernel_once(run, tmp_path, monkeypatch):
    """Whether bounds have evidence enough is asked of kernel.py while the verified kernel checks the same files."""
    asked = []
    for module, name in ((judge, "verified_verdict"), (kernel, "verify")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, name=name, original=original: asked.append(name) or original(*a))
    words = ("extract", "examples/networks/iris.onnx", "--box", "examples/networks/iris_box.json", "--scale-output")
    code, text, _ = run(*words, "--output", "1", "-o", tmp_path / "out", "--quiet")
    assert (code, sorted(asked)) == (0, ["verified_verdict", "verify"])
    assert f"checked by {KERNELS}" in text
    asked.clear()
    assert run(*words, "--output", "1", "--kernel", "python", "--quiet")[0] == 0
    assert asked == ["verify"]
