"""The kernel as the fuzzer sees it. Nothing else here knows the names inside `kernel.py`."""

from __future__ import annotations

import hashlib
from types import ModuleType

from verimv import kernel
from verimv.algebraic import Number, Rational, square_root


def exact(x: object) -> Number:
    """A number of the kernel, as one of `verimv.exact`."""
    if terms := getattr(x, "terms", None):
        return sum((Rational(c) * square_root(Rational(n)) for n, c in terms.items()), Rational(0))
    return Rational(x)


class KernelView:
    """A check under way: subjects have been read, lines are followed one by one."""

    def __init__(self, texts: dict[str, str], module: ModuleType = kernel) -> None:
        self.module, self.texts = module, texts
        self.rejection = module.Rejected
        self.checker = _started(module, texts)
        self.lines: list[list] = []
        self.first = 2 + len(self.checker.terms.inputs)

    def follow(self, line: list) -> None:
        self.checker.follow(line)
        self.lines.append(line)

    def finish(self) -> None:
        """Raise the kernel's Rejected unless the lines so far are a valid certificate."""
        verify(self.texts, self.lines, self.module)

    def count(self) -> int:
        """Of claims, and one for the number 0, which stands for none."""
        return len(self.checker.claims)

    def claim(self, c: int) -> tuple[int, dict[int, Number]]:
        """The node of a claim and its form: coefficients of nodes, and the constant as that of node 1."""
        node, form = self.checker.claims[c]
        return node, {key: exact(x) for key, x in self.checker.written(form).items()}

    def value_count(self) -> int:
        """Of variables that have a value: inputs, then neurons."""
        return len(self.checker.values) - 2

    def value(self, k: int) -> dict[int, Number]:
        """The value of a variable as a form over nodes."""
        return {key: exact(x) for key, x in self.checker.values[2 + k].items()}

    def bound(self, neuron: int, side: str) -> Number | None:
        """The last bound of the argument of a neuron; all neurons are counted through."""
        bound = self.checker.facts.get((self.first + neuron, side))
        return None if bound is None else exact(bound)

    def arguments(self) -> tuple[int, list[dict[int, Number]]]:
        """The current layer, and the arguments of its neurons as forms."""
        rows = [{key: exact(x) for key, x in row.items()} for row in self.checker.arguments]
        return self.checker.layer, rows


def _started(module: ModuleType, texts: dict[str, str]) -> object:
    """A checker that has read the subjects and no lines."""
    made, original = [], module.Checker

    def recording(*arguments: object) -> object:
        made.append(original(*arguments))
        return made[-1]

    module.Checker = recording
    try:
        verify(texts, [], module)
    except module.Rejected:
        if not made:
            raise
    finally:
        module.Checker = original
    return made[0]


def header(texts: dict[str, str]) -> dict:
    hashes = {f"{name}_sha256": hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    return {"format": "verimv-certificate", "version": 1, **hashes}


def verify(texts: dict[str, str], lines: list[list], module: ModuleType = kernel) -> None:
    """Check a whole certificate; raise the module's Rejected unless it is valid."""
    numbered = iter(list(enumerate([header(texts), *lines], start=1)))
    module.verify(numbered, lambda subject: texts[subject].encode())
