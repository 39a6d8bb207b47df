"""Certified bounds of a whole network: layer by layer, each method tightening the last, under a budget of work.

Bounds proved for a layer are lemmas for the layers above. Neurons of one layer are independent, so several processes
may work on them; the work that one may spend depends on finished groups of tasks only, not on which process is fast.
Neurons that the budget does not reach keep the best bound proved so far.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import highspy
import numpy as np

from verimv.bounding.interval import interval_bounds
from verimv.bounding.prove.walk import in_order
from verimv.bounding.results import NetworkBounds, NeuronBound, Point
from verimv.bounding.search.branch import BranchAndBound, Budget, Goal, exactly, next_integer
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.multipliers import short_multipliers
from verimv.bounding.search.record import BoundsRecord, End
from verimv.bounding.situation import LeafCase, Place
from verimv.core.choices import TIGHTENING
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InputError
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Team, Workers, team
from verimv.exact import Number, Rational, ceil
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube

#: Bits of the multipliers of a single leaf: as few as lose next to nothing, then more where that helps.
_LEAF_BITS = (12, 30)
#: Multipliers are kept if they make a bound smaller by this share; default slopes take no room in a certificate.
_WORTH = Rational(1, 1000)
#: Share of the work that is reserved for the last layer, which may also use so many times the nodes of others: people
#: look at the ranges of outputs first.
_LAST_SHARE = 0.3
_LAST_NODES = 10
#: Tasks are done in at most so many groups, of at least so many tasks; work that a group leaves is for those after it.
#: So a task may take this many times its fair share; most take far less.
_GROUPS, _GROUP = 8, 8
_SHARE = 1.5
#: A task that lacked work starts again if in the end so many times as much is left for it.
_MUCH_MORE = 2
#: Work of a single leaf; in addition, one unit for so many weights.
_LEAF_WORK, _LEAF_WEIGHTS = 1000, 4
#: Nodes for each end of a neuron that is bounded only to help another.
_HELPING_NODES = 100


#: Work for each end of a range, unless another is asked for.
PER_BOUND = 60 * SECOND


@dataclass(frozen=True)
class SearchEffort:
    """How much work to spend on bounds, and on which.

    `integer_ends` asks only for what Step 1 needs: the next integer, and only for neurons that matter. More `workers`
    are faster, with the same result. A deadline that passes raises :class:`Undecided`.
    """

    method: str = "exact"
    integer_ends: bool = False
    work: int = 600 * SECOND
    per_bound: int = PER_BOUND
    nodes: int = 1_000_000  # per bound, but for the last layer
    workers: Workers = 1
    deadline: Deadline = NEVER

    @property
    def aim(self) -> dict[str, Any]:
        """The settings that the result depends on."""
        return {name: value for name, value in vars(self).items() if name not in ("workers", "deadline")}


@dataclass(frozen=True)
class _Task:
    """One end of one neuron's range, with the interval bound of way·argument, and how far to go."""

    layer: int
    index: int
    way: int
    interval: Number
    method: str
    goal: Goal
    budget: Budget


def certified_bounds(
    network: Network,
    effort: SearchEffort,
    progress: Progress = no_progress,
    only: Collection[Place] | None = None,
    record: Path | None = None,
    given: Mapping[Place, NeuronBound] | None = None,
) -> NetworkBounds:
    """Return proven ranges of all neurons of a network with rational weights, with evidence.

    `only` are the neurons of one layer (from 1) that are asked for: the layers below get only the bounds that help
    them, the layers above only intervals. `record` is a file that keeps what is found, from which an interrupted run is
    resumed. `given` bounds are used as they are.
    """
    if effort.method not in TIGHTENING:
        raise InputError(f"unknown bounds {effort.method}: choose one of {', '.join(TIGHTENING)}")
    if network.number_kind == "algebraic" or effort.method == "interval":
        return interval_bounds(network)
    kept = None if record is None else BoundsRecord(record, network, effort.aim)
    with team(effort.workers) as workers:
        return _Engine(network, effort, workers, progress, only, kept, given or {}).run()


