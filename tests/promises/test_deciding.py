"""Promises are proved, broken with an exact point, undecided or malformed; what is kept is checked again."""

import json
import random
import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

import verimv
from tests.promises.conftest import VALVE
from verimv.promises.deciding import decide
from verimv.promises.keeper import Keeper

HEAD = '[models.valve]\nfile = "model.json"\n'


@pytest.fixture
def decided(repository, files):
    """Decide the promises of a file; the outcomes."""

    def outcomes(text, fresh=False):
        return [decide(promise, Keeper(".verimv", fresh)) for promise in repository(text)]

    return outcomes


@pytest.mark.parametrize(
    ("promise", "status"),
    [
        ('equal-to = "spec.mv"', "proved"),
        ('equal-to = "copy.json"', "proved"),
        ('equal-to = "¬demand ⊕ ¬window"', "proved"),
        ('equal-to = "¬demand"', "refuted"),
        ('equal-to = "wrong.json"', "refuted"),
        ('within = "1/64", of = "wrong.json"', "proved"),
        ('within = 0.015625, of = "wrong.json"', "proved"),
        ('within = 0.0156249, of = "wrong.json"', "refuted"),
        ('within = "1/64", of = "(¬demand ⊕ ¬window)"', "proved"),
        ('within = "1/2", of = "¬demand"', "refuted"),
        ('within = 1, of = "¬demand"', "proved"),
        ('within = "1.6%", of = "wrong.json"', "proved"),
        ('within = "1.5%", of = "wrong.json"', "refuted"),
        ('equal-to = "wrong.json", box = [0, 0.5]', "proved"),
        ('equal-to = "wrong.json", box = { window = [0, 0] }', "proved"),
        ('equal-to = "wrong.json", box = [[0, 1], ["1/2", 1]]', "refuted"),
        ('equal-to = "wrong.json", output = "valve"', "refuted"),
        ('spec = "demand = 1 and window = 1 -> valve <= 0"', "proved"),
        ('spec = "demand = 1 and window = 1 -> valve < 0"', "refuted"),
        ('spec = "valve >= 0 and valve <= 1"', "proved"),
        ('spec = "valve >= 0.5"', "refuted"),
        ('spec = "valve >= 0.5", box = { demand = [0, 0.5] }', "proved"),
        ('spec = "¬window → valve"', "proved"),
        ('spec = "safe.vnnlib"', "proved"),
        ('spec = "unsafe.vnnlib"', "refuted"),
    ],
)
def test_the_answer_and_the_same_again(decided, promise, status):
    """…and the second time it rests on what was kept: a certificate, or a point."""
    text = f"{HEAD}promises = [{{ {promise} }}]"
    [first], [again] = decided(text), decided(text)
    assert (first.status, again.status) == (status, status), first.reason
    assert not first.unchanged
    assert first.evidence == again.evidence == ("certificate" if status == "proved" else "point")
    assert again.unchanged
    assert again.reason == first.reason
    assert decided(text, fresh=True)[0].unchanged is False


def test_a_broken_promise_is_readable(decided):
    [outcome] = decided(f'{HEAD}promises = [{{ equal-to = "wrong.json" }}]')
    assert outcome.reason.splitlines() == [
        "not equal: model.json and wrong.json",
        "at          demand=1, window=1",
        "model.json  0",
        "wrong.json  1/64",
        "difference  0.015625",
    ]
    assert outcome.counterexample == {"demand": "1", "window": "1"}


def test_a_violated_specification_is_readable(decided):
    [outcome] = decided(f'{HEAD}promises = [{{ spec = "valve >= 1/2" }}]')
    assert outcome.reason.splitlines()[0] == "violated by model.json: valve >= 1/2"
    assert "\nwhere  valve < 0.5" in outcome.reason
    [demand, window] = (Fraction(x) for x in outcome.counterexample.values())
    assert 1 - max(0, demand + window - 1) < Fraction(1, 2)


