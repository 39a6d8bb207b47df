"""Step 3 of the paper: compose the units' terms along the layers.

Variables of a unit stand for the units below, so building each layer's terms directly on the nodes of the layer below
is the substitution of the paper, done once per shared node instead of once per occurrence.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.extraction.clipped import ClippedNetwork
from verimv.extraction.events import LayerBuilt, Listener, UnitsBuilt, no_listener
from verimv.extraction.strategies.strategy import Strategy
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula


def compose(
    clipped: ClippedNetwork,
    strategy: Strategy,
    inputs: Sequence[str],
    outputs: Sequence[str],
    listener: Listener = no_listener,
) -> Formula:
    """Return the formula of a clipped network whose units are built as the strategy decides."""
    dag = Dag()
    below = [dag.variable(name) for name in inputs]
    for units in [*clipped.layers, clipped.outputs]:
        nodes = [-1] * len(units)
        for recipe in strategy.recipes(units):
            for member, node in zip(recipe.group.members, recipe.nodes(dag, below), strict=True):
                nodes[member] = node
            listener(UnitsBuilt(recipe))
        listener(LayerBuilt(units))
        below = nodes
    return Formula(dag, inputs, below, outputs)
