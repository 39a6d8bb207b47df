"""Queries as files that any solver can read."""

import json
import shutil
import subprocess

import pytest
import z3

from tests.certificate.by_verdict.make import VALID
from tests.certificate.test_kernel import FOLDER
from tests.solvers.obligations.judged import collected
from verimv.solvers.obligations.collect import collect_files
from verimv.solvers.obligations.emit import _ranges, emit

NAMES = [name for name, case in VALID.items() if not case.pack]


def by_z3(text):
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def by_cvc5(text):
    cvc5 = pytest.importorskip("cvc5")
    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "file")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols))
    return said.strip()


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_unsat_and_every_line_is_served(name):
    task = collected(VALID[name].text(), VALID[name].subjects)
    files = dict(emit(task))
    index, makefile = json.loads(files.pop("index.json")), files.pop("Makefile")
    assert "unsat" in makefile
    assert {entry["file"] for entry in index["queries"]} - {None} == files.keys()
    assert {by_z3(text) for text in files.values()} == {"unsat"}
    assert {by_cvc5(text) for text in files.values()} == {"unsat"}
    served = {line for entry in index["queries"] for line in numbers(entry["lines"])}
    # A unit is a definition: there is nothing to prove.
    assert {line for line, rule in task.rules.items() if rule != "unit"} <= served
    assert index["statement"] == list(task.statement)
    assert index["obligations"] == task.obligations.count


@pytest.mark.parametrize("verdict", ["invalid/equal-about-other-nodes", "incomplete/output-missing"])
def test_make_fails_where_nothing_is_proved(verdict, tmp_path):
    """Even if all queries are unsat, a line may be wrong or something missing."""
    for name, text in emit(collect_files(FOLDER / verdict)):
        (tmp_path / name).write_text(text)
    index = json.loads((tmp_path / "index.json").read_text())
    assert bool(index["wrong"]) != bool(index["missing"])
    if shutil.which("make"):
        done = subprocess.run(
            ["make", "-C", tmp_path, "SOLVER=sh -c 'echo unsat'"], capture_output=True, text=True, check=False
        )
        assert done.returncode
        assert "not proved: " in done.stdout


def test_make_misses_a_file(tmp_path):
    for name, text in emit(collect_files(FOLDER / "valid" / "hat")):
        (tmp_path / name).write_text(text)
    if shutil.which("make"):
        command = ["make", "-C", tmp_path, "SOLVER=sh -c 'echo unsat'"]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        (tmp_path / "rule-atom.smt2").unlink()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode
        assert "expected " in done.stdout


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def test_ranges():
    assert _ranges([2, 3, 4, 9, 11, 12]) == "2-4,9,11-12"
    assert list(numbers("2-4,9,11-12")) == [2, 3, 4, 9, 11, 12]
