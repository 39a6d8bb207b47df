"""Certificates of simplifications: every step becomes claims that the kernel accepts, and a wrong step does not."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.oracle import expressions
from verimv import certify_simplification, extract, load, parse, simplify, simplify_extraction
from verimv.cli import main
from verimv.core.effort import SECOND
from verimv.exact import Rational
from verimv.kernels.judge import check_files
from verimv.networks.network import Layer, Network
from verimv.simplification.cones import inputs_under


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("x ⊕ (x ⊙ ¬x)", 1),
        ("(x ∧ y) ⊕ (x ∨ y)", 2),
        ("((x → y) → y) → ((y → x) → x)", 0),
        ("(x ⊕ y) ⊙ (y ⊕ x) ⊕ (x ⊙ (y ⊙ x))", 4),
        ("δ[2](x ⊕ x) ⊕ δ[2](x ⊙ x)", 1),
        ("¬(¬x ⊕ ¬y) ⊕ 0", 2),
        ("x ⊙ y", 2),
    ],
)
def test_formulas(text, length):
    simplification = simplify(parse(text))
    assert simplification.formula.length == length
    certificate = certify_simplification(simplification)
    assert certificate is not None
    certificate.check()
    assert set(certificate.subjects) == {"original", "formula"}


@settings(max_examples=15, deadline=None)
@given(expressions(max_leaves=8))
def test_any_formula(text):
    certificate = certify_simplification(simplify(parse(text), work=5 * SECOND))
    assert certificate is not None
    certificate.check()


def test_a_wrong_step_has_no_certificate():
    simplification = simplify(parse("x ⊕ (x ⊙ ¬x)"))
    step = simplification.steps[0]
    root = simplification.original.roots[0]
    wrong = replace(step, new=root, leaves=inputs_under(simplification.dag, [step.old, root]))
    assert certify_simplification(replace(simplification, steps=(wrong, *simplification.steps[1:]))) is None


def three():
    return load(Path(__file__).parents[2] / "examples" / "networks" / "three_inputs.json")


def test_extractions():
    extraction = simplify_extraction(extract(three(), strategy="paper"))
    assert extraction.formula.length < extract(three(), strategy="paper").formula.length
    assert extraction.check() == ""
    assert extraction.summary["simplified"]["before"]["length"] == extract(three(), strategy="paper").summary["length"]


def test_outputs_that_are_affine():
    """The value of the output is no node: the claim about it is carried over."""
    network = Network.of([*three().layers, Layer.of([[Rational(1, 2)]], [Rational(1, 4)], "identity")], ["a", "b", "c"])
    extraction = simplify_extraction(extract(network, strategy="paper"))
    assert "before" in extraction.summary["simplified"]
    assert extraction.check() == ""


def test_on_the_command_line(tmp_path, capsys):
    directory = str(tmp_path / "d")
    assert main(["simplify", "x ⊕ (x ⊙ ¬x)", "--certify", directory]) == 0
    assert "certified" in capsys.readouterr().out
    check_files(directory)
