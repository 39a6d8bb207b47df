"""The length of the shortest formulas of a function, where all short formulas can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from verimv.core.effort import SECOND
from verimv.formulas.dag import Dag, fold
from verimv.formulas.evaluate_arrays import Arrays
from verimv.formulas.formula import Formula, copy
from verimv.pieces.piecewise import function_of
from verimv.pieces.regions import same_function
from verimv.simplification.between import Assembling, Assembly, Bounds, entries_between
from verimv.simplification.table import ONE, ShortFormulas

#: Work of the search at one length.
_WORK = 5 * SECOND
#: Formulas with the function's values at all points that are compared with it everywhere.
_COMPARED = 4


def shortest_length(formula: Formula, table_length: int | None = None) -> int | None:
    """Return the length of the shortest formulas of a function of up to three variables; None if it is not known. A
    larger table than usual makes it known for longer formulas.

    One length after the other, it is proved that no formula so short has the function's values at some points. That
    one of the next length is a formula of the function needs a proof, too: the given one is, or the one that is found
    is equal everywhere.
    """
    entries = entries_between(len(formula.inputs), table_length)
    search = Assembling(entries)
    columns = dict(zip(formula.inputs, entries.points.astype(np.int64), strict=True))
    values = fold(formula.dag, [formula.root], Arrays(columns, ONE))[0].astype(np.int8)
    bounds = Bounds(values, values)
    for length in range(search.needed(bounds), formula.length):
        if length > search.max_length:
            return None
        found = list(islice(search.find(bounds, length, _WORK), _COMPARED))
        if found:
            formulas = [_formula(entries.table, assembly, formula.inputs) for assembly in found]
            return length if any(_is_same(formula, other) for other in formulas) else None
        if not search.is_complete:
            return None
    return formula.length


def _formula(table: ShortFormulas, assembly: Assembly, inputs: Sequence[str]) -> Formula:
    """A formula that was found, in variables of other names."""
    dag = Dag()
    nodes = {name: dag.variable(own) for name, own in zip(table.names, inputs, strict=True)}
    root, *others = copy(dag, [assembly.last.node, *(entry.node for _, entry in assembly.parts)], table.dag, nodes)
    for (kind, _), node in reversed(list(zip(assembly.parts, others, strict=True))):
        root = dag.node(kind, node, root)
    return Formula(dag, inputs, [root])


def _is_same(one: Formula, other: Formula) -> bool:
    return function_of(one) == function_of(other) if len(one.inputs) == 1 else same_function(one, other)
