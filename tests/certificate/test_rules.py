"""Each rule of the kernel: what it accepts, and beside it what it must not. The last line of a row is the one in question."""

import itertools
import json
from fractions import Fraction

import pytest

from tests.certificate.by_verdict.make import Case, formula, network
from tests.certificate.judged import case_rejected
from verimv import kernel

TWO_INPUTS = [
    '["node",2]',  # 1: x
    '["node",3]',  # 2: y
    '["plus",1,2]',  # 3: x + y, in [0, 2]
    '["times",1,2]',  # 4: x + y − 1, in [−1, 1]
    '["not",1]',  # 5: 1 − x
    '["node",1]',  # 6
    '["scale","d[2]",6]',  # 7: 1/2
    '["scale","d[2]",1]',  # 8: x/2
]

CLAIMS = [
    ('["node",3]', True),
    ('["node",4]', False),
    ('["node",0]', True),
    ('["node",1]', True),
    ('["atom",4]', True),
    ('["atom",9]', False),
    ('["not",4]', True),
    ('["not",0]', False),
    ('["scale","d[3]",2]', True),
    ('["scale","d[3]",3]', False),  # above 1
    ('["scale","d[3]",4]', True),  # below 0, where nothing changes
    ('["scale","D[1/3]",5]', True),
    ('["scale","D[0]",5]', True),
    ('["plus",1,3]', True),
    ('["plus",3,3]', True),
    ('["plus",1,4]', False),
    ('["plus",4,1]', False),
    ('["plus",4,4]', True),  # whatever the range, if it is the same claim
    ('["plus",1,2,3]', True),
    ('["plus",1,2,4]', False),
    ('["plus",4,4,1]', False),
    ('["plus",1]', True),
    ('["times",1,4]', True),
    ('["times",4,4]', True),
    ('["times",1,3]', False),
    ('["times",3,1]', False),
    ('["times",3,3]', True),
    ('["times",1,2,4]', True),
    ('["times",1,2,3]', False),
    ('["plus",9,9]', False),
    ('["times",9,9]', False),
    ('["lemma",4,5,3]', True),
    ('["lemma",4,8,3]', True),
    ('["lemma",4,5,4]', False),  # no shift
    ('["lemma",3,5,4]', False),  # the wrong way
    ('["lemma",4,5,1]', False),  # another form
    ('["lemma",4,3,3]', False),  # h above 1
    ('["lemma",4,4,3]', False),  # h below 0
    ('["cut",1,4,3,"1","0"]', True),  # f = x, g = x + y − 1: f − 1 ≤ g
    ('["cut",1,4,3,"0","0"]', True),  # f ≤ 1
    ('["cut",1,4,3,"1","1"]', True),  # f − g = 1 − y
    ('["cut",1,4,3,"1","2"]', False),  # f − 2g can be negative
    ('["cut",1,4,3,"1","-1"]', False),
    ('["cut",1,4,3,"-1","0"]', False),
    ('["cut",1,4,4,"1","0"]', False),  # no shift
    ('["cut",3,4,3,"1","0"]', True),  # f = g + 1: f − 1 ≤ g
    ('["cut",3,4,3,"0","0"]', False),  # f can exceed 1
    ('["sort",1,1,2]', True),
    ('["sort",2,3,4,1]', True),
    ('["sort",2,3,4,3,4]', True),
    ('["sort",1,3,1]', False),  # f up to 2
    ('["sort",2,4,3,1]', False),
    ('["sort",2,3,3,1]', False),
    ('["sort",1,4,1]', False),  # below 0
    ('["sort",0,1]', False),
    ('["sort",1,1]', False),
    ('["same",3,3]', True),
    ('["same",3,4]', False),  # another shift
    ('["same",1,2]', False),  # another part
    ('["equals",1,1,[1],["leaf"],["leaf"]]', True),
    ('["equals",1,2,[1,2],["leaf"],["leaf"]]', False),
    ('["equals",3,3,[1,2,3],["leaf","0"],["leaf","0"]]', True),
    ('["equals",3,3,[1,2,3],["leaf","0"]]', False),
    ('["equals",1,1,[6,1],["leaf"],["leaf"]]', False),  # a constant is not defined
    ('["equals",3,3,[1,3],["leaf","0"],["leaf","0"]]', False),
    ('["equals",3,3,[1,2,9],["leaf","0"],["leaf","0"]]', False),
    ('["unit",1,0,"1",0]', True),
    ('["unit",1,0,"1/2",0]', True),
    ('["unit",1,0,"-2",7]', True),  # any node of its own
    ('["unit",1,2,"1",0]', False),
    ('["unit",0,0,"1",0]', False),
    ('["unit",2,0,"1",0]', False),
    ('["equal",0,3,3]', False),
    ('["output",0,3,"1","0"]', False),  # neurons first
]

