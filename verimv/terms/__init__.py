"""Terms of MV, DMV and RMV logic: shared DAG, measures, evaluation, text."""

from verimv.terms.formula import Formula, parse, variable
from verimv.terms.mvfile import read_mv, write_mv

__all__ = ["Formula", "parse", "read_mv", "variable", "write_mv"]
