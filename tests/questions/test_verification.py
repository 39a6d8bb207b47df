"""Networks against specifications: random ones decided by an oracle of linear regions, and public ones with verdicts."""

import itertools
import random
from fractions import Fraction

import pytest

from tests.effort import span_name, spans
from tests.oracle import _cut, build_network, linear_regions
from verimv.certificate.verification_files import judge_verification
from verimv.core.errors import InputError, Undecided
from verimv.exact import parse_number
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.benchmark_networks import nets_folder
from verimv.questions.verification import verify

NAMES = ("x1", "x2", "y1", "y2")


def random_spec(rng, inputs, outputs):
    """Layers of a small network with small numbers, so that borders are met exactly."""
    spec, width = [], inputs
    for rows, activation in ((rng.randint(1, 3), "relu"), (outputs, rng.choice(["relu", "identity", "crelu"]))):
        spec.append((
            [[Fraction(rng.randint(-2, 2)) for _ in range(width)] for _ in range(rows)],
            [Fraction(rng.randint(-2, 2), 2) for _ in range(rows)], activation,
        ))  # fmt: skip
        width = rows
    return spec


def random_statement(rng, names):
    """A statement as text, its atoms as (coefficients, constant, strict) of form ≤ 0, and its truth from theirs."""
    atoms = []

    def atom():
        used = rng.sample(names, rng.choice([1, 1, 2]) if len(names) > 1 else 1)
        weights = {name: rng.choice([-2, -1, 1, 2]) for name in used}
        bound, sign = Fraction(rng.randint(-4, 4), 4), rng.choice(["<=", "<", ">=", ">"])
        way = 1 if sign in ("<=", "<") else -1
        atoms.append(({name: way * w for name, w in weights.items()}, -way * bound, sign in ("<", ">")))
        number = len(atoms) - 1
        text = " + ".join(f"{w}*{name}" for name, w in weights.items())
        return f"{text} {sign} {bound}", lambda truth: truth[number]

    def condition(depth):
        if depth == 0:
            return atom()
        (a, holds_a), (b, holds_b) = condition(depth - 1), condition(0)
        return rng.choice([
            (f"({a}) and {b}", lambda t: holds_a(t) and holds_b(t)), (f"({a}) or {b}", lambda t: holds_a(t) or holds_b(t)),
            (f"({a}) -> {b}", lambda t: not holds_a(t) or holds_b(t)), (f"not ({a})", lambda t: not holds_a(t)),
        ])  # fmt: skip

    text, holds = condition(rng.choice([0, 1, 1, 2, 2]))
    return text, atoms, holds


def is_violated(spec, inputs, atoms, holds):
    """Whether some point of the cube violates the statement: every sign of every atom on every linear region."""
    names = [*NAMES[:inputs], *NAMES[2 : 2 + len(spec[-1][0])]]
    axes = [(*(Fraction(i == j) for j in range(inputs)), Fraction(0)) for i in range(inputs)]
    for polygon, planes in linear_regions([spec], inputs):
        forms = dict(zip(names, [*axes, *planes], strict=True))
        for truth in itertools.product([False, True], repeat=len(atoms)):
            if not holds(truth) and is_met(polygon, forms, atoms, truth):
                return True
    return False


def is_met(polygon, forms, atoms, truth):
    """Whether some point of a polygon gives the atoms these truths: a point inside of what their closures leave."""
    strict = []
    for (weights, constant, is_strict), wanted in zip(atoms, truth, strict=True):
        plane = [sum(w * forms[name][i] for name, w in weights.items()) for i in range(len(next(iter(forms.values()))))]
        plane[-1] += constant
        if not wanted:
            plane, is_strict = [-a for a in plane], not is_strict
        polygon = _cut(polygon, tuple(-a for a in plane)) if polygon else []
        if is_strict:
            strict.append(plane)
    if not polygon:
        return False
    middle = [sum(axis) / len(polygon) for axis in zip(*polygon, strict=True)]
    return all(plane[-1] + sum(a * x for a, x in zip(plane, middle, strict=False)) < 0 for plane in strict)


@pytest.mark.parametrize("seeds", spans(0, 300, 50), ids=span_name)
def test_random_networks_against_linear_regions(seeds, tmp_path):
    verdicts = []
    for seed in seeds:
        rng = random.Random(seed)
        inputs, outputs = rng.randint(1, 2), rng.randint(1, 2)
        spec = random_spec(rng, inputs, outputs)
        text, atoms, holds = random_statement(rng, [*NAMES[:inputs], *NAMES[2 : 2 + outputs]])
        found = verify(build_network(spec), text, effort=20)
        expected = "violated" if is_violated(spec, inputs, atoms, holds) else "holds"
        assert found.verdict == expected, (seed, text)
        verdicts.append(found.verdict)
        if found.holds and seed % 10 == 0:
            found.save(tmp_path / str(seed))
            assert judge_verification(str(tmp_path / str(seed)), "python").status == "valid"
        if found.violated:
            point = [parse_number(x) for x in found.at.values()]
            assert [parse_number(x) for x in found.values.values()] == build_network(spec).at(point)
    assert {"holds", "violated"} <= set(verdicts)


# -- borders, weights, vacuity ---------------------------------------------------------------------------------------