#: s = 3 and f = x + y: σ(f), σ(f − 1), and σ(f − 2), which is 0
AVERAGE = [*TWO_INPUTS[:4], '["atom",3]', '["scale","d[3]",5]', '["atom",4]', '["scale","d[3]",7]', '["plus",6,8]']
#: σ(f + 1) is 1, so that (f + 1)/3 is 1/3 more
MORE = [*AVERAGE, '["node",1]', '["scale","d[3]",10]', '["plus",11,9]']
AVERAGES = [
    (AVERAGE, '["average",3,0,9,3,4]', True),
    (AVERAGE, '["average",2,0,9,3,4]', False),  # thirds are no halves
    (AVERAGE, '["average",1,0,9,3,4]', False),  # more units than parts
    (AVERAGE, '["average",3,0,6,3]', False),  # σ(f − 1) is not 0
    (AVERAGE, '["average",3,0,8,4]', True),  # σ((f − 1)/3): the rest is 0
    (AVERAGE, '["average",3,0,9,4,3]', False),  # out of order
    (AVERAGE, '["average",3,0,9,3,3]', False),
    (AVERAGE, '["average",3,0,6,3,4]', False),  # another sum
    (AVERAGE, '["average",3,1,9,3,4]', False),  # 1/3 is missing in the sum
    (MORE, '["average",3,1,12,3,4]', True),
    (MORE, '["average",3,0,12,3,4]', False),
    (MORE, '["average",4,1,12,3,4]', False),
    (
        [*AVERAGE[:4], '["atom",3]', '["atom",4]', '["plus",5,6]'],
        '["average",1,0,7,3,4]',
        False,
    ),  # more units than parts
    ([*MORE, '["plus",11,8]'], '["average",3,1,13,4]', False),  # σ(f) is not 1
]

#: 9: 1 − x − y, 10: 2 − x − y
NEGATED = [*TWO_INPUTS, '["not",3]', '["not",4]']
CUTS = [
    (NEGATED, '["cut",4,9,10,"0","-1"]', False),  # f + g = 0, but at 0 f is −1 where g is 1: a multiplier below 0
    (NEGATED, '["cut",3,9,10,"-1","0"]', False),  # f + g = 1, but at (1, 1) f is 2 where g is −1
    (NEGATED, '["cut",1,9,10,"0","0"]', True),  # f = x is in [0, 1]
    ([*TWO_INPUTS, '["node",0]', '["times",1,5]'], '["equals",9,10,[10],["leaf"],["leaf"]]', True),  # x ⊙ ¬x is 0
]

