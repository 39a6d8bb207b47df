"""Every rule of the kernel is proved twice: by two solvers (proofs/smt), and in Coq (proofs/coq)."""

import re
import shutil
import subprocess
from pathlib import Path

import cvc5
import pytest
import z3

from verimv import kernel

PROOFS = Path(__file__).parent.parent / "proofs"
FILES = sorted((PROOFS / "smt").glob("*.smt2"))
#: The sources in Coq; reals/ is written by make.
COQ = sorted(path for path in (PROOFS / "coq").glob("*/*.v") if path.parent.name != "reals")

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
    "rule-atom": ("(assert (unit v))", ""),
    "rule-constant": ("(sigma 1.0)", "(sigma 0.5)"),
    "rule-scale": ("(assert (<= f 1.0))", ""),
    "rule-plus": ("(assert (>= g 0.0))", ""),
    "rule-times": ("(assert (<= g 1.0))", ""),
    "rule-plus-self": ("(sigma (+ f f))", "(sigma (+ f 0.5))"),
    "rule-times-self": ("(- (+ f f) 1.0)", "(- (+ f f) 0.5)"),
    "rule-cut": ("(assert (=> (>= f2 0.0) (>= f1 0.0)))", ""),
    "rule-cut-multiplier": ("(assert (>= l 0.0))", ""),
    "rule-equals": ("(assert (<= (- w v) 0.0))", ""),
    "rule-sort-comparator": ("(odot a b)", "(odot a a)"),
    "rule-sort-pair": ("(assert (or (<= j (- 1.0)) (= j 0.0) (>= j 1.0)))", ""),
    "rule-sort-2-2": ("(oplus p2 t1)", "(odot p2 t1)"),
    "rule-sort-3-2": ("(<= F 3.0)", "(<= F 4.0)"),
    "rule-saturated": ("(assert (<= f 0.0))", "(assert (<= f 0.5))"),
    "rule-average": ("(assert (=> (> P 0.0) (>= F 0.0)))", ""),
    "rule-collect": ("(+ c d)", "(- c d)"),
    "rule-same": ("(sigma (sigma f))", "(sigma (- (sigma f) 0.5))"),
    "rule-affine": ("(assert (>= t 0.0))", ""),
    "rule-clip": ("(assert (or (= p 0.0) (>= (* B u) (* B p))))", ""),
    "rule-clip-crelu": ("(>= t 1.0)) (and", "(>= t 0.5)) (and"),
    "rule-output-constant": ("(assert (= low high))", ""),
    "rule-bound-relu": ("(assert (=> (and (< l 0.0) (< 0.0 u)) (>= M 0.0)))", ""),
    "rule-bound-crelu": ("(assert (=> (and (< l 1.0) (< 1.0 u)) (>= M (- c m))))", ""),
    "rule-bound-input": ("(assert (<= l x))", ""),
    "rule-bound-range": ("(assert (<= x u))", ""),
    "rule-bound-cases": ("(<= p z)", "(< (+ p 1.0) z)"),
    "rule-bound-lemma": ("(assert (=> situation (<= (- z value) 0.0)))", ""),
    "rule-bound-sweep": ("(assert (and (<= l least) (<= most u)))", ""),
    "rule-twin": ("(assert (< p 0.0))", "(assert (> p 0.0))"),
    "rule-pair": ("(define-fun B ((ay Real)) Real (- (* c ay) m))", "(define-fun B ((ay Real)) Real (- (* c ay) n))"),
    "rule-pair-sums": ("(most (- B A) d1 d2)", "(most B d1 d2)"),
    "rule-pair-cell": ("(assert (and (<= d1 d) (<= d d2)))", "(assert (<= d1 d))"),
    "rule-output": ("(assert (unit f))", ""),
    "rule-within": ("(ite (<= (- l) h) h (- l))", "h"),
    "rule-input-map": ("(assert (<= l x))", ""),
    "rule-share": ("(assert (> p 0.0))", ""),
}


def z3_answer(text: str) -> str:
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.from_string(text)
    return str(solver.check())


def cvc5_answer(text: str) -> str:
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", "60000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "identity")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(str(command.invoke(solver, parser.getSymbolManager())).strip())
    return "".join(answers)


@pytest.mark.parametrize("answer", [z3_answer, cvc5_answer])
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_identity_is_proved(path, answer):
    assert answer(path.read_text(encoding="utf-8")) == "unsat"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_wrong_identity_is_refuted(path):
    text = path.read_text(encoding="utf-8")
    old, new = SPOILED[path.stem]
    assert old in text
    assert z3_answer(text.replace(old, new)) == "sat"


def rows() -> dict[str, tuple[list[str], list[str]]]:
    """rule → its files in smt/ and its lemmas in coq/, from the table in THEORY.md."""
    found = {}
    for line in (PROOFS / "THEORY.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].startswith("`"):
            names = [re.findall("`([^`]+)`", cell) for cell in cells]
            for rule in names[0]:
                found[rule] = (names[3], names[4])
    return found


def test_every_rule_has_two_proofs():
    lemmas = set()
    for path in COQ:
        lemmas |= set(re.findall(r"^(?:Lemma|Theorem|Corollary) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    table = rows()
    assert table.keys() == kernel.RULES.keys()
    for rule, (files, names) in table.items():
        assert files, rule
        assert names, rule
        assert set(files) <= {path.stem for path in FILES}, rule
        assert set(names) <= lemmas, rule


def test_every_file_is_explained():
    pages = "".join((PROOFS / name).read_text(encoding="utf-8") for name in ("README.md", "THEORY.md"))
    assert SPOILED.keys() == {path.stem for path in FILES}
    assert all(f"`{path.stem}`" in pages for path in FILES if not path.stem.startswith("neuron"))


def test_every_rule_is_described():
    page = (PROOFS / "FORMAT.md").read_text(encoding="utf-8")
    assert all(f'`["{rule}"' in page for rule in kernel.RULES)


def test_names_of_coq_files_are_unique():
    """`From VeriMV Require Import NAME` has one meaning, also beside the files that make writes."""
    names = {path.stem for path in COQ}
    assert len(names) == len(COQ) > 30
    twice = re.search(
        r"^TWICE := ((?:.*\\\n)*.*)$", (PROOFS / "coq/Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert twice
    again = twice[1].replace("\\", " ").split()
    assert set(again) <= names
    assert not names & {f"{name}R" for name in again}


def test_every_coq_file_is_explained():
    page = (PROOFS / "README.md").read_text(encoding="utf-8") + (PROOFS / "coq/README.md").read_text(encoding="utf-8")
    assert [path.name for path in COQ if f"`{path.name}`" not in page] == []


def test_nothing_is_admitted():
    for path in COQ:
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", path.read_text(encoding="utf-8")), path


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")
def test_coq_accepts_the_proofs(tmp_path):
    """All of them where nothing is built; what `make -C proofs` has built before is not built again."""
    shutil.copytree(PROOFS / "coq", tmp_path / "coq")  # times of files as they are
    for path in (tmp_path / "coq").rglob("*.v"):
        if "Print Assumptions" in path.read_text(encoding="utf-8"):
            path.touch()
    built = subprocess.run(["make"], cwd=tmp_path / "coq", check=True, capture_output=True, text=True)
    axioms = set(re.findall(r"^([A-Z]\w+\.\w+)(?: :.*)?$", built.stdout, re.MULTILINE))
    assert axioms == {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
    *_, rational = re.split("^Axioms:$", built.stdout, flags=re.MULTILINE)
    assert "Closed under the global context" in rational
