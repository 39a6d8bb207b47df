"""Certificates for pairs that extraction did not make: formulas and their networks, and two formulas."""

import pytest
from hypothesis import given

from tests.effort import examples
from tests.oracle import expressions
from verimv.certificate.from_pair import certify, certify_formulas
from verimv.cli import main
from verimv.formulas.formula import parse
from verimv.formulas.mvfile import read_mv
from verimv.kernels.judge import check_files
from verimv.networks.formats.json_format import read_network
from verimv.networks.transforms.from_formula import to_network
from verimv.paper.experiments.families import deep_sawtooth, hat


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "¬x",
        "x ⊕ x",
        "(x ⊕ x) ⊙ ¬(x ⊙ x)",
        "(x ⊕ y) ⊙ (y ⊕ x)",
        "x ⊕ y ⊕ z ⊕ x",
        "¬(x ⊕ y) ⊕ (¬x ⊙ ¬y)",
        "(x → y) ∨ (y → x)",
        "x ∧ y",
        "x ⊕ ¬x",
        "δ[2]x ⊕ δ[3]y",
        "Δ[sqrt(2)/2](x ⊕ y) ⊙ ¬Δ[1/3]z",
        "0 ⊕ x",
        "1",
        "(x ⊕ ¬x) ⊙ y",
    ],
)
def test_a_formula_and_its_network(text):
    formula = parse(text)
    certificate = certify(to_network(formula), formula)
    assert certificate is not None
    certificate.check()


@examples(150)
@given(expressions())
def test_random_formulas_and_their_networks(text):
    """A network that is built from a formula always has a certificate, which is about the two; one that differs never."""
    formula = parse(text)
    network = to_network(formula)
    certificate = certify(network, formula)
    assert certificate is not None
    certificate.check()
    assert read_network(certificate.subjects["network"].decode()) == network
    assert read_mv(certificate.subjects["formula"].decode()).text() == formula.text()
    assert certify(network, parse(f"¬({text})")) is None


def test_a_network_that_is_not_the_formula_s():
    assert certify(to_network(parse("x ⊕ y")), parse("x ⊙ y")) is None
    assert certify(to_network(parse("x ⊕ y")), parse("x ⊕ z")) is None
    assert certify(hat(), parse("(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)")) is not None
    assert certify(hat(), parse("(x1 ∧ ¬x1) ⊕ (x1 ∧ ¬x1)")) is not None, "equal, but built otherwise"
    assert certify(hat(), parse("(x1 ∧ ¬x1) ⊕ (x1 ⊙ ¬x1)")) is None, "not equal"


def test_deep_networks():
    from verimv.extraction.pipeline import extract_uncertified

    network = deep_sawtooth(50)
    assert certify(network, extract_uncertified(network).formula) is not None


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("x ⊕ y", "y ⊕ x", True),
        ("x ⊕ (y ⊕ z)", "(x ⊕ y) ⊕ z", True),
        ("¬(¬x ⊕ ¬y)", "x ⊙ y", True),
        ("(x ⊕ y) ⊙ z", "z ⊙ (y ⊕ x)", True),
        ("x ⊕ y", "x ⊙ y", False),
        ("x ∧ y", "y ∧ x", True),
        ("x ∧ y", "y ∨ x", False),
        ("x ∨ (y ∧ ¬x)", "(x ∨ y) ∧ (x ∨ ¬x)", True),
        ("x → y", "¬y → ¬x", True),
        ("x ⊙ x ⊙ x", "δ[2]x ⊙ δ[2]x ⊙ x ⊕ x ⊙ x ⊙ x", True),
    ],
)
def test_two_formulas(a, b, found):
    certificate = certify_formulas(parse(a), parse(b))
    assert (certificate is not None) == found
    if certificate is not None:
        certificate.check()


def test_equality_on_the_command_line(tmp_path, capsys):
    directory, network = str(tmp_path / "d"), str(tmp_path / "n.json")
    assert main(["equiv", "x ⊙ (x → y)", "y ∧ x", "--certify", directory]) == 0
    assert capsys.readouterr().out.endswith(f"certified in {directory}/\nreport: {directory}/report.html\n")
    assert main(["check", directory]) == 0
    assert main(["convert", "x ∨ y", "-o", network]) == 0
    assert main(["equiv", "y ∨ x", network, "--certify", directory]) == 0
    assert main(["check", directory]) == 0
    assert main(["equiv", "x ⊕ y", network, "--certify", directory]) == 1
    assert main(["equiv", network, network, "--certify", directory]) == 0
    assert main(["check", directory]) == 0
    assert main(["equiv", "x", "x", "--tolerance", "1/2", "--certify", directory]) == 2


def test_on_the_command_line(tmp_path, capsys):
    out, directory = str(tmp_path / "n.json"), str(tmp_path / "d")
    assert main(["convert", "(x ⊕ x) ⊙ ¬y", "-o", out, "--certify", directory]) == 0
    assert "certified in" in capsys.readouterr().out
    check_files(directory)
    assert main(["check", directory]) == 0
    assert main(["convert", "x → y", "-o", str(tmp_path / "f.mv"), "--certify", directory]) == 2
    assert main(["convert", out, "-o", str(tmp_path / "m.json"), "--certify", directory]) == 2
