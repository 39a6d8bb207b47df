"""Formulas with 10⁶ nodes, nested 10⁶ deep: read, measured, evaluated, printed and read back without recursion."""

import numpy as np
import pytest

from tests.effort import scaled
from verimv.exact import Rational
from verimv.formulas.formula import parse
from verimv.formulas.mvfile import read_mv, write_mv

MILLION = 10**6


def chain(count: int, line: str) -> str:
    body = "".join(line.format(new=i + 1, old=i, older=max(0, i - 5)) for i in range(count))
    return f"verimv-formula 1\ninputs x y\nt0 = x ⊕ y\n{body}outputs t{count}\n"


@pytest.mark.parametrize("count", [20_000, pytest.param(MILLION, marks=pytest.mark.slow)])
def test_shared_nodes(count):
    formula = read_mv(chain(count, "t{new} = t{old} ⊙ ¬t{older}\n"))
    measures = formula.measure()
    assert measures.size > count
    assert measures.depth > count
    assert measures.length_text.startswith("~2^") == (count == MILLION)
    value = formula(x="1/3", y="1/5")
    assert 0 <= value <= 1
    assert read_mv("".join(write_mv(formula))) == formula
    points = np.linspace(0, 1, 5)
    assert formula(x=points, y=points).shape == (5,)


@pytest.mark.parametrize("count", [20_000, pytest.param(MILLION, marks=pytest.mark.slow)])
def test_doubling_has_an_exact_length_or_its_logarithm(count):
    formula = read_mv(chain(count, "t{new} = t{old} ⊕ t{old}\n"))
    text = formula.measure().length_text
    assert text == (str(2 ** (count + 1)) if count < 4000 else f"~2^{count + 1}" if count > 34_000 else text)
    if count == 20_000:
        assert formula.length == 2**20_001
        assert len(text) == 6021
    assert formula(x=0, y="1/7") == 1


OPENINGS = ("¬(", "(", "¬", "(x ⊕ ", "x ⊙ (")
#: A million of one kind in a usual run, and of every kind in a longer one.
LARGE = {opening: MILLION if opening == "(x ⊕ " else min(MILLION, scaled(200_000)) for opening in OPENINGS}


@pytest.mark.parametrize(
    ("opening", "count"),
    [
        *((opening, 20_000) for opening in OPENINGS),
        *(pytest.param(opening, count, marks=pytest.mark.slow) for opening, count in LARGE.items()),
    ],
)
def test_nesting(opening, count):
    closing = ")" * (count if "(" in opening else 0)
    formula = parse(opening * count + "y" + closing)
    measures = formula.measure()
    assert measures.length_text == str(1 + count * opening.count("x"))
    point = {name: Rational(1, 3) for name in formula.inputs}
    assert formula.at(point)[0] in (Rational(1, 3), 1, 0)
    assert read_mv("".join(write_mv(formula))) == formula
    assert len(str(formula)) < 40 * count


def test_long_flat_sums():
    formula = parse(" ⊕ ".join(["x", "y"] * 20_000))
    assert formula.length == 40_000
    assert parse(formula.text()) if "\n" not in formula.text() else True
    assert read_mv("".join(write_mv(formula))) == formula
