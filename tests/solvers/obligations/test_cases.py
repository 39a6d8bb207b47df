"""The hand-made certificates: solvers give the verdict of the kernel, about the same line."""

import pytest

from tests.certificate.by_verdict.make import CASES
from tests.certificate.test_kernel import FOLDER
from tests.solvers.obligations.judged import EXPECTED, said_of
from verimv import kernel
from verimv.kernels.verdicts import rejection
from verimv.solvers.engines import SOLVERS
from verimv.solvers.obligations.collect import collect_files

DIRECTORIES = sorted(d for v in CASES for d in (FOLDER / v).iterdir())
#: By z3 in every run of the tests; by the others some of them, and the rest in larger runs.
ASKED = [
    pytest.param(directory, solver, marks=[pytest.mark.slow] * (solver != "z3" and number % 4 > 0))
    for number, directory in enumerate(DIRECTORIES)
    for solver in SOLVERS
]


@pytest.mark.parametrize(
    ("directory", "solver"),
    ASKED,
    ids=lambda value: value if isinstance(value, str) else f"{value.parent.name}/{value.name}",
)
def test_solvers_say_what_the_kernel_says(directory, solver):
    found = said_of(directory, solver)
    assert found.status == EXPECTED[directory.parent.name], found.reason
    rejected = rejection(lambda: kernel.check(str(directory), {}))
    assert found.line == (None if rejected is None else rejected.line), found.reason
    assert "\n" not in found.reason


@pytest.mark.parametrize("name", CASES["valid"])
def test_the_statement_is_that_of_the_kernel(name):
    directory = FOLDER / "valid" / name
    assert list(collect_files(directory).statement) == list(kernel.check(str(directory), {}).lines)
