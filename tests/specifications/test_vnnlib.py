"""VNN-LIB 1.0 and 2.0: the meaning of files, and what is refused."""

import itertools
import math
import random
import re

import pytest

from tests.effort import span_name, spans
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.benchmark_networks import nets_folder
from verimv.specifications.read_specification import read_specification
from verimv.specifications.vnnlib_query import read_query

NETS = nets_folder()


def network(inputs=2, outputs=2):
    """Outputs are sums of inputs with small integer weights."""
    rows = [[(i + 2 * j) % 3 - 1 for j in range(inputs)] for i in range(outputs)]
    return Network.of([Layer.of(rows, [0] * outputs, "identity")])


def spec(text, *, inputs=2, outputs=2, **others):
    return read_specification(text, network(inputs, outputs), others, source="p.vnnlib")


def unsafe(found, *values):
    return any(case.contains([Rational(str(x)) for x in values]) for case in found.cases)


BOX = "(assert (<= 0 X_0 1)) (assert (<= 0 X_1 1))"


def test_a_conjunction_and_a_disjunction():
    found = spec(
        BOX
        + "(assert (<= Y_0 Y_1)) (assert (or (and (>= Y_0 0.5) (< X_0 X_1)) (> (+ (* 2 Y_0) (- Y_1) 1e-1) (/ 1 3))))"
    )
    assert (len(found.cases), found.kind, found.uses_box) == (2, "vnnlib", False)
    assert unsafe(found, 0, 1, "0.5", "0.5")
    assert not unsafe(found, 1, 1, "0.5", 2)
    assert unsafe(found, 1, 1, 1, 1)
    assert not unsafe(found, 1, 1, 1, "0.5")
    assert unsafe(found, 0, 0, "7/30", "7/30") is False, "strict: 2/10 + 1/10 is not more than 1/3"
    assert found.words(found.cases[0]) == ["0 ≤ x1 ≤ 1", "0 ≤ x2 ≤ 1", "y1 ≤ y2", "y1 ≥ 0.5", "x1 < x2"]


def test_boxes_of_cases():
    text = "(assert (or (and (<= 0 X_0 1) (<= 0 X_1 1)) (and (<= 2 X_0 3) (< 0 X_1) (<= X_1 1)))) (assert (>= Y_0 1))"
    found = spec(text)
    assert [case.box for case in found.cases] == [((0, 1), (0, 1)), ((2, 3), (0, 1))]
    assert unsafe(found, 2, "0.5", 1, 0)
    assert not unsafe(found, 2, 0, 1, 0), "an open end"
    assert not unsafe(found, "1.5", "0.5", 1, 0)


def test_definitions_levels_and_names_in_bars():
    plain = spec(BOX + "(assert (<= (+ X_0 Y_0 0.5) (* 3 Y_1)))")
    for text in (
        "(define-fun f ((a Real) (b Real)) Real (+ a b 0.5))" + BOX + "(assert (<= (f X_0 Y_0) (* 3 Y_1)))",
        "(define-fun c () Real 0.5) (define-const three Real 3)" + BOX + "(assert (<= (+ X_0 Y_0 c) (* three Y_1)))",
        BOX + "(assert (let ((a (+ X_0 Y_0)) (X_0 7)) (let ((b (+ a 0.5))) (<= b (* 3 Y_1)))))",
        "(push 1) (assert false) (pop 1)"
        + BOX
        + "(push) (assert (<= (+ X_0 Y_0 0.5) (* 3 Y_1))) (check-sat) (pop) (exit)",
        BOX.replace("X_0", "|X_0|") + "(assert (! (<= (+ |X_0| |Y_0| 0.5) (* 3 Y_1)) :named goal))",
        f"(assert (and {BOX.replace('(assert', '(and')} (not (> (+ X_0 Y_0 0.5) (* Y_1 3)))))",
        BOX + "(assert (=> (and) (xor false (<= (+ X_0 Y_0 0.5) (* Y_1 3)))))",
        BOX + "(assert (ite (<= (+ X_0 Y_0 0.5) (* Y_1 3)) true false))",
    ):
        assert spec(text).cases == plain.cases, text


def test_equality_and_difference():
    found = spec(BOX + "(assert (= X_0 0.25)) (assert (distinct Y_0 Y_1 1))")
    assert all(case.box[0] == (Rational(1, 4), Rational(1, 4)) for case in found.cases)
    assert unsafe(found, "0.25", 0, 3, 4)
    assert not unsafe(found, "0.25", 0, 1, 4)
    assert not unsafe(found, "0.25", 0, 3, 3)


TWO = """(vnnlib-version <2.0>) ; a pair
(declare-network f (declare-input A real [1,2]) (declare-output B real [2] "out"))
(declare-network g (isomorphic-to f) (declare-input C float32 [1, 2]) (declare-output D float32 [2]))
(assert (and (<= 0 A[0,0]) (<= A[0,0] 1) (<= -1 A [0, 1]) (<= A[0,1] 1)))
"""


