"""Mutants of the kernel: each lacks one of its checks, or a part of one. Tests that are worth something notice.

`python -m tests.certificate.mutants` tries all, which takes minutes, and says which go unnoticed; with numbers after it,
only these.
"""

import ast
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

from tests.certificate import test_kernel, test_rules
from verimv import kernel

SOURCE = Path(kernel.__file__).read_text(encoding="utf-8")
#: Functions that reject. What only bounds the cost of a check is left to test_hostile.py.
_CHECKS = {
    "need", "well_formed", "within_limits", "need_at_least", "need_at_most", "need_relu_covered", "need_clipped_covered", "define",
}  # fmt: skip
_COSTS = ("bits", "square roots", "terms")


class Mutant(NamedTuple):
    line: int
    #: what it leaves out
    text: str
    #: the node of the tree that lacks it, and which of its parts it is
    place: int
    part: int

    def code(self) -> CodeType:
        tree = ast.parse(SOURCE)
        node = list(ast.walk(tree))[self.place]
        vars(node).update(_without(node, self.part))
        return compile(ast.fix_missing_locations(tree), kernel.__file__, "exec")


def mutants() -> list[Mutant]:
    """Checks left out; operands of `and`, and links of a < b < c, taken for true; rejections that never happen."""
    found = [
        Mutant(part.lineno, ast.unparse(part), place, k)
        for place, node in enumerate(ast.walk(ast.parse(SOURCE)))
        for k, part in enumerate(_parts(node))
    ]
    return [mutant for mutant in found if not (mutant.text.startswith("within") and _is_cost(mutant.text))]


def _is_cost(text: str) -> bool:
    return any(word in text for word in _COSTS)


def _parts(node: ast.AST) -> list[ast.expr]:
    """What can be left out of a node without its children."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) in _CHECKS:
        return [node.value]
    if isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse:
        return [node.test]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return node.values
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return _links(node)
    return []


def _name(call: ast.Call) -> str:
    """Of the function."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _links(node: ast.Compare) -> list[ast.expr]:
    """a < b and b < c for a < b < c."""
    operands = [node.left, *node.comparators]
    return [
        ast.copy_location(ast.Compare(operands[i], [operator], [operands[i + 1]]), node)
        for i, operator in enumerate(node.ops)
    ]


def _without(node: ast.AST, k: int) -> dict[str, object]:
    """What a node has instead, when its k-th part is left out."""
    true = ast.Constant(True)
    if isinstance(node, ast.If):
        return {"test": ast.Constant(False)}
    if isinstance(node, ast.BoolOp):
        return {"values": [*node.values[:k], true, *node.values[k + 1 :]]}
    if isinstance(node, ast.Compare):
        links = _links(node)
        rest = ast.BoolOp(ast.And(), [*links[:k], true, *links[k + 1 :]])
        return {"left": rest, "ops": [ast.IsNot()], "comparators": [ast.Constant(False)]}
    return {"value": true}


Test = tuple  # a function and its arguments
#: For a test, which takes some ten at most if the kernel is right.
SECONDS = 90.0


def suite() -> list[Test]:
    """The tests to be run: those that need no fixture, and know the kernel as a module."""
    tests: list[Test] = []
    for module in (test_kernel, test_rules):
        for function in (function for name, function in vars(module).items() if name.startswith("test_")):
            if not {"SOURCE", "run_alone", "tmp_path"} & {*function.__code__.co_names, *function.__code__.co_varnames}:
                tests += [(function, *row) for row in _rows(function)]
    return tests


def _rows(function: FunctionType) -> list[tuple]:
    """The arguments that pytest would call it with."""
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    if not marks:
        return [()]
    ((names, rows),) = (mark.args for mark in marks)
    return [(row,) for row in rows] if isinstance(names, str) else list(rows)


def rejections(tests: list[Test]) -> dict[int, set[int]]:
    """For each test by its place, the lines of the kernel at which it has something rejected."""
    found: dict[int, set[int]] = {place: set() for place in range(len(tests))}
    lines: set[int] = set()
    original = kernel.Rejected.__init__

    def recording(self, *arguments):
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == kernel.__file__:
                lines.add(frame.f_lineno)
            frame = frame.f_back
        original(self, *arguments)

    kernel.Rejected.__init__ = recording
    try:
        for place, (function, *arguments) in enumerate(tests):
            lines = found[place]
            function(*arguments)
    finally:
        kernel.Rejected.__init__ = original
    return found


class Jury:
    """The tests. Those that go first have something rejected where a mutant has its change: most need no others."""

    def __init__(self) -> None:
        self.tests = suite()
        self.rejections = rejections(self.tests)

    def notices(self, mutant: Mutant) -> bool:
        near = {place for place, lines in self.rejections.items() if mutant.line in lines}
        order = sorted(range(len(self.tests)), key=lambda place: place not in near)
        with installed(mutant):
            return any(fails(self.tests[place]) for place in order)


def fails(test: Test) -> bool:
    """Or does not end: that is what a budget is for."""
    function, *arguments = test
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        function(*arguments)
    except Exception:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return False


def _stop(*_: object) -> None:
    raise RuntimeError("a test that does not end")


@contextmanager
def installed(mutant: Mutant) -> Iterator[None]:
    """The mutant in place of the kernel, for whoever knows it as a module."""
    try:
        exec(mutant.code(), vars(kernel))
        yield
    finally:
        exec(compile(SOURCE, kernel.__file__, "exec"), vars(kernel))


def main(wanted: list[int]) -> None:
    jury = Jury()
    for number, mutant in enumerate(mutants()):
        if (not wanted or number in wanted) and not jury.notices(mutant):
            print(f"unnoticed: {number}, line {mutant.line}: {mutant.text}", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