TWO_NEURONS = [*TWO_INPUTS, '["clip",1,0,"1",0,3,4]']
#: layer 1: ρ(x + y), ρ(x + y − 1); layer 2: σ of their difference
RELUS = network(([[1, 1, 0], [1, 1, -1]], "relu"), ([[1, -1, 0]], "crelu"), inputs=("x", "y"))
NEURONS = [
    (TWO_INPUTS, '["clip",1,0,"1",0,3,4]', True),
    (TWO_INPUTS, '["clip",1,0,"1",0,3]', False),  # up to 2
    (TWO_INPUTS, '["clip",1,0,"1",0,4,3]', False),
    (TWO_INPUTS, '["clip",1,0,"1",0,3,3]', False),
    (TWO_INPUTS, '["clip",1,0,"1",1,4]', False),  # not ≥ 1
    (TWO_INPUTS, '["clip",1,0,"1",0,-3,4]', False),
    (TWO_INPUTS, '["clip",1,1,"1",0,4]', False),  # not its turn
    (TWO_INPUTS, '["clip",2,0,"1",0,4]', False),
    (TWO_INPUTS, '["affine",1,0]', True),
    ([*TWO_INPUTS, '["scale","d[2]",2]', '["plus",8,9]'], '["clip",1,0,"2",0,10]', True),  # 2·(x/2 + y/2)
    ([*TWO_INPUTS, '["scale","d[2]",2]', '["plus",8,9]'], '["clip",1,0,"1",0,10]', False),  # up to 2
    ([*TWO_INPUTS, '["scale","d[2]",2]', '["plus",8,9]'], '["clip",1,0,"3",0,10]', False),  # 3·(x/2 + y/2)
    ([*TWO_INPUTS, '["scale","d[2]",2]', '["plus",8,9]'], '["clip",1,0,"2",0,-10]', False),
    ([*TWO_INPUTS, '["scale","d[2]",2]', '["plus",8,9]', '["not",10]'], '["clip",1,0,"2",0,-11]', True),
    ([*TWO_INPUTS, '["unit",1,0,"1/2",0]'], '["clip",1,0,"2",0,9]', True),
    ([*TWO_INPUTS, '["unit",1,0,"1/3",0]'], '["clip",1,0,"2",0,9]', False),
    ([*TWO_INPUTS, '["unit",1,0,"1/2",1]'], '["clip",1,0,"2",0,9]', False),
    ([*TWO_INPUTS, '["unit",1,0,"1/2",0]'], '["clip",1,1,"2",0,9]', False),  # not its turn
    ([*TWO_INPUTS, '["unit",1,0,"4/3",0]', '["unit",1,0,"4/3",1]'], '["clip",1,0,"3/4",0,9,10]', False),  # up to 3/2
    ([*TWO_INPUTS, *(f'["unit",1,0,"4/3",{i}]' for i in range(3))], '["clip",1,0,"3/4",0,9,10,11]', True),
    (TWO_INPUTS, '["clip",1,0,"0",0]', False),
    (TWO_INPUTS, '["clip",1,0,"1",0,0]', False),
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]', '["atom",3]'], '["clip",2,0,"2",0,9]', False),  # a crelu
    (TWO_NEURONS, '["clip",1,1,"1",0,4]', True),
    (TWO_NEURONS, '["clip",1,1,"1",0]', False),  # not dead
    (TWO_NEURONS, '["clip",1,0,"1",0,3,4]', False),  # had its turn
    (TWO_NEURONS, '["affine",1,1]', False),  # can be negative
    (TWO_NEURONS, '["bound",1,1,"low","0"]', True),
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]'], '["affine",2,0]', True),  # 3 + 4 − 4
    (
        [TWO_INPUTS[0], '["affine",1,0]', '["unit",1,1,"1",0]', '["clip",1,1,"1",0,2]'],
        '["affine",2,0]',
        False,
    ),  # up to 2
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]', '["atom",3]'], '["clip",2,0,"1",0,9]', True),  # 3 + 4 − 4
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]', '["atom",3]'], '["clip",2,0,"1",0,9,9]', False),
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]', '["atom",3]'], '["clip",2,0,"1",1,9]', False),
    ([*TWO_NEURONS, '["clip",1,1,"1",0,4]', '["atom",4]'], '["clip",2,0,"1",0,9]', False),
]
# bounds of t = ρ(x + y) − ρ(x + y − 1), which lies in [0, 1]
BOUNDS = [
    ('["bound",2,0,"high","2",["leaf","0"]]', True),  # the first has no kink: only the second needs a multiplier
    ('["bound",2,0,"high","1",["leaf","0"]]', False),
    ('["bound",2,0,"high","1",["leaf","-1"]]', True),
    ('["bound",2,0,"high","99/100",["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["split",3,"0"],["leaf","-1"],["leaf","-1"]]', True),
    ('["bound",2,0,"high","1",["split",3,"0"],["leaf","-1"],["leaf","0"]]', False),
    ('["bound",2,0,"high","1",["split",0,"1/2"],["leaf","-1"],["leaf","-1"]]', True),
    ('["bound",2,0,"low","0",["leaf","1"]]', True),
    ('["bound",2,0,"low","0",["leaf","1/2"]]', True),
    ('["bound",2,0,"low","0",["leaf","0"]]', False),
    ('["bound",2,0,"low","1/100",["leaf","1"]]', False),
    ('["bound",2,0,"high","1",["split",0,"1/2"],["leaf","-1"]]', False),  # a half is open
    ('["bound",2,0,"high","1",["lemma",3,"high","1"],["leaf"],["leaf","-1"]]', True),
    ('["bound",2,0,"high","1",["lemma",3,"high","0"],["leaf"],["leaf"]]', False),
    ('["bound",2,0,"high","1",["lemma",0,"high","1"],["leaf"],["leaf","-1"]]', False),  # free
    ('["bound",2,0,"high","1",["lemma",4,"high","2"],["leaf","-1"],["leaf","-1"]]', False),  # no variable
    ('["bound",2,0,"high","1",["lemma",3,"high","1"],["lemma",3,"high","1"],["leaf"],["leaf"],["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["lemma",3,"high","1"],["split",3,"1"],["leaf"],["leaf"],["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["sweep"],["leaf","-1"]]', True),
    ('["bound",2,0,"high","99/100",["sweep"],["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["sweep"],["leaf","0"]]', False),
    ('["bound",2,0,"high","1",["sweep"]]', False),
    ('["bound",2,0,"high","1",["split",0,"1/2"],["sweep"],["leaf","-1"],["leaf","-1"]]', True),
    # nothing is at most 1/2 and at least 3/4
    ('["bound",2,0,"high","1",["split",0,"1/2"],["split",0,"3/4"],["leaf","-1"],["leaf","7","7"],["leaf","-1"]]', True),
    ('["bound",2,0,"high","1",["leaf","-1"],["leaf","-1"]]', False),
    ('["bound",2,1,"high","1",["leaf","-1"]]', False),
    ('["bound",3,0,"high","1",["leaf","-1"]]', False),
    ('["bound",0,0,"high","1",["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["split",2,"1/2"],["leaf","-1","1"],["leaf","-1","1"]]', True),  # x + y at 1/2
    ('["bound",2,0,"high","1",["split",4,"0"],["leaf","-1"],["leaf","-1"]]', False),
    ('["bound",2,0,"high","1",["split",3,"1"],["leaf","-1"],["leaf","7"]]', True),  # t of neuron 1 is at most 1
]


