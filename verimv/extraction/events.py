"""What extraction reports to a listener while it works. A certificate is written from it; extraction needs none.

One event for Step 1; then, layer by layer, one for every recipe of Step 2 that Step 3 has used, and one for the layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verimv.bounding.results import NetworkBounds
from verimv.extraction.clipped import HiddenClipping, OutputClipping
from verimv.extraction.strategies.strategy import Recipe
from verimv.networks.affine import Affine
from verimv.networks.network import Network


@dataclass(frozen=True)
class NetworkClipped:
    """Step 1 is done: the network on the unit cube, what is proved of its neurons, and its layers in clipped units."""

    network: Network
    bounds: NetworkBounds
    hidden: Sequence[HiddenClipping]
    outputs: OutputClipping


@dataclass(frozen=True)
class UnitsBuilt:
    """Steps 2 and 3: the units of a group have nodes, made as the recipe says."""

    recipe: Recipe


@dataclass(frozen=True)
class LayerBuilt:
    """Step 3: all units of a layer have nodes; they are the variables of the next layer."""

    units: Sequence[Affine]


Event = NetworkClipped | UnitsBuilt | LayerBuilt

Listener = Callable[[Event], None]


def no_listener(event: Event) -> None:
    """Ignore the event: the default."""
