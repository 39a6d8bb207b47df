"""Sessions of solvers, which answer one query after the other. They read the SMT-LIB that `prove --emit` writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from verimv.exact import Number, Rational
from verimv.solvers.obligations.script import Script


class Reply(NamedTuple):
    """The answer of a solver to a query, with values of the variables if it is "sat"."""

    status: str
    model: Mapping[str, Number]
    reason: str = ""


class Session(Protocol):
    """A solver with definitions that all its queries share."""

    def ask(self, script: Script, seconds: float) -> Reply:
        """Ask whether all assertions of a script, and the definitions, can hold together."""


def new_declarations(script: Script, declared: set[str]) -> str:
    """Return declarations of the new variables of a script; they remain declared after the query."""
    new = [name for name in script.variables if name not in declared]
    declared.update(new)
    return "".join(f"(declare-const {name} Real)" for name in new)


class Z3Session:
    def __init__(self, logic: str, definitions: Script) -> None:
        import z3

        context = z3.Context()  # a new one, since answers depend on what a context was asked before
        self._solver = z3.SimpleSolver(context) if logic == "QF_LRA" else z3.SolverFor(logic, context)
        self._declared: set[str] = set()
        self._solver.from_string(new_declarations(definitions, self._declared) + definitions.body)

    def ask(self, script: Script, seconds: float) -> Reply:
        solver = self._solver
        solver.from_string(new_declarations(script, self._declared))
        solver.set("timeout", max(1, int(seconds * 1000)))
        solver.push()
        try:
            solver.from_string(script.body)
            status = str(solver.check())
            if status == "unknown":
                return Reply(status, {}, f"z3: {solver.reason_unknown()}")
            return Reply(status, _z3_model(solver.model()) if status == "sat" else {})
        finally:
            solver.pop()


#: Digits of irrational values.
_DIGITS = 30


def _z3_model(model: Any) -> dict[str, Number]:
    """Return the values of a model; irrational ones are approximated, so they must be replayed."""
    values: dict[str, Number] = {}
    for declaration in model.decls():
        value = model[declaration]
        value = value.approx(_DIGITS) if hasattr(value, "approx") else value
        if declaration.arity() == 0 and hasattr(value, "as_fraction"):
            fraction: Fraction = value.as_fraction()
            values[declaration.name()] = Rational(fraction.numerator, fraction.denominator)
    return values


class Cvc5Session:
    def __init__(self, logic: str, definitions: Script) -> None:
        import cvc5

        self._cvc5 = cvc5
        terms = cvc5.TermManager()
        self._solver = cvc5.Solver(terms)
        self._symbols = cvc5.SymbolManager(terms)
        self._declared: set[str] = set()
        for option in ("incremental", "produce-models"):
            self._solver.setOption(option, "true")
        self._run(f"(set-logic {logic}){new_declarations(definitions, self._declared)}{definitions.body}")
        self._solver.checkSat()  # process the definitions once, not again for each query

    def ask(self, script: Script, seconds: float) -> Reply:
        self._run(new_declarations(script, self._declared))
        self._solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        self._run(f"(push 1){script.body}")
        try:
            result = self._solver.checkSat()
            if result.isUnsat():
                return Reply("unsat", {})
            if not result.isSat():
                explanation = str(result.getUnknownExplanation()).rsplit(".", 1)[-1].lower()
                return Reply("unknown", {}, f"cvc5: {explanation}")
            return Reply("sat", self._model())
        finally:
            self._run("(pop 1)")

    def _model(self) -> dict[str, Number]:
        values: dict[str, Number] = {}
        for term in self._symbols.getDeclaredTerms():
            value = self._solver.getValue(term)
            if value.isRealValue():
                fraction = Fraction(str(value.getRealValue()))
                values[str(term)] = Rational(fraction.numerator, fraction.denominator)
        return values

    def _run(self, text: str) -> None:
        parser = self._cvc5.InputParser(self._solver, self._symbols)
        parser.setStringInput(self._cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
        while not (command := parser.nextCommand()).isNull():
            said = str(command.invoke(self._solver, self._symbols))
            if said.startswith("(error"):
                raise ValueError(said)


#: Sessions by solver name, for a logic and definitions.
SESSIONS: dict[str, Callable[[str, Script], Session]] = {"z3": Z3Session, "cvc5": Cvc5Session}