def test_a_specification_that_says_nothing_is_noted(decided):
    text = f'{HEAD}promises = [{{ spec = "demand >= 2 -> valve <= 0" }}]'
    for outcome in decided(text) + decided(text):
        assert outcome.status == "proved"
        assert "it holds of every network" in outcome.notes[0]


def test_a_model_that_changes_is_proved_again(decided, files):
    text = f'{HEAD}promises = [{{ equal-to = "spec.mv" }}]'
    assert decided(text)[0].status == "proved"
    shutil.copy(files / "wrong.json", files / "model.json")
    [outcome] = decided(text)
    assert (outcome.status, outcome.unchanged) == ("refuted", False)
    shutil.copy(files / "copy.json", files / "model.json")
    [outcome] = decided(text)
    assert (outcome.status, outcome.unchanged) == ("proved", True)


def test_what_only_a_solver_proves_is_proved_again(decided, files):
    """…such as a formula with other names, of which there is no certificate."""
    (files / "other.mv").write_text("¬a ⊕ ¬b\n", encoding="utf-8")
    text = f'{HEAD}promises = [{{ equal-to = "other.mv" }}]'
    for outcome in decided(text) + decided(text):
        assert (outcome.status, outcome.unchanged, outcome.certificate) == ("proved", False, None)
        assert outcome.evidence.startswith("by ")
        assert outcome.notes == [
            "no input has the same name on both sides: compared by position (demand as a, window as b)"
        ]


def test_two_models_share_a_file(decided):
    """…and what is kept: it goes by content, not by name."""
    promise = 'promises = [{ equal-to = "spec.mv" }]'
    first, second = decided(f'{HEAD}{promise}\n[models.twin]\nfile = "copy.json"\n{promise}')
    assert (first.status, second.status) == ("proved", "proved")
    assert (first.unchanged, second.unchanged) == (False, True)
    assert first.certificate == second.certificate


MISSING = [
    ('file = "modell.json"', 'equal-to = "spec.mv"', "verimv.toml:4: models.m: file: no such file: 'modell.json'; did you mean model.json?"),
    ('file = "model.json"', 'equal-to = "spce.mv"', "models.m.promises[0]: equal-to: no such file: 'spce.mv'; did you mean spec.mv?"),
    ('file = "model.json"', 'within = 1, of = "no/where.onnx"', "models.m.promises[0]: of: no such file: 'no/where.onnx'"),
    ('file = "model.json"', 'certified-by = "nowhere"', "models.m.promises[0]: certified-by: no such file: 'nowhere'"),
    ('file = "model.json"', 'certified-by = "spec.mv"', "certified-by: expected a directory with a certificate, found the file 'spec.mv'"),
    ('file = "model.json"', 'equal-to = "spce"', "equal-to: no file 'spce', and 'spce' is no input of the model"),
    ('file = "model.json"', 'equal-to = "demnd ⊕ window"', "'demnd' is no input of the model; did you mean demand?"),
    ('file = "model.json"', 'equal-to = "two.mv"', "outputs"),
    ('file = "model.json"', 'equal-to = "demand ⊕"', "equal-to: no such file, and not a formula"),
    ('file = "model.json"', 'equal-to = "spec.mv", box = { demnd = [0, 1] }', "box: no input 'demnd'; did you mean demand?"),
    ('file = "model.json"', 'equal-to = "spec.mv", box = [[0, 1]]', "box: expected 2 pairs, one per input, found 1"),
    ('file = "model.json"', 'equal-to = "spec.mv", box = [1, 0]', "the lower end 1 is above the upper end 0"),
    ('file = "model.json"', 'equal-to = "spec.mv", box = "box.json"', "box: no such file: 'box.json'"),
    ('file = "model.json"', 'equal-to = "spec.mv", output = "y"', "no output 'y'"),
    ('file = "model.json"', 'within = "1%", of = "demand"', "within: a percentage is one of the range of a network"),
    ('file = "model.json"', 'spec = "safe.vnnlb"', "did you mean safe.vnnlib?"),
    ('file = "model.json"', 'spec = "valv <= 1"', "promises[0]: spec: "),
    ('file = "spec.mv"', 'equal-to = "spec.mv"', "expected a network, found a formula"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "promise", "message"), MISSING, ids=range(len(MISSING)))
