"""Ranges and equivalence against the enumeration of linear regions, on random formulas and networks and their mutants."""

import itertools
import random
import re
from fractions import Fraction

import pytest

from tests.effort import scaled
from tests.oracle import are_equal, build_network, exact_range, formula_values, network_value
from verimv.formulas.formula import parse
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.optimise import output_ranges
from verimv.solvers.point_search import Search


def random_expression(source, leaves, names=("x", "y")):
    if leaves == 1:
        return source.choice([*names, *names, *names, "0", "1"])
    left = source.randint(1, leaves - 1)
    a, b = random_expression(source, left, names), random_expression(source, leaves - left, names)
    operator = source.choice(["⊕", "⊙", "⊕", "⊙", "→", "∧", "∨", "↔"])
    text = f"({a} {operator} {b})"
    return source.choice(["{}", "{}", "¬{}", "δ[2]{}", "Δ[2/3]{}", "3·{}"]).format(text)


def random_formula(source):
    while True:
        formula = parse(random_expression(source, source.randint(2, 7), ("x", "y")[: source.randint(1, 2)]))
        if formula.inputs:
            return formula


def random_spec(source):
    number = lambda: Fraction(source.randint(-4, 4), source.choice([1, 1, 2, 3]))  # noqa: E731
    widths = [source.randint(1, 2), *[source.randint(1, 3), source.randint(1, 2)][: source.randint(0, 2)], 1]
    spec = []
    for below, width in itertools.pairwise(widths):
        weights = [[number() for _ in range(below)] for _ in range(width)]
        spec.append((weights, [number() for _ in range(width)], source.choice(["relu", "relu", "crelu"])))
    return spec


SEEDS = range(scaled(100))


@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_of_formulas(seed):
    formula = random_formula(random.Random(seed))
    low, high = exact_range(formula, len(formula.inputs))
    (found,) = output_ranges(formula)
    assert found.exact
    assert (-found.lower.value, found.upper.value) == (low, high)
    for optimum, value in ((found.lower, low), (found.upper, high)):
        assert formula_values(
            formula, {n: Fraction(str(x)) for n, x in zip(formula.inputs, optimum.point, strict=True)}
        ) == [value]


@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_of_networks(seed):
    spec = random_spec(random.Random(seed))
    dimension = len(spec[0][0][0])
    low, high = exact_range(spec, dimension)
    (found,) = output_ranges(build_network(spec))
    assert found.exact
    assert (-found.lower.value, found.upper.value) == (low, high)
    assert network_value(spec, [Fraction(str(x)) for x in found.upper.point]) == [high]


def mutant(text, source):
    """Change one operator, constant or variable."""
    places = list(re.finditer(r"[⊕⊙→∧∨¬]|\b[xy01]\b|\[2\]", text))
    match = source.choice(places)
    swaps = {
        "⊕": "⊙∧∨→",
        "⊙": "⊕∧∨→",
        "→": "⊕⊙",
        "∧": "⊙∨",
        "∨": "⊕∧",
        "¬": ("", "¬¬"),
        "x": "y01",
        "y": "x01",
        "0": "1x",
        "1": "0x",
        "[2]": ("[3]",),
    }
    return text[: match.start()] + source.choice(swaps[match.group()]) + text[match.end() :]


@pytest.mark.parametrize("seed", range(scaled(120)))
def test_mutants_are_told_apart_or_proved_equal(seed):
    source = random.Random(seed)
    text = random_expression(source, source.randint(2, 6))
    original = parse(f"({text}) ⊕ (0 ⊙ x ⊙ y)")
    changed = parse(f"({mutant(text, source)}) ⊕ (0 ⊙ x ⊙ y)")
    verdict = equal_by_solver(original, changed, search=Search(seconds=600))
    assert verdict.proved == are_equal(original, changed, 2)
    assert not verdict.undecided
    if verdict.refuted:
        at = {name: Fraction(value) for name, value in verdict.witness.point.items()}
        left, right = formula_values(original, at)[0], formula_values(changed, at)[0]
        assert left != right
        assert (str(left), str(right)) == (verdict.witness.values["left"], verdict.witness.values["right"])


def test_the_oracle_itself():
    assert exact_range(parse("(x ⊕ x) ⊙ ¬(x ⊙ x)"), 1) == (0, 1)
    assert exact_range(parse("x ∨ ¬x"), 1) == (Fraction(1, 2), 1)
    assert exact_range(parse("(x ↔ y) ∨ (x ↔ ¬y)"), 2) == (Fraction(1, 2), 1)
    assert are_equal(parse("x ∧ y"), parse("y ∧ x"), 2)
    assert not are_equal(parse("x ⊙ y"), parse("x ∧ y"), 2)
