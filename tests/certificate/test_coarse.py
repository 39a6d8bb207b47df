"""The kernel's sweep, in integers of a few words, against the same sweep word by word in fractions (FORMAT.md, §8)."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.fuzz.cases import CONSTANT, System
from tests.effort import examples
from verimv import kernel
from verimv.exact import parse_number

PLENTY = 10**6
dyadic = st.builds(lambda n, e: Fraction(n, 2**e), st.integers(-200, 200), st.integers(0, 70))
plain = st.fractions(-3, 3, max_denominator=8)
odd = st.fractions(-4, 4, max_denominator=10**4)
sides = st.sampled_from(["low", "high"])
roots = st.sampled_from(["sqrt(2)/2", "-sqrt(3)/3"]).map(parse_number)


@st.composite
def swept_systems(draw):
    """Variables whose arguments are over any before them, how many of them matter, and known and given bounds."""
    numbers = st.one_of(draw(st.sampled_from([plain, dyadic, odd])), st.just(Fraction(0)))
    variables = [None] * draw(st.integers(1, 3))
    for k in range(len(variables), len(variables) + draw(st.integers(1, 7))):
        if draw(st.integers(0, 9)) == 0:  # one that is free, among neurons, as in a cone
            variables.append(None)
            continue
        keys = draw(st.sets(st.integers(max(0, k - draw(st.integers(1, 4))), k - 1), max_size=4))
        row = {key: draw(numbers) for key in (CONSTANT, *keys)}
        activation = draw(st.sampled_from(["relu", "relu", "crelu", "identity"]))
        variables.append((activation, {key: c for key, c in row.items() if c}))
    bounds = st.dictionaries(
        st.tuples(st.integers(0, len(variables) - 1), sides), st.one_of(plain, odd, roots), max_size=4
    )
    return variables, draw(st.integers(1, len(variables))), draw(bounds), draw(bounds)


def by_the_kernel(variables, count, known, given_bounds):
    """All bounds of the situation after a sweep; of those that it had before, what they are now."""
    work = kernel.Work(0, PLENTY)

    def translated(row):
        linear = kernel.linear_of({j: c for j, c in row.items() if j != CONSTANT}, work)
        return kernel.Affine(linear, row.get(CONSTANT, 0))

    definitions = [kernel.FREE if v is None else kernel.Variable(v[0], translated(v[1])) for v in variables]
    system = kernel.System(definitions, work)
    for (k, side), bound in known.items():
        system.learn(k, side, of_kernel(bound))
    bounds = kernel.Bounds({}, {})
    for (k, side), bound in given_bounds.items():
        getattr(bounds, side)[k] = kernel.times(of_kernel(bound), system.scales[k])
    situation = kernel.Situation(kernel.Affine(kernel.NOTHING, 0), count, bounds, frozenset([7]))
    found = system.swept(situation, work)
    assert found._replace(bounds=bounds) == situation  # nothing else has changed
    return {
        (k, side): bound * Fraction(1, system.scales[k])
        for side in ("low", "high")
        for k, bound in getattr(found.bounds, side).items()
    }


def of_kernel(bound):
    return bound if isinstance(bound, Fraction) else kernel.number(str(bound))


def as_written(variables, count, known, given_bounds):
    after = System(variables).swept(count, {**known, **given_bounds})
    before = {**known, **given_bounds}
    new = {key: bound for key, bound in after.items() if before.get(key) is not bound}
    return {key: of_kernel(bound) for key, bound in {**given_bounds, **new}.items()}


@given(swept_systems())
@examples(300)
def test_bounds_are_those_of_the_format(system):
    assert by_the_kernel(*system) == as_written(*system)


@given(swept_systems(), st.data())
@examples(150)
def test_points_keep_the_bounds(system, data):
    """A point where all bounds hold also keeps those of a sweep."""
    variables, count, known, given_bounds = system
    values, arguments = {CONSTANT: Fraction(1)}, []
    for k, variable in enumerate(variables):
        if variable is None:
            arguments.append(Fraction(data.draw(st.integers(0, 6)), 6))
        else:
            arguments.append(sum((c * values[j] for j, c in variable[1].items()), Fraction(0)))
        clipped = {"relu": (0, None), "crelu": (0, 1)}.get(variable and variable[0], (None, None))
        values[k] = arguments[k] if clipped[0] is None else max(arguments[k], Fraction(0))
        values[k] = values[k] if clipped[1] is None else min(values[k], Fraction(1))

    def holds(key, bound):
        return arguments[key[0]] <= bound if key[1] == "high" else arguments[key[0]] >= bound

    kept = [{key: bound for key, bound in bounds.items() if holds(key, bound)} for bounds in (known, given_bounds)]
    found = by_the_kernel(variables, count, *kept)
    assert [key for key, bound in found.items() if isinstance(bound, Fraction) and not holds(key, bound)] == []


def test_a_sweep_finds_more_than_intervals():
    """x − x over two layers: intervals do not see that it is 0."""
    row = {0: Fraction(1), CONSTANT: Fraction(-1, 2)}
    variables = [None, ("relu", row), ("identity", {1: Fraction(1)}), ("relu", {1: Fraction(1), 2: Fraction(-1)})]
    found = by_the_kernel(variables, 4, {}, {})
    assert (found[1, "low"], found[1, "high"]) == (Fraction(-1, 2), Fraction(1, 2))
    assert (found[3, "low"], found[3, "high"]) == (0, 0)
