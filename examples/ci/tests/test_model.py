"""The model is what its specification says, and it is the one that is certified."""

from pathlib import Path

HERE = Path(__file__).parent.parent


def test_the_model_is_its_specification(assert_equivalent):
    assert_equivalent(HERE / "model.json", HERE / "spec.mv")


def test_the_model_is_the_certified_one(assert_certified):
    assert_certified(HERE / "certified", network=HERE / "model.json")