#: the same with ρ(x + y − 1/2): the difference lies in [0, 1/2]
HALF = network(([[1, 1, 0], [1, 1, "-1/2"]], "relu"), ([[1, -1, 0]], "crelu"), inputs=("x", "y"))
#: a live neuron and a dead one
DEAD = network(([[1, 1, -1], [-1, 0, 0]], "relu"), ([[1, 1, 0]], "identity"), inputs=("x", "y"))
ROOTS = network(([["sqrt(2)", "1/2", "-1"]], "relu"), ([[1, 0]], "identity"), inputs=("x", "y"))
DEFAULTS = [
    (HALF, '["bound",2,0,"high","1/2",["leaf"]]', True),  # the steeper side; the chord gives 7/8
    (HALF, '["bound",2,0,"high","49/100",["leaf"]]', False),
    (DEAD, '["bound",2,0,"high","1",["leaf","1/2"]]', True),  # a multiplier for the live one only
    (RELUS, '["bound",2,0,"high","2",["split",2,"2"],["leaf"],["leaf"]]', True),  # x + y = 2: no chord
    (DEAD, '["bound",2,0,"high","1",["sweep"],["leaf"]]', True),
    (ROOTS, '["bound",1,0,"high","2",["sweep"],["leaf"]]', True),  # over inputs only
    (ROOTS, '["bound",2,0,"high","2",["leaf"]]', True),
    (ROOTS, '["bound",2,0,"high","2",["sweep"],["leaf"]]', False),  # only rational numbers are swept
]


def last_line(lines, text=RELUS, definition="y1 = x ⊕ y"):
    """None if all lines follow, otherwise the rejection; the lines before the last must follow."""
    inputs = " ".join(json.loads(text)["inputs"])
    case = Case(lines, network=text, formula=formula(definition, inputs))
    rejected = case_rejected(case)
    if rejected.status == "incomplete":
        return None
    assert rejected.line == len(lines) + 1, str(rejected)
    return rejected


@pytest.mark.parametrize(("line", "follows"), CLAIMS)
def test_claims(line, follows):
    rejected = last_line([*TWO_INPUTS, line])
    assert (rejected is None) == follows
    assert follows or (rejected.status, rejected.rule) == ("invalid", kernel.decoded(line)[0])


