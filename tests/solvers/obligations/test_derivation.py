"""Obligations of lines: every rule of the format is followed; only what a line refers to is compared here."""

import json

import pytest

from tests.certificate import test_rules as kernel_rows
from tests.certificate.by_verdict.make import HAT, VALID, Case, formula, network
from tests.certificate.test_rules import RELUS, TWO_INPUTS
from tests.solvers.obligations.judged import collected, proved, said
from verimv import kernel
from verimv.core.effort import Deadline
from verimv.core.workers.child import OutOfBudget
from verimv.solvers.obligations.collect import collect
from verimv.solvers.obligations.follow import _BY_RULE
from verimv.solvers.obligations.rules import RULES, SORTING, Rule


def rules_of(task):
    """Return the names of rules, by the lines that need them."""
    found = {}
    for query, served in task.obligations.queries.items():
        if isinstance(query, Rule):
            for line in served.lines:
                found.setdefault(line, set()).add(query.name)
    return found


def test_every_rule_of_the_kernel_is_followed():
    assert _BY_RULE.keys() == kernel.RULES.keys() - {"formula"}, "this one begins a part, see `collect`"


def test_time_may_end_between_two_lines():
    contents = {name: text.encode() for name, text in HAT.subjects.items()}
    lines = iter(HAT.text().encode().splitlines(keepends=True))
    with pytest.raises(OutOfBudget):
        collect(lines, contents.__getitem__, contents.keys(), deadline=Deadline(0))


def test_the_lines_of_the_hat():
    task = collected(HAT.text(), HAT.subjects)
    assert [rules_of(task)[number] for number in range(2, 14)] == [
        {"atom"},
        {"double"},
        {"square"},
        {"clip", "step"},
        {"clip", "step"},
        {"claimed", "atom"},
        {"claimed", "atom"},
        {"not"},
        {"times"},
        {"clip", "step"},
        {"claimed", "atom"},
        {"output"},
    ]
    assert list(task.statement) == ["y1 = formula on [0,1]"]
    assert (task.missing, task.wrong) == ("", "")
    assert task.rules == {number: json.loads(line)[0] for number, line in enumerate(HAT.lines, start=2)}


#: A clipped neuron that is affine, and claims that are 1 or 0 for different reasons.
EXTREMES = Case(
    [
        '["node",2]',  # 1
        '["affine",1,0]',
        '["node",1]',  # 2
        '["plus",1,2]',  # 3: x + 1
        '["same",2,3]',  # 4
        '["node",0]',  # 5
        '["times",1,5]',  # 6: x − 1
        '["same",5,6]',  # 7
        '["output",0,1,"1","0"]',
    ],
    network=network(([[1, 0]], "crelu")),
    formula=formula("y1 = x1"),
)


def test_every_rule_is_used_by_a_certificate_that_is_proved():
    used, kinds = set(), set()
    for case in [EXTREMES, *(case for case in VALID.values() if not case.pack)]:
        task = collected(case.text(), case.subjects)
        used.update(*rules_of(task).values())
        kinds.update(task.rules.values())
    assert proved(collected(EXTREMES.text(), EXTREMES.subjects)).proved
    assert kinds == kernel.RULES.keys()
    assert used == RULES.keys()
    assert set(SORTING) <= used


#: σ(t) of t = x + y
CLIPPED = network(([[1, 1, 0]], "crelu"), inputs=("x", "y"))
#: Networks, lines, and whether the last one follows, as in the tests of the kernel.
ROWS = [
    *((RELUS, [*TWO_INPUTS, line], follows) for line, follows in kernel_rows.CLAIMS),
    *(
        (RELUS, [*lines, line], follows)
        for rows in (kernel_rows.AVERAGES, kernel_rows.CUTS, kernel_rows.SAMES, kernel_rows.NEURONS)
        for lines, line, follows in rows
    ),
    *((RELUS, [line], follows) for line, follows in kernel_rows.BOUNDS),
    *((text, [line], follows) for text, line, follows in kernel_rows.DEFAULTS),
    (RELUS, [*kernel_rows.AVERAGE, '["average",3,0,9]'], False),
    (CLIPPED, ['["unit",1,0,"1",0]', '["clip",1,0,"1",0,1]'], True),
    (CLIPPED, ['["unit",1,0,"1/2",0]', '["clip",1,0,"2",0,1]'], False),  # 2·σ(t/2) is t
    (CLIPPED, ['["unit",1,0,"1",0]', '["unit",1,0,"1",1]', '["clip",1,0,"1",0,1,2]'], False),  # so is σ(t) + σ(t − 1)
    (CLIPPED, ['["clip",1,0,"1",0]'], False),
    (CLIPPED, ['["clip",1,0,"1",1]'], False),
]


@pytest.mark.parametrize(("text", "lines", "follows"), ROWS)
def test_the_rows_of_the_kernel(text, lines, follows):
    case = Case(lines, network=text, formula=formula("y1 = x ⊕ y", "x y"))
    found = said(case.text(), case.subjects)
    expected = ("undecided", None) if follows else ("refuted", len(lines) + 1)
    assert (found.status, found.line) == expected, found.reason


@pytest.mark.parametrize(("line", "follows"), [('["clip",1,0,"-1",0,1,2]', False), ('["clip",1,0,"1",0]', True)])
def test_factors_are_positive(line, follows):
    """ρ(x − 3) is 0, and not −σ(3 − x) − σ(2 − x)."""
    text = network(([[1, -3]], "relu"), ([[1, 0]], "identity"))
    case = Case(['["unit",1,0,"-1",0]', '["unit",1,0,"-1",1]', line], network=text, formula=formula("y1 = x1"))
    assert said(case.text(), case.subjects).status == ("undecided" if follows else "refuted")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('["atom",9]', "an earlier claim"),
        ('["atom",0]', "an earlier claim"),
        ('["node",3]', "a constant or an input"),
        ('["clip",1,0,"1",0,2,3]', "the current layer"),
        ('["bound",3,0,"low","0",["leaf"]]', "one of 2 layers"),
        ('["output",1,8,"1","0"]', "output 1"),
        ('["output",0,8,"1","0"]', "output 1"),
        ('["equal",0,8,8]', "a certificate of two formulas"),
    ],
)
def test_what_is_not_there(line, reason):
    case = HAT.more(line)
    found = said(case.text(), case.subjects)
    assert (found.status, found.line) == ("refuted", 14)
    assert reason in found.reason


def test_the_first_line_that_is_wrong_is_named():
    """A later error is found without a solver, and a still later line is the first that solvers are asked about."""
    case = HAT.line('["times",4,6]', '["times",4,5]').more('["atom",99]')
    found = said(case.text(), case.subjects)
    assert (found.status, found.line) == ("refuted", 11)


def test_a_point_shows_what_is_wrong():
    case = HAT.file("network", '"-1"', '"-3/4"')
    verdict = proved(collected(case.text(), case.subjects))
    assert verdict.refuted
    assert verdict.reason == "line 6, rule clip: expected a form that is at most 1"
    assert (verdict.witness.point, verdict.witness.values) == ({"x1": "1"}, {"excess": "1/4"})
