"""The same input gives the same bytes: whatever the clock says, however many workers there are, in any process.

A clock may end a run; then there is no result, and there are no files.
"""

import hashlib
import math
import os
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

import verimv
from tests.bounding.guess.test_pair_floats import random_pair
from verimv.bounding import methods
from verimv.bounding.guess.floats import product
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.from_ranges import certify_range
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.errors import Undecided
from verimv.formulas.mvfile import write_mv
from verimv.networks.formats.json_format import write_network
from verimv.paper.experiments.families import random_network, random_term
from verimv.solvers.point_search import Search

#: Large enough that some of its bounds are not found with the work below, and start again or stay as they are.
NETWORK = random_network((4, 14, 14, 2), 3)
LITTLE = SECOND // 4


def digest(certificate):
    return hashlib.sha256(b"".join(piece for pieces in certificate.files().values() for piece in pieces)).hexdigest()


def extracted(**options):
    result = verimv.extract(NETWORK, scale_output=True, **options)
    assert result.check() == ""
    return digest(result.certificate)


def simplified():
    found = verimv.simplify(random_term(60, 3, 5), work=SECOND)
    return found.formula.text(), found.steps, digest(verimv.certify_simplification(found))


def ranges():
    found = searched_ranges(NETWORK, work=LITTLE)
    bounded = certified_bounds(NETWORK, SearchEffort("exact", work=LITTLE))
    return found, bounded, digest(certify_range(NETWORK, [(bound.lower, bound.upper) for bound in bounded.layers[-1]]))


def compared():
    other = random_network((2, 5, 5, 1), 1)
    formula = verimv.extract(other, bounds="interval").formula
    subjects = [
        (other, formula),
        (other, verimv.parse("x1 ⊕ x2")),
        (verimv.parse("x ∧ y"), verimv.parse("x ⊙ (x → y)")),
    ]
    verdicts = [verimv.equivalent(a, b, search=Search(seconds=math.inf)) for a, b in subjects]
    return [(verdict.status, verdict.witness) for verdict in verdicts]


def distances():
    a, b = random_pair(1, Fraction(1, 8))
    found = verimv.distance(a, b, effort=0.05)
    assert found.ended_by == "effort"
    return found.outputs, digest(verimv.certify_distance(a, b, found, math.inf))


@pytest.fixture(autouse=True)
def little(monkeypatch):
    monkeypatch.setattr(methods, "_AUTO_WORK", LITTLE)


@pytest.fixture(scope="module")
def expected():
    """What the questions below give while nobody tampers with the clock."""
    results = {}

    def of(question):
        if question not in results:
            results[question] = question()
        return results[question]

    return of


@pytest.mark.parametrize("pace", [1000, 0.001], ids=["fast", "slow"])
@pytest.mark.parametrize(
    "question", [extracted, simplified, ranges, distances, pytest.param(compared, marks=pytest.mark.slow)]
)
def test_no_clock_changes_a_result(question, pace, expected, monkeypatch):
    wanted = expected(question)
    for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
        honest = getattr(time, name)
        monkeypatch.setattr(time, name, lambda honest=honest: pace * honest())
    assert question() == wanted


def test_the_work_is_too_little_for_some_bounds():
    """Otherwise the tests here would say nothing about how it is shared."""
    unlimited, limited = (certified_bounds(NETWORK, SearchEffort("exact", work=work)) for work in (60 * SECOND, LITTLE))
    assert limited.counts()["exact"] < unlimited.counts()["exact"]


def test_workers_change_nothing(expected):
    assert extracted(workers=2) == expected(extracted)


@pytest.mark.parametrize("environment", [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "OPENBLAS_NUM_THREADS": "1"}])
def test_no_other_process_gives_another_result(environment, expected):
    program = (
        "from tests import test_reproducible as here\n"
        "here.methods._AUTO_WORK = here.LITTLE\n"
        "print(here.extracted(), here.simplified()[2], here.ranges()[2])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    wanted = (expected(extracted), expected(simplified)[2], expected(ranges)[2])
    assert done.stdout.split() == list(wanted)


def test_products_do_not_depend_on_blas():
    """The same sums one row at a time, which BLAS adds up in another order."""
    source = np.random.default_rng(1)
    a, b = source.random((37, 53)), source.random((53, 41))
    whole = product(a, b)
    assert np.allclose(whole, a @ b)
    assert all((product(row[None], b)[0] == line).all() for row, line in zip(a, whole, strict=True))
    assert np.allclose(product(a, b[:, 0]), whole[:, 0])


# -- a clock that has run out -------------------------------------------------------------------------------------------


def test_a_deadline_that_has_passed_ends_everything():
    passed = Deadline(0)
    for question in (
        lambda: certified_bounds(NETWORK, SearchEffort("exact", deadline=passed)),
        lambda: certified_bounds(NETWORK, SearchEffort("exact", deadline=passed, workers=2)),
        lambda: searched_ranges(NETWORK, deadline=passed),
        lambda: verimv.simplify(random_term(60, 3, 5), seconds=0),
        lambda: verimv.simplify_extraction(verimv.extract(random_network((2, 3, 1), 1)), seconds=0),
        lambda: Meter(1, passed).spend(1),
    ):
        with pytest.raises(Undecided):
            question()
    formula = verimv.extract(NETWORK, bounds="interval").formula
    assert verimv.equivalent(NETWORK, formula, search=Search(seconds=0)).undecided
    assert certify_range(NETWORK, [(-100, 100)] * 2, seconds=0) is None


@pytest.mark.parametrize(
    "words",
    [
        ["extract", "net.json", "--scale-output", "-o", "out"],
        ["extract", "net.json", "--scale-output", "-o", "out", "--workers", "2"],
        ["simplify", "long.mv", "-o", "out.mv"],
        ["bounds", "net.json", "--method", "exact"],
        ["equiv", "net.json", "other.json", "--tolerance", "100", "--certify", "out"],
        ["range", "net.json", "--certify", "out"],
    ],
    ids=lambda words: " ".join(words[::2]),
)
def test_a_run_that_is_ended_leaves_nothing(words, tmp_path):
    for seed, name in ((1, "net"), (2, "other")):
        text = "".join(write_network(random_network((8, 60, 60, 1), seed)))
        (tmp_path / f"{name}.json").write_text(text.replace('"crelu"', '"identity"'))
    (tmp_path / "long.mv").write_text("".join(write_mv(random_term(3000, 6, 1))))
    command = [sys.executable, "-m", "verimv", *words, "--timeout", "1.5", "--quiet"]
    before = sorted(tmp_path.iterdir())
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr + done.stdout
    assert sorted(tmp_path.iterdir()) == before
