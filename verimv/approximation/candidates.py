"""Simple networks near a given one, the one with the shortest formula first. Nothing here is proved.

First fewer weights: programs that may use up a part of the tolerance. Then simple fractions, with so many doublings of
votes as give the shortest formula that still keeps the tolerance.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verimv.approximation.fitting import KEPT, Fitting, Free, prices_of
from verimv.approximation.float_model import FloatModel, Floats, WorstPoints
from verimv.approximation.rounding import Rounding
from verimv.approximation.votes import Votes, votes_of, with_dead_neurons_empty
from verimv.bounding.guess.floats import FloatLayer
from verimv.core.progress import Progress, no_progress
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import OutputMap

#: Shares of the tolerance that may be used up before rounding.
_SHARES = (0.15, 0.3, 0.5, 0.7, 0.85)
#: Rounds of removing weights, for each share; and how many may fail in a row.
_ROUNDS, _FAILURES = 12, 2
#: Weights and biases of a network that is fitted by linear programs; of larger ones, weights are only cut.
_MOST_FITTED = 700
#: Trials of how many weights can be cut.
_HALVINGS = 10
#: How far a weight may move in a round: at first, and at least when the tolerance grows.
_REACH, _LEAST_REACH = 0.4, 0.1
#: By how many tolerances the rounding of one weight may change an output: from short fractions to long ones.
_SLACKS = (0.08, 0.03, 0.01, 0.003)
#: Rounding without fitting again may be so many tolerances wrong for it to be tried.
_HOPELESS = 1.6
#: The most doublings of a layer, and of a path through all layers.
_DOUBLINGS, _ALL_DOUBLINGS = 3, 6
#: An error that is estimated at so many tolerances or less is worth a proof.
GOOD = 0.97
#: Proofs that may fail, and how often a plan is tried with points where it was worse than expected.
_PROOFS, _TRIALS = 8, 5
#: The goal of a trial, as a part of that of the last.
_LOWER = 0.96
#: Largest sum of whole weights of a neuron: larger ones make long formulas.
_MOST_WHOLE = 32
#: Largest denominators of constants; larger ones only if nothing is found with smaller ones.
DENOMINATORS = (64, 512)
#: The same if simple constants matter more than a short formula: there are few fractions with small denominators.
_SIMPLE_DENOMINATORS = (4, 8, 16, 32, *DENOMINATORS)


@dataclass(frozen=True)
class _Plan:
    """Votes that are still to be rounded."""

    votes: Votes
    tolerances: Floats
    #: of the tolerance, which the weights may have used up before they are rounded
    share: float
    limits: tuple[int, ...]

    @cached_property
    def length(self) -> float:
        return length_of(self.votes)


def length_of(votes: Votes) -> float:
    """Return the length of the formulas of all outputs together."""
    lengths = np.ones(votes.model.inputs)
    for layer, doublings in zip(votes.model.layers, votes.doublings, strict=True):
        lengths = ((layer.weights != 0) * lengths).sum(axis=1) * np.array([2.0**k for k in doublings])
    return float(lengths.sum())


@dataclass(frozen=True)
class Candidate:
    """A simple network on the unit cube, and the maps that its formula needs; None if it has values in [0,1]."""

    network: Network
    maps: Sequence[OutputMap] | None
    #: by which the neurons of each hidden layer are multiples of those of the given network, if that is known
    factors: Sequence[Floats] | None = None


class Candidates:
    """Simple networks within tolerances of a network on the unit cube, as floats find them."""

    def __init__(
        self, network: Network, tolerances: Sequence[float], measure: str = "length", progress: Progress = no_progress
    ) -> None:
        self.network, self.tolerances = network, np.asarray(tolerances, dtype=float)
        self.target = FloatModel.of(network)
        self.measure, self._progress = measure, progress
        #: the error, in tolerances, that a candidate may have as floats estimate it
        self.goal = GOOD
        self._failures = 0
        self._learned = np.zeros((0, self.target.inputs))

    def learn(self, points: Sequence[Sequence[float]]) -> None:
        """Take note of points at which the last candidate was farther from the target than it seemed."""
        self._learned = np.concatenate([self._learned, np.asarray(points, dtype=float)])

    def lower(self, slack: float) -> None:
        """Take note that the error of the last candidate could not be proved: `slack` is proved / attained."""
        self._failures += 1
        self.goal = max(self.goal / 2, min(self.goal * 0.9, GOOD / slack))

    @property
    def is_fitted(self) -> bool:
        """Whether linear programs about all weights are small enough."""
        return Free.nonzero(self.target).count <= _MOST_FITTED

    @cached_property
    def sparse_models(self) -> list[tuple[float, FloatModel]]:
        """Models with fewer and fewer weights, each with the share of the tolerance that it may have used up."""
        found: list[tuple[float, FloatModel]] = []
        model, reach = self.target, _REACH
        for number, share in enumerate(_SHARES):
            fitting = Fitting(WorstPoints(self.target, self.tolerances * share))

            def progress(done: float, number: int = number) -> None:
                self._progress("removing weights", int(100 * (number + done)), 100 * len(_SHARES))

            if self.is_fitted:
                model, reach = self._fitted(model, fitting, max(reach, _LEAST_REACH), progress)
            else:
                model = self._cut(fitting, progress)
            found.append((share, with_dead_neurons_empty(model)))
        return found

    def _fitted(
        self, model: FloatModel, fitting: Fitting, reach: float, progress: Callable[[float], None]
    ) -> tuple[FloatModel, float]:
        """Return a model with fewer weights, by linear programs, and how far weights may move in the next one."""
        spread, failures = 0.0, 0
        for round_ in range(_ROUNDS):
            progress(round_ / _ROUNDS)
            free = Free.nonzero(model)
            prices = prices_of(free, model, self.measure)
            if not prices.any():
                break
            spread = spread / 2 if spread else fitting.typical_effect(model, free, prices)
            sparser = fitting.sparser(model, free, prices, max(spread, 1e-3), reach)
            if sparser is None:
                reach, failures = reach * 0.4, failures + 1
                if failures == _FAILURES:
                    break
                continue
            reach, failures = min(0.6, reach * 1.4), 0
            is_done = round_ > 2 and (free.values(sparser) != 0).sum() == (free.values(model) != 0).sum()
            model = sparser
            if is_done:
                break
        return model, reach

    def _cut(self, fitting: Fitting, progress: Callable[[float], None]) -> FloatModel:
        """Return the target without its weights of small effect: as many as the tolerance allows."""
        free = Free.nonzero(self.target)
        prices = prices_of(free, self.target, self.measure)
        effects = fitting.effects(self.target, free)
        order = np.argsort(np.where(prices > 0, effects / np.maximum(prices, 1.0), np.inf), kind="stable")
        values = free.values(self.target)
        none, all_ = 0, int((prices > 0).sum())
        for step in range(_HALVINGS):
            progress(step / _HALVINGS)
            count = (none + all_ + 1) // 2
            kept = values.copy()
            kept[order[:count]] = 0.0
            if fitting.refresh(free.put(self.target, kept)) <= KEPT:
                none = count
            else:
                all_ = count - 1
        values[order[:none]] = 0.0
        return free.put(self.target, values)

    @cached_property
    def plans(self) -> list[_Plan]:
        """What may be rounded, the shortest first."""
        found = []
        for share, model in self.sparse_models:
            seen = set()
            for limits in itertools.product(range(_DOUBLINGS + 1), repeat=len(model.layers)):
                if sum(limits) > _ALL_DOUBLINGS:
                    continue
                votes = votes_of(model, limits)
                if votes.doublings not in seen:
                    seen.add(votes.doublings)
                    scales = np.array([float(map_.scale) for map_ in votes.maps])
                    found.append(_Plan(votes, self.tolerances / scales, share, limits))
        return sorted(found, key=lambda plan: (plan.length, plan.limits, plan.share))

    def search(self, others: Sequence[tuple[float, Candidate]] = ()) -> Iterator[Candidate]:
        """Yield candidates, shorter ones first, until enough proofs have failed.

        `others`, given with their lengths, are yielded before all that are as long or longer.
        """
        denominators = _SIMPLE_DENOMINATORS if self.measure == "constants" else DENOMINATORS
        tried = [(most, plan) for most in denominators for plan in self.plans]
        waiting = sorted(others, key=lambda other: other[0])
        for number, (most, plan) in enumerate(tried):
            self._progress("rounding weights", number, len(tried))
            while waiting and waiting[0][0] <= plan.length:
                yield waiting.pop(0)[1]
            yield from self._trials(plan, most)
            if self._failures >= _PROOFS:
                break
        for _, other in waiting:
            yield other

    def _trials(self, plan: _Plan, most: int) -> Iterator[Candidate]:
        """Yield candidates of a plan, each with the points that were learned from the last one, and a lower goal."""
        for trial in range(_TRIALS):
            known, goal = len(self._learned), self.goal * _LOWER**trial
            found = self._rounded(plan, goal, most) if plan.share < goal else None
            if found is None:
                return
            yield found
            if len(self._learned) == known:
                return

    def _rounded(self, plan: _Plan, goal: float, most: int) -> Candidate | None:
        """Return the votes with the simplest fractions that keep the tolerances, if any are found."""
        fitting = Fitting(WorstPoints(plan.votes.target(self.target), plan.tolerances))
        fitting.learn(plan.votes.model, self._learned)
        rounding = Rounding(plan.votes, fitting, most)
        for slack in _SLACKS:
            for fits_again in (False, True) if self.is_fitted else (False,):
                votes, largest = rounding.rounded(slack * goal, fits_again)
                if largest <= goal:
                    return Candidate(votes.network(self.network, most), votes.maps)
                if largest > _HOPELESS * goal:
                    break
        return None

    def whole(self) -> Iterator[Candidate]:
        """Yield networks with whole weights and values in [0,1]: their formulas need no multiplication."""
        seen = set()
        for _, model in [(0.0, self.target), *self.sparse_models]:
            layers = tuple(
                FloatLayer(np.round(layer.weights), np.round(layer.bias), layer.activation) for layer in model.layers
            )
            rounded = with_dead_neurons_empty(FloatModel(layers))
            errors = WorstPoints(self.target, self.tolerances)
            points, error = errors.worst(rounded, 600)
            if not _is_in_unit_interval(rounded.outputs(points)):
                continue
            sizes = [np.abs(layer.weights).sum(axis=1).max(initial=0.0) for layer in rounded.layers]
            network = rounded.network(self.network)
            if error <= GOOD and max(sizes) <= _MOST_WHOLE and network not in seen:
                seen.add(network)
                yield Candidate(network, None)


def _is_in_unit_interval(values: Floats) -> bool:
    return bool((values >= 0).all() and (values <= 1).all())
