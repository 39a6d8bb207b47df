"""Laws of MV algebras as rewriting rules, left to right. No variable occurs more often on the right, so no law makes a
formula longer. `tests/simplification/test_laws.py` has each proved by a solver and tried on exact points.

Each law stands here once; its dual (⊕ and ⊙, 0 and 1 exchanged) is made from it. ⊕ and ⊙ match in either order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from verimv.formulas.dag import NOT, ODOT, ONE, OPLUS, VARIABLE, ZERO, Dag, reachable
from verimv.formulas.formula import parse
from verimv.simplification.equalities import EqualityStep, with_operands

#: name, left, right
_STATED = (
    ("unit", "a ⊕ 0", "a"),
    ("bound", "a ⊕ 1", "1"),
    ("double negation", "¬¬a", "a"),
    ("negated constant", "¬0", "1"),
    ("complement", "a ⊕ ¬a", "1"),
    ("complement", "(a ⊕ b) ⊕ ¬a", "1"),
    ("complement", "(¬a ⊕ b) ⊕ a", "1"),
    ("absorption", "a ∧ (a ∨ b)", "a"),
    ("absorption", "a ∧ (b ∨ a)", "a"),
    ("absorption", "(a ∨ b) ∧ a", "a"),
    ("absorption", "(b ∨ a) ∧ a", "a"),
    ("absorption", "a ∧ (a ⊕ b)", "a"),
    ("absorption", "(a ⊕ b) ∧ a", "a"),
    ("order", "a ∨ (a ⊕ b)", "a ⊕ b"),
    ("order", "(a ⊕ b) ∨ a", "a ⊕ b"),
    ("residuation", "a ⊙ (¬a ⊕ (a ⊙ b))", "a ⊙ b"),
    ("distributivity", "(a ⊕ b) ∧ (a ⊕ c)", "a ⊕ (b ∧ c)"),
    ("distributivity", "(a ⊕ b) ∨ (a ⊕ c)", "a ⊕ (b ∨ c)"),
)
#: Saves a node of the tree, but may cost one of the shared DAG: for the length only.
_DE_MORGAN = ("De Morgan", "¬a ⊕ ¬b", "¬(a ⊙ b)")

#: a ∨ b written so that it is read as such. The left sides are shorter by one node, and that is how laws leave them.
_LATTICE = (("lattice", "a ⊕ (¬a ⊙ b)", "b ∨ a"), ("lattice", "¬a ⊕ (a ⊙ b)", "b ∨ ¬a"))

_DUAL = {OPLUS: ODOT, ODOT: OPLUS, ZERO: ONE, ONE: ZERO}


class Law:
    """left = right for all values of their variables."""

    def __init__(self, name: str, dag: Dag, left: int, right: int) -> None:
        self.name = name
        self.dag, self.left, self.right = dag, left, right

    @staticmethod
    def stated(name: str, left: str, right: str) -> Law:
        dag = Dag()
        return Law(name, dag, *(_copied(dag, parse(side).dag, parse(side).root, {}) for side in (left, right)))

    def dual(self) -> Law:
        dag = Dag()
        left, right = (_copied(dag, self.dag, side, _DUAL) for side in (self.left, self.right))
        return Law(self.name, dag, left, right)

    def key(self) -> tuple[bytes, bytes, bytes, int, int]:
        """Return a key that is equal for laws written alike."""
        dag = self.dag
        return bytes(dag.kinds), dag.lefts.tobytes(), dag.rights.tobytes(), self.left, self.right

    def match(self, dag: Dag, node: int) -> dict[int, int] | None:
        """Nodes for the nodes of the left side under which it is this node, tried in both orders of ⊕ and ⊙."""
        choices: list[tuple[list[tuple[int, int]], dict[int, int]]] = [([(self.left, node)], {})]
        while choices:
            agenda, bound = choices.pop()
            if self._follow(dag, agenda, bound, choices):
                return bound
        return None

    def _follow(
        self,
        dag: Dag,
        agenda: list[tuple[int, int]],
        bound: dict[int, int],
        choices: list[tuple[list[tuple[int, int]], dict[int, int]]],
    ) -> bool:
        """Match what is on the agenda; the orders that were not taken go to `choices`."""
        kinds = self.dag.kinds
        while agenda:
            pattern, node = agenda.pop()
            if pattern in bound:
                if bound[pattern] != node:
                    return False
                continue
            kind = kinds[pattern]
            if kind != VARIABLE and kind != dag.kinds[node]:
                return False
            bound[pattern] = node
            inner = self.dag.operands(pattern)
            operands = dag.operands(node) if inner else ()
            if len(inner) == 2 and operands[0] != operands[1]:
                swapped = zip(inner, reversed(operands), strict=True)
                choices.append(([*agenda, *swapped], dict(bound)))
            agenda += zip(inner, operands, strict=True)
        return True

    def apply(self, dag: Dag, node: int) -> EqualityStep | None:
        """The step to the right side, if the node is an instance of the left one."""
        bound = self.match(dag, node)
        if bound is None:
            return None
        image = {p: n for p, n in bound.items() if self.dag.kinds[p] == VARIABLE}
        for inner in reachable(self.dag, [self.right])[0]:
            if inner not in image:
                operands = [image[operand] for operand in self.dag.operands(inner)]
                if self.dag.kinds[inner] == NOT == dag.kinds[operands[0]]:
                    return None  # ¬¬ is not what a law is to make
                image[inner] = with_operands(self.dag, inner, operands, dag)
        return EqualityStep(node, image[self.right], self._leaves(dag, bound | image), self.name)

    def _leaves(self, dag: Dag, image: dict[int, int]) -> tuple[int, ...]:
        """The nodes for the variables, but for constants and for those that occur as a node for something else too
        (b in a ⊕ ¬a ⊕ b where b is ¬a): these are built from the others, and are not free."""
        inner = {n for p, n in image.items() if self.dag.kinds[p] != VARIABLE}
        leaves = {n for p, n in image.items() if self.dag.kinds[p] == VARIABLE and dag.kinds[n] not in (ZERO, ONE)}
        return tuple(sorted(leaves - inner))


def _copied(target: Dag, source: Dag, root: int, exchanged: dict[int, int]) -> int:
    """A term rebuilt with some operators exchanged."""
    image: dict[int, int] = {}
    for node in reachable(source, [root])[0]:
        kind = source.kinds[node]
        operands = [image[operand] for operand in source.operands(node)]
        if kind in exchanged:
            image[node] = target.node(exchanged[kind], *operands)
        else:
            image[node] = with_operands(source, node, operands, target)
    return image[root]


@cache
def laws(minimise: str) -> tuple[Law, ...]:
    """The laws that serve a measure, duals included."""
    return _with_duals(_STATED + ((_DE_MORGAN,) if minimise == "length" else ()))


@cache
def lattice_laws() -> tuple[Law, ...]:
    return _with_duals(_LATTICE)


def _with_duals(stated: Sequence[tuple[str, str, str]]) -> tuple[Law, ...]:
    found: dict[object, Law] = {}
    for law in (Law.stated(*words) for words in stated):
        for either in (law, law.dual()):
            found.setdefault(either.key(), either)
    return tuple(found.values())


class LawBook:
    """The laws, looked up by the operators of a node and its operands."""

    def __init__(self, dag: Dag, laws: Sequence[Law]) -> None:
        self.dag = dag
        self.laws = laws
        self._candidates: dict[tuple[int, ...], list[Law]] = {}

    def apply(self, node: int) -> EqualityStep | None:
        """A step by the first law that fits."""
        kinds = self.dag.kinds
        key = (kinds[node], *sorted(kinds[operand] for operand in self.dag.operands(node)))
        if key[0] not in (NOT, OPLUS, ODOT):
            return None
        candidates = self._candidates.get(key)
        if candidates is None:
            candidates = self._candidates[key] = [law for law in self.laws if _may_fit(law, key)]
        for law in candidates:
            step = law.apply(self.dag, node)
            if step is not None:
                return step
        return None


def _may_fit(law: Law, key: tuple[int, ...]) -> bool:
    """Return whether the operators at the top and below it allow a match."""
    kinds = law.dag.kinds
    if kinds[law.left] != key[0]:
        return False
    wanted = [kinds[operand] for operand in law.dag.operands(law.left)]
    orders = (key[1:], key[:0:-1])
    return any(all(w in (VARIABLE, k) for w, k in zip(wanted, order, strict=True)) for order in orders)
