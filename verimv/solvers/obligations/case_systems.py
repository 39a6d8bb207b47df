"""The evidence of a bound as linear programs: in each case no point of the relaxed network is above the bound.

In a case (FORMAT §8) every variable has a range, and a linear upper bound ("line") of c·(its value) over its argument.
With these the network is a linear program, and a case needs only the sum of all lines. The rules "line", "between" and
"interval" say that each line is above its activation on the range, and that the ranges hold. In a pair, a variable with
a twin has an upper bound over its argument, that of its twin, and the twin itself (:mod:`.twins`). Each bound that a
sweep improves is a case, too, with the lines of its walk (:mod:`.coarse`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from verimv import kernel
from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.exact.algebraic import Algebraic
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, activate
from verimv.solvers.obligations.certified import exact
from verimv.solvers.obligations.coarse import coarse_ranges, coarse_walk, is_rational, swept
from verimv.solvers.obligations.script import Script, total
from verimv.solvers.obligations.twins import NO_TWINS, CertifiedComparison, Twins
from verimv.solvers.obligations.variables import Facts, Range, SystemVariable, default_slope, kinks_inside, peak


class Given(NamedTuple):
    """A bound from one side of a case split, or from a lemma or a sweep, inside the one `within` (−1: none)."""

    within: int
    variable: int
    side: str
    point: Number
    is_lemma: bool


class EvidenceLeaf(NamedTuple):
    """A leaf or a pair: a case in which the target must not be positive, and the multipliers that prove it; or a bound
    that a sweep has found."""

    number: int
    target: Affine
    #: only the variables before this one matter
    stop: int
    #: all splits and lemmas of the tree, and the index of the last one that leads to the leaf
    tree: Sequence[Given]
    situation: int
    multipliers: tuple[Number, ...]
    #: whether neurons are compared with their twins
    is_pair: bool = False
    #: whether ranges and slopes are those of a sweep
    is_coarse: bool = False

    def given(self) -> tuple[Facts, set[int]]:
        """Return the bounds that splits, lemmas and sweeps give, the last of a side, and the variables that are split.

        These are not stored, as trees can be deep.
        """
        found: dict[tuple[int | None, str], Number] = {}
        split = set()
        place = self.situation
        while place >= 0:
            place, variable, side, point, is_lemma = self.tree[place]
            found.setdefault((variable, side), point)
            if not is_lemma:
                split.add(variable)
        return found, split


@dataclass(frozen=True)
class Evidence:
    """Cases over the first `count` variables of a system, with known bounds of their arguments."""

    variables: Sequence[SystemVariable]
    facts: Facts
    count: int
    cases: Sequence[EvidenceLeaf]
    #: nodes of the free variables, for messages
    nodes: Sequence[int]
    twins: Twins = NO_TWINS


class IncompleteCases(Exception):
    """The number of cases does not fit the splits."""


def read_cases(
    cases: Sequence[list[Any]],
    targets: Sequence[Affine],
    variables: Sequence[SystemVariable],
    count: int,
    facts: Facts,
) -> list[EvidenceLeaf]:
    """Return the leaves of the trees of cases over `count` variables, given in preorder, one tree for each target.
    `facts` are the bounds of arguments that are known before."""
    found: list[EvidenceLeaf] = []
    tree: list[Given] = []
    pending = [(target, count, -1) for target in reversed(targets)]
    for number, (kind, *arguments) in enumerate(cases, start=1):
        if not pending:
            raise IncompleteCases("expected no more cases")
        target, stop, situation = pending.pop()
        if kind == "split":
            kernel.well_formed(len(arguments) == 2, "a variable and a point", arguments)
            k, point = kernel.natural(arguments[0]), exact(kernel.number(arguments[1]))
            if k >= stop:
                raise IncompleteCases(f"expected one of {stop} variables, not {k}")
            for side in ("low", "high"):
                pending.append((target, stop, len(tree)))
                tree.append(Given(situation, k, side, point, is_lemma=False))
        elif kind == "lemma":
            kernel.well_formed(len(arguments) == 3, "a variable, a side and a value", arguments)
            k, side, value = kernel.natural(arguments[0]), arguments[1], exact(kernel.number(arguments[2]))
            kernel.well_formed(side in ("low", "high"), "low or high", side)
            if k >= stop or variables[k].activation is None:
                raise IncompleteCases(f"expected one of {stop} variables that is not free, not {k}")
            pending.append((target, stop, len(tree)))
            tree.append(Given(situation, k, side, value, is_lemma=True))
            excess = variables[k].argument.shifted(-value)
            pending.append((excess if side == "high" else -excess, k, situation))
        elif kind == "sweep":
            kernel.well_formed(not arguments, "a sweep without arguments", arguments)
            if not is_rational(variables[:stop]):
                raise IncompleteCases("expected rational weights for a sweep")
            given, _ = EvidenceLeaf(number, target, stop, tree, situation, ()).given()
            for k, side, value, is_walked in swept(variables[:stop], facts, given):
                excess = variables[k].argument.shifted(-value)
                if is_walked:
                    shown = excess if side == "high" else -excess
                    found.append(EvidenceLeaf(number, shown, k, tree, situation, (), is_coarse=True))
                tree.append(Given(situation, k, side, value, is_lemma=True))
                situation = len(tree) - 1
            pending.append((target, stop, situation))
        else:
            kernel.well_formed(kind in ("leaf", "pair"), "split, lemma, sweep, leaf or pair", kind)
            multipliers = tuple(exact(kernel.number(argument)) for argument in arguments)
            found.append(EvidenceLeaf(number, target, stop, tree, situation, multipliers, kind == "pair"))
    if pending:
        raise IncompleteCases(f"expected {len(pending)} more cases")
    return found


class LeafProgram(NamedTuple):
    """The linear program of a case: bounds of free variables, and Σ slope·argument + peak − c·value ≥ 0."""

    ends: dict[int, tuple[Number, Number]]
    #: variable → (slope, c)
    lines: dict[int, tuple[Number, Number]]
    peaks: Number
    target: Affine


class VariableSystem:
    """Variables, and the text of their definitions for solvers."""

    def __init__(self, variables: Sequence[SystemVariable]) -> None:
        self.variables = variables
        self._is_rational = is_rational(variables)
        self._unsplit: tuple[int, Facts, list[Range] | None] | None = None
        self._users: list[list[tuple[int, Number]]] = [[] for _ in variables]
        for k, variable in enumerate(variables):
            for j, w in variable.argument.terms:
                self._users[j].append((k, w))

    def ranges(self, count: int, facts: Facts, given: Facts) -> list[Range] | None:
        """Return the ranges of the first variables in a case; None if one of them is empty."""
        if given:
            return self._ranges(count, facts, given)
        if self._unsplit is None or self._unsplit[0] != count or self._unsplit[1] is not facts:
            self._unsplit = (count, facts, self._ranges(count, facts, given))
        return self._unsplit[2]

    def _ranges(self, count: int, facts: Facts, given: Facts) -> list[Range] | None:
        found: list[Range] = []
        values: list[tuple[Number, Number]] = []
        for k, (activation, argument) in enumerate(self.variables[:count]):
            low, high = (ZERO, ONE) if activation is None else argument.range_over(values)
            below = given.get((k, "low"), facts.get((k, "low")))
            above = given.get((k, "high"), facts.get((k, "high")))
            low = low if below is None else max(low, below)
            high = high if above is None else min(high, above)
            if low > high:
                return None
            found.append(Range.of(activation, low, high))
            values.append(found[-1][2:])
        return found

    def program(self, facts: Facts, case: EvidenceLeaf, twins: Twins = NO_TWINS) -> LeafProgram | None:
        """Return the linear program of a case; None if the case has no point."""
        given, split = case.given()
        if case.is_coarse:
            return self._coarse_program(facts, given, case)
        ranges = self.ranges(case.stop, facts, given)
        if ranges is None:
            return None
        multipliers = _Multipliers(case)
        slopes: dict[int, Number] = {}
        target = dict(case.target.terms)
        ends: dict[int, tuple[Number, Number]] = {}
        lines: dict[int, tuple[Number, Number]] = {}
        peaks: Number = ZERO
        for k in range(case.stop - 1, -1, -1):
            activation, range_ = self.variables[k].activation, ranges[k]
            c = target.get(k, ZERO)
            for user, w in self._users[k]:
                if user in slopes:
                    c = c + slopes[user] * w
            if activation is None:
                ends[k] = (range_.low, range_.high)
                continue
            kinks = kinks_inside(activation, range_)
            is_bent = bool(kinks) or k in split
            if is_bent and case.is_pair and k in twins.of:
                twin, factor, offset, of_value, of_argument = twins.of[k]
                found = _compared(activation, k, ranges, twins)
                if not found.cells:
                    return None
                if len(found.cells) == 1 and not (case.multipliers and k in split):
                    slope, nu = found.slopes_of_cell(c)
                elif case.multipliers:
                    slope, nu = multipliers.next(), multipliers.next()
                else:
                    slope, nu = found.default_slopes(c)
                peaks = peaks + found.peak(c, slope, nu) + (c + nu - slope) * offset
                target[twin] = target.get(twin, ZERO) + c * of_value
                its_slope = c * of_argument + (nu - slope) * factor
                _add_line(lines, twin, its_slope, -c * of_value)
                slopes[twin] = slopes.get(twin, ZERO) + its_slope
            else:
                if not is_bent:
                    slope = c if range_.is_affine else ZERO
                elif case.multipliers:
                    slope = multipliers.next()
                else:
                    slope = default_slope(activation, c, range_)
                peaks = peaks + peak(c, slope, range_, kinks)
            if slope:
                slopes[k] = slopes.get(k, ZERO) + slope
            _add_line(lines, k, slope, c)
        multipliers.finish()
        return LeafProgram(ends, {k: line for k, line in lines.items() if any(line)}, peaks, case.target)

    def _coarse_program(self, facts: Facts, given: Facts, case: EvidenceLeaf) -> LeafProgram:
        """Return the program of a bound that a sweep has found, with the ranges and lines of its walk."""
        ranges = coarse_ranges(self.variables[: case.stop], facts, given)
        walk = coarse_walk(self.variables, case.target, ranges)
        free = (k for k, variable in enumerate(self.variables[: case.stop]) if variable.activation is None)
        ends = {k: (ranges[k].low, ranges[k].high) for k in free}
        return LeafProgram(ends, walk.lines, walk.peaks, case.target)

    def definitions(self, count: int, logic: str) -> Script:
        """Return definitions of the first values v and arguments z.

        With square roots, arguments are macros: solvers can take hours if a square root is multiplied by a variable
        that is itself defined by square roots.
        """
        script = Script()
        for k, (activation, argument) in enumerate(self.variables[:count]):
            script.variables[_value(k)] = None
            if activation is None:
                continue
            if logic == "QF_NRA":
                script.define(_argument(k), script.form(argument, _value))
                continue
            script.variables[_argument(k)] = None
            common = _common_denominator(argument)  # integers are faster to read than fractions
            script.require(f"(= (* {common}.0 {_argument(k)}) {script.form(argument.scaled(common), _value)})")
        return script

    def logic(self, asked: Script) -> str:
        """Return the logic of a query, which has square roots if these variables or what is asked has some."""
        return "QF_LRA" if asked.logic == "QF_LRA" and self._is_rational else "QF_NRA"

    def is_refuted_by(self, program: LeafProgram, point: Mapping[str, Number]) -> bool:
        """Return whether a point satisfies the program, and its target may be positive there."""
        ends = ((point.get(_value(k), ZERO), *program.ends[k]) for k in program.ends)
        return all(low <= x <= high for x, low, high in ends) and self.excess(program, point) > 0

    def excess(self, program: LeafProgram, point: Mapping[str, Number]) -> Number:
        """Return the target plus all lines, an upper bound of the target."""
        values = [point.get(_value(k), ZERO) for k in range(len(self.variables))]
        result = program.peaks + program.target(values)
        for k, (slope, c) in program.lines.items():
            result = result + slope * self.variables[k].argument(values) - c * values[k]
        return result

    def values_at(self, program: LeafProgram, point: Mapping[str, Number]) -> list[Number]:
        """Return the exact values of all variables, from the values of the free ones in a model."""
        values: list[Number] = []
        for k, (activation, argument) in enumerate(self.variables):
            if activation is None:
                low, _ = program.ends.get(k, (ZERO, ONE))
                values.append(point.get(_value(k), low))
            else:
                values.append(activate(activation, argument(values)))
        return values


class _Multipliers:
    """The multipliers of a case, one after the other."""

    def __init__(self, case: EvidenceLeaf) -> None:
        self._number = case.number
        self._left = list(reversed(case.multipliers))

    def next(self) -> Number:
        if not self._left:
            raise InputError(f"case {self._number}: expected a multiplier for every kink, found too few")
        return self._left.pop()

    def finish(self) -> None:
        if self._left:
            raise InputError(f"case {self._number}: expected no more multipliers, found {len(self._left)}")


def _add_line(lines: dict[int, tuple[Number, Number]], k: int, slope: Number, c: Number) -> None:
    """Add to the line of a variable: one that is the twin of another has parts from both."""
    old_slope, old_c = lines.get(k, (ZERO, ZERO))
    lines[k] = (old_slope + slope, old_c + c)


def _compared(activation: Activation, k: int, ranges: Sequence[Range], twins: Twins) -> CertifiedComparison:
    """Return what is known of a variable and its twin in a case."""
    twin = twins.of[k]
    of_twin = twin.image(ranges[twin.variable].low, ranges[twin.variable].high)
    known = twins.changes.get((k, "low")), twins.changes.get((k, "high"))
    return CertifiedComparison.of(activation, (ranges[k].low, ranges[k].high), of_twin, known)


def above_the_bound(program: LeafProgram) -> Script:
    """Return the query for a point of the program with a positive target; the target plus all lines is no smaller."""
    script = Script()
    for k, (low, high) in program.ends.items():
        script.require(f"(<= {script.number(low)} {_value(k)})")
        script.require(f"(<= {_value(k)} {script.number(high)})")
    terms = [script.form(program.target.shifted(program.peaks), _value)]
    for k, (slope, c) in program.lines.items():
        if slope:
            terms.append(f"(* {script.number(slope)} {_argument(k)})")
        if c:
            terms.append(f"(* {script.number(-c)} {_value(k)})")
    script.require(f"(< 0.0 {total(terms)})")
    return script


def halves(program: LeafProgram) -> list[LeafProgram]:
    """Split the widest range of a free variable in two; return no programs if all ranges are points."""
    widest = max(program.ends, key=lambda k: program.ends[k][1] - program.ends[k][0], default=None)
    if widest is None or program.ends[widest][0] == program.ends[widest][1]:
        return []
    low, high = program.ends[widest]
    middle = (low + high) / 2
    return [program._replace(ends={**program.ends, widest: ends}) for ends in ((low, middle), (middle, high))]


def _value(k: int) -> str:
    return f"v{k}"


def _argument(k: int) -> str:
    return f"z{k}"


def _common_denominator(form: Affine) -> Rational:
    numbers = (form.constant, *(w for _, w in form.terms))
    return Rational(math.lcm(*(int(x.denominator) for x in numbers if not isinstance(x, Algebraic)), 1))
