"""A kernel without one of its checks does not pass the tests; the few exceptions are explained."""

from pathlib import Path
from types import ModuleType

import pytest

from tests.certificate.mutants import SOURCE, Jury, mutants

FOLDER = Path(__file__).parent.parent / "certificates"

#: What is left out, and why nobody need notice.
EXPLAINED = {
    "well_formed(len(found) == 1, 'one of certificate.jsonl and certificate.jsonl.gz', folder)": "tested by a process",
    "self.spend(sum((len(self.parts[part]) for part, _ in key)))": "form() charges for the same sums, a little less",
    "self.spend(1 + sum((len(row) for _, row, _ in system.units[2:count] if 0 not in row)) // 400)": "takes minutes",
    "self.layers": "without layers the outputs are pairs, and no node equals a pair",
    "not self.layers": "with layers no output is a pair",
    "0 < ones + len(units)": "sequence() refuses it too",
    "len(typed(weights, list)) > 0": "so do the checks of the next layer and of the outputs",
    "0 < len(below)": "the layer below, or the inputs, were refused",
    "size(surd)": "its coefficients were measured; roots cost budget",
    "key": "neither forms nor cases look at [0]",
    "size(below)": "its factors were measured",
    "size(c)": "sums are measured again when they become forms or ranges; to notice the time takes minutes",
}


@pytest.fixture(scope="module")
def jury():
    return Jury()


def unexplained():
    return [mutant for mutant in mutants() if mutant.text not in EXPLAINED]


def test_explanations_are_about_the_kernel():
    assert {mutant.text for mutant in mutants()} >= EXPLAINED.keys()


def test_a_sample(jury):
    """Cheap ones: the budget is left to the test below."""
    cheap = [mutant for mutant in unexplained() if "spend" not in mutant.text and "size" not in mutant.text]
    assert len(cheap) > 150
    assert [mutant for mutant in cheap[::12] if not jury.notices(mutant)] == []


@pytest.mark.slow
def test_all(jury):
    assert [f"line {mutant.line}: {mutant.text}" for mutant in unexplained() if not jury.notices(mutant)] == []


#: Neurons shared that are not multiples, or multiples by another factor: what would be written instead.
SHARED_WRONGLY = {
    "negative factors": ("Fraction(abs(c) if", "Fraction(c if"),
    "whatever the activation": ("setdefault((act, frozenset(", "setdefault((frozenset("),
    "whatever the factor": ("{a: scale * other**-1}", "{a: 1}"),
    "the factor the other way round": ("{a: scale * other**-1}", "{a: other * scale**-1}"),
    "constants without their activation": ("ACTIVATIONS[act](row.get(1, 0))", "row.get(1, 0)"),
    "rows without their constant": (
        "frozenset(add({}, (row, scale**-1)).items())",
        "frozenset({*row} - {1})",
    ),
    "not at all": ('"other" in texts)', "False)"),
    "not in the rows above": ("values.get(j, {j: 1})", "{j: 1}"),
}


@pytest.mark.parametrize(("right", "wrong"), SHARED_WRONGLY.values(), ids=SHARED_WRONGLY)
def test_neurons_that_are_shared_wrongly(right, wrong):
    assert SOURCE.count(right) == 1
    mutant = ModuleType("mutant")
    exec(compile(SOURCE.replace(right, wrong), "mutant", "exec"), vars(mutant))
    verdicts = set()
    for directory in FOLDER.glob("*/difference-*"):
        try:
            mutant.check(str(directory), {})
            verdicts.add(directory.parent.name == "valid")
        except mutant.Rejected as rejected:
            verdicts.add(directory.parent.name == rejected.status)
    assert False in verdicts
