"""The shallow network of a function of one variable: one hidden neuron per breakpoint, as in the paper's comparison."""

from __future__ import annotations

from itertools import pairwise

from verimv.exact import ONE, Algebraic, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.pieces.piecewise import Piecewise


def shallow_network(function: Piecewise, variable: str = "x") -> Network:
    """Return the network f = p_0 + Σ (change of slope)·ρ(x − breakpoint).

    The neuron of a breakpoint a/b is ρ(bx − a), so that integer functions have integer weights. The first piece has a
    neuron of its own, ρ(x) = x.
    """
    function.check_unit_interval()
    pieces = function.pieces()
    rows = [Affine.variable(0)]
    weights: list[Number] = [pieces[0].slope]
    for before, after in pairwise(pieces):
        scale = _denominator(after.left)
        rows.append(Affine([(0, scale)], -scale * after.left))
        weights.append((after.slope - before.slope) / scale)
    output = Affine(enumerate(weights), pieces[0].intercept)
    layers = [Layer(tuple(rows), 1, "relu"), Layer((output,), len(rows), "relu")]
    return Network.of(layers, [variable])


def _denominator(x: Number) -> Rational:
    return ONE if isinstance(x, Algebraic) else Rational(x.denominator)
