"""The length of the shortest formulas of a function, where all short formulas can be searched."""

from __future__ import annotations

from itertools import islice

import numpy as np

from verimv.core.effort import SECOND
from verimv.formulas.dag import Dag, fold
from verimv.formulas.evaluate_arrays import Arrays
from verimv.formulas.formula import Formula, copy
from verimv.pieces.piecewise import function_of
from verimv.pieces.regions import same_function
from verimv.simplification.between import Assembling, Assembly, Bounds, entries_between
from verimv.simplification.table import ONE

#: Work of the search at one length.
_WORK = 5 * SECOND
#: Formulas with the function's values at all points that are compared with it everywhere.
_COMPARED = 4


def shortest_length(formula: Formula) -> int | None:
    """Return the length of the shortest formulas of a function; None if it is not known.

    One length after the other, it is proved that no formula so short has the function's values at some points. That
    one of the next length is a formula of the function needs a proof, too: the given one is, or the one that is found
    is equal everywhere.
    """
    entries = entries_between(len(formula.inputs))
    search = Assembling(entries)
    columns = dict(zip(formula.inputs, entries.points.astype(np.int64), strict=True))
    values = fold(formula.dag, [formula.root], Arrays(columns, ONE))[0].astype(np.int8)
    bounds = Bounds(values, values)
    for length in range(search.needed(bounds), formula.length):
        if length > search.max_length:
            return None
        found = list(islice(search.find(bounds, length, _WORK), _COMPARED))
        if found:
            return length if any(_is_same(formula, _formula(assembly, formula)) for assembly in found) else None
        if not search.is_complete:
            return None
    return formula.length


def _formula(assembly: Assembly, like: Formula) -> Formula:
    """A formula that was found, with the inputs of another."""
    table = entries_between(len(like.inputs)).table
    dag = Dag()
    nodes = {name: dag.variable(own) for name, own in zip(table.names, like.inputs, strict=True)}
    last, *others = copy(dag, [assembly.last.node, *(entry.node for _, entry in assembly.parts)], table.dag, nodes)
    for (kind, _), node in reversed(list(zip(assembly.parts, others, strict=True))):
        last = dag.node(kind, node, last)
    return Formula(dag, like.inputs, [last])


def _is_same(one: Formula, other: Formula) -> bool:
    return function_of(one) == function_of(other) if len(one.inputs) == 1 else same_function(one, other)
