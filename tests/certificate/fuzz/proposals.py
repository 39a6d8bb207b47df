"""Random lines of each rule, most of which follow: their conditions are looked up in the ranges of earlier claims."""

from __future__ import annotations

from tests.certificate.fuzz.author import Author, added
from tests.certificate.fuzz.cases import CONSTANT, Row, System, combined
from tests.certificate.fuzz.meaning import ONE, ZERO
from verimv.exact import Number, Rational, ceil, format_number, parse_number

_FACTORS = ["d[1]", "d[2]", "d[3]", "D[0]", "D[1]", "D[1/2]", "D[2/3]", "D[1/3]", "D[sqrt(2)/2]", "D[sqrt(3)-1]"]
_TINY = [Rational(1, 2**40), Rational(1, 1000), Rational(1, 7)]


def _some(author: Author, low: int | None = None, high: int | None = None, share: float = 0.85) -> int:
    """A claim whose form is within [low, high], if one is found soon; sometimes within 1 of that, sometimes any."""
    claim = author.any_claim()
    if author.chance(0.15):
        low, high = None if low is None else low - 1, None if high is None else high + 1
    for _ in range(6 if author.chance(share) else 0):
        _, _, least, most = author.claims[claim]
        if (low is None or least >= low) and (high is None or most <= high):
            break
        claim = author.any_claim()
    return claim


def node(author: Author) -> None:
    author.propose(["node", author.source.randrange(3 + len(author.world.inputs))])


def atom(author: Author) -> None:
    author.propose(["atom", author.any_claim()])


def negation(author: Author) -> None:
    author.propose(["not", author.any_claim()])


def scale(author: Author) -> None:
    author.propose(["scale", author.source.choice(_FACTORS), _some(author, high=1)])


def plus(author: Author) -> None:
    count = author.source.choice([1, 2, 2, 2, 3])
    claims = [_some(author, low=0) for _ in range(count)]
    author.propose(["plus", *(_twice(author) if author.chance(0.2) else claims)])


def times(author: Author) -> None:
    count = author.source.choice([1, 2, 2, 2, 3])
    claims = [_some(author, high=1) for _ in range(count)]
    author.propose(["times", *(_twice(author) if author.chance(0.2) else claims)])


def _twice(author: Author) -> list[int]:
    """A claim twice, which needs no range; or twice and another one, which does."""
    return [author.any_claim()] * 2 + [author.any_claim()] * author.source.choice([0, 0, 1])


def shift(author: Author) -> int | None:
    """A claim about an earlier form and 1 more, or less: `lemma`, `cut`, `sort` and `average` need such pairs."""
    claim = author.any_claim()
    _, form, low, high = author.claims[claim]
    if low >= 0 and author.chance(0.5):
        return author.propose(["plus", claim, author.constant(1)])
    if high <= 1 and author.chance(0.7):
        return author.propose(["times", claim, author.constant(0)])
    return author.built(added((form, ONE), plus=Rational(author.source.choice([1, -1]))))


def _pair(author: Author) -> tuple[int, int]:
    """Claims of a form g and of g + 1; sometimes of another distance."""
    low = author.any_claim()
    steps = Rational(1) if author.chance(0.9) else Rational(author.source.choice([0, 2, -1]))
    form = added((author.claims[low][1], ONE), plus=steps)
    above = author.existing(form)
    if above is None and author.chance(0.5):
        above = author.built(form)
    return low, author.any_claim() if above is None else above


def lemma(author: Author) -> None:
    below, above = _pair(author)
    author.propose(["lemma", below, _some(author, 0, 1, 0.7), above])


def cut(author: Author) -> None:
    below, above = _pair(author)
    first, numbers = author.any_claim(), ["0", "0", "1", "2", "1/2", "1/3", "3", "-1"]
    for _ in range(3):
        if author.propose(["cut", first, below, above, *author.source.choices(numbers, k=2)]) is not None:
            break


def _sequence(author: Author, first: Number | None = None) -> list[int] | None:
    """Claims of a form f, f − 1, …, as many as f is high, perhaps one more or less."""
    base = _some(author, low=0)
    form = author.claims[base][1]
    if author.chance(0.5):
        form = added((form, ONE), (author.claims[_some(author, 0, 1)][1], ONE))
    if first is not None:
        form = added((form, first), plus=Rational(author.source.choice([0, 0, 0, -1, 1])))
    high = sum((c for n, c in form.items() if n == 1 or c > 0), ZERO)
    count = max(1, min(4, ceil(high))) + author.source.choice([0, 0, 0, 0, 1, -1])
    found = []
    for k in range(count):
        claim = author.built(added((form, ONE), plus=Rational(-k)))
        if claim is None:
            return None
        found.append(claim)
    if found and author.chance(0.1):
        found[-1] = author.any_claim()
    return found


