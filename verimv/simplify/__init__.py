"""Equal formulas that are shorter: laws, sweeping, and rewriting on small windows, each replacement with its reason."""

from verimv.simplify.equalities import CONGRUENCE, SOLVER, Step
from verimv.simplify.simplification import Simplification, simplify

__all__ = ["CONGRUENCE", "SOLVER", "Simplification", "Step", "simplify"]
