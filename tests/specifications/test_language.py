"""verimv's own language means what it says, and errors have their place."""

import itertools
import random

import pytest

from tests.effort import scaled
from tests.specifications.test_conditions import is_in
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.specifications.conditions import cases_of
from verimv.specifications.language import compares, read_statements, resolver

NAMES = ("x1", "x2", "y1")


def cases(text, names=NAMES, labels=NAMES):
    return cases_of(read_statements(text, resolver([names, labels])), range(2))[0]


def holds(text, **point):
    values = [Rational(str(point.get(name, 0))) for name in NAMES]
    return any(is_in(case, values) for case in cases(text))


def test_what_the_operators_mean():
    assert holds("0.3 <= x1 -> y1 - x2 <= 0.5", x1="0.3", y1="0.5")
    assert not holds("0.3 <= x1 -> y1 - x2 <= 0.5", x1="0.3", y1="0.51")
    assert holds("0.3 <= x1 -> y1 - x2 <= 0.5", x1="0.29", y1=1)
    assert holds("-x1 + 2*x2 - x2/2 = 1.5e0", x2=1)
    assert holds("not x1 < 0 and x1 < 1 or false")
    assert holds("x1 < 1 -> x2 < 1 -> y1 < 1", x1=2, y1=2), "to the right"
    assert holds("0 ≤ x1 < x2 ≤ 1 ∧ ¬(y1 ≠ 0)", x1="1/3", x2="1/2")
    assert not holds("0 <= x1 < x2 <= 1", x1="1/2", x2="1/2")
    assert holds("(x1 + x2) * 2 <= (y1) <-> (x1 <= 0 or (x2 >= 1))")
    assert holds("x1 <= 1 # a comment and x1 > 5\n\n x2 <= 1; y1 <= 1\n")
    assert not holds("x1 <= 1\ny1 > 1")
    assert holds("x1 <= 1\n  or y1 > 1 and\n y1 <= 0")
    assert holds("(x1\n + x2) <= 0\n-x1 <= 0")
    assert holds("x1 < sqrt(2)/2 < x2", x2="0.75")
    assert holds("x1 - -1 > .5")


def test_numbers_are_exact():
    [case] = cases("x1 <= 0.1000000000000000000000000000001 and 1/30 <= x1")
    assert case.intervals[0][:2] == (Rational(1, 30), Rational(10**30 + 1, 10**31))


def test_full_names_are_quoted():
    labels = ("petal width", "and", "y1")
    assert read_statements('"petal width" <= 1 and "and" > 2', resolver([NAMES, labels]))
    with pytest.raises(InputError, match="'petal length' is no input or output: there are x1, x2, y1"):
        cases('"petal length" <= 1', labels=labels)
    with pytest.raises(InputError, match="'same' is the name of several"):
        cases("same <= 1", labels=("same", "same", "y1"))


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_random_conditions_mean_what_python_says(seed):
    """Python has the same operators with the same strengths."""
    rng = random.Random(seed)

    def term(depth):
        if depth == 0 or rng.random() < 0.4:
            return rng.choice([*NAMES, "1", "0.5", "-x1", "1/2*x2"])
        return rng.choice(["{} + {}", "{} - {}", "({} - {})"]).format(term(depth - 1), term(depth - 1))

    def condition(depth):
        if depth == 0 or rng.random() < 0.3:
            sides = [term(2) for _ in range(rng.choice([2, 2, 3]))]
            return "".join(s + f" {rng.choice(['<=', '<', '>=', '>', '==', '!='])} " for s in sides[:-1]) + sides[-1]
        form = rng.choice(["{} and {}", "{} or {}", "not {}", "({} or {})", "not ({} and {})"])
        return form.format(condition(depth - 1), condition(depth - 1))

    text = condition(3)
    found = cases(text)
    for point in itertools.product([Rational(-1), Rational(0), Rational(1, 2), Rational(1)], repeat=3):
        expected = eval(text, {}, dict(zip(NAMES, point, strict=True)))
        assert any(is_in(case, point) for case in found) == expected, (text, point)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "found nothing"), ("x1", "expected a condition"), ("x1 <=", "found the end"), ("<= 1", "1:1: expected a number"), ("x1 <= 1)", "never opened"),
        ("(x1 <= 1", "never closed"), ("x1 * x2 <= 1", "not linear"), ("1/x1 <= 1", "not linear"), ("x1/0 <= 1", "division by 0"), ("x1 <= 1 and", "the end"),
        ("x1 <= 1\nx9 <= 1", "2:1: 'x9' is no input or output"), ("x1 <= 1 and x2", "expected a condition"), ("x1 <= (x2 <= 1)", "found a condition"),
        ("x1 x2 <= 1", "expected an operator, found 'x2'"), ("x1 <= 1 not x2 <= 1", "expected an operator such as and"), ("x1 <= 1e99999", "digits"),
        ("x1 <= 1 @ 2", "unexpected '@ 2'"), ("x1 <= 1.2.3", "unexpected"), ("()", "found ')'"), ("x1 <= 3x", "unexpected '3x'"), ('x1 <= "', "unexpected"),
    ],
)  # fmt: skip
def test_errors_have_their_place(text, words):
    with pytest.raises(InputError) as error:
        cases(text)
    assert words in str(error.value)
    assert error.value.line is not None


def test_deep_nesting():
    depth = 10_000
    assert holds("(" * depth + "x1" + ")" * depth + " <= 0")
    assert holds("not " * depth + "x1 <= 0")
    assert holds("(x1 <= 0 and " * depth + "x2 <= 0" + ")" * depth)


def test_what_is_the_language_and_what_a_formula():
    assert all(map(compares, ["x <= 1", "x<1", "1 > x", "x = 1", "x ≥ 1", "x -> y != 1", "a => b >= 2"]))
    assert not any(map(compares, ["x -> y", "x <-> y", "x → y ⊕ 1", 'x -> "a < b"', "x # x <= 1", "a => b", "a <=> b"]))


def test_a_name_that_means_two_things_is_refused():
    resolve = resolver([["a_b", "a_b_2"], ["a b", "a_b"]])
    assert resolve("a b") == 0
    assert resolve("a_b_2") == 1
    with pytest.raises(InputError, match="'a_b' is the name of several"):
        resolve("a_b")
