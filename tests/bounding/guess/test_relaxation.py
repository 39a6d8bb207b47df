"""Linear relaxations: restricted to phases they say what one built for these phases says."""

import numpy as np
import pytest

from tests.oracle import build_network
from verimv.bounding.guess import linear_program
from verimv.bounding.guess.linear_program import LinearProgram
from verimv.bounding.guess.relaxation import Relaxation
from verimv.bounding.search.layer_context import LayerContext
from verimv.exact import Rational
from verimv.paper.experiments.families import random_network

ZERO, ONE = Rational(0), Rational(1)


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_phases_come_and_go(activation):
    source = np.random.default_rng(3)
    weights = source.integers(-3, 4, (6, 3)).tolist()
    network = build_network([(weights, [0, 1, -1, 0, 1, 0], activation), ([[1, -2, 3, -1, 2, 1]], [0], "identity")])
    context = LayerContext(network, {})
    shared = context.relaxation(2)
    low, high = np.zeros(3), np.ones(3)
    trials = [{}, {(1, 0): (ZERO, None)}, {(1, 0): (None, ZERO), (1, 2): (ZERO, None)}, {(1, 1): (ONE, None)}]
    trials += [{(1, 1): (ZERO, ONE), (1, 4): (None, ONE)}, {}]
    seen = set()
    for phases in trials:
        shared.restrict(phases)
        ranges = [(a[0].copy(), b[0].copy()) for a, b in context.floats.ranges(low[None], high[None], 2)]
        for (_, i), (lower, upper) in phases.items():
            lows, highs = ranges[0]
            lows[i] = lows[i] if lower is None else max(lows[i], float(lower))
            highs[i] = highs[i] if upper is None else min(highs[i], float(upper))
        own = Relaxation(context.floats, low, high, ranges, phases)
        for way in (1, -1):
            one, other = shared.maximise(2, 0, way), own.maximise(2, 0, way)
            assert one.status == other.status
            assert one.upper == pytest.approx(other.upper, abs=1e-7)
            seen.add(round(one.upper, 6))
    assert len(seen) > 4


def test_no_limit_counts_over_several_programs(monkeypatch):
    """HiGHS counts its time from when a solver is made: with such a limit, all programs failed after a while."""
    monkeypatch.setattr(linear_program, "_ITERATIONS", 60)
    monkeypatch.setattr(linear_program, "_idle", [])
    source = np.random.default_rng(1)
    for _ in range(50):
        rows = source.normal(size=(8, 8))
        program = LinearProgram(np.zeros(8), np.ones(8), rows, -np.ones(8), np.ones(8))
        for _ in range(3):
            assert program.maximise(source.normal(size=8)).status == "optimal"


def test_searches_of_a_layer_do_not_disturb_each_other():
    """All share one linear program of the cube."""
    from verimv.bounding.search.branch import BranchAndBound, Budget, exactly

    network = random_network((3, 8, 8, 1), 4)
    shared = LayerContext(network, {})
    for index in (0, 1, 2, 1, 0):
        own = BranchAndBound(LayerContext(network, {}), 2, index, 1, exactly, Budget()).run()
        assert BranchAndBound(shared, 2, index, 1, exactly, Budget()).run() == own
