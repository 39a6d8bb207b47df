"""Points at which two networks differ much, in floats: corners, random points, and climbing from the best of them.

The same points every time: random ones have a fixed seed, and effort is counted in multiplications, not in seconds.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from verimv.bounding.guess.floats import Floats, product
from verimv.bounding.guess.linear_program import LinearProgram
from verimv.bounding.guess.pair_floats import FloatDifference

#: Multiplications in a unit of work (a microsecond).
_PER_UNIT = 1500
#: At most so many corners, so many random points, and so many points at which single neurons are large.
_CORNERS, _RANDOM, _NEURONS = 2048, 1024, 1024
#: Fewest points of each kind, however large the networks are.
_FEWEST = 64
#: Starting points for each output and sign; steps of climbing from them.
_STARTS, _ROUNDS = 6, 40
#: The search starts again near the best points and elsewhere, until so many times in a row nothing better is found.
_VAIN = 5
#: New starting points: so many near the best, with this share of their inputs changed, and so many elsewhere.
_NEAR, _CHANGED, _ELSEWHERE = 96, 0.15, 96
#: How far to go towards the corner that the gradient points to.
_STEPS = np.array([1.0, 0.75, 0.5, 0.25, 0.1, 0.03, 0.01])
#: Linear programs on linear pieces: at most so many rows times columns, so many starts, and so many steps from each.
_PROGRAM, _PROGRAM_STARTS, _PROGRAM_STEPS = 40_000, 2, 8
#: Work of a linear program that is set up and solved.
_PROGRAM_WORK = 3000


@dataclass(frozen=True)
class FarPoint:
    """A point of the unit cube at which sign·difference of an output has this value, in floats."""

    output: int
    sign: int
    value: float
    point: Floats


def far_points(function: FloatDifference, work: int) -> list[FarPoint]:
    """Return for each output and sign the best points found with so much work, the best of all first."""
    climber = _Climber(function, work)
    climber.sample()
    climber.climb()
    vain = 0
    while vain < _VAIN and climber.left > 0:
        before = climber.top()
        climber.sample_again()
        climber.climb()
        vain = 0 if (climber.top() > before).any() else vain + 1
    return sorted(climber.best(), key=lambda found: -found.value)


class _Climber:
    """The points found so far: for each output and sign, a few of the best."""

    def __init__(self, function: FloatDifference, work: int) -> None:
        self.function, self.left = function, work * _PER_UNIT
        self._random = np.random.default_rng(0)
        self._targets = [(output, sign) for output in range(function.outputs) for sign in (1, -1)]
        self._points = np.full((len(self._targets), 0, function.inputs), 0.0)
        self._values = np.full((len(self._targets), 0), 0.0)

    def best(self) -> list[FarPoint]:
        """Return the points kept, for each output and sign."""
        return [
            FarPoint(output, sign, float(value), point)
            for (output, sign), values, points in zip(self._targets, self._values, self._points, strict=True)
            for value, point in zip(values, points, strict=True)
        ]

    def top(self) -> Floats:
        """Return the best value for each output, rounded down a little: what is hardly better is not."""
        return np.maximum(self._values[::2, 0], self._values[1::2, 0]) * (1 - 1e-6)

    # -- keeping the best ---------------------------------------------------------------------------------------

    def _evaluated(self, points: Floats) -> Floats:
        """Return sign·difference at points, a row for each output and sign."""
        self.left -= len(points) * self.function.cost
        differences = self.function.values(points)
        return np.stack([sign * differences[:, output] for output, sign in self._targets])

    def _keep(self, points: Floats, values: Floats) -> None:
        """Keep the best points for each target; of equal ones one."""
        kept_points, kept_values = [], []
        for row, (old_points, old_values) in enumerate(zip(self._points, self._values, strict=True)):
            every = np.concatenate([old_values, values[row]])
            order = np.argsort(-every, kind="stable")[: 4 * _STARTS].tolist()
            chosen: list[int] = []
            for k in order:
                if all(every[k] != every[other] for other in chosen) and len(chosen) < _STARTS:
                    chosen.append(k)
            chosen += [order[0]] * (_STARTS - len(chosen))
            both = np.concatenate([old_points, points])
            kept_points.append(both[chosen])
            kept_values.append(every[chosen])
        self._points, self._values = np.stack(kept_points), np.stack(kept_values)

    # -- where to start -----------------------------------------------------------------------------------------

    def sample(self) -> None:
        """Look at corners, random points, and corners at which single neurons are large or small."""
        inputs = self.function.inputs
        share = max(_FEWEST, self.left // 4 // max(1, self.function.cost) // 3)
        if 2**inputs <= min(_CORNERS, share) if inputs < 60 else False:
            corners = np.array(list(itertools.product((0.0, 1.0), repeat=inputs)))
        else:
            corners = self._random.integers(0, 2, (min(_CORNERS, share), inputs)).astype(float)
        inner = self._random.random((min(_RANDOM, share), inputs))
        points = np.concatenate([np.full((1, inputs), 0.5), corners, inner, self._neuron_corners(share)])
        self._keep(points, self._evaluated(points))

    def _neuron_corners(self, most: int) -> Floats:
        """Return corners to which gradients of neurons point: so that all of them are active, or not, somewhere."""
        gradients = self.function.neuron_gradients(np.full(self.function.inputs, 0.5))
        self.left -= self.function.inputs * self.function.cost
        both = np.concatenate([gradients > 0, gradients < 0]).astype(float)
        return both[:: max(1, -(-len(both) // min(_NEURONS, most)))]

    def sample_again(self) -> None:
        """Look near the best points and elsewhere, and climb from there for each target on its own."""
        inputs = self.function.inputs
        room = int(self.left // 3 // max(1, 2 * len(_STEPS) * self.function.cost))
        near = self._points[:, 0][np.arange(min(_NEAR, max(1, room))) % len(self._targets)]
        changed = self._random.random(near.shape) < _CHANGED
        near = np.where(changed, self._random.integers(0, 2, near.shape), near)
        corners = self._random.integers(0, 2, (min(_ELSEWHERE, max(1, room)), inputs)).astype(float)
        points = np.concatenate([near, corners])
        owners = np.arange(len(points)) % len(self._targets)
        weights = self._weights().reshape(len(self._targets), _STARTS, -1)[owners, 0]
        values = np.einsum("pk,pk->p", self.function.values(points), weights)
        points, _ = self._climbed(points, values, weights)
        self._keep(points, self._evaluated(points))

    # -- climbing -----------------------------------------------------------------------------------------------

    def _weights(self) -> Floats:
        """Return sign·(unit vector of the output), for each target and kept point."""
        weights = np.zeros((len(self._targets), _STARTS, self.function.outputs))
        for row, (output, sign) in enumerate(self._targets):
            weights[row, :, output] = sign
        return weights.reshape(-1, self.function.outputs)

    def climb(self) -> None:
        """Climb from all kept points, in every way."""
        points, values = self._points.reshape(-1, self.function.inputs), self._values.reshape(-1)
        self._keep_own(*self._climbed(points, values, self._weights()))
        self._flip_single_inputs()
        self._solve_programs()

    def _climbed(self, points: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Go from points towards the corners to which their gradients point, while that helps."""
        points, values = points.copy(), values.copy()
        active = np.argsort(-values, kind="stable")
        for _ in range(_ROUNDS):
            room = self.left // 2 // max(1, (len(_STEPS) + 2) * self.function.cost)
            active = active[: max(1, room)]
            if not len(active) or self.left <= 0:
                break
            gradients = self.function.gradients(points[active], weights[active])
            corners = np.where(gradients > 0, 1.0, np.where(gradients < 0, 0.0, points[active]))
            steps = points[active][:, None] + _STEPS[:, None] * (corners - points[active])[:, None]
            tried = steps.reshape(-1, self.function.inputs)
            self.left -= (len(tried) + 2 * len(active)) * self.function.cost
            differences = self.function.values(tried).reshape(len(active), len(_STEPS), -1)
            found = np.einsum("psk,pk->ps", differences, weights[active])
            step = found.argmax(axis=1)
            each = np.arange(len(active))
            better = found[each, step] > values[active]
            moved = active[better]
            points[moved] = steps[each, step][better]
            values[moved] = found[each, step][better]
            active = moved
        return points, values

    def _keep_own(self, points: Floats, values: Floats) -> None:
        """Keep points that belong to one target each, in the order of the kept ones."""
        shape = (len(self._targets), _STARTS)
        self._points, self._values = points.reshape(*shape, -1), values.reshape(shape)
        order = np.argsort(-self._values, axis=1, kind="stable")
        self._points = np.take_along_axis(self._points, order[:, :, None], axis=1)
        self._values = np.take_along_axis(self._values, order, axis=1)

    def _flip_single_inputs(self) -> None:
        """Move single inputs of the best points to either end, while that helps."""
        inputs = self.function.inputs
        for row in np.argsort(-self._values[:, 0], kind="stable").tolist():
            output, sign = self._targets[row]
            for _ in range(_ROUNDS):
                if self.left < 2 * inputs * self.function.cost:
                    return
                point = self._points[row, 0]
                tried = np.repeat(point[None], 2 * inputs, axis=0)
                tried[np.arange(inputs), np.arange(inputs)] = 0.0
                tried[inputs + np.arange(inputs), np.arange(inputs)] = 1.0
                self.left -= len(tried) * self.function.cost
                found = sign * self.function.values(tried)[:, output]
                best = int(found.argmax())
                if not found[best] > self._values[row, 0]:
                    break
                self._points[row, 0], self._values[row, 0] = tried[best], found[best]

    def _solve_programs(self) -> None:
        """Climb by linear programs on the linear pieces around the best points, where these are small."""
        rows = len(self.function.piece(self._points[0, 0]).rows)
        if rows * self.function.inputs > _PROGRAM:
            return
        for row in np.argsort(-self._values[:, 0], kind="stable").tolist():
            for start in range(_PROGRAM_STARTS):
                self._climb(row, start)

    def _climb(self, row: int, start: int) -> None:
        output, sign = self._targets[row]
        weights = np.zeros((1, self.function.outputs))
        weights[0, output] = sign
        for _ in range(_PROGRAM_STEPS):
            if self.left < _PROGRAM_WORK * _PER_UNIT:
                return
            self.left -= _PROGRAM_WORK * _PER_UNIT
            point = self._points[row, start]
            piece = self.function.piece(point)
            cost = self.function.gradients(point[None], weights)[0]
            size = float(np.abs(cost).max(initial=0.0))
            if not 0 < size < np.inf:
                return
            inside = np.zeros(len(point)), np.ones(len(point))
            answer = LinearProgram(*inside, piece.rows, piece.low, piece.high).maximise(cost / size)
            if answer.status != "optimal" or not np.isfinite(answer.point).all():
                return
            end = np.clip(answer.point, 0, 1)
            tried = np.clip(point + np.array([1.0, 1 + 1e-6, 1 + 1e-3])[:, None] * (end - point), 0, 1)
            found = product(self.function.values(tried), weights[0])
            best = int(found.argmax())
            if not found[best] > self._values[row, start] * (1 + 1e-12):
                return
            self._points[row, start], self._values[row, start] = tried[best], found[best]