LINE = Network.of([Layer.of([[1]], [0], "relu")])


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("y1 <= 1", "holds"), ("y1 < 1", "violated"), ("y1 >= 0", "holds"), ("y1 > 0", "violated"), ("x1 < 1 -> y1 < 1", "holds"), ("x1 <= 1 -> y1 < 1", "violated"),
        ("x1 > 0 -> y1 > 0", "holds"), ("y1 = x1", "holds"), ("y1 != 1/3", "violated"), ("x1 != 1/3 -> y1 != 1/3", "holds"), ("x1 + y1 <= 1 -> y1 <= 1/2", "holds"),
        ("x1 + y1 <= 1 -> y1 < 1/2", "violated"), ("3*x1 <= 1 - y1 -> 1000*y1 <= 250", "holds"), ("y1 <= 0.5 or x1 > 0.5", "holds"), ("y1 <= 0.5 or x1 > 0.500001", "violated"),
        ("x1 - y1 = 0 and y1 - x1 <= 0", "holds"), ("x1 -> y1", "holds"), ("y1 -> x1 ⊙ x1", "violated"), ("y1 ∨ ¬y1", "violated"), ("y1 ⊕ ¬x1", "holds"),
    ],
)  # fmt: skip
def test_borders(text, verdict):
    found = verify(LINE, text)
    assert (found.verdict, found.vacuous) == (verdict, "")
    assert (found.at is None) == (verdict == "holds")


def test_constraints_that_need_a_large_weight():
    """On the line y = x, y ≤ x/100 only at 0; next to it, the penalty of this condition must be large."""
    found = verify(LINE, "y1 <= x1/100 -> y1 <= 0")
    assert found.holds
    assert found.cases[0].form.weight > 1
    assert verify(LINE, "y1 <= x1/100 -> 200*y1 < 0").violated


def test_what_holds_of_every_network_says_so():
    assert verify(LINE, "x1 > 2 -> y1 <= 0").vacuous.startswith("no input")
    found = verify(LINE, "y1 <= 1 -> y1 + x1 <= 2")
    assert (found.holds, found.vacuous) == (True, "its conditions contradict each other, so it holds of every network")
    text = "(assert (<= 0 X_0 1)) (assert (and (> Y_0 0.05) (< Y_0 -0.05)))"
    assert verify(LINE, text).vacuous
    assert verify(LINE, "(assert (<= 1 X_0 0)) (assert (<= Y_0 0))").vacuous.startswith("no input")


def test_a_file_without_conditions_on_outputs_is_violated_everywhere():
    found = verify(LINE, "(assert (<= 0 X_0 1))")
    assert (found.verdict, found.at) == ("violated", {"x1": "1/2"})


def test_a_box_bounds_what_a_text_does_not():
    assert verify(LINE, "y1 <= 1/2", box=[(0, "1/2")]).holds
    assert verify(LINE, "(assert (<= X_0 1)) (assert (> Y_0 1/2))".replace("1/2", "0.5"), box=[(0, "1/2")]).holds
    with pytest.raises(InputError, match="X_0 has no lower bound"):
        verify(LINE, "(assert (<= X_0 1)) (assert (> Y_0 0.5))")


def test_truth_and_undecided():
    assert verify(LINE, "y1 <= 1")
    assert not verify(LINE, "y1 < 1")
    rng = random.Random(1)
    weights = [[rng.randint(-9, 9) for _ in range(12)] for _ in range(12)]
    deep = Network.of(
        [Layer.of(weights, [1] * 12), Layer.of(weights, [1] * 12), Layer.of([weights[0]], [0], "identity")]
    )
    found = verify(deep, "y1 <= 8000", effort=0.001)
    assert found.verdict == "undecided"
    assert "effort" in found.reason
    assert found.margin < 0
    with pytest.raises(Undecided):
        bool(found)


def test_equal_questions_have_equal_answers():
    one, two = (verify(LINE, "x1 + y1 <= 1 -> y1 <= 1/2") for _ in range(2))
    assert [list(c.certificate.lines()) for c in one.certified] == [list(c.certificate.lines()) for c in two.certified]


# -- networks nobody here wrote ----------------------------------------------------------------------------------------

NETS = nets_folder()
PUBLIC = [
    ("vnncomp_test/test_nano.onnx", "vnncomp_test/test_nano.vnnlib", "holds"),
    ("vnncomp_test/test_tiny.onnx", "vnncomp_test/test_tiny.vnnlib", "holds"),
    ("vnncomp_test/test_small.onnx", "vnncomp_test/test_small.vnnlib", "holds"),
    ("sat_relu/sat_v9_c9.onnx", "sat_relu/sat_v9_c9__sat_v9_c9.vnnlib", "violated"),
    ("sat_relu/unsat_v9_c9.onnx", "sat_relu/unsat_v9_c9__unsat_v9_c9.vnnlib", "holds"),
    ("ncb_sat_relu/bool_v5_c5_safe.onnx", "y2 > 0 or y1 < 1", "holds"),
    ("ncb_sat_relu/bool_v5_c5_unsafe.onnx", "y2 > 0 or y1 < 1", "violated"),
]


@pytest.mark.skipif(not NETS.is_dir(), reason="no networks at ../shared/nets (or VERIMV_NETS)")
@pytest.mark.parametrize(("network", "given", "verdict"), PUBLIC, ids=lambda text: text.partition("/")[2][:20])
def test_public_networks_are_decided_rightly_or_not_at_all(network, given, verdict):
    found = verify(NETS / network, NETS / given if given.endswith("vnnlib") else given, effort=10)
    assert found.verdict in (verdict, "undecided")
    assert found.verdict == verdict or "unsat" in network
    if found.violated:
        assert found.floats is not None
