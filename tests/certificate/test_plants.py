"""The fuzzer finds every unsoundness that is planted in the kernel; it would be of no use otherwise."""

import pytest

from tests.certificate.fuzz.campaign import SEQUENCES, first_fault
from tests.certificate.fuzz.found import SEEDS, planted_fault
from tests.certificate.fuzz.plants import PLANTS, SOURCE, kind_of
from tests.effort import EFFORT


@pytest.mark.parametrize("name", PLANTS)
def test_a_plant_changes_one_place(name):
    assert SOURCE.count(PLANTS[name].right) == 1
    assert PLANTS[name].right != PLANTS[name].wrong


@pytest.mark.parametrize("name", PLANTS)
def test_is_found(name):
    assert planted_fault(name) is not None, f"{PLANTS[name].description} Not found in {SEQUENCES} sequences."


@pytest.mark.slow
@pytest.mark.skipif(EFFORT == 1, reason="a long search (VERIMV_TEST_EFFORT); test_is_found begins where it ends")
@pytest.mark.parametrize("name", PLANTS)
def test_is_first_found_where_it_is_said(name):
    outcome, sequences = first_fault(PLANTS[name].module(), kind=kind_of(name))
    assert (outcome is not None, sequences - 1) == (True, SEEDS[name]), "python -m tests.certificate.fuzz.found"
