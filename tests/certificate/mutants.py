"""Mutants of the kernel: each lacks one of its checks, or a part of one. Tests that are worth something notice.

`python -m tests.certificate.mutants` tries all, which takes minutes, and says which go unnoticed; with numbers after it,
only these.
"""

import ast
import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.certificate import test_kernel, test_rules
from tests.certificates.make import CASES
from verimv import kernel

SOURCE = Path(kernel.__file__).read_text(encoding="utf-8")
#: Functions that reject, and the methods of the checker that call them.
_CHECKS = {"need", "well_formed", "within", "spend"}


class Mutant(NamedTuple):
    line: int
    #: what it leaves out
    text: str
    tree: ast.Module


def mutants(source: str = SOURCE) -> Iterator[Mutant]:
    """In the order of the file: checks left out, operands of `and` and links of a < b < c taken for true."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for k, left_out in enumerate(_parts(node)):
            changed = copy.deepcopy(tree)
            _leave_out(list(ast.walk(changed))[place], k)
            yield Mutant(left_out.lineno, ast.unparse(left_out), ast.fix_missing_locations(changed))


def _parts(node: ast.AST) -> list[ast.expr]:
    """What can be left out of a node without its children."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) in _CHECKS:
        return [node.value]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return node.values
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return _links(node)
    return []


def _name(call: ast.Call) -> str:
    """Of the function, or of the one that `located` calls."""
    function = call.args[0] if getattr(call.func, "id", "") == "located" else call.func
    return getattr(function, "id", getattr(function, "attr", ""))


def _links(node: ast.Compare) -> list[ast.expr]:
    """a < b and b < c for a < b < c."""
    operands = [node.left, *node.comparators]
    return [
        ast.copy_location(ast.Compare(operands[i], [operator], [operands[i + 1]]), node)
        for i, operator in enumerate(node.ops)
    ]


def _leave_out(node: ast.AST, k: int) -> None:
    if isinstance(node, ast.Expr):
        node.value = ast.Constant(None)
    elif isinstance(node, ast.BoolOp):
        node.values[k] = ast.Constant(True)
    elif isinstance(node, ast.Compare):  # the operands stay, so that all of them are evaluated still
        links = _links(node)
        links[k] = ast.Constant(True)
        whole = ast.BoolOp(ast.And(), links)
        node.left, node.ops, node.comparators = whole, [ast.IsNot()], [ast.Constant(False)]


def suite() -> Iterator[tuple]:
    """The tests to be run, as (function, its arguments)."""
    for status in CASES:
        for directory in sorted((test_kernel.FOLDER / status).iterdir()):
            yield test_kernel.test_the_folder_is_the_verdict, directory
    for function, rows in (
        (test_rules.test_claims, test_rules.CLAIMS),
        (test_rules.test_averages, test_rules.AVERAGES),
        (test_rules.test_neurons, test_rules.NEURONS),
        (test_rules.test_bounds, test_rules.BOUNDS),
    ):
        for row in rows:
            yield function, *row
    for module in (test_rules, test_kernel):
        for name, function in vars(module).items():
            if name.startswith("test_") and function.__code__.co_argcount == 0 and name != "test_it_is_small":
                yield (function,)


@contextmanager
def installed(mutant: Mutant) -> Iterator[None]:
    """The mutant in place of the kernel, for whoever knows it as a module."""
    try:
        exec(compile(mutant.tree, kernel.__file__, "exec"), vars(kernel))
        yield
    finally:
        exec(compile(SOURCE, kernel.__file__, "exec"), vars(kernel))


def is_noticed(mutant: Mutant) -> bool:
    with installed(mutant):
        for function, *arguments in suite():
            try:
                function(*arguments)
            except Exception:
                return True
    return False


def main(wanted: list[int]) -> None:
    for number, mutant in enumerate(mutants()):
        if (not wanted or number in wanted) and not is_noticed(mutant):
            print(f"unnoticed: {number}, line {mutant.line}: {mutant.text}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
