"""Verdicts of the Python kernel as values and errors."""

from pathlib import Path

import pytest

from verimv import IncompleteCertificate, kernel
from verimv.kernels.verdicts import as_error, ranges_of, rejection, verdict

FOLDER = Path(__file__).parents[1] / "certificate" / "by_verdict"


def cases(status):
    return sorted((FOLDER / status).iterdir())[:5]


@pytest.mark.parametrize("status", ["invalid", "malformed", "incomplete"])
def test_a_rejection_has_its_status(status):
    for path in cases(status):
        assert rejection(lambda: kernel.check(str(path), {})).status == status  # noqa: B023
    for path in cases("valid"):
        assert rejection(lambda: kernel.check(str(path), {})) is None  # noqa: B023


def test_an_incomplete_certificate_is_an_error_of_its_own():
    assert isinstance(as_error(kernel.Rejected("incomplete", "evidence", "none")), IncompleteCertificate)


def test_files_that_cannot_be_read_are_malformed(tmp_path):
    found = verdict(lambda: kernel.check(str(tmp_path / "nowhere"), {}))
    assert isinstance(found, kernel.Rejected)
    assert found.status == "malformed"


def test_ranges_are_those_of_statements_without_a_formula():
    statements = [kernel.check(str(path), {}) for path in sorted((FOLDER / "valid").iterdir())]
    found = [ranges_of(statement) for statement in statements]
    assert [ranges is None for ranges in found] == ["formula" in statement.kind for statement in statements]
    assert any(found)