def sort(author: Author) -> None:
    """Of longer sequences, too: their merge has several steps."""
    factors = [author.source.choice([None, Rational(2), Rational(3)]) for _ in range(2)]
    first, second = (_sequence(author, factor) for factor in factors)
    if first is not None and second is not None:
        author.propose(["sort", len(first), *first, *second])


def average(author: Author) -> None:
    """The units of s·x − p, the atoms of which have the average x."""
    units = _sequence(author, Rational(author.source.choice([1, 2, 3])))
    if not units:
        return
    ones = author.source.choice([0, 0, 1, 1, 2])
    total = max(1, ones + len(units) + author.source.choice([0, 0, 0, 1, 1, 2, -1]))
    share = Rational(1, total)
    atoms = added(*(({author.claims[c][0]: ONE}, ONE) for c in units))
    atoms = {1 if n == 1 else n: c for n, c in atoms.items() if n}
    wanted = added((atoms, share), plus=ones * share)
    claim = author.built(wanted)
    if claim is not None:
        author.propose(["average", total, ones, claim, *units])


def same(author: Author) -> None:
    first = author.any_claim()
    _, form, low, high = author.claims[first]
    twin = author.existing(form) if author.chance(0.5) else None
    if twin is None:
        twin = _some(author, low=1) if low >= 1 else _some(author, high=0) if high <= 0 else author.any_claim()
    author.propose(["same", first, twin])


def unit(author: Author) -> None:
    due = author.due()
    layer, i = (due[0], due[1]) if due else (author.source.randint(0, 3), 0)
    width = author.world.layers[layer - 1][1] if due else 1
    if author.chance(0.3):
        i = author.source.randrange(width + 1)
    share = author.source.choice(["1", "1", "1/2", "2", "-1", "0", "1/3", "sqrt(2)/2"])
    author.propose(["unit", layer, i, share, author.source.randint(-1, 2)])


# -- proofs by cases ----------------------------------------------------------------------------------------------------


def bound(author: Author) -> None:
    """First tighter than what is true, then tighter than what the cases prove, then as tight as they do."""
    if author.system is None:
        return
    layer = author.source.randrange(len(author.world.layers)) + 1
    if author.chance(0.4):
        layer = len(author.world.layers)
    width = author.world.layers[layer - 1][1]
    prove_bound(author, layer, author.source.randrange(width), author.source.choice(["low", "high"]))


def twin(author: Author) -> None:
    """Of a neuron: most often one that has nearly a multiple of its argument, with the right factor. Then how far apart
    they are, or a bound of what is above."""
    if author.system is None:
        return
    source, variables, inputs = author.source, author.system.variables, len(author.world.inputs)
    layer = source.randrange(len(author.world.layers)) + 1
    first, width, name = author.world.layers[layer - 1]
    i = source.randrange(width)
    row = variables[inputs + first + i][1]
    before = range(inputs, inputs + first + i)
    alike = [m for m in before if variables[m][0] == name] if author.chance(0.9) else [*before, inputs + first + i]
    if not alike:
        return
    shares = {m: _factor(row, variables[m][1]) for m in alike}
    close = [m for m in alike if shares[m] is not None]
    m = source.choice(close if close and author.chance(0.8) else alike)
    factor = ONE if shares[m] is None else shares[m]
    if name == "crelu":
        factor = ONE if factor > 0 else -ONE
    if author.chance(0.25):  # another one, which may be forbidden
        factor *= parse_number(source.choice(["2", "1/2", "3", "sqrt(2)", "0", "-1", "-1"]))
    if author.propose(["twin", layer, i, m, format_number(factor)]) is None:
        return
    for side in ("low", "high"):
        if author.chance(0.7):
            prove_bound(author, layer, i, side, is_change=True)
    top = len(author.world.layers)
    for side in ("low", "high"):
        if author.chance(0.5):
            above = top if author.chance(0.7) else source.randint(min(layer + 1, top), top)
            prove_bound(author, above, source.randrange(author.world.layers[above - 1][1]), side)


def _factor(row: Row, other: Row) -> Number | None:
    """How many times the other row a row is, by the first coefficient that both have."""
    both = sorted(row.keys() & other.keys() - {CONSTANT})
    return row[both[0]] / other[both[0]] if both and row[both[0]] and other[both[0]] else None


