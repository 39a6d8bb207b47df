"""The ``.mv`` file: a formula with every shared subterm written once.

    verimv-formula 1
    inputs x1 x2
    t1 = x1 ⊕ x1
    y1 = t1 ⊙ ¬x2
    outputs y1

A definition may use inputs and earlier definitions only. A full name in quotes, such as "mean radius", stands for
mean_radius. Blank lines and lines that start with ``#`` are skipped.
The writer uses primitive operators only, so that reading a file back gives the same DAG. It uses no brackets: a
definition joins names, perhaps with prefixes, by one operator. Kernels need to read no more than that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from verimv.core.errors import InputError, check_type
from verimv.exact import check_readable, shown
from verimv.formulas.dag import NOT, ODOT, OPLUS, Dag, reachable
from verimv.formulas.formula import Formula
from verimv.formulas.parse import NAME, QUOTED, RESERVED, parse_expression, unquoted
from verimv.formulas.printing import UNICODE, PrimitiveView

HEADER = "verimv-formula"
VERSION = "1"

#: Lines longer than MAX_WIDTH are broken up; texts longer than MAX_SHARED that are used twice get a name.
MAX_WIDTH, MAX_SHARED = 72, 24

_NAME = re.compile(NAME)
#: The most frequent kind of definition, read without the general parser, which is four times slower.
_PLAIN = re.compile(rf"({NAME}) = (¬?)({NAME}) ([⊕⊙]) (¬?)({NAME})")
_DEFINITION = re.compile(rf"\s*({NAME}|{QUOTED})\s*=(.*)", re.DOTALL)
_WORD = re.compile(rf"{QUOTED}|\S+")


def write_mv(formula: Formula) -> Iterator[str]:
    """Yield the lines of the file, each with its newline."""
    yield f"{HEADER} {VERSION}\n"
    yield f"inputs {' '.join(formula.inputs)}\n" if formula.inputs else "inputs\n"
    writer = _Writer(formula)
    for line in writer.lines:
        check_readable(line)
    yield from writer.lines
    yield f"outputs {' '.join(formula.outputs)}\n"


class _Writer:
    """Builds the definitions of a formula, in order. Chains of one operator, and prefixes, stay on a line."""

    def __init__(self, formula: Formula) -> None:
        self.lines: list[str] = []
        self._dag, self._fresh = formula.dag, formula.fresh_names()
        self._texts: dict[int, str] = {}
        self._chains: set[int] = set()  # nodes whose text has an operator
        order, _ = reachable(formula.dag, formula.roots)
        uses = Counter(operand for node in order for operand in formula.dag.operands(node))
        uses.update(formula.roots)
        roots = set(formula.roots)
        for node in order:
            text = self._texts[node] = self._text(node)
            is_shared = uses[node] > 1 and (node in self._chains or len(text) > MAX_SHARED)
            if is_shared or (len(text) > MAX_WIDTH and node not in roots):  # otherwise ¬¬¬… would take quadratic space
                self._name(node)
        for name, root in zip(formula.outputs, formula.roots, strict=True):
            if name not in formula.inputs:
                self.lines.append(f"{name} = {self._texts[root]}\n")

    def _name(self, node: int) -> None:
        name = next(self._fresh)
        self.lines.append(f"{name} = {self._texts[node]}\n")
        self._texts[node] = name
        self._chains.discard(node)

    def _operand(self, node: int) -> str:
        if node in self._chains:
            self._name(node)
        return self._texts[node]

    def _text(self, node: int) -> str:
        kind, operands = self._dag.kinds[node], self._dag.operands(node)
        if kind not in (OPLUS, ODOT):
            view = PrimitiveView(self._dag, ())(node)
            return UNICODE.text(view, [(self._operand(operand), 9) for operand in operands])[0]
        left, right = operands
        goes_on = left in self._chains and self._dag.kinds[left] == kind and len(self._texts[left]) < MAX_WIDTH
        first, second = self._texts[left] if goes_on else self._operand(left), self._operand(right)
        self._chains.add(node)
        return f"{first} {'⊕' if kind == OPLUS else '⊙'} {second}"


def read_mv(text: str, source: str | None = None) -> Formula:
    """Read the text of a file strictly; errors name source, line and column."""
    check_type(text, str)
    reader = _Reader(source)
    line_number = 0
    for line_number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        try:
            reader.line(line, stripped)
        except InputError as error:
            raise error.located(source, line_number) from None
    try:
        return reader.finish()
    except InputError as error:
        raise error.located(source, line_number) from None


class _Reader:
    def __init__(self, source: str | None) -> None:
        self.dag = Dag()
        self.nodes: dict[str, int] = {}
        self.inputs: list[str] | None = None
        self.outputs: list[str] | None = None
        self.header_seen = False
        self.labels: dict[str, str] = {}

    def _names(self, stripped: str) -> list[str]:
        """Return the names after the keyword of a line; full names are in quotes."""
        return [unquoted(word, self.labels) for word in _WORD.findall(stripped)[1:]]

    def line(self, line: str, stripped: str) -> None:
        if not self.header_seen:
            if stripped.split() != [HEADER, VERSION]:
                raise InputError(f"expected the line '{HEADER} {VERSION}', found {shown(stripped)}")
            self.header_seen = True
        elif self.outputs is not None:
            raise InputError(f"expected nothing after the line 'outputs', found {shown(stripped)}")
        elif self.inputs is None:
            self._inputs(stripped)
        elif stripped.split(None, 1)[0] == "outputs":
            self._outputs(self._names(stripped))
        else:
            self._definition(line)

    def finish(self) -> Formula:
        if not self.header_seen or self.inputs is None or self.outputs is None:
            missing = (
                f"{HEADER} {VERSION}" if not self.header_seen else "inputs …" if self.inputs is None else "outputs …"
            )
            raise InputError(f"expected the line '{missing}', found the end of the file")
        roots = [self.nodes[name] for name in self.outputs]
        return Formula(self.dag, self.inputs, roots, self.outputs, self.labels)

    def _inputs(self, stripped: str) -> None:
        if stripped.split()[0] != "inputs":
            raise InputError(f"expected the line 'inputs …', found {shown(stripped)}")
        names = self._names(stripped)
        for name in names:
            self._check_new(name)
            self.nodes[name] = self.dag.variable(name)
        self.inputs = names

    def _outputs(self, names: list[str]) -> None:
        if not names:
            raise InputError("expected at least one output")
        for name in names:
            if name not in self.nodes:
                raise InputError(f"output {shown(name)} is not defined")
        if len(set(names)) < len(names):
            raise InputError("an output is named twice")
        self.outputs = names

    def _definition(self, line: str) -> None:
        plain = _PLAIN.fullmatch(line)
        if plain is not None:
            name, not_left, left, operator, not_right, right = plain.groups()
            self._check_new(name)
            a, b = self._resolve(left), self._resolve(right)
            a = self.dag.node(NOT, a) if not_left else a
            b = self.dag.node(NOT, b) if not_right else b
            self.nodes[name] = self.dag.node(OPLUS if operator == "⊕" else ODOT, a, b)
            return
        match = _DEFINITION.fullmatch(line)
        if match is None:
            raise InputError(f"expected 'name = formula' or 'outputs …', found {shown(line.strip())}")
        name = unquoted(match[1], self.labels)
        self._check_new(name)
        try:
            self.nodes[name] = parse_expression(self.dag, match[2], self._resolve, self.labels)
        except InputError as error:
            if error.column is not None:
                error.column += match.start(2)
            raise

    def _check_new(self, name: str) -> None:
        if name in self.nodes:
            raise InputError(f"{name} is defined twice")
        if not _NAME.fullmatch(name) or name in RESERVED:
            raise InputError(f"expected a name (letters, digits, _ . '), found {shown(name)}")

    def _resolve(self, name: str) -> int:
        node = self.nodes.get(name)
        if node is None:
            raise InputError(f"{name} is not defined above: a definition may use inputs and earlier definitions only")
        return node
