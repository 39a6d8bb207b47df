"""Models in floats: values, derivatives, and points where two of them differ."""

from fractions import Fraction

import numpy as np
import pytest

from tests.approximation.models import random_model, random_network, spec_of
from tests.oracle import network_value
from verimv.approximation.fitting import Free
from verimv.approximation.float_model import FloatModel, WorstPoints

STEP = 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_a_model_is_its_network(seed):
    network = random_network(seed, clipped=seed % 2 == 0, outputs=2)
    model = FloatModel.of(network)
    assert model.network(network) == network
    points = np.random.default_rng(seed).random((5, model.inputs))
    for point, values in zip(points, model.outputs(points), strict=True):
        exact = network_value(spec_of(network), [Fraction(x) for x in point])
        assert [float(x) for x in exact] == pytest.approx(values.tolist(), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_gradients_are_quotients_of_differences(seed):
    model = random_model(seed, clipped=seed % 2 == 0)
    points = np.random.default_rng(seed).random((20, model.inputs))
    for output in range(len(model.layers[-1].bias)):
        values, gradients = model.gradient(points, output)
        assert values == pytest.approx(model.outputs(points)[:, output])
        for j in range(model.inputs):
            moved = points.copy()
            moved[:, j] += STEP
            assert gradients[:, j] == pytest.approx((model.outputs(moved)[:, output] - values) / STEP, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_by_weights_are_quotients_of_differences(seed):
    model = random_model(seed, clipped=seed % 2 == 0)
    points = np.random.default_rng(seed).random((9, model.inputs))
    free = Free.nonzero(model)
    for output in range(len(model.layers[-1].bias)):
        found = model.sensitivity(points, output)
        slopes = free.of([r[:, :, None] * v[:, None, :] for r, v in found], [r for r, _ in found])
        values, before = free.values(model), model.outputs(points)[:, output]
        assert slopes.shape == (9, free.count)
        for k in range(free.count):
            moved = values.copy()
            moved[k] += STEP
            after = free.put(model, moved).outputs(points)[:, output]
            assert slopes[:, k] == pytest.approx((after - before) / STEP, abs=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_values_lie_in_their_ranges(seed):
    model = random_model(seed, clipped=seed % 2 == 0)
    values, _ = model.trace(np.random.default_rng(seed).random((50, model.inputs)))
    low, high = model.ranges()[-1]
    assert (low - 1e-9 <= values[-1]).all()
    assert (values[-1] <= high + 1e-9).all()


@pytest.mark.parametrize("seed", range(8))
def test_worst_points_are_points_of_the_cube_and_have_the_difference_that_is_told(seed):
    """So what is told is never more than the largest difference; on linear models it is that one."""
    a, b = random_model(seed, widths=(3, 3, 2)), random_model(seed + 100, widths=(3, 2, 2))
    errors = WorstPoints(a, [0.5, 2.0])
    points, largest = errors.worst(b, 40)
    assert ((points >= 0) & (points <= 1)).all()
    sizes = np.abs(errors.errors(b, points)).max(axis=1)
    assert (np.diff(sizes) <= 0).all()
    like = random_network(0, inputs=3, outputs=2)
    specs = [spec_of(model.network(like)) for model in (a, b)]
    first, second = (network_value(spec, [Fraction(x) for x in points[0]]) for spec in specs)
    exact = max(abs(x - y) / t for x, y, t in zip(first, second, (Fraction(1, 2), 2), strict=True))
    assert float(exact) == pytest.approx(largest)


@pytest.mark.parametrize("seed", range(5))
def test_on_affine_models_the_worst_point_is_found(seed):
    a, b = random_model(seed, widths=(6, 1)), random_model(seed + 50, widths=(6, 1))
    weights = b.layers[0].weights[0] - a.layers[0].weights[0]
    constant = float(b.layers[0].bias[0] - a.layers[0].bias[0])
    ends = [constant + np.minimum(weights, 0).sum(), constant + np.maximum(weights, 0).sum()]
    assert WorstPoints(a, [1.0]).worst(b, 8)[1] == pytest.approx(np.abs(ends).max())


def test_the_same_seed_gives_the_same_points():
    a, b = random_model(1, widths=(4, 3, 1)), random_model(2, widths=(4, 3, 1))
    first, second = (WorstPoints(a, [1.0]).worst(b, 30) for _ in range(2))
    assert (first[0] == second[0]).all()
    assert first[1] == second[1]
