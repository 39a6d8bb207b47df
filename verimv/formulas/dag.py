"""Terms as a shared table: every distinct subterm is stored once, and its number is its identity.

A :class:`Dag` is append-only and a node's operands come before it, so a pass over a term is a loop over the table
(:func:`fold`) and never a recursion; two subterms are equal exactly when their numbers are. Tree lengths reach
2^(2^s), so no code here traverses the tree. A node takes about 120 bytes, with its entry in the intern table
(`verimv bench extract` reports it).

Primitive operators: variable, 0, 1, ¬, ⊕, ⊙, division δ_i (DMV) and multiplication Δ_r (RMV). ∧ ∨ → ↔ ⊖ and N·
are rewritten into these when built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from verimv.core.errors import InputError
from verimv.exact import Number, format_number

VARIABLE, ZERO, ONE, NOT, OPLUS, ODOT, DIVIDE, SCALE = range(8)

V = TypeVar("V")


class Dag:
    """An append-only table of interned nodes. `node` builds exactly the node that is given; the named builders
    (`neg`, `oplus`, …) apply the unit laws 0⊕a=a, 1⊕a=1, 1⊙a=a, 0⊙a=0, ¬¬a=a, δ_1 a=Δ_1 a=a, Δ_0 a=0."""

    __slots__ = ("_numbers", "_payload_index", "kinds", "lefts", "payloads", "rights")

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.lefts = array("i")
        self.rights = array("i")
        #: distinct variable names, divisors (int) and factors (Number)
        self.payloads: list[Any] = []
        self._payload_index: dict[tuple[int, Any], int] = {}
        self._numbers: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.kinds)

    # -- building exactly -------------------------------------------------------------------------------------

    def node(self, kind: int, left: int = 0, right: int = 0) -> int:
        """Return the number of the node with this operator and these operands; add it if it is new."""
        key = (left << 34 | right << 3) | kind  # one small int instead of a tuple: half the memory
        number = self._numbers.get(key)
        if number is None:
            number = len(self.kinds)
            self._numbers[key] = number
            self.kinds.append(kind)
            self.lefts.append(left)
            self.rights.append(right)
        return number

    def _payload(self, kind: int, value: Any) -> int:
        index = self._payload_index.get((kind, value))
        if index is None:
            index = len(self.payloads)
            self._payload_index[kind, value] = index
            self.payloads.append(value)
        return index

    def variable(self, name: str) -> int:
        return self.node(VARIABLE, self._payload(VARIABLE, name))

    def divide_node(self, divisor: int, operand: int) -> int:
        """Build δ_divisor operand, without the unit laws."""
        if divisor < 1:
            raise InputError(f"δ[{divisor}]: expected an integer ≥ 1")
        return self.node(DIVIDE, operand, self._payload(DIVIDE, divisor))

    def scale_node(self, factor: Number, operand: int) -> int:
        """Build Δ_factor operand, without the unit laws."""
        if factor < 0 or factor > 1:
            raise InputError(f"Δ[{format_number(factor)}]: expected a number in [0,1]")
        return self.node(SCALE, operand, self._payload(SCALE, factor))

    # -- building with the unit laws --------------------------------------------------------------------------

    def constant(self, value: int) -> int:
        return self.node(ONE if value else ZERO)

    def neg(self, a: int) -> int:
        kind = self.kinds[a]
        if kind == NOT:
            return self.lefts[a]
        if kind <= ONE and kind != VARIABLE:
            return self.node(ZERO + ONE - kind)
        return self.node(NOT, a)

    def oplus(self, a: int, b: int) -> int:
        left, right = self.kinds[a], self.kinds[b]
        if left == ZERO or right == ONE:
            return b
        if right == ZERO or left == ONE:
            return a
        return self.node(OPLUS, a, b)

    def odot(self, a: int, b: int) -> int:
        left, right = self.kinds[a], self.kinds[b]
        if left == ONE or right == ZERO:
            return b
        if right == ONE or left == ZERO:
            return a
        return self.node(ODOT, a, b)

    def divide(self, divisor: int, a: int) -> int:
        if divisor == 1 or self.kinds[a] == ZERO:
            return a
        return self.divide_node(divisor, a)

    def scale(self, factor: Number, a: int) -> int:
        if factor == 1 or self.kinds[a] == ZERO:
            return a
        if factor == 0:
            return self.node(ZERO)
        return self.scale_node(factor, a)

    # -- looking ----------------------------------------------------------------------------------------------

    def operands(self, number: int) -> tuple[int, ...]:
        kind = self.kinds[number]
        if kind <= ONE:
            return ()
        if kind in (OPLUS, ODOT):
            return (self.lefts[number], self.rights[number])
        return (self.lefts[number],)

    def payload(self, number: int) -> Any:
        """Return the name of a variable, the divisor of a δ, or the factor of a Δ."""
        kind = self.kinds[number]
        return self.payloads[self.lefts[number] if kind == VARIABLE else self.rights[number]]


# ∧ ∨ → ↔ ⊖ and N· in terms of the primitives, without the unit laws; (7) of the paper for ∧ and ∨.


def implies(dag: Dag, a: int, b: int) -> int:
    return dag.node(OPLUS, dag.node(NOT, a), b)


def minus(dag: Dag, a: int, b: int) -> int:
    return dag.node(ODOT, a, dag.node(NOT, b))


def meet(dag: Dag, a: int, b: int) -> int:
    inner = dag.node(ODOT, dag.node(NOT, a), b)
    return dag.node(ODOT, dag.node(NOT, inner), b)


def join(dag: Dag, a: int, b: int) -> int:
    inner = dag.node(OPLUS, dag.node(NOT, a), b)
    return dag.node(OPLUS, dag.node(NOT, inner), b)


def equivalent(dag: Dag, a: int, b: int) -> int:
    return dag.node(ODOT, implies(dag, a, b), implies(dag, b, a))


def multiple(dag: Dag, count: int, a: int, kind: int = OPLUS) -> int:
    """Build N·a = a ⊕ … ⊕ a, or a ⊙ … ⊙ a, by doubling: about log N nodes."""
    if count < 1:
        raise InputError(f"{count}·: expected an integer ≥ 1")
    result = a
    for bit in bin(count)[3:]:
        result = dag.node(kind, result, result)
        if bit == "1":
            result = dag.node(kind, result, a)
    return result


class Algebra(ABC, Generic[V]):
    """What a pass computes for each operator. :func:`fold` supplies the results of the operands."""

    @abstractmethod
    def variable(self, name: str) -> V: ...

    @abstractmethod
    def constant(self, value: int) -> V: ...

    @abstractmethod
    def neg(self, a: V) -> V: ...

    @abstractmethod
    def oplus(self, a: V, b: V) -> V: ...

    @abstractmethod
    def odot(self, a: V, b: V) -> V: ...

    @abstractmethod
    def divide(self, divisor: int, a: V) -> V: ...

    @abstractmethod
    def scale(self, factor: Number, a: V) -> V: ...


def reachable(dag: Dag, roots: Iterable[int]) -> tuple[list[int], array[int]]:
    """Return the nodes under `roots` in building order, and for every node of the table the last one that uses it."""
    roots = list(roots)
    top = max(roots, default=-1) + 1
    last_use = array("i", [-1]) * top
    for root in roots:
        last_use[root] = top  # a root outlives all users
    kinds, lefts, rights = dag.kinds, dag.lefts, dag.rights
    order = []
    for number in range(top - 1, -1, -1):
        if last_use[number] < 0:
            continue
        order.append(number)
        kind = kinds[number]
        if kind > ONE:
            left = lefts[number]
            if last_use[left] < 0:
                last_use[left] = number
            if kind in (OPLUS, ODOT):
                right = rights[number]
                if last_use[right] < 0:
                    last_use[right] = number
    order.reverse()
    return order, last_use


def fold(dag: Dag, roots: Sequence[int], algebra: Algebra[V]) -> list[V]:
    """Return the results of `algebra` at `roots`, by one pass that visits each shared node once.

    A result is dropped after its last use, so a pass with large results (arrays, long integers) holds few of them.
    """
    order, last_use = reachable(dag, roots)
    kinds, lefts, rights, payloads = dag.kinds, dag.lefts, dag.rights, dag.payloads
    results: dict[int, Any] = {}
    binary: dict[int, Callable[[V, V], V]] = {OPLUS: algebra.oplus, ODOT: algebra.odot}
    neg, divide, scale = algebra.neg, algebra.divide, algebra.scale
    for number in order:
        kind, left = kinds[number], lefts[number]
        if kind in (OPLUS, ODOT):
            right = rights[number]
            results[number] = binary[kind](results[left], results[right])
            if last_use[right] == number and right != left:
                del results[right]
            if last_use[left] == number:
                del results[left]
        elif kind in (NOT, DIVIDE, SCALE):
            operand = results.pop(left) if last_use[left] == number else results[left]
            if kind == NOT:
                results[number] = neg(operand)
            elif kind == DIVIDE:
                results[number] = divide(payloads[rights[number]], operand)
            else:
                results[number] = scale(payloads[rights[number]], operand)
        elif kind == VARIABLE:
            results[number] = algebra.variable(payloads[left])
        else:
            results[number] = algebra.constant(kind - ZERO)
    return [results[root] for root in roots]
