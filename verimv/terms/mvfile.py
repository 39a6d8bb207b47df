"""The ``.mv`` file: a formula with every shared subterm written once.

    verimv-formula 1
    inputs x1 x2
    t1 = x1 ⊕ x1
    y1 = t1 ⊙ ¬x2
    outputs y1

A definition may use inputs and earlier definitions only. Blank lines and lines that start with ``#`` are skipped.
The writer uses the primitive operators, so that reading a file back gives the same DAG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verimv.errors import InputError
from verimv.exact import check_readable, shown
from verimv.terms.dag import NOT, ODOT, OPLUS, Dag
from verimv.terms.formula import Formula
from verimv.terms.parse import NAME, RESERVED, parse_expression
from verimv.terms.printing import UNICODE, PrimitiveView, definitions

HEADER = "verimv-formula"
VERSION = "1"

_NAME = re.compile(NAME)
#: What the writer mostly writes; read without the general parser, which takes four times as long.
_PLAIN = re.compile(rf"({NAME}) = (¬?)({NAME}) ([⊕⊙]) (¬?)({NAME})")
_DEFINITION = re.compile(rf"\s*({NAME})\s*=(.*)", re.DOTALL)


def write_mv(formula: Formula) -> Iterator[str]:
    """The lines of the file, each with its newline."""
    yield f"{HEADER} {VERSION}\n"
    yield f"inputs {' '.join(formula.inputs)}\n" if formula.inputs else "inputs\n"
    defined, texts = definitions(formula.dag, formula.roots, UNICODE, PrimitiveView, formula.fresh_names())
    for text in (*(definition.text for definition in defined), *texts):
        check_readable(text)
    for definition in defined:
        yield f"{definition.name} = {definition.text}\n"
    for name, text in zip(formula.outputs, texts, strict=True):
        if name not in formula.inputs:
            yield f"{name} = {text}\n"
    yield f"outputs {' '.join(formula.outputs)}\n"


def read_mv(text: str, source: str | None = None) -> Formula:
    """Read a whole file strictly; errors name source, line and column."""
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
            self._outputs(stripped.split()[1:])
        else:
            self._definition(line)

    def finish(self) -> Formula:
        if not self.header_seen or self.inputs is None or self.outputs is None:
            missing = (
                f"{HEADER} {VERSION}" if not self.header_seen else "inputs …" if self.inputs is None else "outputs …"
            )
            raise InputError(f"expected the line '{missing}', found the end of the file")
        return Formula(self.dag, self.inputs, [self.nodes[name] for name in self.outputs], self.outputs)

    def _inputs(self, stripped: str) -> None:
        keyword, *names = stripped.split()
        if keyword != "inputs":
            raise InputError(f"expected the line 'inputs …', found {shown(stripped)}")
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
        name = match[1]
        self._check_new(name)
        try:
            self.nodes[name] = parse_expression(self.dag, match[2], self._resolve)
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
