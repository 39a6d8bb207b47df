"""A kernel without one of its checks does not pass the tests; the few exceptions are explained."""

from pathlib import Path

import pytest

from tests.certificate.fuzz.plants import PLANTS
from tests.certificate.mutants import Jury, mutants

FOLDER = Path(__file__).parent / "by_verdict"

#: What is left out, and why nobody need notice.
EXPLAINED = {
    "self.left < 0": "test_hostile.py is about the cost",
    "bits > MAX_BITS": "test_hostile.py is about the cost",
    "k < count": "the cost of a leaf",
    "type(x) is not int": "the cost of a leaf",
    "not known": "the cost of a leaf",
    "not given": "the cost of a leaf",
    "need(bool(self.layers), 'a certificate of a network', 'one of two formulas')": "it has no neurons anyhow",
    "well_formed(width > 0, 'at least one column', width)": "no inputs, or a layer without rows, is refused anyhow",
    "well_formed(len(array(weights)) > 0, 'at least one row', len(weights))": "so do the next layer, or the outputs",
    "well_formed(len(names) > 0, 'at least one name', names)": "there are as many as inputs, or as neurons",
    "isinstance(product, Fraction)": "an integer has the denominator 1, too",
    "type(x) is int": "a fraction would be divided in the same way",
    "subject not in files": "tested by a process",
    "well_formed(equals == '=', 'a definition name = expression', line)": "nothing is no expression",
    "x % SLOPE_UNIT == 0": "scales make it so; and a slope that is rounded would do as well",
    """re.fullmatch("[A-Za-z_][A-Za-z0-9_.']*", name)""": "test_statement.py is about names",
    "len(name) <= MOST_CHARACTERS_OF_A_NAME": "test_statement.py is about names",
    "isinstance(value, (int, Fraction, Surd))": "a message, no verdict",
    "not isinstance(value, bool)": "a message, no verdict",
    "well_formed(len(data) <= MAX_FILE, f'a regular file of at most {MAX_FILE} bytes', path)": "test_hostile.py",
    "well_formed(subject in header, f'a certificate that names the {subject} beside it', 'another')": "test_hostile.py",
    "stat.S_ISREG(found.st_mode)": "test_hostile.py",
    "found.st_size <= MAX_FILE": "it would take a file of a gigabyte",
    """well_formed(len(found) == 1, f"one of {' and '.join(CERTIFICATE_FILES)}", folder)""": "tested by a process",
}


@pytest.fixture(scope="module")
def jury():
    return Jury()


def unexplained():
    return [mutant for mutant in mutants() if mutant.text not in EXPLAINED]


def test_explanations_are_about_the_kernel():
    assert {mutant.text for mutant in mutants()} >= EXPLAINED.keys()


def test_a_sample(jury):
    chosen = unexplained()
    assert len(chosen) > 150
    assert [mutant for mutant in chosen[::12] if not jury.notices(mutant)] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_all(part, jury):
    chosen = unexplained()[part::4]
    assert [f"line {mutant.line}: {mutant.text}" for mutant in chosen if not jury.notices(mutant)] == []


@pytest.mark.parametrize("name", [name for name in PLANTS if name.startswith("share-")])
def test_neurons_that_are_shared_wrongly(name):
    """Hand-made cases notice, too."""
    planted = PLANTS[name].module()
    verdicts = set()
    for directory in FOLDER.glob("*/difference-*"):
        try:
            planted.check(str(directory), {})
            verdicts.add(directory.parent.name == "valid")
        except planted.Rejected as rejected:
            verdicts.add(directory.parent.name == rejected.status)
    assert False in verdicts
