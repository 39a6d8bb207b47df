"""Equality: by a certificate, by structure, by a query, by the range of the difference, by smaller boxes; in that order."""

import pytest

from verimv import equivalent, extract, parse
from verimv.bounding.search.difference import Difference
from verimv.core.effort import SECOND
from verimv.paper.experiments.families import random_network
from verimv.questions import equality
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict

NETWORK = random_network((4, 10, 10, 1), 7)


def test_a_large_formula_that_extraction_gives_is_proved_by_its_certificate():
    formula = extract(NETWORK).formula
    assert len(formula.dag) > equality._EXTRACTED_FROM
    for a, b in ((NETWORK, formula), (formula, NETWORK)):
        verdict = equivalent(a, b)
        assert verdict.proved
        assert [item["solver"] for item in verdict.evidence] == ["verimv (certificate)"]


def test_a_large_formula_of_another_network_is_refuted():
    other = extract(random_network((4, 10, 10, 1), 8)).formula
    assert equivalent(NETWORK, other).refuted


def test_a_certificate_that_the_kernel_does_not_accept_proves_nothing(monkeypatch):
    monkeypatch.setattr("verimv.certificate.from_extraction.CertifiedExtraction.check", lambda self: "incomplete")
    assert equality._by_extraction(NETWORK, extract(NETWORK).formula, Search()) is None


@pytest.fixture
def asked(monkeypatch):
    """What is tried, while neither queries nor the search decide anything."""
    calls = []

    def query(a, b, *, tolerance, search):
        calls.append(("boxes" if search.split else "query", search.work))
        return Verdict("undecided", reason="not tried")

    monkeypatch.setattr(equality, "equal_by_solver", query)
    monkeypatch.setattr(Difference, "by_search", lambda self, work, deadline: calls.append(("search", work)))
    return calls


def test_either_way_gets_little_at_first(asked):
    assert equivalent(parse("x ⊙ (x → y)"), parse("x ∧ y")).undecided
    assert [way for way, _ in asked] == ["query", "search", "query", "search", "boxes"]
    works = [work for _, work in asked]
    assert works[0] < works[2]
    assert works[1] < works[3]
    assert all(SECOND <= work <= 30 * SECOND for work in works)


def test_when_the_time_is_over_nothing_more_is_tried(asked):
    assert equivalent(parse("x ⊙ (x → y)"), parse("x ∧ y"), search=Search(seconds=0)).undecided
    assert [way for way, _ in asked] == ["query"]


def test_a_point_that_refutes_is_the_answer(asked):
    """…without a query: a refuted verdict is false, but not nothing."""
    verdict = equivalent(NETWORK, random_network((4, 10, 10, 1), 8))
    assert verdict.refuted
    assert [item["solver"] for item in verdict.evidence] == ["verimv (points)"]
    assert asked == []
