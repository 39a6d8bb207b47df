"""How far can float32 execution of a network be from its exact function?"""

from __future__ import annotations

from verimv.bounding.float_error import float32_gaps
from verimv.bounding.methods import neuron_bounds
from verimv.core.progress import Progress, no_progress
from verimv.exact import Number
from verimv.networks.network import Network


def float_gaps(network: Network, progress: Progress = no_progress) -> list[Number]:
    """Return a proven bound on |float32 execution − exact value| for each output, over the whole box."""
    progress("bounding neurons", 0, 1)
    return float32_gaps(network, neuron_bounds(network, "auto", progress))
