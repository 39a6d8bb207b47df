"""z3 proves whole extractions and constructions equal, and finds a difference where one was planted."""

import random
from itertools import pairwise

import pytest
import z3

from tests.certified import extract
from verimv.bounding.interval import interval_bounds
from verimv.formulas import dag as build
from verimv.formulas.formula import parse
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.from_formula import to_network


def real(x):
    return z3.RealVal(str(x))


def relu(t):
    return z3.If(t <= 0, real(0), t)


def clip(t):
    return z3.If(t <= 0, real(0), z3.If(t >= 1, real(1), t))


def network_terms(network, inputs):
    values = inputs
    for layer in network.layers:
        sums = [real(row.constant) + sum((real(w) * values[j] for j, w in row.terms), real(0)) for row in layer.rows]
        values = [{"relu": relu, "crelu": clip, "identity": lambda t: t}[layer.activation](t) for t in sums]
    return values


def formula_terms(formula, inputs, solver):
    """One fresh constant per node, so that nothing is written out."""
    dag, values = formula.dag, []
    for number in range(len(dag)):
        kind = dag.kinds[number]
        operands = [values[j] for j in dag.operands(number)]
        if kind == build.VARIABLE:
            values.append(inputs[formula.inputs.index(dag.payload(number))])
            continue
        if kind in (build.ZERO, build.ONE):
            values.append(real(kind - build.ZERO))
            continue
        term = {
            build.NOT: lambda a: 1 - a,
            build.OPLUS: lambda a, b: z3.If(a + b <= 1, a + b, real(1)),
            build.ODOT: lambda a, b: z3.If(a + b >= 1, a + b - 1, real(0)),
            build.DIVIDE: lambda a, i=number: a / real(dag.payload(i)),
            build.SCALE: lambda a, i=number: a * real(dag.payload(i)),
        }[kind](*operands)
        fresh = z3.Real(f"n{number}")
        solver.add(fresh == term)
        values.append(fresh)
    return [values[root] for root in formula.roots]


def differ(network, formula):
    """z3's verdict on: somewhere on the cube the network and the formula differ."""
    solver = z3.Solver()
    solver.set("timeout", 120_000)
    inputs = [z3.Real(name) for name in network.inputs]
    for x in inputs:
        solver.add(x >= 0, x <= 1)
    pairs = zip(network_terms(network, inputs), formula_terms(formula, inputs, solver), strict=True)
    solver.add(z3.Or([a != b for a, b in pairs]))
    return str(solver.check())


def random_network(seed):
    source = random.Random(seed)
    widths = [source.randint(1, 2), 2, *([2] if seed % 3 == 0 else []), 1]
    number = (lambda: source.choice([-2, -1, 1, 2])) if seed % 2 else (lambda: f"{source.randint(-3, 3)}/2")
    layers = [
        Layer.of([[number() for _ in range(a)] for _ in range(b)], [number() for _ in range(b)])
        for a, b in pairwise(widths)
    ]
    return Network.of([*layers[:-1], Layer(layers[-1].rows, layers[-1].width_in, "crelu")])


@pytest.mark.parametrize("seed", range(14))
def test_extractions_are_proved_equal(seed):
    network = random_network(seed)
    for logic in ("auto", "rmv"):
        extraction = extract(network, logic=logic, bounds=interval_bounds(network))
        if extraction.measures.size < 400:
            assert differ(network, extraction.formula) == "unsat"


def test_a_planted_difference_is_found():
    network = random_network(1)
    formula = extract(network).formula
    assert differ(network, formula) == "unsat"
    assert differ(network, ~formula) == "sat"


@pytest.mark.parametrize(
    "text", ["(x ⊕ x) ⊙ ¬y", "x ↔ y", "(x ∨ y) ∧ ¬(x ⊙ y)", "5·(x ⊙ y) ⊕ δ[3]¬x", "Δ[2/7](x ⊖ y) → y", "x ⊕ y ⊕ x ⊕ y"]
)
def test_constructions_are_proved_equal(text):
    formula = parse(text)
    assert differ(to_network(formula), formula) == "unsat"
