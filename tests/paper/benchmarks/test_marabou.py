"""The comparison with Marabou asks what it says it asks."""

import numpy as np
import pytest

from verimv.bounding.search.branch import BranchAndBound, Budget, exactly
from verimv.bounding.search.layer_context import LayerContext
from verimv.paper.benchmarks import marabou
from verimv.paper.experiments.families import random_network

pytestmark = pytest.mark.skipif(not marabou.is_installed(), reason="maraboupy is not installed")


def test_a_bound_is_reached_and_not_exceeded():
    context = LayerContext(random_network((3, 5, 5, 1), 2), {})
    ranges = context.floats.ranges(np.zeros((1, 3)), np.ones((1, 3)), 2)
    for index in range(2):
        top = float(BranchAndBound(context, 2, index, 1, exactly, Budget()).run().value)
        assert marabou.exceeds(context.floats, 2, index, top + 1e-2, ranges, 10) is False
        assert marabou.exceeds(context.floats, 2, index, top - 1e-2, ranges, 10) is True


def test_no_answer_in_time():
    context = LayerContext(random_network((5, 40, 5, 1), 2), {})
    ranges = context.floats.ranges(np.zeros((1, 5)), np.ones((1, 5)), 2)
    assert marabou.exceeds(context.floats, 2, 0, 0.0, ranges, 0.0) in (None, True)
