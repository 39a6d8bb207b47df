"""`extract(within=…)`: the statement is true at the worst point, which an oracle finds; both kernels accept its proof."""

import itertools
import json
import re
from fractions import Fraction

import numpy as np
import pytest

import verimv
from tests.approximation.models import random_network, spec_of
from tests.effort import span_name, spans
from tests.oracle import formula_values, linear_regions
from tests.sessions import ROOT
from verimv.approximation.candidates import DENOMINATORS, Candidates
from verimv.approximation.fitting import Fitting
from verimv.approximation.float_model import WorstPoints
from verimv.approximation.within import read_within
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.formulas.formula import parse
from verimv.kernels.judge import PYTHON
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.normalise import from_unit_cube, to_unit_cube
from verimv.questions.distance import certified_bounds


def fraction(x) -> Fraction:
    return Fraction(str(x))


def worst(extraction) -> list[Fraction]:
    """For each output the largest |network − (scale·formula + offset)|, exactly: it is attained at a corner of a linear region."""
    network = to_unit_cube(extraction.original)
    dimension, maps = len(network.inputs), extraction.summary["outputs"]
    largest = [Fraction(0)] * len(maps)
    for polygon, planes in linear_regions([spec_of(network), extraction.formula], dimension):
        for point in polygon:
            values = [plane[-1] + sum(a * x for a, x in zip(plane, point, strict=False)) for plane in planes]
            for k, map_ in enumerate(maps):
                told = Fraction(map_["scale"]) * values[len(maps) + k] + Fraction(map_["offset"])
                largest[k] = max(largest[k], abs(values[k] - told))
    return largest


def denominators(extraction) -> list[int]:
    """Those of the weights of the simple network; the last ones are seen as the formula has them, without its scale."""
    scales = [[Fraction(1)] * len(layer.rows) for layer in extraction.network.layers[:-1]]
    scales.append([Fraction(map_["scale"]) for map_ in extraction.summary["outputs"]])
    return [
        (weight / scale).denominator
        for (weights, _, _), layer_scales in zip(spec_of(extraction.network), scales, strict=True)
        for row, scale in zip(weights, layer_scales, strict=True)
        for weight in row
    ]


def check(extraction) -> None:
    """All that is said of an extraction."""
    assert extraction.check(kernel="both") == ""
    summary = extraction.summary
    assert summary["status"] == "certified"
    assert [proof["verdict"] for proof in summary["proofs"]] == ["proved", "proved"]
    assert PYTHON in [proof["checker"] for proof in summary["proofs"]]
    assert [entry["name"] for entry in summary["within"]] == list(extraction.original.outputs)
    assert [Fraction(e["tolerance"]) for e in summary["within"]] == [fraction(x) for x in extraction.tolerances]
    for entry in summary["within"]:
        assert Fraction(entry["attained"]) <= Fraction(entry["proved"]) <= Fraction(entry["tolerance"])
    assert max(denominators(extraction)) <= DENOMINATORS[-1]
    assert extraction.certificate.subjects.keys() >= {"network", "other", "formula"}
    if len(extraction.original.inputs) <= 2:
        for found, entry in zip(worst(extraction), summary["within"], strict=True):
            assert Fraction(entry["attained"]) <= found <= Fraction(entry["proved"])


SMALL = random_network(7, inputs=2)


@pytest.mark.parametrize(("seed", "inputs", "clipped", "outputs", "within"), [
    (3, 1, False, 1, "5%"), (5, 2, False, 1, "10%"), (2, 1, True, 1, "5%"), (9, 1, False, 2, "10%"),
    (4, 3, False, 1, "20%"),
])  # fmt: skip
def test_the_formula_is_within_the_error(seed, inputs, clipped, outputs, within):
    network = random_network(seed, inputs, clipped, outputs)
    extraction = verimv.extract(network, within=within)
    check(extraction)
    assert extraction.near == extraction.original
    assert extraction.formula.outputs == network.outputs
    assert repr(extraction).startswith("<WithinExtraction certified, within ")


