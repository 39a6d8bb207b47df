"""The fuzzer finds every unsoundness that is planted in the kernel; it would be of no use otherwise."""

import pytest

from tests.certificate.fuzz.campaign import first_fault
from tests.certificate.fuzz.plants import PLANTS, SOURCE

#: Found at once, mostly: these are looked for in every run of the tests.
QUICK = [
    "form-range", "double-negation", "box", "lemma-above", "times-above-1", "plus-twice", "sequence", "sort-high", "average-ones",
    "average-zeros", "same-zero", "same-one", "unit-shift", "affine-low", "clip-constant", "clip-negative", "empty-point", "ranges-turned",
    "free-variables", "tolerance", "split-side", "bound-target", "bound-side", "share-negative", "share-crelu", "share-constant", "assumed",
    "output-high", "output-node", "equal-form", "source", "finished",
]  # fmt: skip


@pytest.mark.parametrize("name", PLANTS)
def test_a_plant_changes_one_place(name):
    assert SOURCE.count(PLANTS[name].right) == 1
    assert PLANTS[name].right != PLANTS[name].wrong


def assert_found(name):
    outcome, sequences = first_fault(PLANTS[name].module())
    assert outcome is not None, f"{PLANTS[name].description} Not found in {sequences} sequences."


@pytest.mark.parametrize("name", QUICK)
def test_is_found_at_once(name):
    assert_found(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLANTS if name not in QUICK])
def test_is_found(name):
    assert_found(name)
