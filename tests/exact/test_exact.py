import math
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from verimv.core.errors import InputError, Undecided
from verimv.exact import (
    MAX_DIGITS,
    Rational,
    as_number,
    ceil,
    clip,
    floor,
    format_number,
    is_integer,
    parse_number,
    sign,
)
from verimv.exact.algebraic import Algebraic, square_root


@pytest.mark.parametrize(("text", "value"), [
    ("3", Fraction(3)), ("-3/4", Fraction(-3, 4)), ("+1/2", Fraction(1, 2)), ("0.125", Fraction(1, 8)),
    ("1e-3", Fraction(1, 1000)), ("2.5E2", Fraction(250)), ("0.1", Fraction(1, 10)), ("007", Fraction(7)),
    ("-2*-3", Fraction(6)), ("(1+2)/(3-1)", Fraction(3, 2)), ("sqrt(4/9)", Fraction(2, 3)),
])  # fmt: skip
def test_rationals_are_read_literally(text, value):
    assert parse_number(text) == value
    assert isinstance(parse_number(text), Rational)


@pytest.mark.parametrize("text", [
    "", " ", " 1", "1 ", "\t1", "1_000", "٣", "１", "²", "nan", "NaN", "inf", "-inf", "Infinity", "1.", ".5", "--1", "+-1", "1e",
    "0x10", "1/0", "1/(1-1)", "(1", "1)", "1 1", "sqrt2", "sqrt(2", "sqrt(-1)", "sqrt(1-sqrt(2))", "2^3", "True", "1j",
    "1e5000", "1e-5000", "1e99999999999999999999", "9" * 5000, "1/" + "9" * 5000, "0." + "1" * 5000, "(" * 40 + "1" + ")" * 40,
])  # fmt: skip
def test_everything_else_is_malformed(text):
    with pytest.raises(InputError) as error:
        parse_number(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_long_numbers_up_to_the_limit_are_read_and_printed():
    digits = "7" * MAX_DIGITS
    assert format_number(parse_number(digits)) == digits
    assert format_number(parse_number(f"{digits}/{'3' * 4000}")).count("/") == 1


PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
LARGEST = "9" * MAX_DIGITS


@pytest.mark.parametrize("text", [
    LARGEST, f"1/{LARGEST}", f"1e{MAX_DIGITS - 1}", f"-1e-{MAX_DIGITS - 1}", f"{LARGEST}-1", "1e2000*1e2000*1e-4000", "+".join("1" * 5000),
    "+".join(f"1/{p}" for p in range(1, 1000)), f"sqrt(1e{MAX_DIGITS - 1}+1)", f"{LARGEST}*sqrt(2)", "+".join(f"sqrt({p})" for p in PRIMES),
    "1/(" + "+".join(f"12345*sqrt({p})" for p in PRIMES[:6]) + ")", "sqrt(2+" * 7 + "3" + ")" * 7,
    "+".join(f"{p}/7*sqrt({p})*sqrt(2+sqrt(3))/11" for p in PRIMES[:5] * 8),
])  # fmt: skip
def test_numbers_that_are_long_but_not_too_long(text):
    value = parse_number(text)
    assert parse_number(format_number(value)) == value


@pytest.mark.parametrize("text", [
    f"1e{MAX_DIGITS}", f"1e-{MAX_DIGITS}", f"{LARGEST}+1", f"99e{MAX_DIGITS - 1}", f"{LARGEST}.5", f"1/{LARGEST}/7", "*".join(["1e4200"] * 5000),
    "1" + "/1e4200" * 5000, "1e4200*1e-4200*" * 50_000 + "1", "+".join(f"1/{10**30 + p}" for p in range(1000)),
    "-".join(["sqrt(1e4200-1)"] * 5000), "*".join(f"sqrt(1e4200+{p})" for p in range(9)), f"sqrt(1/{LARGEST[1:]}7)*1e-99",
    "1/(" + "+".join(f"(1e4000+{p})*sqrt({p})" for p in PRIMES[:6]) + ")", "1/(" + "-".join(f"(1e99+{p})*sqrt({p})" for p in PRIMES) + ")",
    "sqrt(2+" * 28 + "3" + ")" * 28, "1/(1+" + "sqrt(2+" * 20 + "3" + ")" * 20 + ")", "sqrt(1e1000+" * 8 + "3" + ")" * 8,
    "*".join(f"({p}-4*sqrt({p}))" for p in PRIMES[:6]) + "*sqrt(19)" + "+sqrt(19)" * 50_000, "sqrt(" * 31 + "2" + ")" * 31, "2**9", "2**9**9**9",
], ids=lambda text: text[:20])  # fmt: skip
def test_short_texts_that_say_too_much_are_refused_at_once(text):
    begin = time.process_time()
    with pytest.raises(InputError) as error:
        parse_number(text)
    assert time.process_time() - begin < 20, "machines may be busy; without a bound each of them takes minutes or hours"
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "value", [0.1, -2.5, 5e-324, 1.7976931348623157e308, np.float32(0.1), np.float64(1 / 3), np.float16(0.3)]
)
def test_floats_are_the_dyadic_rationals_they_store(value):
    assert as_number(value) == Fraction(float(value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), True, np.bool_(False), None, [1], 1j])
