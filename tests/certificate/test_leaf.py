"""The kernel's leaf and pair, in scaled whole numbers, against the same walk word by word in fractions (FORMAT.md, §8)."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.bounding.checker import ACT, KINKS
from tests.certificate.fuzz.twins import Compared, offset_of, reduced
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


@st.composite
def systems_with_twins(draw):
    """The same, with twins of some variables and known bounds of changes, some of which fit to the rows."""
    variables, target, facts, splits = draw(systems())
    neurons = [k for k, variable in enumerate(variables) if variable is not None]
    twins, changes = {}, {}
    for k in neurons:
        alike = [m for m in neurons if m < k and variables[m][0] == variables[k][0]]
        if alike and draw(st.booleans()):
            factors = [1, 1, -1] if variables[k][0] == "crelu" else [1, 1, 2, Fraction(1, 3), -1, Fraction(-7, 5)]
            twins[k] = draw(st.sampled_from(alike)), Fraction(draw(st.sampled_from(factors)))
            if draw(st.booleans()):  # an argument that is nearly the same
                m, p = twins[k]
                row = {key: p * c for key, c in variables[m][1].items()}
                more = draw(st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(-1, 3)]))
                variables[k] = variables[k][0], {**row, 1: row.get(1, 0) + offset_of(variables[k][0], p) + more}
                changes |= {(k, "low"): more, (k, "high"): more + draw(st.sampled_from([0, Fraction(1, 8)]))}
            elif draw(st.booleans()):
                changes[k, draw(st.sampled_from(["low", "high"]))] = draw(any_number)
    return (variables, target, facts, splits), (twins, changes)


def as_written(variables, target, facts, splits, multipliers, twins=None, changes=None):
    """The bound of a leaf; None if the situation has no point. `multipliers` is None for default slopes. With twins, the
    bound of a pair."""
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
        is_split = (k, "low") in splits or (k, "high") in splits
        if (kinks or is_split) and k in (twins or {}):
            m, p = twins[k]
            shift, (of_value, of_argument) = offset_of(activation, p), reduced(activation, p)
            x = sorted(p * end + shift for end in arguments[m])
            compared = Compared(activation, (low, high), tuple(x), (changes.get((k, "low")), changes.get((k, "high"))))
            if not compared.cells:
                return None
            if len(compared.cells) == 1 and (multipliers is None or not is_split):
                mu, nu = compared.exact_slopes(c)
            else:
                mu, nu = compared.default_slopes(c) if multipliers is None else (next(given), next(given))
            target[m] = target.get(m, 0) + c * of_value
            for j, weight in row.items():
                target[j] = target.get(j, 0) + mu * weight
            for j, weight in variables[m][1].items():
                target[j] = target.get(j, 0) + ((nu - mu) * p + c * of_argument) * weight
            target[1] = target.get(1, 0) + compared.peak(c, mu, nu) + (c + nu - mu) * shift
            continue
        if kinks or is_split:
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


def by_the_kernel(variables, target, facts, splits, multipliers, twins=None, changes=None):
    """Variables are numbered from 2 here, from 0 in the kernel; the key 1 is that of the constant."""
    work = kernel.Work(10**9)

    def translated(row):
        linear = kernel.linear_of({j - 2: c for j, c in row.items() if j > 1}, work)
        return kernel.Affine(linear, row.get(1, 0))

    known = [kernel.FREE if v is None else kernel.Variable(v[0], translated(v[1])) for v in variables[2:]]
    of_kernel = {k - 2: kernel.twin_of(variables[k][0], m - 2, p) for k, (m, p) in (twins or {}).items()}
    system = kernel.System(known, work, of_kernel)
    for (k, side), bound in facts.items():
        system.learn(k - 2, side, bound)
    for (k, side), bound in (changes or {}).items():
        system.learn_change(k - 2, side, bound)
    bounds = kernel.Bounds({}, {})
    for (k, side), bound in splits.items():
        getattr(bounds, side)[k - 2] = kernel.times(bound, system.scales[k - 2])
    split = frozenset(bounds.low.keys() | bounds.high.keys())
    return system.leaf(kernel.Situation(translated(target), len(known), bounds, split), multipliers, of_kernel)


@given(systems())
@examples(150)
def test_default_slopes(system):
    expected = as_written(*system, None)
    assert by_the_kernel(*system, []) == expected


@given(systems(), st.lists(any_number, min_size=9, max_size=9))
@examples(150)
def test_multipliers(system, numbers):
    check_multipliers(system, numbers)


@given(systems_with_twins())
@examples(250)
def test_default_slopes_of_twins(drawn):
    system, twins = drawn
    assert by_the_kernel(*system, [], *twins) == as_written(*system, None, *twins)


@given(systems_with_twins(), st.lists(any_number, min_size=18, max_size=18))
@examples(250)
def test_multipliers_of_twins(drawn, numbers):
    system, twins = drawn
    check_multipliers(system, numbers, twins)


def check_multipliers(system, numbers, twins=()):
    used = []

    def taken():
        for number in numbers:
            used.append(number)
            yield number

    expected = as_written(*system, taken(), *twins)
    if not used and expected is not None:  # it needs none: then none is what it gets
        assert by_the_kernel(*system, [], *twins) == expected
    else:
        assert by_the_kernel(*system, used or numbers, *twins) == expected


@given(systems_with_twins(), st.lists(any_number, min_size=18, max_size=18), st.data())
@examples(150)
def test_no_point_is_above(drawn, numbers, data):
    """Any point where all bounds hold: its target is at most what a pair gives, whatever the multipliers are."""
    (variables, target, facts, splits), (twins, changes) = drawn
    values, arguments = {1: Fraction(1)}, {}
    for k in range(2, len(variables)):
        if variables[k] is None:
            values[k] = Fraction(data.draw(st.integers(0, 6)), 6)
            arguments[k] = values[k]
        else:
            arguments[k] = sum((c * values[j] for j, c in variables[k][1].items()), Fraction(0))
            values[k] = Fraction(ACT[variables[k][0]](arguments[k]))

    def holds(t, side, bound):
        return t <= bound if side == "high" else t >= bound

    def kept(bounds, of):
        return {key: bound for key, bound in bounds.items() if holds(of(key[0]), key[1], bound)}

    def change(k):
        m, p = twins[k]
        return arguments[k] - (p * arguments[m] + offset_of(variables[k][0], p))

    facts, splits = (kept(bounds, arguments.__getitem__) for bounds in (facts, splits))
    situation = variables, target, facts, splits
    compared = twins, kept(changes, change)
    value = sum(c * values[j] for j, c in target.items())
    assert value <= by_the_kernel(*situation, [], *compared)
    used = []

    def taken():
        for number in numbers:
            used.append(number)
            yield number

    as_written(*situation, taken(), *compared)
    assert value <= by_the_kernel(*situation, used, *compared)
