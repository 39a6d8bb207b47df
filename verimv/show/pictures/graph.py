"""Drawings of the shared DAG of a formula: outputs at the top, inputs at the bottom, every subformula once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from verimv.exact import format_number
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag, reachable
from verimv.formulas.formula import Formula
from verimv.show.pictures import axes, svg
from verimv.show.pictures.layout import Layout, layout

#: Nodes of a drawing: larger ones cannot be read.
MAX_DRAWN = 400
#: Nodes of a formula that `verimv plot` draws one by one, nodes of a folded one, and its edges.
MAX_PLAIN, MAX_FOLDED, MAX_EDGES = 80, 80, 400

SYMBOLS = {ZERO: "0", ONE: "1", NOT: "¬", OPLUS: "⊕", ODOT: "⊙"}
#: Colours of nodes, dark enough for white letters; other nodes are grey.
FILLS = {OPLUS: "#2f6fcb", ODOT: "#b35a07", VARIABLE: "#1b7d56"}
GREY = "#67707e"

RANK_HEIGHT, RADIUS = 54.0, 14.0


class Fold(NamedTuple):
    """A node that is drawn with nodes below it that nothing else uses: how many nodes, and what these use."""

    size: int
    operands: Sequence[int]


class Drawn(NamedTuple):
    """The nodes that are drawn, operands first, and those among them whose operands are left out or folded in."""

    nodes: list[int]
    cut: set[int]
    folds: Mapping[int, Fold] = MappingProxyType({})

    def operands(self, dag: Dag, node: int) -> Sequence[int]:
        if node in self.folds:
            return self.folds[node].operands
        return () if node in self.cut else dag.operands(node)

    def label(self, dag: Dag, node: int) -> str:
        fold = self.folds.get(node)
        return node_label(dag, node) if fold is None or fold.size == 1 else f"{fold.size:,} nodes"


def folded(formula: Formula) -> Drawn:
    """Return inputs, outputs, and the ⊕ and ⊙ that several others use: of an extracted formula about the neurons.

    All other nodes are folded into their user, negations and multiples into each of theirs.
    """
    dag = formula.dag
    order, _ = reachable(dag, formula.roots)

    def base(node: int) -> int:
        while dag.kinds[node] in (NOT, DIVIDE, SCALE):
            node = dag.operands(node)[0]
        return node

    users: dict[int, set[int]] = {}
    for node in order:
        if dag.kinds[node] in (OPLUS, ODOT):
            for operand in dag.operands(node):
                users.setdefault(base(operand), set()).add(node)
    shared = {node for node in order if dag.kinds[node] in (OPLUS, ODOT) and len(users.get(node, ())) > 1}
    kept = {*formula.roots, *shared, *(node for node in order if dag.kinds[node] == VARIABLE)}
    below: dict[int, tuple[int, dict[int, None]]] = {}  # nodes that are folded into this one, and what they use
    folds = {}
    for node in order:
        size, operands = 1, dict[int, None]()
        for operand in dict.fromkeys(dag.operands(node)):
            if operand in kept:
                operands[operand] = None
            else:
                size += below[operand][0]
                operands |= below[operand][1]
        below[node] = (size, operands)
        if node in kept and operands:
            folds[node] = Fold(size, list(operands))
        if node in kept:
            below[node] = (0, {node: None})
    return Drawn(sorted(kept), set(), folds)


def top_of(formula: Formula, limit: int = MAX_DRAWN) -> Drawn:
    """Return the nodes of the formula, at most `limit` of them: those nearest to the outputs."""
    dag = formula.dag
    seen = dict.fromkeys(formula.roots)
    expanded: set[int] = set()
    row = list(seen)
    while row:
        following = []
        for node in row:
            new = [operand for operand in dict.fromkeys(dag.operands(node)) if operand not in seen]
            if len(seen) + len(new) > limit:
                continue
            expanded.add(node)
            seen |= dict.fromkeys(new)
            following += new
        row = following
    return Drawn(sorted(seen), {node for node in seen if node not in expanded and dag.operands(node)})


def node_label(dag: Dag, node: int) -> str:
    kind = dag.kinds[node]
    if kind == VARIABLE:
        return str(dag.payload(node))
    if kind == DIVIDE:
        return f"δ[{dag.payload(node)}]"
    return f"Δ[{axes.label(dag.payload(node))}]" if kind == SCALE else SYMBOLS[kind]


def node_width(label: str) -> float:
    return max(2 * RADIUS, 7.5 * len(label) + 14)


def place(formula: Formula, drawn: Drawn) -> Layout:
    dag = formula.dag
    return layout(drawn.nodes, lambda node: drawn.operands(dag, node), lambda node: node_width(drawn.label(dag, node)))


def graph_svg(formula: Formula, limit: int = MAX_DRAWN) -> str:
    """Return a drawing of the DAG, or of its top if it is large. Operands of dashed nodes are left out."""
    drawn = top_of(formula, limit)
    placed = place(formula, drawn)
    height = placed.ranks * RANK_HEIGHT + 36

    def at(spot: tuple[float, int]) -> tuple[float, float]:
        return spot[0] + 10, height - RADIUS - 10 - spot[1] * RANK_HEIGHT

    parts = [svg.element("path", {"class": "edge", "d": _bent([at(p) for p in way])}) for way in placed.edges.values()]
    parts += [_node(formula, node, at(spot), node in drawn.cut) for node, spot in placed.places.items()]
    for name, root in zip(formula.outputs, formula.roots, strict=True):
        x, y = at(placed.places[root])
        parts.append(svg.text(name, x, y - RADIUS - 6))
    label = f"the shared graph of {', '.join(formula.outputs)}: {len(drawn.nodes)} nodes drawn"
    return svg.document(placed.width + 20, height, label, *parts)


def _bent(points: Sequence[tuple[float, float]]) -> str:
    """Return a smooth path through points, vertical at each."""
    d = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x, y), (u, v) in itertools.pairwise(points):
        middle = (y + v) / 2
        d += f"C{x:.1f},{middle:.1f} {u:.1f},{middle:.1f} {u:.1f},{v:.1f}"
    return d


def _node(formula: Formula, node: int, spot: tuple[float, float], is_cut: bool) -> str:
    dag = formula.dag
    label, (x, y) = node_label(dag, node), spot
    width = node_width(label)
    colour = FILLS.get(dag.kinds[node], GREY)
    shape: dict[str, object] = {
        "x": x - width / 2,
        "y": y - RADIUS,
        "width": width,
        "height": 2 * RADIUS,
        "rx": RADIUS if dag.kinds[node] != VARIABLE else 4.0,
        "fill": colour,
        "style": "stroke:currentColor;stroke-dasharray:3 3" if is_cut else "",
    }
    is_sign = dag.kinds[node] in SYMBOLS
    exact = format_number(dag.payload(node)) if dag.kinds[node] == SCALE else label
    hint = svg.tooltip(f"{exact} …: operands left out" if is_cut else exact)
    letters = svg.text(label, x, y + (6 if is_sign else 4.5), kind="sign big" if is_sign else "sign")
    return svg.element("g", {}, hint, svg.element("rect", shape), letters)