def hidden_bounds(
    network: Network, work: int, deadline: Deadline, given: Mapping[Place, NeuronBound] | None = None
) -> NetworkBounds:
    """Return bounds of the layers below the last one, as tight as helps to bound the last; `given` ones stay."""
    effort = SearchEffort("exact", work=work, deadline=deadline)
    bounds = certified_bounds(network, effort, only={(len(network.layers), -1)}, given=given)
    return NetworkBounds(bounds.layers[:-1])


class _Engine:
    """One run of :func:`certified_bounds`."""

    def __init__(
        self,
        network: Network,
        effort: SearchEffort,
        workers: Team,
        progress: Progress,
        only: Collection[Place] | None,
        record: BoundsRecord | None,
        given: Mapping[Place, NeuronBound],
    ) -> None:
        self.network = network
        self.unit = to_unit_cube(network)
        self.effort = effort
        self.workers = workers
        self.progress = progress
        self.only = only
        self.record = record
        self.given = given
        self.last = len(network.layers) if only is None else max(layer for layer, _ in only)
        self.meter = Meter(effort.work, effort.deadline)
        self.used = _used(network)

    def run(self) -> NetworkBounds:
        layers = self.unit.layers
        bounds = NetworkBounds([interval_bounds(self.network).layers[0]])
        bounds.layers[0] = [replace(bound, method="exact") for bound in bounds.layers[0]]
        total = 2 * sum(len(layer.rows) for layer in layers[1 : self.last])
        done = saved = 0
        for layer in range(2, self.last + 1):
            context = LayerContext(self.unit, bounds.known(layer))
            ranges = context.walk.ranges(context.cube, layer + 1)
            if ranges is None:
                raise self._contradiction()
            ends = [ranges[-1].ends(i) for i in range(len(layers[layer - 1].rows))]
            tasks = self._tasks(context, layer, ends)
            found = {(i, way): End(way * ends[i][way > 0], "interval") for i in range(len(ends)) for way in (-1, 1)}
            for task, end in self._solved(context, tasks, self._share(layer)):
                found[task.index, task.way] = end
                done += 1
                saved += self._saved(task, end)
                self.progress(f"bounding neurons, {saved:,} units saved", done, total)
            done = 2 * sum(len(rows.rows) for rows in layers[1:layer])
            own = [self._bound(found[i, -1], found[i, 1]) for i in range(len(ends))]
            bounds.layers.append([self.given.get((layer, i), bound) for i, bound in enumerate(own)])
        bounds.layers += interval_bounds(self.network).layers[self.last :]
        return bounds

    def _contradiction(self) -> InputError:
        if self.record is None:
            return InputError("the box of the network is empty")
        return InputError("holds bounds that contradict each other: choose another file", source=str(self.record.path))

    def _tasks(self, context: LayerContext, layer: int, ends: Sequence[tuple[Number, Number]]) -> list[_Task]:
        """Return the ends that are worth working on."""
        if not context.floats.is_usable:
            return []
        nodes = self.effort.nodes * (_LAST_NODES if layer == self.last else 1)
        if self.only is not None and layer < self.last:
            nodes = min(nodes, _HELPING_NODES)
        budget = Budget(nodes=nodes, deadline=self.effort.deadline)
        tasks = []
        for i, (low, high) in enumerate(ends):
            for way in (-1, 1) if (layer, i) not in self.given else ():
                method, goal = self._aim(context, layer, i, way, low, high)
                if method != "interval":
                    tasks.append(_Task(layer, i, way, way * (high if way > 0 else low), method, goal, budget))
        return tasks

    def _share(self, layer: int) -> int:
        """Return a layer's share of the work that is left, by numbers of neurons.

        The layer counts twice, since all layers above gain from its bounds.
        """
        if layer == self.last:
            return self.meter.left
        own, *above = (len(rows.rows) for rows in self.unit.layers[layer - 1 : self.last - 1])
        left = self.meter.left - int(_LAST_SHARE * self.effort.work)
        return max(0, left * 2 * own // (2 * own + sum(above)))

    def _aim(self, context: LayerContext, layer: int, i: int, way: int, low: Number, high: Number) -> tuple[str, Goal]:
        """Return the method for an end, and how tight it has to be."""
        method = self.effort.method
        if self.meter.is_used_up and method != "interval":
            method = "linear"
        if self.only is not None:
            return ("interval" if layer == self.last and (layer, i) not in self.only else method), exactly
        if not self.effort.integer_ends:
            return method, exactly
        activation = self.unit.layers[layer - 1].activation
        if (layer, i) not in self.used or low == high or (high <= 0 and activation != "identity"):
            return "interval", next_integer
        attained = float(np.max(way * context.samples(layer)[1][:, i]))
        is_last = layer == len(self.unit.layers)
        if way < 0 and activation == "relu" and attained > 0:  # below 0 somewhere: only relaxations use it
            return ("interval" if is_last else min(method, "lp", key=TIGHTENING.index)), next_integer
        if activation == "crelu" and is_last and (attained > 0 if way > 0 else attained > -1):
            return "interval", next_integer  # clipped anyway, and not constant
        return method, next_integer

    def _saved(self, task: _Task, end: End) -> int:
        """Return how many clipped units of Step 1, eq. (3), a tighter end makes unnecessary."""
        if task.way < 0 or self.unit.layers[task.layer - 1].activation != "relu":
            return 0
        return max(0, ceil(task.interval)) - max(0, ceil(end.value))

    def _bound(self, lower: End, upper: End) -> NeuronBound:
        method = max((lower.method, upper.method), key=TIGHTENING.index)
        if method == "exact" and (lower.point is None or upper.point is None):
            method = "search"
        return NeuronBound(
            -lower.value,
            upper.value,
            method,
            self._own(lower.point),
            self._own(upper.point),
            lower.cases,
            upper.cases,
        )

    def _own(self, point: Point | None) -> tuple[Number, ...] | None:
        """Return a point of the cube as a point of the network's own box."""
        if point is None:
            return None
        return tuple(low + (high - low) * u for u, (low, high) in zip(point, self.network.box, strict=True))

    def _solved(self, context: LayerContext, tasks: Sequence[_Task], allowed: int) -> Iterator[tuple[_Task, End]]:
        """Yield the results of all tasks; those that lacked work start again while much is left for them."""
        best: dict[_Task, End] = {}
        most = 0  # work that a task was allowed so far
        while tasks:
            hurried: set[_Task] = set()
            count = min(_GROUPS, -(-len(tasks) // _GROUP))
            waiting = len(tasks)
            for group in (tasks[number::count] for number in range(count)):
                share = _SHARE if len(group) < waiting else 1
                each = min(self.effort.per_bound, int(share * max(0, allowed) / waiting))
                for task, end in self._results(context, group, each):
                    best[task] = min(best.get(task, end), end, key=_tightness)
                    allowed -= end.work
                    self.meter.spend(end.work)
                    if end.hurried:
                        hurried.add(task)
                    else:
                        yield task, best[task]
                most, waiting = max(most, each), waiting - len(group)
            tasks = [task for task in tasks if task in hurried]
            if min(self.effort.per_bound, allowed // max(1, len(tasks))) <= _MUCH_MORE * most:
                yield from ((task, best[task]) for task in tasks)
                return

    def _results(self, context: LayerContext, tasks: Sequence[_Task], work: int) -> Iterator[tuple[_Task, End]]:
        """Yield the results of tasks with so much work, in any order; those in the record are not computed again."""
        waiting: dict[_Task, _Task] = {}
        for task in tasks:
            key = (task.layer, task.index, task.way, work)
            if self.record is not None and key in self.record.found:
                yield task, self.record.found[key]
            else:
                waiting[replace(task, budget=replace(task.budget, work=work))] = task
        if self.workers.size > 1:
            highspy.Highs.resetGlobalScheduler(True)  # it must not have threads when processes are forked
        for allowed, end in self.workers.results(partial(_solve, context), list(waiting)):
            if self.record is not None:
                self.record.add((allowed.layer, allowed.index, allowed.way, work), end)
            yield waiting[allowed], end


def _tightness(end: End) -> tuple[Number, bool]:
    """Sort key: tighter ends first, then those that are attained."""
    return end.value, end.point is None


def _used(network: Network) -> set[Place]:
    """Return the neurons that some output depends on."""
    used = {(len(network.layers), i) for i in range(len(network.layers[-1].rows))}
    for layer in range(len(network.layers), 1, -1):
        rows = network.layers[layer - 1].rows
        used |= {(layer - 1, j) for i, row in enumerate(rows) if (layer, i) in used for j, _ in row.terms}
    return used


def _solve(context: LayerContext, task: _Task) -> End:
    """Return the best bound that the methods up to the task's give."""
    ends = [End(task.interval, "interval"), _leaf(context, task, "linear", _linear_guess(context, task))]
    leaf = _LEAF_WORK + context.weights[task.layer] // _LEAF_WEIGHTS
    outcome, work = None, leaf
    if task.method == "exact":
        outcome = BranchAndBound(context, task.layer, task.index, task.way, task.goal, task.budget).run()
        point = outcome.point if outcome.attained == outcome.value else None
        cases = None if outcome.value == task.interval else outcome.cases
        ends.append(End(outcome.value, "exact", cases, point))
        work += outcome.work
    if task.method == "lp" or (outcome is not None and not outcome.complete):
        ends.append(_leaf(context, task, "lp", _relaxed_guess(context, task)))
        work += leaf
    is_hurried = outcome is not None and not outcome.complete and outcome.nodes < task.budget.nodes
    return replace(min(ends, key=_tightness), hurried=is_hurried, work=work)


def _leaf(context: LayerContext, task: _Task, method: str, guess: Sequence[Any] | None) -> End:
    """Return the bound that guessed multipliers for the whole cube give, as a single leaf."""
    layer, index, way = task.layer, task.index, task.way
    ranges = context.walk.ranges(context.cube, layer)
    best = End(task.interval, "interval")
    if ranges is None or guess is None:
        return best
    value = context.walk.bound(layer, index, way, context.cube.box, ranges)
    if value < best.value:
        best = End(value, method, [LeafCase()])
    for bits in _LEAF_BITS:
        multipliers = short_multipliers(guess, ranges, bits)
        value = context.walk.bound(layer, index, way, context.cube.box, ranges, multipliers)
        if best.value - value > _WORTH * abs(best.value):
            best = End(value, method, [LeafCase(tuple(in_order(multipliers)))])
    return best


def _cube(context: LayerContext) -> tuple[Any, Any]:
    """Return the two corners of the unit cube, as one box."""
    return np.zeros((1, len(context.cube.box))), np.ones((1, len(context.cube.box)))


def _linear_guess(context: LayerContext, task: _Task) -> Sequence[Any]:
    """Return the multipliers of backward linear bounds."""
    low, high = _cube(context)
    ranges = context.floats.ranges(low, high, task.layer)
    guess = context.floats.linear(task.layer, task.index, task.way, low, high, ranges)
    return [values[0] for values in guess.multipliers]


def _relaxed_guess(context: LayerContext, task: _Task) -> Sequence[Any] | None:
    """Return the duals of the linear program of the whole cube, or None if it has no optimum."""
    relaxed = context.relaxation(task.layer).maximise(task.layer, task.index, task.way)
    return relaxed.multipliers if relaxed.status == "optimal" else None