def test_two_networks_with_the_same_inputs():
    text = TWO + "(assert (== A[0,0] C[0,0])) (assert (== C[0,1] A[0,1])) (assert (> D[1] (+ B[1] 0.05)))"
    found = spec(text, g=network())
    [case] = found.cases
    assert (case.box, case.same) == (((0, 1), (-1, 1), (0, 1), (-1, 1)), (0, 1, 0, 1))
    assert found.system.inputs == ["f.x1", "f.x2", "g.x1", "g.x2"]
    assert "f.x1 = g.x1" in found.words(case)
    assert found.words(case)[-1] == "f.y2 < g.y2 − 0.05"
    assert unsafe(found, 1, 1, 1, 1, 0, 0, 0, "0.06")
    assert not unsafe(found, 1, 1, 1, 0, 0, 0, 0, "0.06"), "other inputs"
    assert not unsafe(found, 1, 1, 1, 1, 0, 0, 0, "0.05")


def test_two_copies_of_one_network_with_other_inputs():
    text = (
        TWO.replace("isomorphic-to", "equal-to")
        + "(assert (and (<= A[0,0] C[0,0] 1) (== A[0,1] C[0,1]))) (assert (> B[0] D[0]))"
    )
    found = spec(text)
    [case] = found.cases
    assert case.same == (0, 1, 2, 1)
    assert case.box[2] == (0, 1), "bounded from below by another input"
    assert unsafe(found, 0, 1, 1, 1, 1, 0, 0, 0)
    assert not unsafe(found, 1, 1, 0, 1, 1, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOX.replace("X_1 1", "1 1") + "(assert (<= Y_0 1))", "X_1 has no lower bound"), (BOX + "(assert (<= Y_2 1))", "Y_2 is not there: the network has 2 outputs"),
        (BOX + "(assert (<= (* Y_0 Y_1) 1))", "not linear"), (BOX + "(assert (<= (/ 1 Y_0) 1))", "not linear"), (BOX + "(assert (<= (ite true 1 2) Y_0))", "ite between numbers"),
        (BOX + "(assert (and Y_0))", "expected conditions"), (BOX + "(assert (<= (and) Y_0))", "expected numbers"), (BOX + "\n(assert (exists ((a Real)) true))", "p.vnnlib:2: "),
        ("(define-fun f ((a Int)) Real a)", "parameters"), ("(define-fun f () Int 1)", "Real or Bool"), ("(define-fun f () Bool 1)", "declared as Bool"),
        ("(define-fun f ((a Real)) Real (f a))" + BOX + "(assert (<= (f 1) 1))", "'f' is not supported"), ("(define-fun f ((a Real)) Real a) (assert (<= f 1))", "expected 1 values, found none"),
        ("(define-fun f ((a Real)) Real a) (assert (<= (f 1 2) 1))", "expected 1 values, found 2"), ("(vnnlib-version <3.0>)", "version 1 or 2"), ("(vnnlib-version 2.0)", "such as <2.0>"),
        ("(vnnlib-version <2.0>) (assert true)", "expected a network"), (TWO, "give one for g"), (TWO.replace("isomorphic-to f", "equal-to h"), "declared before"),
        (TWO.replace("A real [1,2]", "A int8 [1,2]"), "'int8' is not supported"), (TWO.replace("A real [1,2]", "A real [1,3]"), "3 inputs"), (TWO + "(assert (<= A[0] 1))", "expected 2 indices"),
        (TWO + "(assert (<= A[0,2] 1))", "below 2"), (TWO.replace("(declare-output B", '(declare-hidden H real [3] "relu") (declare-output B') + "(assert (<= H[0] 1))", "hidden"),
        (TWO + "(assert (<= X_0 1))", "'X_0' is not supported"), (TWO.replace("C float32", "A float32"), "declared twice"), (TWO.replace("[1,2]", "[0,2]"), "lengths from 1"),
    ],
)  # fmt: skip
def test_refused_by_name(text, words):
    with pytest.raises(InputError) as error:
        spec(text)
    assert words in str(error.value)
    assert str(error.value).startswith("p.vnnlib")


def test_definitions_cannot_explode():
    text = "(define-fun f0 ((a Real)) Real (+ a a))" + "".join(
        f"(define-fun f{k} ((a Real)) Real (+ (f{k - 1} a) (f{k - 1} a)))" for k in range(1, 60)
    )
    with pytest.raises(InputError, match="once definitions are replaced"):
        spec(text + BOX + "(define-fun end () Real 1) (assert (<= (f59 Y_0) 1))")


@pytest.mark.parametrize(
    "opening", ["(and (<= X_0 1) ", "(or (<= X_0 1) (and ", "(not ", "(and true (or false ", "(let ((a X_0)) "]
)
def test_nesting_of_ten_thousand(opening):
    depth = 10_000 // opening.count("(and") if "(and" in opening else 10_000
    text = opening * depth + "(<= X_0 1)" + ")" * (depth * (opening.count("(") - opening.count(")")))
    found = spec(f"(assert (<= 0 X_0 1)) (assert {text}) (assert (>= Y_0 1))", inputs=1)
    assert [case.box for case in found.cases] == [((0, 1),)]


