"""Explanations against an exact oracle: activation patterns at the point, at each distance, before it and beyond."""

import json
import random
from dataclasses import replace

import pytest

import verimv
from tests.effort import span_name, spans
from verimv.core.errors import InputError
from verimv.exact import Rational, parse_number
from verimv.networks.network import Layer, Network, activate
from verimv.questions.explanation import explain

ROOT = parse_number("sqrt(2)")


def pattern(network, point):
    """Which neurons are off, rising or full, by plain evaluation."""
    values, found = list(point), []
    for layer in network.layers:
        arguments = [sum((w * values[j] for j, w in row.terms), row.constant) for row in layer.rows]
        if layer.activation != "identity":
            found += [
                "off" if t <= 0 else "full" if layer.activation == "crelu" and t >= 1 else "rising" for t in arguments
            ]
        values = [activate(layer.activation, t) for t in arguments]
    return found


def moved(point, index, amount):
    return [x + amount if j == index else x for j, x in enumerate(point)]


def random_network(source):
    """A network of two or three layers with small weights, so that points on edges are common."""
    inputs, widths = source.randint(1, 3), [source.randint(1, 4) for _ in range(source.randint(1, 2))]
    outputs = source.randint(1, 3)
    layers, below = [], inputs
    for depth, width in enumerate([*widths, outputs]):
        scale = ROOT if source.random() < 0.1 else Rational(1, source.choice((1, 1, 2, 3)))
        rows = [[source.randint(-2, 2) * scale for _ in range(below)] for _ in range(width)]
        bias = [Rational(source.randint(-4, 4), 2) for _ in range(width)]
        kinds = ("relu", "crelu", "identity") if depth == len(widths) else ("relu", "crelu")
        layers.append(Layer.of(rows, bias, source.choice(kinds)))
        below = width
    ends = [sorted(Rational(source.randint(-4, 4), 2) for _ in range(2)) for _ in range(inputs)]
    return Network.of(layers, box=[(low, high if high > low else low + 1) for low, high in ends])


def random_point(source, network):
    parts = source.choice((1, 2, 4, 97))
    return [low + (high - low) * Rational(source.randint(0, parts), parts) for low, high in network.box]


@pytest.mark.parametrize("seeds", spans(7_000_000, 400, 100), ids=span_name)
def test_nothing_changes_before_a_distance_and_something_beyond_it(seeds):
    for seed in seeds:
        source = random.Random(seed)
        network = random_network(source)
        point = random_point(source, network)
        found = explain(network, point)
        here = pattern(network, point)
        assert [unit.state for unit in found.units] == here
        assert [output.value for output in found.outputs] == network.at(point)
        assert [output.form(point) for output in found.outputs] == network.at(point)
        for move in found.moves:
            low, high = network.box[move.input]
            room = high - point[move.input] if move.way > 0 else point[move.input] - low
            for part in (0, Rational(1, 3), Rational(999, 1000)):
                inside = moved(point, move.input, move.way * move.distance * part)
                if part == 0 or move.distance:
                    assert pattern(network, inside) == here
                    assert [output.form(inside) for output in found.outputs] == network.at(inside)
            edge = moved(point, move.input, move.way * move.distance)
            assert [output.form(edge) for output in found.outputs] == network.at(edge)
            if move.unit is None:
                assert move.distance == room
                assert pattern(network, edge) == here
                continue
            assert 0 <= move.distance <= room
            k = found.units.index(move.unit)
            if move.becomes == "rising":  # leaves its state behind the edge
                assert move.distance < room
                assert pattern(network, edge)[k] == move.unit.state
            else:
                assert pattern(network, edge)[k] == move.becomes
            if move.distance < room:
                step = (room - move.distance) / 10**9
                assert pattern(network, moved(edge, move.input, move.way * step))[k] == move.becomes
        assert_decision(found)
        assert_radius(source, found, here)


def assert_decision(found):
    network, point, form = found.network, found.point, found.decision.form
    values = sorted(network.at(point), reverse=True)
    assert found.decision.value == (values[0] - values[1] if len(values) > 1 else values[0]) == form(point)
    for move in found.moves:
        slope = form.dense(len(point))[move.input] * move.way
        if move.decided is not None:
            assert 0 <= move.decided <= move.distance
            assert form(moved(point, move.input, move.way * move.decided)) == 0
        elif slope:
            assert not 0 <= -found.decision.value / slope <= move.distance


def assert_radius(source, found, here):
    network = found.network
    for _ in range(4):
        share = Rational(999, 1000) * (1 if found.radius is None else min(found.radius, 1))
        point = []
        for x, (low, high) in zip(found.point, network.box, strict=True):
            end = x + source.choice((-1, 1)) * share * (high - low)
            point.append(max(low, min(high, end)))
        assert found.radius == 0 or pattern(network, point) == here
    for move in found.moves:
        if move.unit is not None:
            assert found.radius <= found.share(move)