@pytest.mark.slow
@pytest.mark.parametrize("seeds", spans(0, 60, 4), ids=span_name)
def test_random_networks(seeds):
    for seed in seeds:
        network = random_network(seed, 1 + seed % 2, clipped=seed % 4 == 0, outputs=1 + (seed % 5 == 0))
        extraction = verimv.extract(network, within=("5%", "10%", "20%", "2%")[seed // 2 % 4])
        if extraction.near is None:  # nothing simpler was found: it is exact
            assert "exact" in extraction.summary
            assert extraction.check(kernel="both") == ""
        else:
            check(extraction)


@pytest.mark.parametrize("seed", [3, 5, 7])
def test_the_proved_error_is_close_to_the_largest_one_and_short(seed):
    extraction = verimv.extract(random_network(seed, 2), within="10%")
    [entry] = extraction.summary["within"]
    proved, attained = Fraction(entry["proved"]), Fraction(entry["attained"])
    assert proved == Fraction(entry["tolerance"]) or proved <= Fraction(12, 10) * attained
    assert len(entry["proved"]) <= 14
    [error] = certified_bounds(extraction.closeness).values()
    assert fraction(error) == proved


def test_points_of_a_failed_proof_are_used_for_the_next_candidate():
    network = random_network(5, 2)
    search = Candidates(network, [0.2])
    candidates = search.search()
    first = next(candidates)
    search.learn([[0.25, 0.75], [1.0, 0.5]])
    again = next(candidates)
    plans = search.plans
    assert len(first.network.layers) == len(again.network.layers)
    fitting = Fitting(WorstPoints(plans[0].votes.target(search.target), plans[0].tolerances))
    fitting.learn(plans[0].votes.model, np.array([[0.25, 0.75], [1.0, 0.5]]))
    for _ in range(3):
        fitting.refresh(plans[0].votes.model)
        assert {(0.25, 0.75), (1.0, 0.5)} <= {tuple(point) for point in fitting.points.tolist()}
    goal = search.goal
    search.lower(1.5)
    assert search.goal < goal


def test_on_another_box():
    box = ((Rational(-2), Rational(3)), (Rational(10), Rational(10, 1) + Rational(1, 2)))
    network = Network(SMALL.layers, SMALL.inputs, box, SMALL.outputs)
    extraction = verimv.extract(network, within="10%")
    check(extraction)
    assert extraction.original.box == box
    assert extraction.source.box == box
    assert extraction.network.is_on_unit_cube()


def test_the_difference_of_two_outputs():
    network = random_network(11, 1, outputs=3)
    extraction = verimv.extract(network, within="10%", margin=(2, 0))
    check(extraction)
    assert extraction.formula.outputs == ("y3_minus_y1",)


def test_one_output_of_several():
    extraction = verimv.extract(random_network(11, 1, outputs=3), within="10%", output="y2")
    check(extraction)
    assert extraction.formula.outputs == ("y2",)


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_large_error_gives_a_constant(outputs):
    extraction = verimv.extract(random_network(5, 2, outputs=outputs), within=100)
    check(extraction)
    assert extraction.formula.length == 0
    assert extraction.summary["neurons"] == random_network(5, 2, outputs=outputs).neurons


def test_that_a_constant_will_do_is_said(run, path):
    code, out, _ = run("extract", path, "--within", "100")
    assert code == 0
    assert "a constant is close enough: no input changes the output by more than that" in out
    assert "length 0," in out


def test_outputs_of_different_sizes():
    """One output varies by less than the error and becomes a constant, of which three digits are the offset."""
    hidden = Layer.of([[1.3], [-0.7]], [-0.2, 0.9])
    last = Layer.of([["0.001", "0.002"], ["1.1", "-0.6"]], ["1234.5", "0.1"], "identity")
    extraction = verimv.extract(Network.of([hidden, last]), within="0.05")
    check(extraction)
    [first, second] = extraction.formula.roots
    assert extraction.formula.dag.kinds[first] != extraction.formula.dag.kinds[second]


@pytest.mark.parametrize("within", ["5%", "0.01"])
def test_a_network_that_is_constant(within):
    network = Network.of([Layer.of([["-1"]], ["0"]), Layer.of([["1"]], ["1/3"], "identity")])
    extraction = verimv.extract(network, within=within)
    check(extraction)
    assert extraction.formula.length == 0


def test_integer_weights_whose_values_leave_the_unit_interval():
    """The network 4·x with noise has integer weights nearby, but a formula needs a scale."""
    network = Network.of([Layer.of([["4.01"]], ["0"]), Layer.of([["1"]], ["0"], "identity")])
    extraction = verimv.extract(network, within="0.1")
    check(extraction)
    assert extraction.formula.length == 1


@pytest.mark.parametrize("within", [0, "0", "0.0", 0.0, Fraction(0), None])
def test_no_error_is_the_exact_extraction(within):
    network = to_network(parse("(x ⊕ x) ⊙ ¬(x ⊙ x)"))
    extraction = verimv.extract(network, within=within)
    exact = verimv.extract(network)
    assert type(extraction) is verimv.CertifiedExtraction
    assert extraction.certificate.subjects == exact.certificate.subjects
    assert list(extraction.certificate.lines()) == list(exact.certificate.lines())


def test_an_exact_formula_with_simple_constants_that_is_no_longer_is_given():
    extraction = verimv.extract(verimv.load(ROOT / "examples/networks/rational.json"), within="0.1")
    assert str(extraction.formula) == "Δ[1/2]¬(damp ⊕ damp) ⊕ Δ[1/2](heat ⊕ heat)"
    assert extraction.summary["exact"] == "no shorter formula was found"
    assert extraction.check() == ""


def test_the_same_bytes_twice():
    first, second = (verimv.extract(random_network(3, 1), within="5%").certificate for _ in range(2))
    assert first.subjects == second.subjects
    assert list(first.lines()) == list(second.lines())


def with_noise(network: Network, size: float, seed: int) -> Network:
    """Every weight other than 0 moved by up to `size`."""
    random = np.random.default_rng(seed)

    def moved(x):
        return float(x) + size * float(random.uniform(-1, 1)) if x else 0.0

    layers = [
        Layer.of([[moved(w) for w in row.dense(layer.width_in)] for row in layer.rows],
                 [moved(row.constant) for row in layer.rows], layer.activation)
        for layer in network.layers
    ]  # fmt: skip
    return Network(tuple(layers), network.inputs, network.box, network.outputs)


@pytest.mark.parametrize("text", ["x ⊕ y", "x ⊙ ¬y", "(x ⊕ x) ⊙ y"])
@pytest.mark.parametrize("size", [1e-3, 1e-2])
def test_a_formula_comes_back_from_a_network_with_noise(text, size):
    formula = parse(text)
    exact = to_network(formula)
    extraction = verimv.extract(with_noise(exact, size, 1), within=10 * size)
    check(extraction)
    assert extraction.summary["logic"] == "mv"
    assert verimv.equivalent(extraction.formula, formula).proved
    assert extraction.formula.length <= formula.length


@pytest.mark.parametrize(
    ("within", "message"),
    [
        (-1, "above 0"),
        ("-5%", "above 0"),
        ("-0.1", "above 0"),
        ("0%", "above 0"),
        ("nan", "number"),
        ("inf", "number"),
        (float("nan"), "number"),
        (float("inf"), "number"),
        ("nan%", "percentage"),
        ("5 percent", "percentage"),
        ("%", "percentage"),
        ("5%%", "percentage"),
        ("", "number"),
        (True, "number"),
        ([], "number"),
    ],
)
def test_what_is_not_an_error(within, message):
    with pytest.raises(InputError, match=message) as caught:
        verimv.extract(SMALL, within=within)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"logic": "mv"}, {"strategy": "paper"}, {"bounds": "exact"}, {"clip_output": True}, {"resume": "file"}],
    ids=lambda options: next(iter(options)),
)
def test_options_that_exclude_an_error(options):
    with pytest.raises(InputError, match="and within exclude each other"):
        verimv.extract(SMALL, within="5%", **options)


