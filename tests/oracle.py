"""Independent exact oracles and random objects, on plain Fractions: nothing here calls verimv's own evaluation."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from verimv.formulas import dag as build
from verimv.formulas.formula import Formula
from verimv.networks.network import Layer, Network

Weights = list[list[list[Any]]]


def network_value(spec: list[tuple[list[list[Any]], list[Any], str]], point: list[Any]) -> list[Any]:
    """The outputs of a network given as (weights, bias, activation) per layer."""
    values = list(point)
    for weights, bias, activation in spec:
        sums = [b + sum(w * v for w, v in zip(row, values, strict=True)) for row, b in zip(weights, bias, strict=True)]
        if activation == "relu":
            values = [max(s, 0) for s in sums]
        elif activation == "crelu":
            values = [min(1, max(s, 0)) for s in sums]
        else:
            values = sums
    return values


def formula_values(formula: Formula, point: dict[str, Any]) -> list[Any]:
    """The outputs of a formula, node by node over the table, with arithmetic of the point's own type."""
    dag, values = formula.dag, []
    for number in range(max(formula.roots) + 1):
        kind = dag.kinds[number]
        operands = [values[j] for j in dag.operands(number)]
        if kind == build.VARIABLE:
            values.append(point.get(dag.payload(number)))
        elif kind in (build.ZERO, build.ONE):
            values.append(Fraction(kind == build.ONE))
        elif any(v is None for v in operands):
            values.append(None)  # not under the outputs
        elif kind == build.NOT:
            values.append(1 - operands[0])
        elif kind == build.OPLUS:
            values.append(min(1, operands[0] + operands[1]))
        elif kind == build.ODOT:
            values.append(max(0, operands[0] + operands[1] - 1))
        elif kind == build.DIVIDE:
            values.append(operands[0] * Fraction(1, dag.payload(number)))
        else:
            values.append(operands[0] * Fraction(str(dag.payload(number))))
    return [values[root] for root in formula.roots]


def grid(dimension: int, denominator: int) -> list[tuple[Fraction, ...]]:
    """All points of the cube with this denominator; vertices included."""
    steps = [Fraction(i, denominator) for i in range(denominator + 1)]
    return list(itertools.product(steps, repeat=dimension))


def breakpoints(spec: list[tuple[list[list[Any]], list[Any], str]]) -> list[Fraction]:
    """Candidates for all bends of a 1-input network: zeros and ones of every neuron on every piece, refined per layer."""
    points = [Fraction(0), Fraction(1)]
    for depth, (_, _, activation) in enumerate(spec):
        head = [*spec[:depth], (spec[depth][0], spec[depth][1], "identity")]
        found = set(points)
        for left, right in itertools.pairwise(points):
            for a, b in zip(network_value(head, [left]), network_value(head, [right]), strict=True):
                for bend in {"relu": (0,), "crelu": (0, 1), "identity": ()}[activation]:
                    if (a < bend < b) or (b < bend < a):
                        found.add(left + (right - left) * (bend - a) / (b - a))
        points = sorted(found)
    return points


def build_network(spec: list[tuple[list[list[Any]], list[Any], str]]) -> Network:
    return Network.of([Layer.of(weights, bias, activation) for weights, bias, activation in spec])  # type: ignore[arg-type]


integers = st.integers(-2, 2).map(Fraction)
rationals = st.builds(Fraction, st.integers(-4, 4), st.sampled_from([1, 2, 3, 4]))
floats32 = st.floats(-2, 2, width=32).map(lambda x: Fraction(float(np.float32(x))))


@st.composite
def specs(
    draw: st.DrawFn, numbers: st.SearchStrategy[Fraction], max_inputs: int = 4, max_layers: int = 4, max_width: int = 3
) -> list[tuple[list[list[Fraction]], list[Fraction], str]]:
    """Layers of a random network with one output that is clipped, so that it stays in [0,1]."""
    width = draw(st.integers(1, max_inputs))
    layers = []
    depth = draw(st.integers(1, max_layers))
    for level in range(depth):
        rows = 1 if level + 1 == depth else draw(st.integers(1, max_width if level == 0 else min(2, max_width)))
        weights = draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=rows, max_size=rows))
        bias = draw(st.lists(numbers, min_size=rows, max_size=rows))
        activation = "crelu" if level + 1 == depth else draw(st.sampled_from(["relu", "relu", "crelu", "identity"]))
        layers.append((weights, bias, activation))
        width = rows
    return layers


@st.composite
def expressions(
    draw: st.DrawFn,
    names: tuple[str, ...] = ("x1", "x2", "x10"),
    max_leaves: int = 12,
    logic: str = "rmv",
    derived: bool = True,
) -> str:
    """Formula text with all operators of a logic, fully bracketed."""
    unary = ["¬{}"]
    if logic in ("dmv", "rmv"):
        unary += ["δ[2]{}", "δ[3]{}"]
    if logic == "rmv":
        unary += ["Δ[2/5]{}", "Δ[0.75]{}"]
    binary = ["({} ⊕ {})", "({} ⊙ {})"]
    if derived:
        unary += ["3·{}"]
        binary += ["({} ∧ {})", "({} ∨ {})", "({} → {})", "({} ↔ {})", "({} ⊖ {})"]
    return draw(
        st.recursive(
            st.sampled_from([*names, *names, "0", "1"]),
            lambda inner: st.one_of(
                st.builds(str.format, st.sampled_from(unary), inner),
                st.builds(str.format, st.sampled_from(binary), inner, inner),
            ),
            max_leaves=max_leaves,
        )
    )


