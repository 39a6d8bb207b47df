"""Conditions built from linear constraints by and, or and not, and the boxes and constraints of their cases.

No function here is recursive: files may nest conditions as deeply as they like, and share parts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, Number
from verimv.networks.affine import Affine, combination

#: Limits on the disjunctive normal form: its cases, and the bounds and constraints that are copied to make it.
MAX_CASES = 20_000
MAX_COPIES = 2_000_000

#: Operands of one ≠, all pairs of which are compared.
_MAX_DISTINCT = 1_000

Comparison = Literal["<=", "<", ">=", ">", "=", "!="]


class LinearConstraint(NamedTuple):
    """form ≤ 0, or form < 0 if it is strict."""

    form: Affine
    strict: bool

    def is_met(self, values: Sequence[Number]) -> bool:
        value = self.form(values)
        return value < 0 or (value == 0 and not self.strict)

    def negated(self) -> LinearConstraint:
        return LinearConstraint(-self.form, not self.strict)


class Condition:
    """A constraint, or a conjunction ("all"), disjunction ("any") or negation ("not") of other conditions.

    Compared by identity: a part may be shared, and equality would have to be recursive.
    """

    __slots__ = ("constraint", "kind", "parts")

    def __init__(
        self,
        kind: Literal["constraint", "all", "any", "not"],
        parts: Sequence[Condition] = (),
        constraint: LinearConstraint | None = None,
    ) -> None:
        self.kind, self.parts, self.constraint = kind, tuple(parts), constraint


def all_of(parts: Iterable[Condition]) -> Condition:
    return Condition("all", tuple(parts))


def any_of(parts: Iterable[Condition]) -> Condition:
    return Condition("any", tuple(parts))


def negation(part: Condition) -> Condition:
    return Condition("not", (part,))


def implication(premise: Condition, conclusion: Condition) -> Condition:
    return any_of((negation(premise), conclusion))


def equivalence(a: Condition, b: Condition) -> Condition:
    return choice(a, b, negation(b))


def choice(test: Condition, yes: Condition, no: Condition) -> Condition:
    """Return the condition that `yes` holds where the test holds, and `no` elsewhere."""
    return any_of((all_of((test, yes)), all_of((negation(test), no))))


TRUE, FALSE = all_of(()), any_of(())


def compared(operator: Comparison, left: Affine, right: Affine) -> Condition:
    """Return the condition that two affine forms compare like this."""
    difference = combination([(ONE, left), (-ONE, right)])
    below, above = LinearConstraint(difference, False), LinearConstraint(-difference, False)
    if operator in ("<=", "<"):
        return _constraint(LinearConstraint(difference, operator == "<"))
    if operator in (">=", ">"):
        return _constraint(LinearConstraint(-difference, operator == ">"))
    equal = all_of(map(_constraint, (below, above)))
    return equal if operator == "=" else negation(equal)


def chained(operator: Comparison, forms: Sequence[Affine]) -> Condition:
    """Return the condition that neighbours compare like this; with ≠, all of them differ."""
    if operator == "!=":
        if len(forms) > _MAX_DISTINCT:
            raise InputError(f"expected at most {_MAX_DISTINCT:,} numbers that differ, found {len(forms):,}")
        pairs: Iterable[tuple[Affine, Affine]] = ((a, b) for i, a in enumerate(forms) for b in forms[i + 1 :])
    else:
        pairs = pairwise(forms)
    parts = [compared(operator, a, b) for a, b in pairs]
    return parts[0] if len(parts) == 1 else all_of(parts)


def _constraint(constraint: LinearConstraint) -> Condition:
    return Condition("constraint", (), constraint)


class Interval(NamedTuple):
    """The values of one input: None is no bound; an open end does not belong to the interval."""

    low: Number | None = None
    high: Number | None = None
    low_open: bool = False
    high_open: bool = False

    def both(self, other: Interval) -> Interval:
        """Return the intersection."""
        low, low_open = _tighter((self.low, self.low_open), (other.low, other.low_open), 1)
        high, high_open = _tighter((self.high, self.high_open), (other.high, other.high_open), -1)
        return Interval(low, high, low_open, high_open)

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))


_End = tuple[Number | None, bool]


def _tighter(a: _End, b: _End, way: int) -> _End:
    """Return the larger of two lower ends (way 1) or the smaller of two upper ones (way −1); open is tighter."""
    if a[0] is None or b[0] is None:
        return b if a[0] is None else a
    if a[0] == b[0]:
        return a[0], a[1] or b[1]
    return a if (a[0] - b[0]) * way > 0 else b


@dataclass
class Conjunction:
    """Intervals of single inputs, and the other constraints, in the order in which they were first met."""

    intervals: dict[int, Interval] = field(default_factory=dict)
    constraints: dict[LinearConstraint, None] = field(default_factory=dict)
    is_empty: bool = False

    def narrow(self, index: int, interval: Interval) -> None:
        known = self.intervals.get(index)
        found = self.intervals[index] = interval if known is None else known.both(interval)
        self.is_empty = self.is_empty or found.is_empty

    def add(self, constraint: LinearConstraint, inputs: Container[int]) -> None:
        """Add a constraint: to the intervals if it is about one input only."""
        form, strict = constraint
        if not form.terms:
            self.is_empty = self.is_empty or not constraint.is_met(())
        elif len(form.terms) == 1 and form.terms[0][0] in inputs:
            [(index, weight)] = form.terms
            end = -form.constant / weight
            self.narrow(index, Interval(high=end, high_open=strict) if weight > 0 else Interval(end, None, strict))
        else:
            self._add(constraint)

    def _add(self, constraint: LinearConstraint) -> None:
        self.is_empty = self.is_empty or constraint.negated() in self.constraints
        self.constraints[constraint] = None

    def both(self, other: Conjunction) -> Conjunction:
        result = Conjunction(dict(self.intervals), dict(self.constraints))
        for index, interval in other.intervals.items():
            result.narrow(index, interval)
        for constraint in other.constraints:
            result._add(constraint)
        return result

    @property
    def size(self) -> int:
        return len(self.intervals) + len(self.constraints)


def cases_of(
    condition: Condition,
    inputs: Container[int],
    chosen: Callable[[LinearConstraint], bool] = lambda constraint: True,
) -> tuple[list[Conjunction], int]:
    """Return the disjunctive normal form of a condition, and how many of its cases were left out, since some interval
    is empty or a constraint without variables is false.

    `inputs` are the variables whose bounds become intervals; constraints that are not `chosen` count as true.
    """
    form = _NormalForm(inputs, chosen)
    return form.of(condition), form.left_out


#: A condition, and whether it is negated.
_Signed = tuple[Condition, bool]


class _NormalForm:
    """Cases of conditions, from the inside out. Parts that occur twice are done once."""

    def __init__(self, inputs: Container[int], chosen: Callable[[LinearConstraint], bool]) -> None:
        self.inputs, self.chosen = inputs, chosen
        self.left_out = self._copied = 0
        self._known: dict[tuple[int, bool], list[Conjunction]] = {}
        self._numbers: dict[object, int] = {}
        #: numbers by identity, with the objects: hashes of exact numbers are slow
        self._by_identity: dict[int, tuple[object, int]] = {}

    def of(self, condition: Condition) -> list[Conjunction]:
        root = _plain((condition, False))
        waiting = [root]
        while waiting:
            node = waiting[-1]
            if _key(node) in self._known:
                waiting.pop()
                continue
            needed = [part for part in _operands(node) if part[0].kind != "constraint"]
            missing = [part for part in needed if _key(part) not in self._known]
            if missing:
                waiting += reversed(missing)
                continue
            self._known[_key(node)] = self._joined(node)
            waiting.pop()
        return self._known[_key(root)]

    def _joined(self, node: _Signed) -> list[Conjunction]:
        if _is_conjunction(node) or node[0].kind == "constraint":
            return self._product(_operands(node))
        parts = _operands(node)
        return self._distinct(
            case
            for part in parts
            for case in (self._product([part]) if part[0].kind == "constraint" else self._known[_key(part)])
        )

    def _product(self, parts: Sequence[_Signed]) -> list[Conjunction]:
        """Return the cases in which all parts hold: single constraints first, then the other parts in order."""
        first, factors = Conjunction(), []
        for condition, negated in parts:
            if condition.constraint is None:
                factors.append(self._known[_key((condition, negated))])
            elif self.chosen(condition.constraint):
                first.add(condition.constraint.negated() if negated else condition.constraint, self.inputs)
        cases = self._distinct([first])
        for factor in factors:
            cases = self._distinct(a.both(b) for a in cases for b in factor)
        return cases

    def _distinct(self, cases: Iterable[Conjunction]) -> list[Conjunction]:
        """Return the cases without empty and equal ones."""
        kept: dict[object, Conjunction] = {}
        for case in cases:
            self._copied += 1 + case.size
            if case.is_empty:
                self.left_out += 1
            else:
                kept[self._key(case)] = case
            if len(kept) > MAX_CASES or self._copied > MAX_COPIES:
                raise InputError(
                    f"the specification has more than {MAX_CASES:,} cases, or too many constraints in all, when it "
                    "is written as an or of ands: ask about its parts one by one"
                )
        return list(kept.values())

    def _key(self, case: Conjunction) -> object:
        intervals = frozenset((index, self._number(interval)) for index, interval in case.intervals.items())
        return intervals, frozenset(map(self._number, case.constraints))

    def _number(self, part: Interval | LinearConstraint) -> int:
        """Return the same number for equal parts."""
        found = self._by_identity.get(id(part))
        if found is None:
            found = self._by_identity[id(part)] = (part, self._numbers.setdefault(part, len(self._numbers)))
        return found[1]


def _key(node: _Signed) -> tuple[int, bool]:
    return id(node[0]), node[1]


def _is_conjunction(node: _Signed) -> bool:
    return node[0].kind == ("any" if node[1] else "all")


def _operands(node: _Signed) -> list[_Signed]:
    """Return what a conjunction or disjunction joins, negations pushed inside; operands of the same kind are
    replaced by theirs. A constraint is its own only operand."""
    conjunctive = _is_conjunction(node)
    found: list[_Signed] = []
    seen: set[tuple[int, bool]] = set()
    waiting = [node]
    while waiting:
        part = _plain(waiting.pop())
        if _key(part) in seen:
            continue
        seen.add(_key(part))
        if part[0].kind != "constraint" and _is_conjunction(part) == conjunctive:
            waiting += [(inner, part[1]) for inner in reversed(part[0].parts)]
        else:
            found.append(part)
    return found


def _plain(node: _Signed) -> _Signed:
    condition, negated = node
    while condition.kind == "not":
        condition, negated = condition.parts[0], not negated
    return condition, negated


def constraints_in(condition: Condition) -> Iterator[LinearConstraint]:
    """Yield every constraint of a condition once for each node."""
    seen: set[int] = set()
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        waiting += reversed(part.parts)
        if part.constraint is not None:
            yield part.constraint
