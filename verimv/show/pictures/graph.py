"""Drawings of the shared DAG of a formula: outputs at the top, inputs at the bottom, every subformula once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from verimv.exact import format_number
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag
from verimv.formulas.formula import Formula
from verimv.show.pictures import axes, svg
from verimv.show.pictures.layout import Layout, layout

#: Nodes of a drawing: larger ones cannot be read.
MAX_DRAWN = 400

SYMBOLS = {ZERO: "0", ONE: "1", NOT: "¬", OPLUS: "⊕", ODOT: "⊙"}
#: Colours of nodes, dark enough for white letters; other nodes are grey.
FILLS = {OPLUS: "#2f6fcb", ODOT: "#b35a07", VARIABLE: "#1b7d56"}
GREY = "#67707e"

RANK_HEIGHT, RADIUS = 54.0, 14.0


class Drawn(NamedTuple):
    """The nodes that are drawn, operands first, and those among them whose operands are left out."""

    nodes: list[int]
    cut: set[int]

    def operands(self, dag: Dag, node: int) -> Sequence[int]:
        return () if node in self.cut else dag.operands(node)


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
    return layout(drawn.nodes, lambda node: drawn.operands(dag, node), lambda node: node_width(node_label(dag, node)))


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
