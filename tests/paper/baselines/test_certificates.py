"""Formulas of the other two methods have the same certificates as any formula."""

import pytest

from verimv import certify, certify_formulas, parse, to_network
from verimv.paper.baselines.hyperplane import hyperplane
from verimv.paper.baselines.schauder import schauder


@pytest.mark.parametrize("method", [schauder, hyperplane])
@pytest.mark.parametrize("text", ["(x ⊕ x) ⊙ ¬(x ⊙ x)", "x ⊙ (x ⊕ x ⊕ x)", "δ[2]x ⊕ δ[3]¬x"])
def test_functions_of_one_variable(method, text):
    term = parse(text)
    formula = method(term)
    certificate = certify_formulas(term, formula)
    assert certificate is not None
    certificate.check()
    assert certify_formulas(parse(f"({text}) ⊙ x"), formula) is None


def test_two_variables_and_a_network():
    term = parse("(x ⊕ y) ⊙ ¬x")
    assert certify_formulas(term, hyperplane(term)) is not None
    assert certify(to_network(term), hyperplane(term)) is not None
