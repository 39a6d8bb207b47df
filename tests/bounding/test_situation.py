"""Parts of the cube, and bounds that are rounded before they are used above."""

from verimv.bounding.situation import Situation, lemma
from verimv.exact import ONE, ZERO, Rational

HALF = Rational(1, 2)


def test_splits_of_inputs_and_of_arguments():
    cube = Situation(((ZERO, ONE), (ZERO, ONE)), {})
    left, right = cube.split(1, HALF)
    assert left.box == ((0, 1), (0, HALF))
    assert right.box == ((0, 1), (HALF, 1))
    below, above = left.split((1, 3), ZERO)
    assert below == Situation(left.box, {(1, 3): (None, ZERO)})
    assert above == Situation(left.box, {(1, 3): (ZERO, None)})
    assert [part.phases for part in above.split((1, 3), ONE)] == [{(1, 3): (ZERO, ONE)}, {(1, 3): (ONE, None)}]
    assert [part.phases for part in below.split((1, 3), ONE)] == [{(1, 3): (None, ZERO)}, {(1, 3): (ONE, ZERO)}]


def test_lemmas_are_short_and_outside():
    value = Rational(10**40 + 1, 3**80)
    for way in (1, -1):
        rounded = lemma(value, way)
        assert way * rounded > way * value
        assert abs(rounded - value) < value / 10**8
        assert rounded.denominator.bit_length() < 64
    assert lemma(Rational(2, 3), 1) == Rational(2, 3)