def test_what_cannot_be_decided_says_where_and_why(decided, file, promise, message):
    [outcome] = decided(f"\n[models.m]\n{file}\npromises = [{{ {promise} }}]\n")
    assert outcome.status == "malformed"
    assert message in outcome.reason
    assert outcome.reason.startswith("verimv.toml:4: models.m")


def test_names_are_those_of_the_file(decided, files):
    plain = json.loads(json.dumps(VALVE))
    del plain["inputs"], plain["outputs"]
    (files / "plain.json").write_text(json.dumps(plain))
    [outcome] = decided(
        '[models.m]\nfile = "plain.json"\nnames = { inputs = ["the demand", "window"], outputs = ["valve"] }\n'
        'box = { "the demand" = [0, 1] }\npromises = [{ equal-to = "¬the_demand ⊕ ¬window" }]'
    )
    assert outcome.status == "proved", outcome.reason


def test_undecided_is_not_proved_and_is_kept(decided, files):
    """With nearly no effort, a tolerance between what is attained and what is proved at once."""
    source = random.Random(3)
    sizes = [3, 6, 6, 1]
    layers = [
        {"weights": [[f"{source.randint(-99, 99)}/100" for _ in range(below)] for _ in range(size)],
         "bias": [f"{source.randint(-99, 99)}/100" for _ in range(size)], "activation": "relu"}
        for below, size in pairwise(sizes)
    ]  # fmt: skip
    layers[-1]["activation"] = "identity"
    data = {"format": "verimv-network", "version": 1, "layers": layers}
    (files / "left.json").write_text(json.dumps(data))
    for row in layers[1]["weights"]:
        row[0] = str(Fraction(row[0]) + Fraction(source.randint(-9, 9), 10_000))
    (files / "right.json").write_text(json.dumps(data))
    left, right = (verimv.load(files / name) for name in ("left.json", "right.json"))
    ends = verimv.distance(left, right, effort=0)
    between = (ends.attained + ends.proved) / 2
    text = (
        f'[models.m]\nfile = "left.json"\npromises = [{{ within = "{between}", of = "right.json", effort = 0.000001 }}]'
    )
    [outcome], [again] = decided(text), decided(text)
    assert outcome.status == again.status == "undecided"
    assert outcome.exit_code == 3
    assert "the effort is used up" in outcome.reason
    assert "the difference is at least" in outcome.reason
    assert (outcome.unchanged, again.unchanged) == (False, True)
    assert again.reason == outcome.reason
    [more] = decided(text.replace("0.000001", "3"))
    assert (more.status, more.unchanged) == ("proved", False)


# -- what is kept is not believed --------------------------------------------------------------------------------------

PROVED = f'{HEAD}promises = [{{ equal-to = "copy.json" }}]'


def kept():
    [entry] = [path for path in Path(".verimv").iterdir() if path.is_dir()]
    return entry


def test_a_certificate_that_is_damaged_is_made_again(decided):
    decided(PROVED)
    certificate = kept() / "certificate.jsonl"
    text = certificate.read_text()
    certificate.write_text(text.replace('"0"', '"1"', 1))
    assert decided(PROVED)[0].unchanged is False
    assert certificate.read_text() == text
    assert decided(PROVED)[0].unchanged is True