def test_values_that_are_no_numbers(value):
    with pytest.raises(InputError):
        as_number(value)


@pytest.mark.parametrize(("text", "printed"), [
    ("sqrt(2)/2", "sqrt(2)/2"), ("1/sqrt(2)", "sqrt(2)/2"), ("sqrt(8)", "2*sqrt(2)"), ("-sqrt(2)/2+1/3", "1/3-sqrt(2)/2"),
    ("(1+sqrt(5))/2", "1/2+sqrt(5)/2"), ("sqrt(2)*sqrt(3)", "sqrt(6)"), ("sqrt(6)/sqrt(2)", "sqrt(3)"),
    ("sqrt(3+2*sqrt(2))", "1+sqrt(2)"), ("sqrt(2)*sqrt(3)*sqrt(6)", "6"), ("sqrt(2+sqrt(2))", "sqrt(2+sqrt(2))"),
    ("3*sqrt(1/2)", "3*sqrt(2)/2"),
])  # fmt: skip
def test_algebraic_numbers_print_exactly(text, printed):
    assert format_number(parse_number(text)) == printed
    assert parse_number(printed) == parse_number(text)


def test_hidden_equalities_are_decided():
    product = parse_number("sqrt(2+sqrt(2))*sqrt(2-sqrt(2))")
    assert product == parse_number("sqrt(2)")
    assert sign(product - parse_number("sqrt(2)")) == 0
    assert floor(product * product) == ceil(product * product) == 2
    one = product / parse_number("sqrt(2)")
    assert 1 / one == 1
    assert not one - 1
    # √2+√3 and √(5+2√6) are equal; √2+√3 and 3.1462643699419723 differ in the 17th digit
    assert parse_number("sqrt(2)+sqrt(3)") == parse_number("sqrt(5+2*sqrt(6))")
    assert parse_number("sqrt(2)+sqrt(3)") > Fraction(31462643699419723, 10**16)


def test_zero_in_disguise():
    """Products of large primes keep two radicals, so this zero is not represented as 0."""
    zero = parse_number("sqrt(100160063)-sqrt(10007)*sqrt(10009)")
    assert isinstance(zero, Algebraic)
    assert not zero
    assert square_root(zero) == 0
    with pytest.raises(ZeroDivisionError):
        1 / zero
    with pytest.raises(InputError, match="division by zero"):
        parse_number("1/sqrt(sqrt(100160063)-sqrt(10007)*sqrt(10009))")


def test_too_many_radicals_are_refused():
    with pytest.raises(Undecided, match="square roots"):
        parse_number("+".join(f"sqrt({p})" for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)))


surds = st.builds(
    "({}+({})*sqrt({})+({})*sqrt({}))".format,
    st.fractions(-5, 5, max_denominator=7), st.fractions(-5, 5, max_denominator=7), st.sampled_from([2, 3, 6, 12]),
    st.fractions(-5, 5, max_denominator=7), st.sampled_from(["5", "2+sqrt(2)", "3"]),
)  # fmt: skip


@given(surds, surds)
def test_field_operations_and_order_agree_with_sympy(a, b):
    x, y = parse_number(a), parse_number(b)
    expected_x, expected_y = sympy.sympify(a, rational=True), sympy.sympify(b, rational=True)
    for ours, theirs in [
        (x + y, expected_x + expected_y),
        (x - y, expected_x - expected_y),
        (x * y, expected_x * expected_y),
    ]:
        assert _same(ours, theirs)
    if y:
        assert (x / y) * y == x
    difference = expected_x - expected_y
    assert sign(x - y) == (0 if _is_zero(difference) else int(sympy.sign(difference.evalf(60))))
    assert hash(x * 1) == hash(x + y - y)
    assert floor(x) <= x < floor(x) + 1
    assert ceil(x) - 1 < x <= ceil(x)
    assert math.isclose(float(x), float(expected_x.evalf(30)), abs_tol=1e-12)
    assert parse_number(format_number(x)) == x


def _same(ours, theirs) -> bool:
    return _is_zero(sympy.sympify(format_number(ours), rational=True) - theirs)


def _is_zero(expression) -> bool:
    """Decide by 60 digits, and where these show no difference by the minimal polynomial."""
    if abs(expression.evalf(60)) > sympy.Float("1e-40"):
        return False
    return bool(
        sympy.expand(expression) == 0 or sympy.minimal_polynomial(expression, sympy.Symbol("z")) == sympy.Symbol("z")
    )


@given(st.fractions(-3, 3))
def test_clip_floor_and_integrality(x):
    number = as_number(x)
    assert clip(number) == min(1, max(0, x))
    assert floor(number) == math.floor(x)
    assert ceil(number) == math.ceil(x)
    assert is_integer(number) == (x.denominator == 1)
    assert hash(number) == hash(x)


def test_square_root_of_a_rational_with_many_primes_is_one_radical():
    root = square_root(Rational(2 * 3 * 5 * 7 * 11 * 13 * 17))
    assert isinstance(root, Algebraic)
    assert root.levels == 1
    assert root * root == 2 * 3 * 5 * 7 * 11 * 13 * 17


def test_python_limits_on_digits_stay_in_force():
    assert sys.get_int_max_str_digits() == 4300
