"""z3 and cvc5 behind one protocol: given a program and a condition, they answer sat with a point, unsat, or unknown."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol

from verimv.core.errors import InputError
from verimv.exact import Number, Rational
from verimv.networks.program import Program
from verimv.solvers.encode import Condition, encode, logic_of, longest_number


@dataclass(frozen=True)
class Answer:
    """The answer of a solver. Its point must be replayed exactly before it is used."""

    status: Literal["sat", "unsat", "unknown"]
    point: tuple[Number, ...] | None = None
    reason: str = ""
    #: an "unknown" that was "sat" with a point that is not a solution; "unsat" of another solver must not overrule it
    unconfirmed: bool = False
    #: work of the solver
    work: int = field(default=0, compare=False)


class Z3Builder:
    def __init__(self, logic: str) -> None:
        import z3

        self.z3 = z3
        self.context = z3.Context()  # a new one, since answers depend on what a context was asked before
        self.solver = z3.SolverFor(logic, self.context)

    def real(self, name: str) -> Any:
        return self.z3.Real(name, self.context)

    def number(self, value: Rational) -> Any:
        return self.z3.RealVal(str(value), self.context)

    def sum(self, terms: list[Any]) -> Any:
        return self.z3.Sum(terms)

    def product(self, a: Any, b: Any) -> Any:
        return a * b

    def if_at_most(self, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
        return self.z3.If(a <= b, then, otherwise)

    def at_most(self, a: Any, b: Any) -> Any:
        return a <= b

    def less(self, a: Any, b: Any) -> Any:
        return a < b

    def equal(self, a: Any, b: Any) -> Any:
        return a == b

    def any_of(self, conditions: list[Any]) -> Any:
        return self.z3.Or(conditions)

    def require(self, condition: Any) -> None:
        self.solver.add(condition)


#: z3's resource units per unit of work, for numbers of one bit; a resource unit takes longer for longer numbers.
_Z3_UNITS = 10


def z3_limits(solver: Any, seconds: float, work: int | None, bits: int) -> None:
    """Limit the next check to so much work on numbers of so many bits, and to so many seconds; 0 is no limit for z3."""
    if math.isfinite(seconds):
        solver.set("timeout", max(1, int(seconds * 1000)))
    if work is not None:
        solver.set("rlimit", min(max(1, work * _Z3_UNITS // (1 + bits)), (1 << 32) - 1))


def z3_work(solver: Any, bits: int) -> int:
    """Work of all checks of a solver."""
    return int(solver.statistics().get_key_value("rlimit count")) * (1 + bits) // _Z3_UNITS


#: What solvers say when a limit of work or time is reached.
_LIMITS = ("resource limit", "canceled", "timeout", "resourceout")


def gave_up(solver: str, reason: str) -> str:
    """Return why a solver gave no answer, in words that people know."""
    limited = any(words in reason.replace("_", "") for words in _LIMITS)
    return f"{solver} gave no answer in time" if limited else f"{solver} gave no answer ({reason})"


def ask_z3(
    program: Program, condition: Condition, names: Sequence[str], seconds: float, work: int | None = None
) -> Answer:
    builder = Z3Builder(logic_of(program, condition))
    inputs = encode(program, condition, builder, names)
    bits = longest_number(program, condition)
    z3_limits(builder.solver, seconds, work, bits)
    status = str(builder.solver.check())
    spent = z3_work(builder.solver, bits)
    if status == "unknown":
        return Answer("unknown", reason=gave_up("z3", builder.solver.reason_unknown()), work=spent)
    if status == "unsat":
        return Answer("unsat", work=spent)
    model = builder.solver.model()
    point = tuple(z3_number(model.eval(x, model_completion=True)) for x in inputs)
    return Answer("sat", point, work=spent)


def z3_number(value: Any) -> Rational:
    """Return a rational; for an irrational number, one close to it, which must be replayed."""
    fraction: Fraction = (value.approx(30) if hasattr(value, "approx") else value).as_fraction()
    return Rational(fraction.numerator, fraction.denominator)


class Cvc5Builder:
    def __init__(self, logic: str) -> None:
        import cvc5

        self.kind = cvc5.Kind
        self.terms = cvc5.TermManager()
        self.solver = cvc5.Solver(self.terms)
        self.solver.setLogic(logic)
        self.solver.setOption("produce-models", "true")
        self.sort = self.terms.getRealSort()

    def real(self, name: str) -> Any:
        return self.terms.mkConst(self.sort, name)

    def number(self, value: Rational) -> Any:
        return self.terms.mkReal(str(value))

    def sum(self, terms: list[Any]) -> Any:
        return self.terms.mkTerm(self.kind.ADD, *terms)

    def product(self, a: Any, b: Any) -> Any:
        return self.terms.mkTerm(self.kind.MULT, a, b)

    def if_at_most(self, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
        return self.terms.mkTerm(self.kind.ITE, self.at_most(a, b), then, otherwise)

    def at_most(self, a: Any, b: Any) -> Any:
        return self.terms.mkTerm(self.kind.LEQ, a, b)

    def less(self, a: Any, b: Any) -> Any:
        return self.terms.mkTerm(self.kind.LT, a, b)

    def equal(self, a: Any, b: Any) -> Any:
        return self.terms.mkTerm(self.kind.EQUAL, a, b)

    def any_of(self, conditions: list[Any]) -> Any:
        return conditions[0] if len(conditions) == 1 else self.terms.mkTerm(self.kind.OR, *conditions)

    def require(self, condition: Any) -> None:
        self.solver.assertFormula(condition)


#: Units of work per resource unit of cvc5, which uses about 150,000 of them per second.
_CVC5_UNIT = 6


def ask_cvc5(
    program: Program, condition: Condition, names: Sequence[str], seconds: float, work: int | None = None
) -> Answer:
    builder = Cvc5Builder(logic_of(program, condition))
    if math.isfinite(seconds):
        builder.solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    if work is not None:
        builder.solver.setOption("rlimit-per", str(max(1, work // _CVC5_UNIT)))
    inputs = encode(program, condition, builder, names)
    result = builder.solver.checkSat()
    spent = _CVC5_UNIT * int(builder.solver.getStatistics().get(True, True)["resource::resourceUnitsUsed"]["value"])
    if result.isUnsat():
        return Answer("unsat", work=spent)
    if not result.isSat():
        reason = str(result.getUnknownExplanation()).rsplit(".", 1)[-1].lower()
        return Answer("unknown", reason=gave_up("cvc5", reason), work=spent)
    values = [builder.solver.getValue(x) for x in inputs]
    if not all(value.isRealValue() for value in values):
        return Answer("unknown", reason="cvc5: the model has an irrational value", work=spent)
    fractions = [Fraction(str(value.getRealValue())) for value in values]
    return Answer("sat", tuple(Rational(f.numerator, f.denominator) for f in fractions), work=spent)


class Ask(Protocol):
    """Ask a solver. `work` limits a query in the same way on any machine; `seconds` may end it without a result."""

    def __call__(
        self, program: Program, condition: Condition, names: Sequence[str], seconds: float, work: int | None = None
    ) -> Answer: ...


#: Solvers by name, in the order in which they are tried.
SOLVERS: dict[str, Ask] = {"z3": ask_z3, "cvc5": ask_cvc5}


def version_of(name: str) -> str:
    if name == "z3":
        import z3

        return str(z3.get_version_string())
    import cvc5

    return str(cvc5.__version__)


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def chosen(names: str) -> list[str]:
    """Return the solvers that `--solver` names: one, or "all"."""
    if names != "all" and names not in SOLVERS:
        raise InputError(f"unknown solver {names}: choose one of {', '.join(SOLVERS)}, all")
    wanted = list(SOLVERS) if names == "all" else [names]
    for name in wanted:
        if not is_installed(name):
            raise InputError(f"{name} is not installed: pip install 'verimv[{name}]'")
    return wanted
