"""Certificates that were tampered with: solvers prove exactly those that the kernel accepts."""

import random
from collections import Counter

import pytest

from tests.certificate.judged import rejected
from tests.certificate.tamper import random_bundles, tamper
from tests.certificate.test_tampering import bundles
from tests.effort import scaled
from tests.solvers.obligations.judged import EXPECTED, said


def compared(count: int, of: int, seed: int, solver: str = "z3") -> Counter:
    """Count the verdicts on changed certificates: hand-made ones, and some of random networks."""
    source = random.Random(seed)
    originals = bundles(0, seed) + random_bundles(of, seed)
    found: Counter = Counter()
    for number in range(count):
        mutant = tamper(originals[number % len(originals)], source)
        by_kernel = rejected(mutant.text(), mutant.subjects)
        by_solver = said(mutant.text(), mutant.subjects, solver)
        expected = "proved" if by_kernel is None else EXPECTED[by_kernel.status]
        found[by_solver.status] += 1
        if by_solver.status != expected:
            # Solvers are asked only if the whole certificate is well-formed.
            assert {by_solver.status, expected} == {"malformed", "refuted"}, f"{by_kernel}, {by_solver}: {mutant}"
        elif expected == "refuted":
            assert by_solver.line == by_kernel.line, f"{by_kernel}, {by_solver}: {mutant}"
    return found


@pytest.mark.parametrize(("solver", "count"), [("z3", 200), ("cvc5", 30)])
def test_tampering(solver, count):
    found = compared(count, 50, 1, solver)
    assert found["refuted"] > count // 3
    assert found["proved"] > count // 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11, 11 + scaled(4)))
def test_tampering_at_length(seed):
    found = compared(200, 100, seed)
    assert found["refuted"] > 60
    assert found["proved"] > 5
