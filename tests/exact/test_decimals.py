"""Numbers for people: decimals are right to their last digit, and different constants stay different."""

import random

import pytest

from verimv.exact import Rational, parse_number
from verimv.exact.decimals import (
    brief,
    constants,
    decimal,
    equated,
    point_words,
    readable,
    rounded_down,
    rounded_up,
    short,
)


@pytest.mark.parametrize(
    ("text", "auto", "decimal", "both"),
    [
        ("3", "3", "3", "3"),
        ("-3/4", "-3/4", "-0.75", "-3/4 (-0.75)"),
        ("1/3", "1/3", "≈0.333333", "1/3 (≈0.333333)"),
        (
            "-44026797/671088640",
            "-44026797/671088640 (≈-0.0656050)",
            "≈-0.0656050",
            "-44026797/671088640 (≈-0.0656050)",
        ),
        ("sqrt(2)/2", "sqrt(2)/2", "≈0.707107", "sqrt(2)/2 (≈0.707107)"),
        ("1e-30", f"1/{10**30} (1e-30)", "1e-30", f"1/{10**30} (1e-30)"),
        ("123456789/1000", "123456789/1000 (≈123457)", "≈123457", "123456789/1000 (≈123457)"),
        ("12345678901234567", "12345678901234567", "≈1.23457e16", "12345678901234567"),
    ],
)
def test_values(text, auto, decimal, both):
    x = parse_number(text)
    assert [readable(x), readable(x, "decimal"), readable(x, "both")] == [auto, decimal, both]
    assert parse_number(readable(x, "exact")) == x


def test_in_a_sentence_a_number_is_short():
    x = Rational(44026797, 671088640)
    assert brief(x) == brief(x, "decimal") == "≈0.0656050"
    assert brief(x, "both") == "44026797/671088640 (≈0.0656050)"
    assert brief(Rational(1, 3)) == "1/3"


@pytest.mark.parametrize("seed", range(20))
def test_decimals_are_nearest_and_rounding_is_safe(seed):
    random_ = random.Random(seed)
    x = Rational(random_.randint(-(10**12), 10**12), random_.randint(1, 10 ** random_.randint(1, 20)))
    x = x * parse_number("sqrt(3)") if seed % 2 else x
    text, is_exact = decimal(x, 5)
    near = parse_number(text)
    assert abs(near - x) * 20_000 <= abs(x) * (1 + Rational(1, 10**6))
    assert is_exact == (near == x)
    assert parse_number(rounded_down(x)) <= x <= parse_number(rounded_up(x))


def test_different_constants_stay_different():
    close = [Rational(1, 3), Rational(333333333, 10**9), Rational(33334, 10**5), Rational(1, 3) + Rational(1, 10**40)]
    close += [Rational(1, 3) + Rational(2, 10**40), Rational(3, 4), parse_number("sqrt(2)/2")]
    for numbers in ("auto", "decimal", "both", "exact"):
        texts = constants(close, numbers)
        assert set(texts) == set(close)
        assert len(set(texts.values())) == len(close)
    assert constants(close)[Rational(3, 4)] == "3/4"
    assert constants(close, "decimal")[Rational(3, 4)] == "0.75"
    assert constants([Rational(44026797, 671088640)]) == {Rational(44026797, 671088640): "≈0.06561"}


def test_of_many_inputs_the_unusual_ones_are_told():
    zero, half = Rational(0), Rational(1, 2)
    few = {f"x{i}": zero for i in range(1, 4)}
    assert point_words(few) == "x1=0, x2=0, x3=0"
    many = {f"x{i}": zero for i in range(1, 785)}
    assert point_words(many) == "all 784 inputs are 0"
    assert point_words({**many, "x7": half}) == "x7=1/2, the other 783 inputs are 0"
    grey = dict.fromkeys(many, half)
    assert point_words({**grey, "x7": zero, "x9": parse_number("sqrt(2)/2")}) == (
        "x7=0, x9=sqrt(2)/2, the other 782 inputs are in the middle"
    )
    warm = dict.fromkeys(many, Rational(20))
    assert point_words({**warm, "x8": Rational(123456789, 1000)}, middle=warm) == (
        "x8≈123457, the other 783 inputs are in the middle"
    )
    noise = {name: Rational(i + 2) for i, name in enumerate(many)}
    assert point_words(noise).endswith("x12=13, 772 more inputs")


def test_a_very_long_exact_number_is_left_out_of_a_sentence():
    long = Rational(10**50 + 1, 3 * 10**50)
    assert short(long) == "≈0.333333"
    assert short(long, "both").startswith("1000")
    assert short(Rational(44026797, 671088640)) == "44026797/671088640 (≈0.0656050)"
    assert equated("left", short(long)) == "left ≈ 0.333333"
    assert equated("x", "1/3", "=") == "x=1/3"
