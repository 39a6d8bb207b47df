"""The two other ways from a function to a formula: Schauder hats and hyperplanes; and the functions they start from."""

from verimv.baselines.hyperplane import hyperplane
from verimv.baselines.piecewise import Piecewise, function_of, sampled
from verimv.baselines.regions import linear_regions, same_function
from verimv.baselines.schauder import schauder
from verimv.baselines.shallow import shallow_network
from verimv.baselines.truncated import SIGMAS

__all__ = [
    "SIGMAS",
    "Piecewise",
    "function_of",
    "hyperplane",
    "linear_regions",
    "same_function",
    "sampled",
    "schauder",
    "shallow_network",
]
