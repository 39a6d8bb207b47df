"""Build SMT-LIB text: declarations and assertions."""

from __future__ import annotations

from collections.abc import Callable

from verimv.exact import Number
from verimv.exact.algebraic import Algebraic, Radical, monomials
from verimv.networks.affine import Affine
from verimv.solvers.encode import TextBuilder


class Script:
    """Real variables, and assertions about them. A square root is a variable r with r > 0 and r·r = its radicand."""

    def __init__(self, *names: str) -> None:
        self.variables = dict.fromkeys(names)  # a set that keeps its order
        self.assertions: list[str] = []
        self._builder = TextBuilder()

    @property
    def body(self) -> str:
        """Text of the assertions."""
        return "\n".join(self.assertions)

    @property
    def logic(self) -> str:
        """The logic, for assertions that are linear except for square roots."""
        return "QF_NRA" if any(name.startswith("|") for name in self.variables) else "QF_LRA"

    def text(self, comment: str, logic: str) -> str:
        """Return a complete script that asks whether all assertions can hold together."""
        declared = [f"(declare-const {name} Real)" for name in self.variables]
        return "\n".join([f"; {comment}", f"(set-logic {logic})", *declared, self.body, "(check-sat)", ""])

    def require(self, *alternatives: str) -> None:
        self.assertions.append(f"(assert {self._builder.any_of(list(alternatives))})")

    def define(self, name: str, value: str) -> None:
        """Let a name stand for a value."""
        self.assertions.append(f"(define-fun {name} () Real {value})")

    def number(self, value: Number) -> str:
        if not isinstance(value, Algebraic):
            return self._builder.number(value)
        terms = []
        for product, coefficient in monomials(value).items():
            term = self._builder.number(coefficient)
            for radical in product:
                term = f"(* {term} {self._root(radical)})"
            terms.append(term)
        return total(terms)

    def _root(self, radical: Radical) -> str:
        name = f"|{radical.text}|"
        if name not in self.variables:
            inner = self.number(radical.radicand)
            self.variables[name] = None
            self.require(f"(< 0.0 {name})")
            self.require(f"(= (* {name} {name}) {inner})")
        return name

    def form(self, form: Affine, name: Callable[[int], str]) -> str:
        """Return an affine form as text; `name` gives the name of a variable."""
        terms = [f"(* {self.number(w)} {name(j)})" for j, w in form.terms]
        return total([self.number(form.constant), *terms])


def total(terms: list[str]) -> str:
    """Return the sum of some terms as text."""
    return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"
