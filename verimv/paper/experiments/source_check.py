"""Is a formula equal to the term or network that it was made from? By a solver, and by exact breakpoints.

The solver runs in this process, box by box: workers of experiments may not start processes, ask tens of thousands of
small questions, and know boxes with few cases (between neighbouring breakpoints).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from verimv.core.errors import InternalError
from verimv.exact import ONE, ZERO
from verimv.formulas.formula import Formula
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.pieces.piecewise import Piecewise, function_of, sampled
from verimv.solvers.encode import Condition, positive, to_smtlib
from verimv.solvers.engines import SOLVERS
from verimv.solvers.functions import aligned
from verimv.solvers.limited import Deadline
from verimv.solvers.point_search import is_impossible

#: Seconds for one formula (no formula needs nearly as many), and for one query before its box is split.
SECONDS = 600.0
_QUERY_SECONDS = 1.0

#: Sources up to this length are sampled at Farey points, too.
FAREY_LENGTH = 40


def pieces(function: Piecewise) -> list[Box]:
    """Return the intervals between neighbouring breakpoints."""
    return [((a, b),) for a, b in pairwise(function.points)]


def check_source(term: Formula, function: Piecewise) -> None:
    """Raise an error unless the paper's sampling procedure finds the same breakpoints."""
    if term.length <= FAREY_LENGTH and sampled(term) != function:
        raise InternalError(f"Farey samples and breakpoints differ: {term.text()}")


def check_breakpoints(source: Formula | Network, function: Piecewise, formula: Formula) -> None:
    """Raise an error unless the formula has exactly the source's breakpoints and values."""
    if function_of(formula) != function:
        raise InternalError(f"a formula differs from its source: {_shown(source)}")


def solver_proves(
    source: Formula | Network, formula: Formula, boxes: Sequence[Box] | None = None, seconds: float = SECONDS
) -> bool:
    """Whether z3 proves equality on all boxes (by default the unit cube); False if it does not finish.

    A difference that it finds is a bug in verimv.
    """
    left, right = aligned(source, formula)
    deadline = Deadline(seconds)
    pending = list(boxes) if boxes is not None else [((ZERO, ONE),) * len(left.inputs)]
    while pending:
        box = pending.pop()
        program = Program(box)
        differences = [x + (-y) for x, y in zip(left.add_to(program), right.add_to(program), strict=True)]
        condition: Condition = [[positive(d) for x in differences for d in (x, -x)]]
        if is_impossible(program, condition):
            continue
        if not deadline.left:
            return False
        answer = SOLVERS["z3"](program, condition, left.inputs, min(_QUERY_SECONDS, deadline.left))
        if answer.status == "sat":
            text = to_smtlib(program, condition, left.inputs)
            raise InternalError(f"a formula differs from its source: {_shown(source)}", text)
        if answer.status == "unknown":
            pending += _halves(box)
    return True


def _halves(box: Box) -> list[Box]:
    widest = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
    low, high = box[widest]
    middle = (low + high) / 2
    return [(*box[:widest], half, *box[widest + 1 :]) for half in ((low, middle), (middle, high))]


def _shown(source: Formula | Network) -> str:
    return source.text() if isinstance(source, Formula) else f"a network with {source.neurons} neurons"