def test_the_hat_by_hand():
    network = verimv.load("examples/networks/hat.json")
    found = verimv.explain(network, {"x1": "1/3"})
    assert found.counts == {"off": 1, "rising": 2, "full": 0}
    assert found.outputs[0].form.dense(1) == [2]
    down, up = found.moves
    assert (down.distance, down.unit.name, down.becomes, down.decided) == (Rational(1, 3), "1:0", "off", Rational(1, 3))
    assert (up.distance, up.unit.name, up.becomes, up.decided) == (Rational(1, 6), "1:1", "rising", None)
    assert found.radius == Rational(1, 6)
    assert found.nearest == up
    assert "x1 up by 1/6, to 1/2 (≈16.7 % of its range): 1:1 starts to rise" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["nearest"]["distance"] == "1/6"
    assert "1/3" in found._repr_html_()
    assert repr(found) == "<Explanation y1 = 2/3>"


def test_a_directory_is_checked_and_its_formula_evaluated(tmp_path):
    network = Network.of([Layer.of([["1/3", "-1/7"]], ["1/2"], "identity")], box=[(0, 10), (-1, 1)])
    result = verimv.extract(verimv.load(network, names=["mean radius", "area"]), scale_output=True)
    result.certificate.check()
    for name, pieces in result.certificate.files().items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    summary = {**result.summary, "names": dict(result.source.labels)}
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    found = explain(tmp_path, {"mean radius": 3, "area": "1/2"})
    [output] = found.outputs
    assert output.value == output.map.undone(output.formula) == network(3, "1/2")
    assert found.statement == tuple(result.summary.get("statement", found.statement))
    assert "formula + 45/128 on [0,1]²" in str(found)
    assert '"mean radius"' in str(found)
    assert "apart" not in str(found)
    with pytest.raises(InputError, match="as it is certified"):
        explain(tmp_path, [3, 0], output=0)
    (tmp_path / "formula.mv").write_text("verimv-formula 1\ninputs mean_radius area\ny1 = area\noutputs y1\n")
    with pytest.raises(verimv.VerimvError):
        explain(tmp_path, [3, 0])


def test_a_range_that_is_certified_has_no_formula(tmp_path):
    network = verimv.load("examples/networks/hat.json")
    for name, pieces in verimv.certify_range(network, [(0, 1)]).files().items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    found = explain(tmp_path, [1])
    assert found.outputs[0].formula is None
    assert found.statement


def test_inputs_that_cannot_move_and_networks_without_units():
    network = Network.of([Layer.of([[1, 2]], [0], "identity")], box=[(0, 1), (3, 3)])
    found = explain(network, [0, 3])
    assert [move.input for move in found.moves] == [0, 0]
    assert found.radius is None
    assert "no units: the network is linear" in str(found)


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ({"x1": 2}, "x1 = 2 is outside the box"),
        ({"x": 1}, "expected a value for each of x1; found x"),
        ({}, "found none"),
        ([], "expected 1 values, found 0"),
        ([float("nan")], "finite"),
        ("1", "expected 1 values"),
    ],
)
def test_bad_points(at, told):
    with pytest.raises(InputError, match=told):
        explain("examples/networks/hat.json", at)


def test_a_formula_is_not_explained():
    with pytest.raises(InputError, match="expected a network, found a formula"):
        explain("x ⊕ y", [0, 0])


def test_long_explanations_are_summed_up():
    source = random.Random(1)
    rows = [[source.randint(-9, 9) for _ in range(30)] for _ in range(40)]
    network = Network.of(
        [
            Layer.of(rows, [source.randint(-9, 9) for _ in rows]),
            Layer.of([[k] * 40 for k in range(20)], [0] * 20, "identity"),
        ]
    )
    lines = str(explain(network, [Rational(1, 2)] * 30)).splitlines()
    assert any(line.startswith("40 units: ") and line.endswith("Those that decide most:") for line in lines)
    assert "  … and 32 more units" in lines
    assert "… and 8 more outputs" in lines
    assert any("smaller ones, together" in line for line in lines)
    assert any("terms with less effect)" in line for line in lines)
    assert len(lines) < 60


def test_numbers_are_exact_on_demand():
    network = replace(verimv.load("examples/networks/iris.onnx").select(0), labels={"x1": "sepal length"})
    found = explain(network, ["1/3"] * 4)
    assert "≈" not in found.text("exact")
    assert "≈" in found.text()
    assert "sepal length" in found.text()
