"""The Schauder hat method: a function of one variable as a ⊕ of hats (Mundici 1994; Gerla 2001 for DMV).

Integer and rational coefficients: [0,1] is cut at the breakpoints and further, by mediants, until neighbours a/b < c/d
satisfy bc − ad = 1. The hat of a node q = p/d between neighbours a/b and a'/b' is σ(bx−a) ∧ σ(a'−b'x), of height 1/d,
so that f is the sum of f(q)·d copies of the hats. This is an integer if the coefficients of f are integers; otherwise
m/n of a hat is m copies of its n-th part.

Real coefficients: breakpoints may be irrational, so that no subdivision is unimodular. Then Δ is used instead. With the
neighbours u < q < v, the wider of x ⊖ u and v ⊖ x is shrunk by Δ until both have the same height h at q. Their ∧ is a
hat, of which f needs f(q)/h copies: ⌈f(q)/h⌉ copies, shrunk a little. A copy has length three, or one at the ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from verimv.core.errors import InputError, Undecided
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, ceil
from verimv.formulas.dag import Dag, meet, multiple
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.paper.baselines.truncated import Truncated, choose_logic
from verimv.pieces.piecewise import Piecewise, function_of, names_of

#: Nodes of a subdivision: breakpoints with large denominators need very many hats.
MAX_NODES = 20_000


def schauder(
    subject: Formula | Network | Piecewise, variable: str = "x", *, sigma: str = "quadratic", logic: str = "auto"
) -> Formula:
    """Return a formula of the function of a formula or network of one variable.

    It is in the smallest logic for its coefficients, or in `logic`. `sigma` says how σ(ax+b) is built (not in RMV).
    """
    function = subject if isinstance(subject, Piecewise) else function_of(subject)
    function.check_unit_interval()
    chosen = choose_logic(function.number_kind, logic)
    dag = Dag()
    names = names_of(subject, variable)
    (x,) = names.inputs
    hats = _RealHats(dag, x, function) if chosen == "rmv" else _UnimodularHats(dag, x, function, sigma)
    root = dag.constant(0)
    for i in range(len(hats.nodes)):
        root = dag.oplus(root, hats.share(i))
    return Formula(dag, names.inputs, [root], names.outputs)


def farey_parents(numerator: int, denominator: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two fractions whose mediant is the irreducible fraction n/d of (0,1), as (numerator, denominator).

    The left one, p/q, has n·q − p·d = 1.
    """
    q = pow(numerator, -1, denominator)
    p = (numerator * q - 1) // denominator
    return (p, q), (numerator - p, denominator - q)


def unimodular(points: Sequence[Number]) -> list[Rational]:
    """Return the coarsest subdivision of [0,1] that contains these rationals and whose neighbours are unimodular."""
    nodes = {ZERO, ONE}
    for point in points:
        if isinstance(point, Algebraic):
            raise InputError("expected rational breakpoints")
        pending = [point]
        while pending:
            node = pending.pop()
            if node in nodes:
                continue
            # with both parents of each node this is a subtree of the Stern–Brocot tree: its neighbours are unimodular
            nodes.add(node)
            if len(nodes) > MAX_NODES:
                raise Undecided(f"the unimodular subdivision has more than {MAX_NODES:,} nodes")
            pending += [Rational(*parent) for parent in farey_parents(int(node.numerator), int(node.denominator))]
    return sorted(nodes)


class _UnimodularHats:
    def __init__(self, dag: Dag, variable: str, function: Piecewise, sigma: str) -> None:
        self.dag = dag
        self.function = function
        self.nodes = unimodular(function.breakpoints)
        self._truncated = Truncated(dag, [variable], "mv", sigma)

    def share(self, i: int) -> int:
        """Return f(q)·d copies of the hat at the i-th node q, whose denominator is d."""
        q = self.nodes[i]
        copies = self.function(q) * q.denominator
        if copies == 0:
            return self.dag.constant(0)
        part = self.dag.divide(int(copies.denominator), self._hat(i))  # type: ignore[union-attr]
        return multiple(self.dag, int(copies.numerator), part)  # type: ignore[union-attr]

    def _hat(self, i: int) -> int:
        sides = []
        if i > 0:
            left = self.nodes[i - 1]
            sides.append(Affine([(0, Rational(left.denominator))], Rational(-left.numerator)))
        if i + 1 < len(self.nodes):
            right = self.nodes[i + 1]
            sides.append(Affine([(0, Rational(-right.denominator))], Rational(right.numerator)))
        terms = [self._truncated.node(side) for side in sides]
        return terms[0] if len(terms) == 1 else meet(self.dag, *terms)


class _RealHats:
    def __init__(self, dag: Dag, variable: str, function: Piecewise) -> None:
        self.dag = dag
        self.nodes = list(function.points)
        self._values = function.values
        self._x = dag.variable(variable)
        self._gaps = [b - a for a, b in pairwise(self.nodes)]

    def share(self, i: int) -> int:
        """Return f(q)/h copies of the hat at the i-th node q, whose height is h."""
        height = min(self._gaps[max(0, i - 1) : i + 1])
        copies = self._values[i] / height
        if copies == 0:
            return self.dag.constant(0)
        count = ceil(copies)
        return multiple(self.dag, count, self.dag.scale(copies / count, self._hat(i, height)))

    def _hat(self, i: int, height: Number) -> int:
        dag, sides = self.dag, []
        if i > 0:  # x ⊖ u
            rising = dag.odot(self._x, dag.neg(self._level(self.nodes[i - 1])))
            sides.append(dag.scale(height / self._gaps[i - 1], rising))
        if i < len(self._gaps):  # v ⊖ x
            falling = dag.odot(self._level(self.nodes[i + 1]), dag.neg(self._x))
            sides.append(dag.scale(height / self._gaps[i], falling))
        return sides[0] if len(sides) == 1 else meet(dag, *sides)

    def _level(self, value: Number) -> int:
        return self.dag.scale(value, self.dag.constant(1))