def apart(author: Author) -> None:
    """A bound of the change of a neuron that has a twin."""
    if author.system is not None and author.system.twins:
        k = author.source.choice(sorted(author.system.twins)) - len(author.world.inputs)
        for layer, (first, width, _) in enumerate(author.world.layers, start=1):
            if first <= k < first + width:
                prove_bound(author, layer, k - first, author.source.choice(["low", "high"]), is_change=True)


def prove_bound(author: Author, layer: int, i: int, side: str, is_change: bool = False) -> bool:
    """Lines about the argument of a neuron, or about its change."""
    source, inputs = author.source, len(author.world.inputs)
    first, way = author.world.layers[layer - 1][0], ONE if side == "high" else -ONE
    k, rule = inputs + first + i, "apart" if is_change else "bound"
    target = combined((author.system.change(k) if is_change else author.system.variables[k][1], way))
    known = {
        (inputs + k, s): b for k in range(first) for s in ("low", "high") if (b := author.view.bound(k, s)) is not None
    }
    count = inputs + first
    cases, bounds = author.system.grown(target, count, known, source.choice([0, 0, 0, 1, 1, 2, 3]), source)
    real = max(way * t for t in (author.judge.changes if is_change else author.world.arguments)[first + i])
    proved = max(bounds, default=real)
    if author.chance(0.35):  # what the simplest proof must not show
        value = way * (real - source.choice([*_TINY, ONE / 2]))
        simplest = ["pair" if author.system.twins else "leaf"]
        author.propose([rule, layer, i, side, format_number(value), simplest])
    if len(bounds) > 1 and author.chance(0.15):  # the last case left out
        author.propose([rule, layer, i, side, format_number(way * max(bounds[:-1])), *cases[:-1]])
    tries = [proved]
    if proved > real and author.chance(0.4):
        tries.insert(0, proved - min(source.choice(_TINY), proved - real))
    if author.chance(0.4):
        tries.insert(0, real - source.choice([*_TINY, ONE / 2]))
    if author.chance(0.2):
        tries.append(proved + source.choice([*_TINY, ONE]))
    return any(author.propose([rule, layer, i, side, format_number(way * v), *cases]) is not None for v in tries)


def assumed_bound(author: Author) -> None:
    """A bound without evidence: true or false, it must keep a certificate from being valid."""
    if author.system is None:
        return
    layer = author.source.randrange(len(author.world.layers)) + 1
    i = author.source.randrange(author.world.layers[layer - 1][1])
    k = len(author.world.inputs) + author.world.layers[layer - 1][0] + i
    rule = "apart" if k in author.system.twins else "bound"
    author.propose([rule, layer, i, author.source.choice(["low", "high"]), author.source.choice(["0", "1", "1/2"])])


def _definition(author: Author, node: int, cone: list[int], places: dict[int, int], depth: int) -> None:
    """Put a node into a cone, after what it is defined by; or as a free one."""
    if node in places or node < 2:
        return
    claims = [c for c in author.about[node] if author.claims[c][1] != {node: ONE}]
    if claims and depth:
        claim = author.source.choice(claims)
        for inner in author.claims[claim][1]:
            if inner != node:
                _definition(author, inner, cone, places, depth - 1)
        if node not in places and author.claims[claim][1].keys() <= {1, *places}:
            places[node] = len(cone)
            cone.append(claim)
            return
    if node not in places:
        places[node] = len(cone)
        cone.append(author.atom(node))


def detour(author: Author) -> None:
    """(a ⊕ b) ⊙ ¬b or (a ⊙ ¬b) ⊕ b: would be a if nothing were clipped, and looks like it in forms."""
    a, b = (author.atom(author.claims[author.any_claim()][0]) for _ in range(2))
    inverse = author.required(["not", b])
    first, second = (["plus", a, b], "times") if author.chance(0.5) else (["times", a, inverse], "plus")
    middle = author.atom(author.claims[author.required(first)][0])
    author.required([second, middle, inverse if second == "times" else b])
    if author.chance(0.7):
        equals(author)


def _equal_pair(author: Author) -> tuple[int, int]:
    """Claims about different nodes that have the same value at all points, or would have it if σ clipped nothing."""
    a = author.any_claim() if author.chance(0.7) else len(author.claims) - 1
    vectors, node = author.judge.claims, author.claims[a][0]
    others = [c for c in range(1, len(vectors)) if author.claims[c][0] != node]
    alike = [c for c in others if vectors[c] == vectors[a]]
    if not alike or author.chance(0.2):
        unclipped = author.unclipped[node]
        alike = [c for c in others if author.unclipped[author.claims[c][0]] == unclipped] or alike
    return a, author.source.choice(alike) if alike else author.any_claim()


