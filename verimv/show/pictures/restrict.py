"""Fix some inputs of a function, so that it can be drawn over the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Network


def restricted(subject: Formula | Network, fixed: Mapping[str, Number]) -> Formula | Network:
    """Return the function of the other inputs, with these inputs at these values."""
    if not fixed:
        return subject
    return _network(subject, fixed) if isinstance(subject, Network) else _formula(subject, fixed)


def _network(network: Network, fixed: Mapping[str, Number]) -> Network:
    for name, (low, high) in zip(network.inputs, network.box, strict=True):
        if name in fixed:
            _check(name, fixed[name], low, high)
    kept = [j for j, name in enumerate(network.inputs) if name not in fixed]
    if not kept:
        raise InputError("--at: all inputs are fixed, so there is nothing to draw (verimv eval gives the value)")
    forms = {
        j: Affine((), fixed[name]) if name in fixed else Affine.variable(kept.index(j))
        for j, name in enumerate(network.inputs)
    }
    first = network.layers[0]
    layer = replace(first, rows=tuple(row.substitute(forms) for row in first.rows), width_in=len(kept))
    return replace(
        network,
        layers=(layer, *network.layers[1:]),
        inputs=tuple(network.inputs[j] for j in kept),
        box=tuple(network.box[j] for j in kept),
    )


def _formula(formula: Formula, fixed: Mapping[str, Number]) -> Formula:
    for name, value in fixed.items():
        _check(name, value, ZERO, ONE)
    constants = {}
    for name, value in fixed.items():
        dag = Dag()
        constants[name] = Formula(dag, [], [dag.scale(value, dag.constant(1))])
    return formula.substitute(constants)


def _check(name: str, value: Number, low: Number, high: Number) -> None:
    if not low <= value <= high:
        ends = f"[{format_number(low)}, {format_number(high)}]"
        raise InputError(f"--at: {name} = {format_number(value)} is outside {ends}")
