"""Nodes → text, in one pass over the shared table: Unicode, ASCII, LaTeX and SymPy.

Text grows with the DAG, not with the tree: a node that is used twice, or whose text is long, gets a name (t1, t2, …)
and one definition. ∧ ∨ → ↔ and N· (N ≥ 3) are recognised; x ⊙ ¬y is printed as the paper writes it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verimv.exact import Number, Rational, format_number
from verimv.exact.algebraic import merged, monomials
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag, reachable
from verimv.formulas.parse import NAME

# Derived operators that are recognised, numbered after the primitive kinds.
MEET, JOIN, IMPLIES, EQUIVALENT, MULTIPLE = range(8, 13)
_BINARY = frozenset({OPLUS, ODOT, MEET, JOIN, IMPLIES, EQUIVALENT})

#: An operator, its payload (name, divisor, factor, count) and its operands.
View = tuple[int, Any, tuple[int, ...]]


class PrimitiveView:
    """View of nodes with their primitive operators."""

    def __init__(self, dag: Dag, order: Sequence[int]) -> None:
        self.dag = dag

    def __call__(self, number: int) -> View:
        dag = self.dag
        kind = dag.kinds[number]
        payload = dag.payload(number) if kind in (VARIABLE, DIVIDE, SCALE) else None
        return kind, payload, dag.operands(number)


class DerivedView(PrimitiveView):
    """View of nodes with derived operators: undoes `dag.meet`, `join`, `implies`, `equivalent`, `multiple`."""

    def __init__(self, dag: Dag, order: Sequence[int]) -> None:
        super().__init__(dag, order)
        #: number → (a, N) for every ⊕ that is N·a
        self.multiples: dict[int, tuple[int, int]] = {}
        for number in order:
            if dag.kinds[number] == OPLUS:
                left, right = dag.lefts[number], dag.rights[number]
                base, count = self.multiples.get(left, (left, 1))
                other, more = self.multiples.get(right, (right, 1))
                if base == other and count + more < 1 << 64:
                    self.multiples[number] = (base, count + more)

    def __call__(self, number: int) -> View:
        dag = self.dag
        kinds, lefts, rights = dag.kinds, dag.lefts, dag.rights
        kind = kinds[number]
        if kind != OPLUS and kind != ODOT:
            return super().__call__(number)
        left, right = lefts[number], rights[number]
        if kinds[left] == NOT:
            inner = lefts[left]
            if kinds[inner] == kind and rights[inner] == right and kinds[lefts[inner]] == NOT:
                return (MEET if kind == ODOT else JOIN), None, (lefts[lefts[inner]], right)
            if kind == OPLUS:
                return IMPLIES, None, (inner, right)
        if kind == ODOT and kinds[left] == OPLUS == kinds[right] and kinds[lefts[left]] == NOT == kinds[lefts[right]]:
            a, b = lefts[lefts[left]], rights[left]
            if lefts[lefts[right]] == b and rights[right] == a:
                return EQUIVALENT, None, (a, b)
        base, count = self.multiples.get(number, (number, 1))
        if count > 2:
            return MULTIPLE, count, (base,)
        return kind, None, (left, right)


@dataclass(frozen=True)
class Style:
    """Spelling of operators. `infix` gives symbol and binding strength (larger binds tighter)."""

    infix: dict[int, tuple[str, int]]
    negation: str
    divide: Callable[[int], str]
    scale: Callable[[Number], str]
    multiple: Callable[[int], str]
    name: Callable[[str], str] = str
    brackets: tuple[str, str] = ("(", ")")

    def text(self, view: View, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """Return the text of an operator applied to texts, and how tightly it binds."""
        kind, payload, _ = view
        if kind == VARIABLE:
            return self.name(payload), 9
        if kind in (ZERO, ONE):
            return ("1" if kind == ONE else "0"), 9
        if kind in self.infix:
            symbol, binds = self.infix[kind]
            (left, left_binds), (right, right_binds) = operands
            to_the_right = kind == IMPLIES
            left = self._bracketed(left, left_binds < binds or (left_binds == binds and to_the_right))
            right = self._bracketed(right, right_binds < binds or (right_binds == binds and not to_the_right))
            return f"{left} {symbol} {right}", binds
        prefix = {NOT: lambda _: self.negation, DIVIDE: self.divide, SCALE: self.scale, MULTIPLE: self.multiple}[kind]
        operand, operand_binds = operands[0]
        return prefix(payload) + self._bracketed(operand, operand_binds < 8), 8

    def showing(self, constants: Mapping[Number, str], name: Callable[[str], str] | None = None) -> Style:
        """Return this style for screens: with these texts of constants, and names as `name` shows them."""

        def scale(factor: Number) -> str:
            return self.scale(factor).replace(format_number(factor), constants.get(factor, format_number(factor)))

        return replace(self, scale=scale, name=name or self.name)

    def _bracketed(self, text: str, needed: bool) -> str:
        return self.brackets[0] + text + self.brackets[1] if needed else text


def quoted(name: str) -> str:
    """Return a name for a formula or an equation, in quotes if it is not an identifier."""
    return name if re.fullmatch(NAME, name) else f'"{name}"'


def _strengths(*symbols: str) -> dict[int, tuple[str, int]]:
    kinds = ((EQUIVALENT, 1), (IMPLIES, 2), (JOIN, 3), (MEET, 4), (OPLUS, 5), (ODOT, 6))
    return {kind: (symbol, binds) for (kind, binds), symbol in zip(kinds, symbols, strict=True)}


def latex_number(x: Number) -> str:
    terms: list[str] = []
    for product, coefficient in monomials(x).items():
        roots = "".join(rf"\sqrt{{{latex_number(radicand)}}}" for radicand in merged(product))
        p, q = abs(coefficient.numerator), coefficient.denominator
        top = roots if roots and p == 1 else f"{p}{roots}"
        terms.append(
            ("-" if coefficient < 0 else "+" if terms else "") + (top if q == 1 else rf"\frac{{{top}}}{{{q}}}")
        )
    return "".join(terms) or "0"


def latex_name(name: str) -> str:
    """Return x_{12} for x12; other names upright, with underscores escaped."""
    stem = name.rstrip("0123456789")
    if len(stem) == 1 and stem.isalpha():
        return f"{stem}_{{{name[1:]}}}" if name[1:] else stem
    return rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}"


UNICODE = Style(
    infix=_strengths("↔", "→", "∨", "∧", "⊕", "⊙"),
    negation="¬",
    divide=lambda i: f"δ[{i}]",
    scale=lambda r: f"Δ[{format_number(r)}]",
    multiple=lambda n: f"{n}·",
)
ASCII = Style(
    infix=_strengths("<->", "->", "\\/", "/\\", "(+)", "(*)"),
    negation="~",
    divide=lambda i: f"d[{i}]",
    scale=lambda r: f"D[{format_number(r)}]",
    multiple=lambda n: f"{n}*",
)
LATEX = Style(
    infix=_strengths(r"\leftrightarrow", r"\rightarrow", r"\vee", r"\wedge", r"\oplus", r"\odot"),
    negation=r"\lnot ",
    divide=lambda i: rf"\delta_{{{i}}} ",
    scale=lambda r: rf"\Delta_{{{latex_number(r)}}} ",
    multiple=lambda n: rf"{n}\cdot ",
    name=latex_name,
    brackets=(r"\left(", r"\right)"),
)


def sympy_name(name: str) -> str:
    """Return a name, as Symbol('…') if Python or SymPy gives it another meaning."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and (len(name) > 1 or name.islower())
    return name if plain and name not in _SYMPY_NAMES else f"Symbol({name!r})"


