"""Proved equalities between nodes of one table, as a forest: every tree is a class of equal nodes, its root the node
that stands for them all, and every edge a :class:`EqualityStep` that says why two nodes are equal.

Edges are never taken away, only turned round when another node is to stand for its class. So two nodes that were
connected once stay connected by the same path, and the path is their proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from verimv.formulas.dag import DIVIDE, SCALE, VARIABLE, Dag

#: The reason of a step whose two nodes are one operator applied to operands that earlier steps prove equal.
CONGRUENCE = "congruence"
#: The reason of a step that a solver has proved over its leaves.
SOLVER = "solver"


@dataclass(frozen=True)
class EqualityStep:
    """old = new. Unless the reason is congruence, this holds whatever values in [0,1] the leaves take: both nodes are
    built from the leaves and from constants alone. The reason is "congruence", "solver" or the name of a law."""

    old: int
    new: int
    leaves: tuple[int, ...] | None
    reason: str


#: Suggests a better node for a node with clean operands: the step that proves them equal, or None.
Improve = Callable[[int], EqualityStep | None]


class Equalities:
    """What is known to be equal in a table that holds old and new nodes alike."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.steps: list[EqualityStep] = []
        #: node → (next node towards the root of its tree, number of the step between them)
        self._next: dict[int, tuple[int, int]] = {}

    def find(self, node: int) -> int:
        """The node that stands for the class of this one."""
        while node in self._next:
            node = self._next[node][0]
        return node

    def add(self, step: EqualityStep) -> None:
        """Record that old = new: from now on `new` (or what stands for it) stands for `old` too."""
        if self.find(step.old) == self.find(step.new):
            self._turn(step.new)  # known already: only the preference is new
            return
        self._turn(step.old)
        self._next[step.old] = (step.new, len(self.steps))
        self.steps.append(step)

    def _turn(self, node: int) -> None:
        """Make a node the root of its tree: turn the edges between it and the old root round."""
        previous: tuple[int, int] | None = None
        current = node
        while current in self._next:
            following, step = self._next.pop(current)
            if previous is not None:
                self._next[current] = previous
            previous = (current, step)
            current = following
        if previous is not None:
            self._next[current] = previous

    def rebuild(self, roots: Sequence[int], improve: Improve = lambda node: None) -> list[int]:
        """The roots with every node under them replaced by what stands for it, bottom-up; each node that results is
        offered to `improve`.

        Should what stands for a node be built from that node itself, the inner one is left as it is.
        """
        image: dict[int, int] = {}
        entered: set[int] = set()  # and not finished: they lie above what is being looked at
        stack = list(reversed(roots))
        while stack:
            node = stack[-1]
            if node not in image:
                waits_for = self._advance(node, image, entered, improve)
                entered.add(node)
                stack += waits_for
                continue
            entered.discard(node)
            stack.pop()
        return [image[root] for root in roots]

    def _advance(self, node: int, image: dict[int, int], entered: set[int], improve: Improve) -> list[int]:
        """One step towards the image of a node; what must have its image before the next one can be made."""
        best = self.find(node)
        if best != node:
            if best in image or best in entered:
                image[node] = image.get(best, best)
                return []
            return [best]
        operands = self.dag.operands(node)
        missing = [operand for operand in operands if operand not in image and operand not in entered]
        if missing:
            return missing
        same = with_operands(self.dag, node, [image.get(operand, operand) for operand in operands])
        step = EqualityStep(node, same, None, CONGRUENCE) if same != node else improve(node)
        if step is None:
            image[node] = node
        else:
            self.add(step)
        return []

    # -- proofs -----------------------------------------------------------------------------------------------

    def proof(self, pairs: Iterable[tuple[int, int]]) -> list[EqualityStep]:
        """The steps that prove each pair equal, and no others, in the order in which they were found: what a step
        rests on comes before it."""
        needed: set[int] = set()
        pending = list(pairs)
        while pending:
            for number in self._path(*pending.pop()):
                if number in needed:
                    continue
                needed.add(number)
                step = self.steps[number]
                if step.reason == CONGRUENCE:
                    pending += zip(self.dag.operands(step.old), self.dag.operands(step.new), strict=True)
        return [self.steps[number] for number in sorted(needed)]

    def _path(self, a: int, b: int) -> list[int]:
        """The numbers of the steps between two nodes of one tree."""
        above = {a: 0}
        steps = []
        while a in self._next:
            a, number = self._next[a]
            steps.append(number)
            above[a] = len(steps)
        other = []
        while b not in above:
            b, number = self._next[b]
            other.append(number)
        return steps[: above[b]] + other


def with_operands(dag: Dag, node: int, operands: Sequence[int], target: Dag | None = None) -> int:
    """The node with the same operator and other operands, in the same table or in another one."""
    target = dag if target is None else target
    kind = dag.kinds[node]
    if kind == VARIABLE:
        return target.variable(dag.payload(node))
    if kind == DIVIDE:
        return target.divide_node(dag.payload(node), operands[0])
    if kind == SCALE:
        return target.scale_node(dag.payload(node), operands[0])
    return target.node(kind, *operands)
