"""Linear programs in floating point, by HiGHS. All answers are guesses: of multipliers, points and branchings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import highspy
import numpy as np

INFINITY = highspy.kHighsInf
_TOLERANCE = 1e-9
#: Limit per solution. (HiGHS counts a time limit from when the solver was made, and results would depend on it.)
_ITERATIONS = 50_000

#: Work of a solution, and of each of its iterations.
_SOLVE, _ITERATION = 250, 10

#: Solvers that are not in use; making a new one takes longer than solving a small program.
_idle: list[Any] = []


def _new_solver() -> Any:
    """Return a silent, single-threaded simplex solver."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("presolve", "off"),
        ("solver", "simplex"),
        ("threads", 1),
        ("simplex_iteration_limit", _ITERATIONS),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
    ):
        solver.setOptionValue(option, value)
    return solver


@dataclass(frozen=True)
class LinearAnswer:
    """The answer to a linear program; `duals` belong to the optimum or are a dual ray, and may be missing."""

    status: Literal["optimal", "infeasible", "failed"]
    value: float = 0.0
    point: Any = None
    duals: Any = None
    work: int = 0


class LinearProgram:
    """Maximise cost·x over low ≤ x ≤ high and row_low ≤ rows·x ≤ row_high.

    Bounds, coefficients and cost may change; each solution starts from the last one.
    """

    def __init__(self, low: Any, high: Any, rows: Any, row_low: Any, row_high: Any) -> None:
        self.columns = len(low)
        solver = self._solver = _idle.pop() if _idle else _new_solver()
        places = np.nonzero(rows)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.columns, len(row_low)
        program.col_cost_ = np.zeros(self.columns)
        program.col_lower_, program.col_upper_ = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        program.row_lower_, program.row_upper_ = np.asarray(row_low, dtype=float), np.asarray(row_high, dtype=float)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(places[0], minlength=len(row_low)))])
        program.a_matrix_.index_ = places[1]
        program.a_matrix_.value_ = rows[places]
        self._accepted = solver.passModel(program) != highspy.HighsStatus.kError

    def __del__(self) -> None:
        """Keep the solver for another program."""
        _idle.append(self._solver)

    def bound_column(self, column: int, low: float, high: float) -> None:
        self._solver.changeColBounds(column, low, high)

    def bound_row(self, row: int, low: float, high: float) -> None:
        self._solver.changeRowBounds(row, low, high)

    def set_coefficient(self, row: int, column: int, value: float) -> None:
        self._solver.changeCoeff(row, column, value)

    def maximise(self, cost: Any) -> LinearAnswer:
        """Solve the program for a cost vector."""
        solver = self._solver
        if not self._accepted:
            return LinearAnswer("failed")
        solver.changeColsCost(self.columns, np.arange(self.columns, dtype=np.int32), -np.asarray(cost, dtype=float))
        solver.run()
        status = solver.getModelStatus()
        work = _SOLVE + _ITERATION * max(0, solver.getInfo().simplex_iteration_count)
        if status == highspy.HighsModelStatus.kOptimal:
            solution = solver.getSolution()
            point, duals = np.array(solution.col_value), -np.array(solution.row_dual)
            return LinearAnswer("optimal", float(np.sum(cost * point)), point, duals, work)
        if status == highspy.HighsModelStatus.kInfeasible:
            _, has_ray, ray = solver.getDualRay()
            return LinearAnswer("infeasible", duals=np.array(ray) if has_ray else None, work=work)
        return LinearAnswer("failed", work=work)