def test_simple_constants():
    network = random_network(5, inputs=2)
    short, simple = (verimv.extract(network, within="10%", minimise=measure) for measure in ("length", "constants"))
    check(simple)
    assert max(denominators(simple)) <= max(denominators(short))
    for within, measure in ((None, "constants"), ("5%", "beauty")):
        with pytest.raises(InputError, match=r"minimise constants needs within|unknown measure beauty"):
            verimv.extract(network, within=within, minimise=measure)


def test_a_share_of_the_range_of_each_output():
    last = Layer.of([["2", "0"], ["0", "10"]], ["1", "0"], "identity")
    network = Network.of([Layer.of([["1"], ["1"]], ["0", "0"]), last])
    assert read_within("5%", network) == [Rational(1, 10), Rational(1, 2)]
    assert read_within(" 5 % ", network) == [Rational(1, 10), Rational(1, 2)]
    assert read_within("12.345%", network) == [Rational(246, 1000), Rational(123, 100)]  # three digits, rounded down
    assert read_within("0.25", network) == [Rational(1, 4), Rational(1, 4)]


BOXES = [
    ((0, 1), (0, 1)),
    ((-3, 7), ("1/3", "1/2")),
    ((5, 5), (0, 2)),  # one value only
    ((0, 1), ("-1/7", "-1/7")),
]


