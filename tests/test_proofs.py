"""Every identity in proofs/smt is proved by z3, and each file can fail."""

from pathlib import Path

import pytest
import z3

FOLDER = Path(__file__).parent.parent / "proofs" / "smt"
FILES = sorted(FOLDER.glob("*.smt2"))

#: A change to each file that makes its identity false.
SPOILED = {
    "lemma-positive": ("(assert (unit h))", ""),
    "lemma-negative": ("(assert (unit h))", ""),
    "complement": ("(- 1.0 t)", "(- 2.0 t)"),
    "replacement": ("(rho (- t 1.0))", "(rho (- t 2.0))"),
    "splitting": ("(assert (>= k 0.0))", ""),
    "neuron-oplus": ("(- 1.0 (rho", "(- 2.0 (rho"),
    "neuron-odot": ("(- (+ a b) 1.0)))))", "(- (+ a b) 0.5)))))"),
    "chain": ("(<= r 0.0)", "(<= r 0.5)"),
    "meet": ("(ite (<= x y) x y)", "(ite (<= x y) y x)"),
    "join": ("(ite (<= x y) y x)", "(ite (<= x y) x y)"),
    "unit-laws": ("(= (oplus 1.0 x) 1.0)", "(= (oplus 1.0 x) x)"),
}


def answer(text: str) -> str:
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.from_string(text)
    return str(solver.check())


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_identity_is_proved(path):
    assert answer(path.read_text(encoding="utf-8")) == "unsat"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_wrong_identity_is_refuted(path):
    text = path.read_text(encoding="utf-8")
    old, new = SPOILED[path.stem]
    assert old in text
    assert answer(text.replace(old, new)) == "sat"


def test_every_file_is_listed():
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert len(FILES) == len(SPOILED) > 0
    assert all(f"`{path.stem}`" in readme for path in FILES)
