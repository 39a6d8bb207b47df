"""The kernel's leaf, in scaled whole numbers, against the same walk word by word in fractions (FORMAT.md, section 8)."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.bounding.checker import ACT, KINKS
from tests.effort import examples
from verimv import kernel

whole = st.integers(-3, 3).map(Fraction)
dyadic = st.builds(lambda n, e: Fraction(n, 2**e), st.integers(-200, 200), st.integers(0, 70))
any_number = st.one_of(whole, dyadic, st.fractions(-4, 4, max_denominator=30))


@st.composite
def systems(draw):
    """Variables, a target, known bounds, bounds by splits, multipliers."""
    inputs = draw(st.integers(1, 3))
    weights = draw(st.sampled_from([whole, dyadic, any_number]))
    variables, below = [None] * (2 + inputs), range(2, 2 + inputs)
    for width in draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)):
        activation = draw(st.sampled_from(["relu", "relu", "crelu", "identity"]))
        variables += [(activation, draw(rows(weights, below))) for _ in range(width)]
        below = range(below.stop, below.stop + width)
    keys = st.tuples(st.integers(2, len(variables) - 1), st.sampled_from(["low", "high"]))
    of_neurons = keys.filter(lambda key: variables[key[0]] is not None)
    facts = draw(st.dictionaries(of_neurons, any_number, max_size=3))
    splits = draw(
        st.dictionaries(keys, st.one_of(st.sampled_from([Fraction(0), Fraction(1, 2)]), any_number), max_size=2)
    )
    return variables, draw(rows(weights, below)), facts, splits


def rows(weights, below):
    terms = st.fixed_dictionaries(dict.fromkeys((1, *below), weights))
    return terms.map(lambda row: {key: c for key, c in row.items() if c})


def as_written(variables, target, facts, splits, multipliers):
    """The bound of a leaf; None if the situation has no point. `multipliers` is None for default slopes."""
    bounds, ranges, arguments = facts | splits, {1: (1, 1)}, {}
    for k in range(2, len(variables)):
        low, high = Fraction(0), Fraction(1)
        if variables[k] is not None:
            terms = [sorted(c * end for end in ranges[j]) for j, c in variables[k][1].items()]
            low, high = (sum((term[i] for term in terms), Fraction(0)) for i in (0, 1))
        low, high = max(low, bounds.get((k, "low"), low)), min(high, bounds.get((k, "high"), high))
        if low > high:
            return None
        act = ACT["identity" if variables[k] is None else variables[k][0]]
        arguments[k], ranges[k] = (low, high), (act(low), act(high))
    target, given = dict(target), iter(multipliers or ())
    for k in reversed([k for k in range(2, len(variables)) if variables[k] is not None]):
        (activation, row), (low, high), c = variables[k], arguments[k], target.pop(k, Fraction(0))
        act, kinks = ACT[activation], [z for z in KINKS[activation] if low < z < high]
        if kinks or (k, "low") in splits or (k, "high") in splits:
            mu = c * default(activation, c, low, high) if multipliers is None else next(given)
        else:
            mu = c if act(low) == low and act(high) == high else Fraction(0)
        for j, weight in row.items():
            target[j] = target.get(j, 0) + mu * weight
        target[1] = target.get(1, 0) + max(c * act(z) - mu * z for z in (low, high, *kinks))
    return sum(max(c * end for end in ranges[j]) for j, c in target.items())


def default(activation, c, low, high):
    if low < high and (c > 0 or activation != "relu"):
        slope = Fraction(ACT[activation](high) - ACT[activation](low)) / (high - low)
        return Fraction(math.floor(slope * 2**16), 2**16)
    return int(low + high > 0)


def by_the_kernel(variables, target, facts, splits, multipliers):
    """Variables are numbered from 2 here, from 0 in the kernel; the key 1 is that of the constant."""
    work = kernel.Work(10**9)

    def translated(row):
        linear = kernel.linear_of({j - 2: c for j, c in row.items() if j > 1}, work)
        return kernel.Affine(linear, row.get(1, 0))

    known = [kernel.FREE if v is None else kernel.Variable(v[0], translated(v[1])) for v in variables[2:]]
    system = kernel.System(known, work)
    for (k, side), bound in facts.items():
        system.learn(k - 2, side, bound)
    bounds = kernel.Bounds({}, {})
    for (k, side), bound in splits.items():
        getattr(bounds, side)[k - 2] = kernel.times(bound, system.scales[k - 2])
    split = frozenset(bounds.low.keys() | bounds.high.keys())
    return system.leaf(kernel.Situation(translated(target), len(known), bounds, split), multipliers)


@given(systems())
@examples(150)
def test_default_slopes(system):
    expected = as_written(*system, None)
    assert by_the_kernel(*system, []) == expected


@given(systems(), st.lists(any_number, min_size=9, max_size=9))
@examples(150)
def test_multipliers(system, numbers):
    used = []

    def taken():
        for number in numbers:
            used.append(number)
            yield number

    expected = as_written(*system, taken())
    if not used and expected is not None:  # it needs none: then none is what it gets
        assert by_the_kernel(*system, []) == expected
    else:
        assert by_the_kernel(*system, used or numbers) == expected
