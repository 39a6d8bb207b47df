"""The solver side: encoding, solvers, and what they decide."""

from verimv.smt.decide import entails, equivalent, satisfiable, valid
from verimv.smt.search import Search
from verimv.smt.verdict import Verdict, Witness

__all__ = ["Search", "Verdict", "Witness", "entails", "equivalent", "satisfiable", "valid"]
