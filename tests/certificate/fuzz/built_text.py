"""The formula that the lines of a certificate build, as text: so that outputs can be proved about it."""

from __future__ import annotations

from functools import reduce

from tests.certificate.fuzz.meaning import merge


class Builder:
    """Names for the nodes of claims; None for a node that depends on a `unit`, which no formula has."""

    def __init__(self, inputs: int) -> None:
        self.leaves = ["0", "1", *(f"x{j}" for j in range(inputs))]
        self.names: list[str | None] = [None]
        self.definitions: list[tuple[str, str, list[str | None]]] = []

    def define(self, operator: str, *operands: str | None) -> str | None:
        if None in operands:
            return None
        if operator not in "⊕⊙" and len(self.definitions) % 3:  # a prefix may stand where the node is used
            return f"{operator}{operands[0]}"
        name = f"n{len(self.definitions)}"
        text = f" {operator} ".join(operands) if operator in "⊕⊙" else f"{operator}{operands[0]}"
        self.definitions.append((name, text, list(operands)))
        return name

    def plus(self, *operands: str | None) -> str | None:
        return reduce(lambda a, b: self.define("⊕", a, b), operands)

    def times(self, *operands: str | None) -> str | None:
        return reduce(lambda a, b: self.define("⊙", a, b), operands)

    def follow(self, line: list) -> None:
        name, *given = line
        if name in ("unit", "node"):
            self.names.append(self.leaves[given[0]] if name == "node" else None)
        elif name == "scale":
            operator = given[0].replace("d", "δ").replace("D", "Δ")
            self.names.append(self.define(operator, self.names[given[1]]))
        elif name in ("same", "equals", "average"):
            self.names.append(self.names[given[2 if name == "average" else 1]])
        elif name == "sort":
            names = [self.names[c] for c in given[1:]]
            self.names += merge(names[: given[0]], names[given[0] :], self.plus, self.times)
        elif name in ("atom", "not", "plus", "times", "lemma", "cut"):
            names = [self.names[c] for c in given if isinstance(c, int)]
            makers = {
                "atom": lambda a: a,
                "not": lambda a: self.define("¬", a),
                "plus": self.plus,
                "times": self.times,
                "lemma": lambda g, h, c: self.times(self.plus(g, h), c),
                "cut": lambda f, g, c: self.plus(self.times(f, c), g),
            }
            self.names.append(makers[name](*names))

    def needed(self, outputs: list[str]) -> list[str]:
        """The definitions that outputs need."""
        wanted, found = set(map(_bare, outputs)), []
        for name, text, operands in reversed(self.definitions):
            if name in wanted:
                wanted |= set(map(_bare, operands))
                found.append(f"{name} = {text}")
        return found[::-1]


def _bare(operand: str) -> str:
    """The name in an operand, without prefixes."""
    return operand.rpartition("]")[2].lstrip("¬")