@pytest.mark.parametrize("box", BOXES)
def test_from_the_unit_cube_undoes_to_the_unit_cube(box):
    ends = tuple((Rational(str(low)), Rational(str(high))) for low, high in box)
    network = Network(SMALL.layers, SMALL.inputs, ends, SMALL.outputs)
    back = from_unit_cube(to_unit_cube(network), ends)
    assert back.box == ends
    for shares in itertools.product((Rational(0), Rational(1, 3), Rational(1)), repeat=2):
        point = [low + (high - low) * u for u, (low, high) in zip(shares, ends, strict=True)]
        assert back.at(point) == network.at(point)
    if all(low < high for low, high in ends):
        assert back == network


def test_a_formula_on_a_box_with_an_input_of_one_value():
    ends = ((Rational(5), Rational(5)), (Rational(0), Rational(2)))
    network = Network(SMALL.layers, SMALL.inputs, ends, SMALL.outputs)
    check(verimv.extract(network, within="10%"))


# -- on the command line -----------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "small.json"
    file.write_text("".join(verimv.write_network(random_network(3, 1))), encoding="utf-8")
    return file


def test_a_directory(run, path, tmp_path):
    folder = tmp_path / "near"
    code, out, _ = run("extract", path, "--within", "5%", "-o", folder)
    assert code == 0
    assert "of the network at every point; the largest error seen is" in out
    exact = verimv.extract(random_network(3, 1), scale_output=True).formula.length
    assert f"the exact formula has length {exact}\n" in out
    code, checked, _ = run("check", folder)
    assert (code, checked.splitlines()[0]) == (0, "valid (kernel.py and the verified kernel)")
    assert re.fullmatch(r"y1 = .*formula.* ± .* on \[0,1\]", checked.splitlines()[1])
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    formula = verimv.read_mv((folder / "formula.mv").read_text(encoding="utf-8"))
    assert int(summary["length"]) == formula.length
    network = random_network(3, 1)
    for x in (Fraction(0), Fraction(2, 7), Fraction(1)):
        [value] = formula_values(formula, {formula.inputs[0]: x})
        [map_] = summary["outputs"]
        told = Fraction(map_["scale"]) * value + Fraction(map_["offset"])
        expected = network(x)
        assert abs(told - fraction(expected)) <= Fraction(summary["within"][0]["tolerance"])
    before = (folder / "report.html").read_text(encoding="utf-8")
    parts = ["The short formula", "Its error", "Exactly", f"of length {exact} (", "Verdict"]
    places = [before.index(part, before.index('id="formula"')) for part in parts]
    assert places == sorted(places)
    assert run("report", folder)[0] == 0
    assert (folder / "report.html").read_text(encoding="utf-8")
    assert "formula" in before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--within", "-1"], "above 0"),
        (["--within=-5%"], "above 0"),
        (["--within", "nan"], "number"),
        (["--within", "inf"], "number"),
        (["--within", "5 percent"], "number"),
        (["--within", "%"], "percentage"),
        (["--within", "0%"], "above 0"),
        (["--minimise", "constants"], "--minimise constants needs --within"),
        (["--within", "5%", "--simplify"], "simplify and --within exclude each other"),
        (["--within", "5%", "--logic", "mv"], "logic and within exclude each other"),
        (["--within", "5%", "--strategy", "paper"], "strategy and within exclude each other"),
        (["--within", "5%", "--clip-output"], "clip-output and within exclude each other"),
        (["--within", "5%", "--bounds", "exact"], "bounds and within exclude each other"),
    ],
)
def test_bad_input(run, path, words, message):
    code, out, err = run("extract", path, *words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert message in err