# -- linear regions in one and two dimensions, by cutting polygons ---------------------------------------------------


def _value(plane, point):
    return plane[-1] + sum(a * x for a, x in zip(plane, point, strict=False))


def _cut(polygon, plane):
    """The part of a convex polygon (or segment) on which plane ≥ 0: Sutherland–Hodgman, exactly."""
    values = [_value(plane, p) for p in polygon]
    if len(polygon) <= 2:  # a segment, as its two ends
        pairs = list(itertools.pairwise(zip(polygon, values, strict=True)))
    else:
        closed = [*zip(polygon, values, strict=True)]
        pairs = list(zip(closed, closed[1:] + closed[:1], strict=True))
    result = []
    for (p, a), (q, b) in pairs:
        if a >= 0:
            result.append(p)
        if (a < 0 < b) or (b < 0 < a):
            share = a / (a - b)
            result.append(tuple(x + share * (y - x) for x, y in zip(p, q, strict=True)))
    if len(polygon) <= 2 and values[-1] >= 0:
        result.append(polygon[-1])
    return list(dict.fromkeys(result))


def _split_by(regions, argument_of, branches):
    """Every region cut by its own plane; `branches` maps the sign to the plane that the new value has there."""
    result = []
    for polygon, planes in regions:
        argument = argument_of(planes)
        for sign in (1, -1):
            part = _cut(polygon, tuple(sign * a for a in argument))
            if len(part) >= min(len(polygon), 3) or (len(polygon) == 2 and len(part) == 2):
                result.append((part, [*planes, branches(sign, argument)]))
    return result


def linear_regions(subjects, dimension):
    """Cells on which all subjects (formulas or network specs) are linear, with the planes of all their outputs.

    A plane is (coefficients…, constant); inputs of a formula are taken in its own order.
    """
    unit = (
        [(Fraction(0),), (Fraction(1),)]
        if dimension == 1
        else [tuple(map(Fraction, p)) for p in ((0, 0), (1, 0), (1, 1), (0, 1))]
    )
    axes = [(*tuple(Fraction(i == j) for j in range(dimension)), Fraction(0)) for i in range(dimension)]

    def constant(c):
        return (Fraction(0),) * dimension + (Fraction(c),)

    def combine(terms, c):
        return tuple(sum((w * p[i] for w, p in terms), Fraction(0)) + constant(c)[i] for i in range(dimension + 1))

    regions = [(unit, list(axes))]
    outputs = []

    def add_relu(terms, c):
        """A new value ρ(Σ w·value + c); returns its number."""
        nonlocal regions

        def argument(planes):
            return combine([(w, planes[j]) for j, w in terms], c)

        regions = _split_by(regions, argument, lambda sign, plane: plane if sign > 0 else constant(0))
        return len(regions[0][1]) - 1

    for subject in subjects:
        if isinstance(subject, Formula):
            dag, forms = subject.dag, []
            for number in range(max(subject.roots) + 1):
                kind, operands = dag.kinds[number], [forms[j] for j in dag.operands(number)]
                if kind == build.VARIABLE:
                    forms.append(([(subject.inputs.index(dag.payload(number)), Fraction(1))], Fraction(0)))
                elif kind in (build.ZERO, build.ONE):
                    forms.append(([], Fraction(kind == build.ONE)))
                elif kind == build.NOT:
                    terms, c = operands[0]
                    forms.append(([(j, -w) for j, w in terms], 1 - c))
                elif kind in (build.DIVIDE, build.SCALE):
                    factor = (
                        Fraction(1, dag.payload(number)) if kind == build.DIVIDE else Fraction(str(dag.payload(number)))
                    )
                    forms.append(([(j, w * factor) for j, w in operands[0][0]], operands[0][1] * factor))
                else:
                    (a, c), (b, d) = operands
                    if kind == build.ODOT:
                        forms.append(([(add_relu(a + b, c + d - 1), Fraction(1))], Fraction(0)))
                    else:
                        negated = [(j, -w) for j, w in a + b]
                        forms.append(([(add_relu(negated, 1 - c - d), Fraction(-1))], Fraction(1)))
            outputs += [forms[root] for root in subject.roots]
        else:
            values = [([(j, Fraction(1))], Fraction(0)) for j in range(dimension)]
            for weights, bias, activation in subject:
                sums = []
                for row, b in zip(weights, bias, strict=True):
                    terms = [(j, w * v) for w, (inner, _) in zip(row, values, strict=True) for j, v in inner]
                    sums.append((terms, b + sum(w * c for w, (_, c) in zip(row, values, strict=True))))
                if activation == "relu":
                    values = [([(add_relu(terms, c), Fraction(1))], Fraction(0)) for terms, c in sums]
                elif activation == "crelu":
                    values = [
                        ([(add_relu(terms, c), Fraction(1)), (add_relu(terms, c - 1), Fraction(-1))], Fraction(0))
                        for terms, c in sums
                    ]
                else:
                    values = sums
            outputs += values
    return [
        (polygon, [combine([(w, planes[j]) for j, w in terms], c) for terms, c in outputs])
        for polygon, planes in regions
    ]


def exact_range(subject, dimension):
    """Minimum and maximum of a one-output subject over the cube."""
    values = [_value(planes[0], p) for polygon, planes in linear_regions([subject], dimension) for p in polygon]
    return min(values), max(values)


def are_equal(a, b, dimension):
    """Two one-output subjects agree everywhere exactly when they agree at every vertex of their common regions."""
    return all(_value(x, p) == _value(y, p) for polygon, (x, y) in linear_regions([a, b], dimension) for p in polygon)
