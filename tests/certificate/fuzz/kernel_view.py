"""The kernel as the fuzzer sees it. Nothing else here knows the names inside `kernel.py`."""

from __future__ import annotations

import hashlib
import json
from types import ModuleType

from verimv import kernel
from verimv.exact import parse_number
from verimv.exact.algebraic import Number, Rational, square_root


def exact(x: object) -> Number:
    """A number of the kernel, as one of `verimv.exact`."""
    if roots := getattr(x, "roots", None):
        total = sum((Rational(c) * square_root(Rational(n)) for n, c in roots.items()), Rational(0))
        return total / Rational(x.denominator)
    return Rational(x)


def exact_form(affine: object) -> dict[int, Number]:
    """An affine function of the kernel: coefficients of nodes, and the constant as that of node 1."""
    denominator, keys, numerators = affine.linear
    terms = {key: exact(n) / Rational(denominator) for key, n in zip(keys, numerators, strict=True)}
    constant = exact(affine.constant)
    return terms if constant == 0 else {**terms, 1: constant}


class KernelView:
    """A check under way: subjects have been read, lines are followed one by one."""

    def __init__(self, texts: dict[str, str], module: ModuleType = kernel) -> None:
        self.module, self.texts = module, texts
        self.rejection = module.Rejected
        self.checker = module.start(texts, 10**7).checker
        self.lines: list[list] = []
        self.inputs = len(self.checker.nodes.inputs)
        #: once it is finished, of a certificate in two parts: the bounds of errors, and the error that is printed
        self.errors: list[tuple[Number, Number]] = []
        self.printed_errors: list[Number] = []

    def follow(self, line: list) -> None:
        self.checker.follow(line)
        self.lines.append(line)

    def finish(self) -> list[tuple[Number, Number]]:
        """The numbers of the statement: for each output its scale and offset, or its bounds. Raise the kernel's Rejected
        unless the lines so far are a valid certificate."""
        found = verify(self.texts, self.lines, self.module)
        self.errors = [(exact(x), exact(y)) for x, y in found.errors]
        self.printed_errors = [printed_error(line) for line in found.lines] if self.errors else []
        return [(exact(x), exact(y)) for x, y in found.numbers]

    def count(self) -> int:
        """Of claims, and one for the number 0, which stands for none."""
        return len(self.checker.claims)

    def claim(self, c: int) -> tuple[int, dict[int, Number]]:
        """The node of a claim and its form: coefficients of nodes, and the constant as that of node 1."""
        node, form = self.checker.claims[c]
        return node, {key: exact(x) for key, x in self.checker.written(form).items()}

    def operations(self, first: int) -> list[tuple]:
        """What the nodes from `first` on are made of: an operator, and nodes before them."""
        return self.checker.nodes.operations[first:]

    def value_count(self) -> int:
        """Of variables that have a value: inputs, then neurons."""
        return len(self.checker.values)

    def value(self, k: int) -> dict[int, Number]:
        """The value of a variable as a form over nodes."""
        return exact_form(self.checker.values[k])

    def bound(self, neuron: int, side: str) -> Number | None:
        """The last bound of the argument of a neuron; all neurons are counted through."""
        bound = self.checker.facts.get((self.inputs + neuron, side))
        return None if bound is None else exact(bound)

    def change(self, neuron: int, side: str) -> Number | None:
        """The last bound of the change of a neuron with a twin."""
        bound = self.checker.changes.get((self.inputs + neuron, side))
        return None if bound is None else exact(bound)

    def arguments(self) -> tuple[int, list[dict[int, Number]]]:
        """The current layer, and the arguments of its neurons as forms."""
        return self.checker.entered, [exact_form(argument) for argument in self.checker.arguments]


def printed_error(line: str) -> Number:
    """The error in a line of a statement: "y = formula ± 3/8 on [0,1]"."""
    text = line.rpartition(" ± ")[2].partition(" on ")[0]
    return parse_number(text.removeprefix("(").removesuffix(")"))


def header(texts: dict[str, str]) -> dict:
    hashes = {f"{name}_sha256": hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    return {"format": "verimv-certificate", "version": 1, **hashes}


def verify(texts: dict[str, str], lines: list[list], module: ModuleType = kernel) -> kernel.Statement:
    """Check a whole certificate; raise the module's Rejected unless it is valid."""
    encoded = [json.dumps(line).encode() + b"\n" for line in (header(texts), *lines)]
    return module.verify(iter(encoded), lambda subject: texts[subject].encode(), texts.keys(), 10**7)
