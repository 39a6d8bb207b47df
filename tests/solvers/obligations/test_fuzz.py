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


#: Certificates without a false line: the unsound kernel misreads them, or does not notice what is missing.
INCOMPLETE = {
    "assumed", "bound-side", "clip-constant", "combined", "double-negation", "equals-other-node", "finished", "lowest-terms", "merge-order",
    "node-1", "share-activation", "share-bias", "share-crelu", "surd-product", "unit-shift",
}  # fmt: skip


def found_false(name: str) -> Said:
    """Return the solvers' verdict on a false certificate that an unsound kernel accepted."""
    return judged(planted_fault(name).certificates[-1])


@pytest.mark.parametrize("name", [name for name in PLANTS if name != "bounds-of-outputs"])
def test_what_an_unsound_kernel_accepts_is_refuted(name):
    assert found_false(name).status == ("undecided" if name in INCOMPLETE else "refuted")


def test_a_kernel_that_states_something_else():
    """The certificate is valid, and proves the statement of the sound kernel."""
    certificate = planted_fault("bounds-of-outputs").certificates[-1]
    task = collected(text_of(certificate), certificate.texts)
    assert proved(task).proved
    assert list(task.statement) == list(verify(certificate.texts, certificate.lines).lines)
