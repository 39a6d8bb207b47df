"""--junit: well-formed XML whose counts and outcomes are those of the exit code."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import VALID
from verimv import kernel
from verimv.cli.junit import junit
from verimv.cli.result import Case

INVALID = Path(__file__).parents[1] / "certificate" / "by_verdict" / "invalid" / "bound-missing"
HAT = Path(__file__).parent.parent.parent / "examples" / "networks" / "hat.json"


def read(path):
    [suite] = ElementTree.parse(path).getroot()
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    cases = [
        (case.get("classname"), case.get("name"), [(told.tag, told.get("type")) for told in case]) for case in suite
    ]
    assert counts["tests"] == len(cases)
    assert float(suite.get("time")) >= 0
    return counts, cases


@pytest.mark.parametrize(
    ("words", "code", "case"),
    [
        (["equiv", "x ⊕ y", "y ⊕ x"], 0, ("verimv.equiv", "x ⊕ y y ⊕ x", [])),
        (["equiv", "x", "y"], 1, ("verimv.equiv", "x y", [("failure", "refuted")])),
        (["valid", "x <-> x"], 0, ("verimv.valid", "x <-> x", [])),
        (["sat", "x ∧ ¬x"], 1, ("verimv.sat", "x ∧ ¬x", [("failure", "refuted")])),
        (["entails", "x", "y"], 1, ("verimv.entails", "x y", [("failure", "refuted")])),
        (["valid", "x ⊕"], 2, ("verimv.valid", "x ⊕", [("error", "malformed")])),
        (["check", "nowhere"], 2, ("verimv.check", "nowhere", [("error", "malformed")])),
        (["check", INVALID], 1, ("verimv.check", str(INVALID), [("failure", "refuted")])),
        (["extract", HAT], 0, ("verimv.extract", str(HAT), [])),
    ],
)
def test_a_case_for_each_verdict(words, code, case, run, tmp_path):
    assert run(*words, "--junit", tmp_path / "out.xml")[0] == code
    counts, cases = read(tmp_path / "out.xml")
    assert cases == [case]
    assert counts["failures"] == (code == 1)
    assert counts["errors"] == (code > 1)


def test_undecided_is_an_error_of_its_own(run, tmp_path, monkeypatch):
    from verimv.solvers.verdict import Verdict

    monkeypatch.setattr("verimv.cli.commands.valid.valid", lambda *a, **b: Verdict("undecided", reason="out of time"))
    assert run("valid", "x", "--junit", tmp_path / "out.xml")[0] == 3
    assert read(tmp_path / "out.xml")[1] == [("verimv.valid", "x", [("error", "undecided")])]


def test_several_certificates_are_several_cases(run, tmp_path, hat):
    assert run("extract", hat, "-o", tmp_path / "hat")[0] == 0
    files = [tmp_path / "hat", tmp_path / "hat" / "formula.mv", tmp_path / "hat" / "certificate.jsonl"]
    assert run("check", *files) == (0, f"{VALID}\ny1 = formula on [0,1]\n", "")
    code, out, _ = run("check", *files, INVALID, tmp_path / "none", "--junit", tmp_path / "out.xml")
    assert code == 1
    assert out.splitlines()[-1].startswith("1 valid, 1 invalid, 1 malformed of 3, ")
    counts, cases = read(tmp_path / "out.xml")
    assert counts == {"tests": 3, "failures": 1, "errors": 1, "skipped": 0}
    assert [name for _, name, _ in cases] == [str(files[0]), str(INVALID), str(tmp_path / "none")]


def test_files_are_for_one_certificate(run):
    code, _, err = run("check", "a", "b", "--network", "n")
    assert (code, err) == (2, f"verimv: --{', --'.join(kernel.FILES)} need exactly one certificate\n")


def test_a_file_that_cannot_be_written_is_one_line(run, tmp_path):
    code, out, err = run("valid", "1", "--junit", tmp_path / "none" / "out.xml")
    assert (code, out, err.count("\n")) == (2, "", 1)


SECONDS = st.none() | st.floats(0, 1e6)


@given(st.lists(st.builds(Case, st.text(), st.sampled_from((0, 1, 2, 3, 4, 130)), st.text(), SECONDS), min_size=1))
def test_any_text_is_well_formed(cases):
    [suite] = ElementTree.fromstring(junit("check", cases, 1.0).encode())
    assert len(suite) == len(cases)
    assert [len(entry) for entry in suite] == [int(case.exit_code != 0) for case in cases]
    assert int(suite.get("failures")) + int(suite.get("errors")) == sum(case.exit_code != 0 for case in cases)
    for entry, case in zip(suite, cases, strict=True):
        assert float(entry.get("time")) == pytest.approx(
            1 / len(cases) if case.seconds is None else case.seconds, abs=1e-3
        )
