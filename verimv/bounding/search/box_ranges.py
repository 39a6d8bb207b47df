"""Ranges of outputs that were not found exactly, made smaller by halved boxes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from verimv.bounding.search.box_output import BoxSearch
from verimv.bounding.search.box_search import MOST_INPUTS
from verimv.bounding.search.output_range import as_unit_network
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.errors import Undecided
from verimv.networks.network import Network, activate
from verimv.solvers.functions import Function
from verimv.solvers.optimise import FunctionRange, Optimum


def tightened_ranges(
    network: Network, ranges: Sequence[FunctionRange], deadline: Deadline, work: int = 60 * SECOND
) -> list[FunctionRange]:
    """Return ranges whose ends are closer to each other where they were not exact; others stay as they are.

    The work is shared by all ends. When the deadline passes, what was found so far is returned.
    """
    unit = as_unit_network(network) if len(network.inputs) <= MOST_INPUTS else None
    result = list(ranges)
    loose = [(k, way) for k, found in enumerate(ranges) for way in (-1, 1) if not _end(found, way).exact]
    if unit is None or not loose:
        return result
    function, meter = Function(network), Meter(work, deadline)
    with suppress(Undecided):
        for n, (k, way) in enumerate(loose):
            search = BoxSearch(unit, k, way)
            if not search.is_usable:
                break
            share = Meter(max(0, meter.left) // (len(loose) - n), deadline)
            outcome = search.run(None, share)
            meter.spend(share.spent)
            old, activation = _end(result[k], way), unit.layers[-1].activation
            upper = old.upper
            if outcome.value is not None:
                upper = min(upper, way * activate(activation, way * outcome.value))
            value = way * function.at(outcome.point)[k]
            best = Optimum(value, outcome.point, upper) if value > old.value else replace(old, upper=upper)
            result[k] = replace(result[k], lower=best) if way < 0 else replace(result[k], upper=best)
    return result


def _end(found: FunctionRange, way: int) -> Optimum:
    return found.lower if way < 0 else found.upper
