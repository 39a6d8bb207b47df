"""Constraints of a case that contradict each other whatever the network computes, decided exactly.

The outputs are free, and the inputs range over the box. Then a linear program says how far all constraints can be met
at once. Its dual solution are multipliers ≥ 0 such that the sum of the constraints is a number without outputs that is
never negative, which anybody can check.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact import ONE, ZERO, Algebraic, Number
from verimv.exact.simplex import minimised
from verimv.specifications.conditions import LinearConstraint
from verimv.specifications.specification import UnsafeCase

#: Larger programs are not solved: nobody writes them, and they take long.
_MAX_CELLS = 20_000


def contradiction(case: UnsafeCase) -> tuple[Number, ...] | None:
    """Return multipliers of the constraints (and then of the open ends) that show a contradiction; None if there is
    none, or the program is large or irrational."""
    constraints = (*case.constraints, *case.open_ends)
    program = _ExcessProgram(constraints, case)
    if not constraints or program.cells > _MAX_CELLS or program.is_irrational:
        return None
    found = program.least_excess([ONE] * len(constraints))
    if found is None or found[0] > 0:  # all can be met with room to spare
        return None
    if found[0] < 0:
        return found[1]
    strict = [ONE if one.strict else ZERO for one in constraints]
    found = program.least_excess(strict) if any(strict) else None
    return found[1] if found is not None and found[0] <= 0 else None


class _ExcessProgram:
    """How far constraints can be met: max t with form + weight·t ≤ 0 for all of them, by its dual program."""

    def __init__(self, constraints: Sequence[LinearConstraint], case: UnsafeCase) -> None:
        self.constraints, self.box = constraints, case.box
        used = sorted({j for one in constraints for j, _ in one.form.terms})
        self.inputs = [j for j in used if j < len(case.box)]
        self.used = used

    @property
    def cells(self) -> int:
        return (len(self.used) + 1) * (len(self.constraints) + 2 * len(self.inputs))

    @property
    def is_irrational(self) -> bool:
        numbers = [x for one in self.constraints for x in (one.form.constant, *(w for _, w in one.form.terms))]
        return any(isinstance(x, Algebraic) for x in (*numbers, *(x for ends in self.box for x in ends)))

    def least_excess(self, weights: Sequence[Number]) -> tuple[Number, tuple[Number, ...]] | None:
        """Return max t, and multipliers that prove it; None if t has no limit."""
        free = [ZERO] * len(self.inputs)
        rows = [[*weights, *free, *free]]
        forms = [dict(one.form.terms) for one in self.constraints]
        for j in self.used:
            below = [ONE if j == k else ZERO for k in self.inputs]
            rows.append([*(form.get(j, ZERO) for form in forms), *(-x for x in below), *below])
        costs = [
            *(-one.form.constant for one in self.constraints),
            *(-self.box[j][0] for j in self.inputs),
            *(self.box[j][1] for j in self.inputs),
        ]
        found = minimised(costs, rows, [ONE, *[ZERO] * len(self.used)])
        return None if found is None else (found[0], tuple(found[1][: len(self.constraints)]))