@pytest.mark.parametrize(("p", "q"), [(p, q) for p in range(1, 10) for q in range(1, 8)])
def test_merges_of_any_size(p, q):
    """p + q copies of x, sorted one by one and then merged: entry k is σ((p + q)·x − k) in the network as well."""
    lines, sequences, claims = ['["node",2]'], [], 1
    for count in (p, q):
        sequence = [1]
        for size in range(1, count):
            lines.append(json.dumps(["sort", size, *sequence, 1]))
            sequence = list(range(claims + 1, claims + size + 2))
            claims += size + 1
        sequences.append(sequence)
    lines.append(json.dumps(["sort", p, *sequences[0], *sequences[1]]))
    merged = range(claims + 1, claims + p + q + 1)
    lines.append(json.dumps(["clip", 1, 0, "1", 0, *merged]))
    text = network(([[p + q, 0]], "relu"), ([[1, 0]], "identity"), inputs=("x",))
    assert last_line(lines, text, "y1 = x") is None
    lines[-1] = json.dumps(["clip", 1, 0, "1", 0, *reversed(merged)])
    assert last_line(lines, text, "y1 = x").status == "invalid"


def test_merging_with_nothing_changes_nothing():
    nodes = kernel.Nodes(["a", "b", "c"])
    assert kernel.merge(nodes, [2, 3, 4], []) == kernel.merge(nodes, [], [2, 3, 4]) == [2, 3, 4]


#: 9: 1 + x, which is at least 1; 10: 0; 11: 1 + y
SATURATED = [*TWO_INPUTS, '["plus",6,1]', '["node",0]', '["plus",6,2]']
SAMES = [
    (SATURATED, '["same",9,11]', True),  # both are 1
    (SATURATED, '["same",9,1]', False),
    (SATURATED, '["same",1,9]', False),
    (SATURATED, '["same",10,10]', True),
    (SATURATED, '["same",10,1]', False),
    (SATURATED, '["same",1,10]', False),
    (SATURATED, '["same",9,10]', False),
    ([*SATURATED, '["times",10,4]'], '["same",10,12]', True),  # x + y − 2 is at most 0
]


@pytest.mark.parametrize(("lines", "line", "follows"), [*AVERAGES, *CUTS, *SAMES])
def test_averages_and_cuts(lines, line, follows):
    rejected = last_line([*lines, line])
    assert (rejected is None) == follows, str(rejected)
    assert follows or rejected.status == "invalid"


@pytest.mark.parametrize(("lines", "line", "follows"), NEURONS)
def test_neurons(lines, line, follows):
    rejected = last_line([*lines, line])
    assert (rejected is None) == follows, str(rejected)
    assert follows or rejected.status == "invalid"


@pytest.mark.parametrize(("line", "follows"), [('["clip",1,0,"-1",0,1,2]', False), ('["clip",1,0,"1",0]', True)])
def test_factors_are_positive(line, follows):
    """ρ(x − 3) is 0, and not −σ(3 − x) − σ(2 − x)."""
    dead = network(([[1, -3]], "relu"), ([[1, 0]], "identity"), inputs=("x",))
    units = ['["unit",1,0,"-1",0]', '["unit",1,0,"-1",1]']
    assert (last_line([*units, line], dead, "y1 = x") is None) == follows


@pytest.mark.parametrize(
    ("bias", "lines", "follows"),
    [
        (0, ['["affine",1,0]'], False),
        (0, ['["unit",1,0,"1",0]', '["clip",1,0,"1",0,1]'], True),
        (0, ['["unit",1,0,"1/2",0]', '["clip",1,0,"2",0,1]'], False),  # 2·σ(t/2) is t
        (0, ['["unit",1,0,"1",0]', '["unit",1,0,"1",1]', '["clip",1,0,"1",0,1,2]'], False),  # σ(t) + σ(t − 1) is t
        (0, ['["clip",1,0,"1",0]'], False),
        (0, ['["clip",1,0,"1",1]'], False),
        (1, ['["clip",1,0,"1",1]'], True),
        (1, ['["clip",1,0,"1",0]'], False),
        (-2, ['["clip",1,0,"1",0]'], True),
        (-2, ['["clip",1,0,"1",1]'], False),
    ],
)
def test_a_clipped_neuron(bias, lines, follows):
    """σ(t) of t = x + y + bias."""
    clipped = network(([[1, 1, bias]], "crelu"), inputs=("x", "y"))
    assert (last_line(lines, clipped) is None) == follows


