"""Random certificates: solvers check what kernels accept, also kernels with a planted bug."""

import json
from collections import Counter

import pytest

from tests.certificate.fuzz.found import planted_fault
from tests.certificate.fuzz.kernel_view import header, verify
from tests.certificate.fuzz.plants import PLANTS
from tests.certificate.fuzz.sequence import Certificate, run
from tests.effort import span_name, spans
from tests.solvers.obligations.judged import EXPECTED, Said, collected, proved, said
from verimv import kernel


def text_of(certificate: Certificate) -> str:
    return "".join(json.dumps(line) + "\n" for line in [header(certificate.texts), *certificate.lines])


def judged(certificate: Certificate, solver: str = "z3") -> Said:
    return said(text_of(certificate), certificate.texts, solver)


def compared(seeds: range, solver: str = "z3") -> Counter:
    found: Counter = Counter()
    for seed in seeds:
        for certificate in run(seed).certificates:
            by_kernel, line = certificate.verdict
            by_solver = judged(certificate, solver)
            found[by_solver.status] += 1
            assert by_solver.status == EXPECTED[by_kernel], f"seed {seed}: {by_kernel}, {by_solver}"
            if by_kernel == "invalid":
                assert by_solver.line == line, f"seed {seed}: {by_solver}"
    return found


@pytest.mark.parametrize(("solver", "seeds"), [("z3", range(40)), ("cvc5", range(60, 70))])
def test_solvers_agree_with_the_kernel(solver, seeds):
    found = compared(seeds, solver)
    assert found["proved"] > len(seeds) // 3
    assert found["refuted"] > len(seeds) // 6


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_products_of_square_roots_are_decided(solver):
    """Here slopes with square roots meet arguments with square roots; as products of variables, they took hours."""
    compared(range(3_000_062, 3_000_063), solver)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solver", "seeds"),
    [
        *(("z3", seeds) for seeds in spans(3_000_000, 200, 50)),
        *(("cvc5", seeds) for seeds in spans(3_000_000, 80, 40)),
    ],
    ids=lambda value: value if isinstance(value, str) else span_name(value),
)
def test_solvers_agree_with_the_kernel_at_length(solver, seeds):
    found = compared(seeds, solver)
    assert found["proved"] > len(seeds) // 6
    assert found["refuted"] > len(seeds) // 12


@pytest.mark.parametrize("name", PLANTS)
def test_what_an_unsound_kernel_accepts(name):
    """A false certificate is refuted. One without a false line, which the unsound kernel misreads, or in which it does
    not notice what is missing, is what the sound kernel says; if it is valid, it proves the sound kernel's statement."""
    certificate = planted_fault(name).certificates[-1]
    status, line = "valid", None
    try:
        statement = verify(certificate.texts, certificate.lines).lines
    except kernel.Rejected as rejected:
        status, line = rejected.status, rejected.line
    if status != "valid":
        found = judged(certificate)
        assert found.status == EXPECTED[status], found
        assert status != "invalid" or found.line == line
        return
    task = collected(text_of(certificate), certificate.texts)
    assert proved(task).proved
    assert list(task.statement) == list(statement)


def test_most_of_what_an_unsound_kernel_accepts_is_false():
    """Otherwise the test above would show little."""
    verdicts = Counter(judged(planted_fault(name).certificates[-1]).status for name in list(PLANTS)[::6])
    assert verdicts["refuted"] > 2 * verdicts["undecided"]
    assert verdicts["refuted"] > 2 * verdicts["proved"]