def test_a_certificate_of_something_else_proves_nothing(decided, files):
    """A valid certificate of a weaker statement, or of other networks, in the place of the right one."""
    decided(PROVED)
    right = kept()
    decided(f'{HEAD}promises = [{{ within = 5, of = "copy.json" }}]')
    [weaker] = [path for path in Path(".verimv").iterdir() if path.is_dir() and path != right]
    shutil.rmtree(right)
    shutil.copytree(weaker, right)
    assert decided(PROVED)[0].unchanged is False
    shutil.rmtree(".verimv")
    decided('[models.m]\nfile = "wrong.json"\npromises = [{ equal-to = "wrong.json" }]')
    kept().rename(right)
    assert decided(PROVED)[0].unchanged is False


def test_a_verification_of_something_else_proves_nothing(decided):
    text = f'{HEAD}promises = [{{ spec = "valve >= 0" }}]'
    decided(text)
    right = kept()
    decided(text.replace(">= 0", ">= -1"))
    [weaker] = [path for path in Path(".verimv").iterdir() if path.is_dir() and path != right]
    shutil.rmtree(right)
    shutil.copytree(weaker, right)
    assert decided(text)[0].unchanged is False
    assert decided(text)[0].unchanged is True
    next(right.glob("case-*")).joinpath("certificate.jsonl").write_text("{}")
    assert decided(text)[0].unchanged is False


@pytest.mark.parametrize("promise", ['equal-to = "wrong.json"', 'spec = "valve > 0"'])
def test_a_point_that_shows_nothing_is_not_believed(decided, promise):
    text = f"{HEAD}promises = [{{ {promise} }}]"
    decided(text)
    [record] = Path(".verimv").glob("*.json")
    status = json.loads(record.read_text())["status"]
    for point in ({"demand": "0", "window": "0"}, {"demand": "2", "window": "2"}, {"demand": "1"}, None, 5):
        record.write_text(json.dumps({"status": status, "point": point}))
        [outcome] = decided(text)
        assert (outcome.status, outcome.unchanged) == ("refuted", False), point
    record.write_text("{")
    assert decided(text)[0].unchanged is False
    record.write_text(json.dumps({"status": "proved"}))
    assert decided(text)[0].status == "refuted"


def test_a_directory_that_cannot_be_written_costs_only_the_keeping(decided):
    Path(".verimv").write_text("a file")
    assert [outcome.status for outcome in decided(PROVED) + decided(PROVED)] == ["proved", "proved"]


def test_old_entries_are_removed(decided, files):
    keeper = Keeper(".verimv")
    for number in range(12):
        keeper.write(f"{number:064x}", {"status": "undecided"})
    Path(".verimv", "other.txt").write_text("not ours")
    keeper.tidy(1)
    assert len(list(Path(".verimv").glob("0*.json"))) == 8
    assert Path(".verimv", "other.txt").exists()
    assert Path(".verimv", ".gitignore").read_text() == "*\n"


# -- certificates ------------------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "ci"


def test_certified_by(repository, tmp_path):
    for name in ("model.json", "retrained.json"):
        shutil.copy(EXAMPLE / name, tmp_path)
    shutil.copytree(EXAMPLE / "certified", tmp_path / "certified")

    def outcome(options=""):
        [promise] = repository(f'{HEAD}{options}promises = [{{ certified-by = "certified" }}]')
        return decide(promise, Keeper(".verimv"))

    assert outcome().status == "proved"
    assert outcome("box = [0, 0.5]\n").status == "proved"
    wider = outcome("box = [0, 2]\n")
    assert (wider.status, wider.reason) == (
        "refuted",
        "certified is about demand in [0, 1], the box of the model has [0, 2]",
    )
    shutil.copy(tmp_path / "retrained.json", tmp_path / "model.json")
    assert "not equal: model.json and certified" in outcome().reason
    formula = tmp_path / "certified" / "formula.mv"
    formula.write_text(formula.read_text(encoding="utf-8").replace("⊙", "⊕", 1), encoding="utf-8")
    broken = outcome()
    assert broken.status == "refuted"
    assert "invalid" in broken.reason