#: Lower-case names that `sympify` knows. Single capitals (E, I, S, …) are always written as Symbol('…').
_SYMPY_NAMES = frozenset(
    {"pi", "oo", "zoo", "nan", "beta", "gamma", "zeta", "lamda", "re", "im", "sign", "diff", "test"}
)


class SympyStyle(Style):
    """Min/Max expressions that `sympy.sympify` and Python can read."""

    def __init__(self) -> None:
        super().__init__({}, "1 - ", str, str, str, sympy_name)

    def text(self, view: View, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
        kind, payload, _ = view
        texts = [text for text, _ in operands]
        if kind == OPLUS:
            return f"Min(1, {texts[0]} + {texts[1]})", 9
        if kind == ODOT:
            return f"Max(0, {texts[0]} + {texts[1]} - 1)", 9
        if kind == NOT:
            return f"(1 - {texts[0]})", 9
        if kind in (DIVIDE, SCALE):
            factor = Rational(1, payload) if kind == DIVIDE else payload
            return f"({sympy_number(factor)})*{texts[0]}", 9
        return super().text(view, operands)


def sympy_number(x: Number) -> str:
    """Return text of a number that SymPy reads exactly (a bare 1/3 would be a float in Python)."""
    terms = []
    for product, coefficient in monomials(x).items():
        roots = "".join(f"*sqrt({sympy_number(radicand)})" for radicand in merged(product))
        terms.append(f"Rational({coefficient.numerator}, {coefficient.denominator}){roots}")
    return " + ".join(terms) or "0"


SYMPY = SympyStyle()


@dataclass(frozen=True)
class Definition:
    name: str
    text: str


def definitions(
    dag: Dag,
    roots: Sequence[int],
    style: Style,
    view: type[PrimitiveView],
    fresh_names: Iterator[str],
    width: int = 72,
) -> tuple[list[Definition], list[str]]:
    """Return definitions in order, and a text for each root that may use them. No text exceeds about twice `width`."""
    views, uses = _seen(dag, roots, view)
    texts: dict[int, tuple[str, int]] = {}
    defined: list[Definition] = []
    is_root = set(roots)
    for number in sorted(views):
        seen = views[number]
        text, binds = style.text(seen, [texts[operand] for operand in seen[2]])
        shared = uses[number] > 1 and (seen[0] in _BINARY or len(text) > 24)
        if shared or (len(text) > width and number not in is_root):
            name = next(fresh_names)
            defined.append(Definition(name, text))
            text, binds = style.name(name), 9
        texts[number] = (text, binds)
    return defined, [texts[root][0] for root in roots]


def one_line(dag: Dag, root: int, style: Style, view: type[PrimitiveView]) -> str:
    """Return the written-out formula. The caller ensures that it is short."""
    views, _ = _seen(dag, [root], view)
    texts: dict[int, tuple[str, int]] = {}
    for number in sorted(views):
        texts[number] = style.text(views[number], [texts[operand] for operand in views[number][2]])
    return texts[root][0]


def _seen(dag: Dag, roots: Sequence[int], view: type[PrimitiveView]) -> tuple[dict[int, View], dict[int, int]]:
    """Return the nodes that the view visits from the roots, and how often each is used (being a root counts once)."""
    order, _ = reachable(dag, roots)
    look = view(dag, order)
    uses: dict[int, int] = {}
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    views: dict[int, View] = {}
    for number in reversed(order):
        if number in uses:
            views[number] = seen = look(number)
            for operand in seen[2]:
                uses[operand] = uses.get(operand, 0) + 1
    return views, uses
