"""Random MV terms; docs/reproduce.md describes how they are drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from verimv.core.errors import InputError
from verimv.formulas.dag import NOT, ODOT, OPLUS, Dag
from verimv.formulas.formula import Formula

#: Values are compared at multiples of 1/_STEPS[number of variables], as integers over that denominator.
_STEPS = {1: 60, 2: 12, 3: 6}

#: Length of a term: drawing recurses as deep as the term is long.
MAX_LENGTH = 200


class _Drawn(NamedTuple):
    node: int
    values: NDArray[np.int64]


class TermSource:
    """Draws terms in which every operator acts, or any terms if `idle`; the same seed gives the same terms."""

    def __init__(self, seed: str, variables: Sequence[str], *, idle: bool = False) -> None:
        if not 1 <= len(variables) <= max(_STEPS):
            raise InputError(f"expected 1 to {max(_STEPS)} variables, found {len(variables)}")
        self.random = random.Random(seed)
        self.variables = tuple(variables)
        self.idle = idle
        self.one = _STEPS[len(variables)]
        axis = np.arange(self.one + 1, dtype=np.int64)
        self._columns = [column.ravel() for column in np.meshgrid(*[axis] * len(variables), indexing="ij")]

    def draw(self, length: int) -> Formula:
        """Return a term with `length` occurrences of variables."""
        if not 1 <= length <= MAX_LENGTH:
            raise InputError(f"expected a length from 1 to {MAX_LENGTH}, found {length}")
        dag = Dag()
        return Formula(dag, self.variables, [self._term(dag, length).node])

    def _term(self, dag: Dag, length: int) -> _Drawn:
        """Return a literal, or two drawn terms joined by ⊕ or ⊙; they are drawn again until the operator acts."""
        if length == 1:
            return self._literal(dag)
        while True:
            first = self.random.randint(1, length - 1)
            a, b = self._term(dag, first), self._term(dag, length - first)
            if self.random.random() < 0.5:
                values, kind = np.minimum(self.one, a.values + b.values), OPLUS
            else:
                values, kind = np.maximum(0, a.values + b.values - self.one), ODOT
            acts = not (_same(values, a.values) or _same(values, b.values) or values.min() == values.max())
            if acts or self.idle:
                return _Drawn(dag.node(kind, a.node, b.node), values)

    def _literal(self, dag: Dag) -> _Drawn:
        index = self.random.randrange(len(self.variables))
        variable, values = dag.variable(self.variables[index]), self._columns[index]
        if self.random.random() < 0.5:
            return _Drawn(variable, values)
        return _Drawn(dag.node(NOT, variable), self.one - values)


def _same(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    return bool((a == b).all())


def composition(source: TermSource, parts: int) -> Formula:
    """Return τ_1 ∘ … ∘ τ_parts, each a term of length 2 or 3 in one variable."""
    (variable,) = source.variables
    term: Formula | None = None
    for _ in range(parts):
        outer = source.draw(source.random.randint(2, 3))
        term = outer if term is None else outer.substitute({variable: term})
    if term is None:
        raise InputError(f"expected at least one part, found {parts}")
    return term