def equals(author: Author) -> None:
    source, (a, b) = author.source, _equal_pair(author)
    cone: list[int] = []
    places: dict[int, int] = {}
    for claim in (a, b):
        _definition(author, author.claims[claim][0], cone, places, source.choice([1, 1, 2, 3]))
    if len(cone) > 7:
        return
    if author.chance(0.3):  # the simplest proof, which would do if nothing were clipped
        author.propose(["equals", a, b, cone, ["leaf"], ["leaf"]])
        return
    variables: list[tuple[str, Row] | None] = []
    for claim in cone:
        node, form = author.claims[claim][:2]
        row = {CONSTANT if n == 1 else places[n]: c for n, c in form.items()} if form != {node: ONE} else None
        variables.append(None if row is None else ("crelu", row))
    system, cases, bounds = System(variables), [], []
    system.sweeping = author.sweeping
    rows = [_place(author.claims[claim][0], places) for claim in (a, b)]
    for first, second in (rows, rows[::-1]):
        more = system.grown(
            combined((first, ONE), (second, -ONE)), len(variables), {}, source.choice([0, 1, 2, 3, 4]), source
        )
        cases, bounds = cases + more[0], bounds + more[1]
    if max(bounds, default=ZERO) <= 0 or author.chance(0.3):
        author.propose(["equals", a, b, cone, *cases])


def _place(node: int, places: dict[int, int]) -> Row:
    return {places[node]: ONE} if node > 1 else {CONSTANT: ONE} if node else {}


def tampered(author: Author) -> None:
    """An earlier line with something else in one place."""
    if not author.lines:
        return
    source, line = author.source, list(author.source.choice(author.lines[-12:]))
    place = source.randrange(1, len(line))
    if author.chance(0.2):
        del line[-1]
    elif isinstance(line[place], int):
        line[place] = source.choice([line[place] + 1, line[place] - 1, -line[place], 0, 1, author.any_claim()])
    elif isinstance(line[place], list):
        lost = source.randrange(len(line[place])) if line[place] else 0
        more = [*line[place], source.choice(["1", "0", 1])]
        line[place] = source.choice([line[place][:lost] + line[place][lost + 1 :], more, ["leaf"], ["pair"]])
    else:
        line[place] = source.choice(["0", "1", "-1", "1/2", "2", "low", "high", "d[2]", "D[1/2]"])
    is_assumption = line[0] in ("bound", "apart") and not line[5:]
    if not is_assumption:
        author.propose(line)


def forbidden(author: Author) -> None:
    """Lines whose conditions fail, by a little or a lot: cheap to refuse, and false more often than not."""
    source, claims = author.source, author.claims
    for _ in range(3):
        a, b, c = (author.any_claim() for _ in range(3))
        low, high = claims[a][2:]
        name = source.choice(["scale", "plus", "times", "twice", "lemma", "cut", "same"])
        above = author.existing(added((claims[a][1], ONE), plus=ONE)) if name in ("lemma", "cut") else None
        if name == "scale" and high > 1:
            author.propose(["scale", source.choice(["d[2]", "D[1/3]"]), a])
        elif (name == "plus" and low < 0) or (name == "times" and high > 1):
            author.propose([name, *source.choice([(a, b), (b, a), (b, a, c)])])
        elif name == "twice" and low < 0:
            author.propose(["plus", *source.choice([(b, b, a), (a, a, b)])])
        elif name == "lemma" and above and (claims[b][2] < 0 or claims[b][3] > 1):
            author.propose(["lemma", a, b, above])
        elif name == "cut" and above:
            for numbers in (("0", "0"), source.choices(["0", "1", "2", "-1", "-2", "1/2"], k=2)):
                author.propose(["cut", b, a, above, *numbers])
        elif name == "same" and claims[a][1] != claims[b][1] and low < 1 and high > 0:
            author.propose(["same", a, b])


#: What is proposed, and how often.
PROPOSALS = {
    node: 3, atom: 3, negation: 4, scale: 4, plus: 5, times: 5, shift: 4, lemma: 6, cut: 6, sort: 4, average: 4, same: 4,
    unit: 2, bound: 6, twin: 6, apart: 2, detour: 2, equals: 8, tampered: 4,
}  # fmt: skip