@pytest.mark.parametrize(("line", "follows"), BOUNDS)
def test_bounds(line, follows):
    rejected = last_line([line])
    assert (rejected is None) == follows, str(rejected)
    assert follows or rejected.status == "invalid"


@pytest.mark.parametrize(("text", "line", "follows"), DEFAULTS)
def test_default_slopes(text, line, follows):
    assert (last_line([line], text) is None) == follows


def test_sums_of_all_kinds_of_numbers():
    kinds = [2, Fraction(1, 3), kernel.number("sqrt(2)/2")]
    work = kernel.Work(10**6)
    for value, factor, old in itertools.product(kinds, repeat=3):
        pairs = [(kernel.linear_of({5: value, 7: 1}, work), factor), (kernel.linear_of({5: old}, work), 1)]
        assert kernel.combine(pairs, 1, work) == kernel.linear_of({5: value * factor + old, 7: factor}, work)
        assert kernel.combine(pairs, 3, work) == kernel.linear_of(
            {5: (value * factor + old) * Fraction(1, 3), 7: factor * Fraction(1, 3)}, work
        )


def test_sums_that_cancel_vanish():
    work = kernel.Work(10**6)
    x, y = kernel.linear_of({2: 1, 3: kernel.number("sqrt(2)")}, work), kernel.linear_of({2: 1}, work)
    assert kernel.combine([(x, 1), (y, -1)], 1, work) == kernel.linear_of({3: kernel.number("sqrt(2)")}, work)
    assert kernel.combine([(x, 1), (x, -1)], 1, work) == kernel.NOTHING


def test_irrational_numbers_are_told_apart():
    two, three = kernel.number("sqrt(2)"), kernel.number("sqrt(3)")
    assert two == kernel.number("sqrt(8)/2")
    assert two != three
    assert two != kernel.number("1+sqrt(2)")
    assert two != 1


def test_an_output_must_stay_in_the_unit_interval():
    double = network(([[1, 1, 0]], "identity"), inputs=("x", "y"))
    assert last_line([*TWO_INPUTS, '["output",0,3,"1","0"]'], double).status == "invalid"
    half = network(([["1/2", "1/2", 0]], "identity"), inputs=("x", "y"))
    assert last_line([*TWO_INPUTS, '["output",0,3,"1","0"]'], half).status == "invalid", "another form"
    mapped = ['["scale","d[2]",2]', '["plus",8,9]']
    case = Case(
        [*TWO_INPUTS, *mapped, '["output",0,10,"2","0"]'], network=double, formula=formula("y1 = δ[2]x ⊕ δ[2]y", "x y")
    )
    assert case_rejected(case) is None


def test_a_pair_of_formulas():
    def status(line):
        lines = ['["node",2]', '["node",3]', '["plus",1,2]', '["plus",2,1]', '["times",1,2]', line]
        case = Case(lines, original=formula("y1 = x ⊕ y", "x y"), formula=formula("y1 = y ⊕ x", "x y"))
        rejected = case_rejected(case)
        return "valid" if rejected is None else rejected.status

    assert status('["equal",0,3,4]') == "valid"
    assert status('["equal",0,4,3]') == "invalid"
    assert status('["equal",0,3,5]') == "invalid"
    assert status('["equal",1,3,4]') == "invalid"
    assert status('["output",0,3,"1","0"]') == "invalid"
    assert status('["clip",1,0,"1",0,3]') == "invalid"
    assert status('["unit",0,0,"1",0]') == "invalid"
    assert status('["bound",1,0,"high","1"]') == "invalid"


def test_equal_needs_one_form():
    case = Case(
        ['["node",2]', '["node",3]', '["plus",1,2]', '["times",1,2]', '["equal",0,3,4]'],
        original=formula("y1 = x ⊕ y", "x y"),
        formula=formula("y1 = x ⊙ y", "x y"),
    )
    assert case_rejected(case).rule == "equal"


def test_sums_that_get_too_long_are_given_up():
    """While they are added up, not afterwards: that would take hours for a file of some megabytes."""
    with pytest.raises(kernel.Rejected, match="incomplete: expected a common denominator with fewer bits") as error:
        kernel.linear_of({k: Fraction(1, 10**4000 + k) for k in range(2, 60)}, kernel.Work(10**9))
    assert int(error.value.got) < 50_000
