"""Comparison of two networks or formulas by the range of their difference, where a solver does not answer.

Neurons that both sides share, up to order and scale, cancel before any search. For networks of one shape, as
before and after training or rounding, the differences of corresponding neurons are bounded too, by
|ρ(s) − ρ(t)| ≤ |s − t|.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from verimv.bounding.interval import corresponding_differences
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.branch import BranchAndBound, Budget
from verimv.bounding.search.engine import hidden_bounds
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.output_range import as_unit_network
from verimv.bounding.search.pair import are_alike
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InternalError
from verimv.exact import ONE, ZERO, Number, parse_number
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.compose import stack
from verimv.networks.transforms.merge import merged
from verimv.networks.transforms.normalise import without_identity_layers
from verimv.solvers import point_search as smt_search
from verimv.solvers.decide import Subject, difference_question
from verimv.solvers.functions import Function, aligned
from verimv.solvers.verdict import Verdict

#: Share of the work that goes to the neurons below the difference.
_HIDDEN_SHARE = 0.4


class Difference:
    """a − b on the unit cube, one row per output; `network` is None if that is not a rational network of fair size."""

    def __init__(self, a: Subject, b: Subject, tolerance: Number) -> None:
        self.question, self.witness = difference_question(a, b, tolerance)
        self.tolerance = tolerance
        self.sides = [_over_inputs(function) for function in aligned(a, b)]
        self.network = _difference([side for side in self.sides if side is not None])

    def by_structure(self) -> Verdict | None:
        """Return a verdict without a search if all neurons cancel, or corresponding neurons stay close; else None."""
        began = time.perf_counter()
        if self.network is None:
            return None
        if self._vanishes(self.network):
            return self._proved("shared neurons", began)
        a, b = self.sides
        if a is not None and b is not None and are_alike(a, b):
            ranges = corresponding_differences(a, b)
            if all(-self.tolerance <= low and high <= self.tolerance for low, high in ranges):
                return self._proved("differences of neurons", began)
        return None

    def _vanishes(self, network: Network) -> bool:
        """Return whether all differences are constants within the tolerance."""
        return all(not row.terms and abs(row.constant) <= self.tolerance for row in network.layers[-1].rows)

    def by_search(self, work: int = 30 * SECOND, deadline: Deadline = NEVER) -> Verdict | None:
        """Return whether every difference stays within the tolerance; None if the work is used up first.

        Raises :class:`Undecided` when the deadline has passed.
        """
        network = self.network
        if network is None or network.number_kind == "algebraic":
            return None
        began = time.perf_counter()
        last = len(network.layers)
        bounds = hidden_bounds(network, int(_HIDDEN_SHARE * work), deadline)
        if self._vanishes(_without_constants(network, bounds)):
            return self._proved("shared neurons, others constant", began)
        context = LayerContext(network, bounds.known(last))
        if not context.floats.is_usable:
            return None
        meter = Meter(work - int(_HIDDEN_SHARE * work), deadline)
        for index in range(len(network.layers[-1].rows)):
            for way in (1, -1):
                budget = Budget(meter.left, deadline=deadline)
                outcome = BranchAndBound(context, last, index, way, lambda attained: self.tolerance, budget).run()
                meter.spend(outcome.work)
                if outcome.attained > self.tolerance:
                    return self.refuted(outcome.point, began)
                if not outcome.complete:
                    return None
        return self._proved("search", began)

    def proved(self, how: str) -> Verdict:
        """Return the verdict that a method which is not asked here has found."""
        return self._proved(how, time.perf_counter())

    def _proved(self, how: str, began: float) -> Verdict:
        seconds = time.perf_counter() - began
        evidence = {"solver": f"verimv ({how})", "answer": "unsat", "seconds": round(seconds, 3)}
        return Verdict("proved", None, "", (evidence,), seconds)

    def refuted(self, point: Sequence[Number], began: float | None = None) -> Verdict:
        """Return the verdict for a point, which is checked on both subjects and made simple if a search found it."""
        at = tuple(point)[: len(self.question.inputs)]
        if not self.question.holds(at):
            raise InternalError("the subjects themselves do not differ at the point that was found")
        how, found = ("points", at) if began is None else ("search", smt_search.simplest(self._holds_inside, at))
        seconds = 0.0 if began is None else time.perf_counter() - began
        evidence = {"solver": f"verimv ({how})", "answer": "sat", "seconds": round(seconds, 3)}
        return Verdict("refuted", self.witness(found), "", (evidence,), seconds)

    def at(self, verdict: Verdict) -> Number:
        """Return how far apart the values of a witness are; 0 if there is none."""
        values = {} if verdict.witness is None else verdict.witness.values
        if not {"left", "right"} <= values.keys():
            return ZERO
        return abs(parse_number(values["left"]) - parse_number(values["right"]))

    def _holds_inside(self, point: tuple[Number, ...]) -> bool:
        return all(0 <= x <= 1 for x in point) and self.question.holds(point)


def _over_inputs(function: Function) -> Network | None:
    """Return a function as a network over exactly its inputs, in order; None if that is not rational or too large."""
    network = as_unit_network(function.subject)
    if network is None:
        return None
    inputs = function.inputs or ("x1",)
    places = {j: inputs.index(name) for j, name in enumerate(function.subject.inputs)}
    first, last = network.layers[0], network.layers[-1]
    chosen = [function.subject.outputs.index(name) for name in function.outputs]
    layers = [replace(first, rows=tuple(row.renumbered(places) for row in first.rows), width_in=len(inputs))]
    layers += network.layers[1:]
    layers[-1] = replace(layers[-1], rows=tuple(layers[-1].rows[i] for i in chosen))
    names = [f"y{i + 1}" for i in range(len(last.rows))][: len(chosen)]
    return Network.of(layers, [f"x{j + 1}" for j in range(len(inputs))], None, names)


def _difference(sides: Sequence[Network]) -> Network | None:
    """Return the network of the differences of outputs, with shared neurons merged."""
    if len(sides) < 2:
        return None
    both = stack(sides)
    count = len(sides[0].outputs)
    rows = tuple(Affine([(i, ONE), (count + i, -ONE)]) for i in range(count))
    layers = (*both.layers, Layer(rows, 2 * count, "identity"))
    names = tuple(f"y{i + 1}" for i in range(count))
    return merged(without_identity_layers(replace(both, layers=layers, outputs=names)))


def _without_constants(network: Network, bounds: NetworkBounds) -> Network:
    """Replace the neurons that are proved to be constant, 0 or for clipped ones 1, by that constant."""
    layers = []
    for layer, rows in zip(network.layers[:-1], bounds.layers, strict=False):
        forms = list(layer.rows)
        for i, bound in enumerate(rows):
            if layer.activation != "identity" and bound.upper <= 0:
                forms[i] = Affine(())
            elif layer.activation == "crelu" and bound.lower >= 1:
                forms[i] = Affine((), ONE)
        layers.append(replace(layer, rows=tuple(forms)))
    return merged(replace(network, layers=(*layers, network.layers[-1])))
