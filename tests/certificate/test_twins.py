"""Lines about bounds and twins: the kernel and a second reading of the format agree, and what is accepted is true."""

import json
import random
from fractions import Fraction
from itertools import takewhile

import pytest

from tests.certificate.by_verdict.make import CASES, Case
from tests.certificate.fuzz.judge import World
from tests.certificate.fuzz.subjects import random_subjects
from tests.certificate.fuzz.twins import offset_of
from tests.certificate.judged import case_rejected
from tests.certificate.second_reading import RULES, Reading, verdict
from tests.effort import scaled
from verimv.exact import format_number, parse_number


def of_bounds():
    """Hand-made cases of networks without a formula, whose lines are all about bounds."""
    return [
        pytest.param(status, case, id=f"{status}/{name}")
        for status, cases in CASES.items()
        for name, case in cases.items()
        if case.subjects.keys() in ({"network"}, {"network", "other"})
        and not (case.whole or case.pack or case.header)
        and case.lines
        and all(line.startswith(STARTS) for line in case.lines)
    ]


def of_two_parts():
    """Hand-made cases in two parts; the lines of the first are all about bounds."""
    return [
        pytest.param(status, case, id=f"{status}/{name}")
        for status, cases in CASES.items()
        for name, case in cases.items()
        if case.subjects.keys() == {"network", "other", "formula"} and not case.header
    ]


#: How the lines begin that are read a second time.
STARTS = tuple(f'["{rule}"' for rule in RULES)


def kernel_verdict(case):
    rejected = case_rejected(case)
    return ("valid", None) if rejected is None else (rejected.status, rejected.line)


@pytest.mark.parametrize(("status", "case"), of_bounds())
def test_a_second_reading(status, case):
    expected = kernel_verdict(case)
    assert expected[0] == status
    if expected not in (("invalid", None), ("malformed", None)):  # the networks themselves are refused
        assert verdict(case.lines, **case.subjects) == expected


@pytest.mark.parametrize(("status", "case"), of_two_parts())
def test_a_second_reading_of_the_first_of_two_parts(status, case):
    expected = kernel_verdict(case)
    assert expected[0] == status
    lines = list(takewhile(lambda line: line.startswith(STARTS), case.lines))
    if expected in (("invalid", None), ("malformed", None)) or (
        len(lines) < len(case.lines) and "formula" not in str(lines)
    ):
        return  # the subjects are refused; or the first part has lines of other kinds
    network, other = case.subjects["network"], case.subjects["other"]
    found, line = verdict(lines, network, other, has_two_parts=True)
    if found == "second part":
        assert expected[1] is None or expected[1] > line
    else:
        assert (found, line) == expected


# -- at random ----------------------------------------------------------------------------------------------------------


class Draft:
    """A certificate about twins that is written line by line. Bounds are as tight as the reading allows, or tighter."""

    def __init__(self, seed):
        self.source = random.Random(seed)
        while True:
            self.texts = random_subjects(self.source, self.source.choice(["network other", "network other", "network"]))
            self.case = Case([], **self.texts)
            rejected = case_rejected(self.case)
            if rejected is None or rejected.status == "incomplete":
                break
        self.reading = Reading(**self.texts)
        self.world = World.of(self.texts, 20, self.source)

    def neuron(self):
        layer = self.source.randrange(len(self.reading.layers)) + 1
        first, width, name = self.reading.layers[layer - 1]
        return layer, self.source.randrange(width), first, name

    def twin(self):
        layer, i, first, name = self.neuron()
        before = range(self.reading.inputs, first + i)
        alike = [m for m in before if self.reading.system.variables[m][0] == name]
        m = self.source.choice(alike) if alike and self.source.random() < 0.9 else self.source.randrange(first + i + 1)
        factors = (
            ["1", "1", "-1"]
            if name == "crelu"
            else ["1", "1", "1", "2", "1/2", "-1", "-1/3", "-3", "sqrt(2)", "-sqrt(2)"]
        )
        if self.source.random() < 0.1:
            factors = ["0", "-1", "-2", "2"]
        self.add(["twin", layer, i, m, self.source.choice(factors)])

    def bound(self):
        layer, i, first, _ = self.neuron()
        k, side = first + i, self.source.choice(["low", "high"])
        system, way = self.reading.system, 1 if side == "high" else -1
        is_change = k in system.twins and self.source.random() < 0.6
        row = system.change(k) if is_change else system.variables[k][1]
        depth = self.source.choice([0, 0, 0, 1, 1, 2])
        target = {key: way * c for key, c in row.items()}
        cases, bounds = system.grown(target, first, self.reading.known, depth, self.source)
        value = way * max(bounds, default=parse_number("0"))
        if self.source.random() < 0.15:
            value -= way * parse_number(self.source.choice([f"1/{2**50}", "1/7"]))
        elif self.source.random() < 0.3:
            value += way * parse_number(self.source.choice([f"1/{2**50}", "1/7", "3"]))
        self.add(["apart" if is_change else "bound", layer, i, side, format_number(value), *cases])

    def add(self, line):
        """The line, with the verdict of the kernel; it stays if it is accepted, and must be true then."""
        lines = [*self.case.lines, json.dumps(line)]
        status, place = kernel_verdict(self.case.with_lines(lines))
        assert verdict(lines, **self.texts) == (status, place), lines
        if status == "incomplete" and place is not None:  # a limit
            return None
        if place is None:
            self.case = self.case.with_lines(lines)
            self.reading.follow(line)
            self.judge(line)
        return status

    def judge(self, line):
        if line[0] == "twin":
            return
        _, layer, i, side, value, *_ = line
        k = self.reading.layers[layer - 1][0] + i
        found = self.world.arguments[k - self.reading.inputs]
        if line[0] == "apart":
            m, p = self.reading.system.twins[k]
            shift = offset_of(self.reading.layers[layer - 1][2], p)
            its = self.world.arguments[m - self.reading.inputs]
            found = [y - (p * z + shift) for y, z in zip(found, its, strict=True)]
        bound = parse_number(value)
        assert all(t <= bound if side == "high" else t >= bound for t in found), (self.case.lines, self.texts)


@pytest.mark.parametrize("part", range(5))
def test_random_certificates(part):
    """Of one network or of two; the kernel says what the reading says of every line, and no bound is false."""
    accepted, refused = 0, 0
    for seed in range(1000 * part, 1000 * part + scaled(60)):
        draft = Draft(seed)
        for _ in range(draft.source.randint(2, 9)):
            before = len(draft.case.lines)
            draft.twin() if draft.source.random() < 0.4 else draft.bound()
            accepted += len(draft.case.lines) > before
            refused += len(draft.case.lines) == before
    assert accepted > refused > 10
    assert Fraction(refused, accepted) > Fraction(1, 50)
