"""The length of the shortest formulas of a function, where all short formulas can be enumerated."""

from __future__ import annotations

import numpy as np

from verimv.formulas.dag import Dag, fold
from verimv.formulas.evaluate_arrays import Arrays
from verimv.formulas.formula import Formula, copy
from verimv.pieces.piecewise import function_of
from verimv.pieces.regions import same_function
from verimv.simplification.decompose import decomposer
from verimv.simplification.table import ONE, Entry, ShortFormulas, Values, grid_axis, short_formulas, whole_grid

#: Length up to which all functions of one variable are enumerated here; in more variables, it is the table's.
_UNIVARIATE = 14


def shortest_length(formula: Formula) -> int | None:
    """Return the length of the shortest formulas of a function; None if it is not known.

    No formula with these values on the grid is shorter than the one that is found, so none of the function is. That
    one of the function is as short needs a proof: the given one is, or the one that is found is equal everywhere.
    """
    leaves = len(formula.inputs)
    table = short_formulas(1, _UNIVARIATE) if leaves == 1 else short_formulas(leaves)
    columns = {name: grid_axis(i, leaves).astype(np.int64) for i, name in enumerate(formula.inputs)}
    values = whole_grid(leaves) + fold(formula.dag, [formula.root], Arrays(columns, ONE))[0].astype(np.int8)
    entry = table.find(values) or _next_longer(table, values)
    if entry is None:
        return None
    if formula.length > entry.length:
        dag = Dag()
        nodes = {name: dag.variable(own) for name, own in zip(table.names, formula.inputs, strict=True)}
        shortest = Formula(dag, formula.inputs, copy(dag, [entry.node], table.dag, nodes))
        same = function_of(formula) == function_of(shortest) if leaves == 1 else same_function(formula, shortest)
        return entry.length if same else None
    return entry.length


def _next_longer(table: ShortFormulas, values: Values) -> Entry | None:
    """Return a formula that is longer than all of the table by 1: each is a ⊕ b or a ⊙ b of two that the table has."""
    found = decomposer(table.leaves).find(values) if table.leaves > 1 else None
    return found if found is not None and found.length == table.max_length + 1 else None