FILES = [
    BOX + "(assert (<= Y_0 Y_1)) (assert (or (and (>= Y_0 0.5)) (and (< X_0 X_1) (<= Y_0 -1e-3))))",
    "(declare-const X_0 Real) ; c\n(declare-const X_1 Real)\n" + BOX + "\n(assert (not (=> (<= Y_0 1) (<= (+ (* 2 Y_1) X_0) 3))))",
    TWO.replace("isomorphic-to", "equal-to") + "(assert (== A[0,0] C[0,0])) (assert (== C[0,1] A[0,1])) (assert (> D[1] (+ B[1] 0.05)))",
]  # fmt: skip


@pytest.mark.parametrize("seeds", spans(0, 2000, 500), ids=span_name)
def test_garbled_files_are_refused_or_mean_what_a_second_reader_says(seeds):
    """Tokens are dropped, doubled, swapped or changed; what is accepted is evaluated by a reader of its own."""
    accepted = 0
    for seed in seeds:
        rng = random.Random(seed)
        tokens = re.findall(r"\(|\)|\[[^\]]*\]|[^\s()\[\]]+", re.sub(";[^\n]*", "", rng.choice(FILES)))
        for _ in range(rng.choice([1, 1, 2, 3])):
            k, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
            action = rng.randrange(4)
            if action == 0:
                del tokens[k]
            elif action == 1:
                tokens.insert(k, tokens[j])
            elif action == 2:
                tokens[k], tokens[j] = tokens[j], tokens[k]
            else:
                tokens[k] = rng.choice(
                    ["<", ">=", "and", "or", "not", "Y_0", "X_1", "0", "1e400", "-", "X_9", "(", ")", "assert"]
                )
        text = " ".join(tokens)
        try:
            found = spec(text)
        except InputError:
            continue
        accepted += 1
        query = read_query(text)
        if query.networks[0].name:
            continue
        for _ in range(6):
            point = [Rational(rng.randint(-2, 4), 2) for _ in range(4)]
            assert unsafe(found, *point) == second_reading(text, point), (seed, text, point)
    assert accepted > len(seeds) // 20


def second_reading(text, point):
    """Whether all assertions of a plain file hold at a point, by a recursive evaluator without a shared line."""
    tokens = re.findall(r"\(|\)|[^\s()]+", text)

    def parse(k):
        if tokens[k] != "(":
            return tokens[k], k + 1
        items, k = [], k + 1
        while tokens[k] != ")":
            item, k = parse(k)
            items.append(item)
        return items, k + 1

    def value(e):
        if isinstance(e, str):
            if e in ("true", "false"):
                return e == "true"
            if match := re.fullmatch(r"([XY])_(\d+)", e):
                return point[int(match[2]) + 2 * (match[1] == "Y")]
            return Rational(e) if "e" not in e else Rational(e.split("e")[0]) * Rational(10) ** int(e.split("e")[1])
        operator, values = e[0], [value(x) for x in e[1:]]
        pairs = list(itertools.pairwise(values))
        if operator == "/":
            return values[0] / values[1]
        return {
            "and": lambda: all(values), "or": lambda: any(values), "not": lambda: not values[0], "+": lambda: sum(values),
            "=>": lambda: not values[0] or values[1], "-": lambda: values[0] - sum(values[1:]) if pairs else -values[0],
            "*": lambda: math.prod(values), "<=": lambda: all(a <= b for a, b in pairs), "<": lambda: all(a < b for a, b in pairs),
            ">=": lambda: all(a >= b for a, b in pairs), ">": lambda: all(a > b for a, b in pairs),
        }[operator]()  # fmt: skip

    holds, k = True, 0
    while k < len(tokens):
        e, k = parse(k)
        if e[0] == "assert":
            holds = holds and value(e[1])
    return holds


@pytest.mark.skipif(not NETS.is_dir(), reason="no networks at ../shared/nets (or VERIMV_NETS)")
def test_public_files():
    acas = load(NETS / "acasxu" / "ACASXU_run2a_1_1_batch_2000.onnx")
    for number, count in ((1, 1), (2, 4), (3, 4), (4, 4)):
        path = NETS / "acasxu" / f"prop_{number}.vnnlib"
        found = read_specification(path.read_text(), acas)
        [case] = found.cases
        assert len(case.constraints) == count
        assert not any(one.strict for one in case.constraints)
        assert case.box[0][0] == (Rational(6, 10) if number < 3 else Rational("-303531156/1000000000"))
    mnist = NETS / "mnist_fc" / "mnist-net_256x2__prop_0_0.03.vnnlib"
    assert len(read_specification(mnist.read_text(), network(784, 10)).cases) == 9
    pair = NETS / "pairs" / "acasxu"
    found = read_specification((pair / "instance_0.vnnlib").read_text(), acas, {"g": acas})
    [case] = found.cases
    assert case.same == (*range(5), *range(5))
    assert len(case.constraints) == 10
