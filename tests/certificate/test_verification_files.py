"""The directory of a verification: what is written is accepted, and anything else is rejected with the reason."""

import json
import os
import shutil

import pytest

from verimv.certificate.from_ranges import certify_range
from verimv.certificate.verification_files import judge_verification
from verimv.core.errors import InputError
from verimv.networks.formats.json_format import read_network, write_network
from verimv.networks.names import named
from verimv.networks.network import Layer, Network
from verimv.questions.verification import verify

ROOF = Network.of(
    [Layer.of([[1, 1], [1, -1]], [0, 0]), Layer.of([[1, 1], [1, -1]], ["1/2", 0], "identity")],
    box=[(0, 1), (-1, "1/2")],
)
TEXT = "x1 + x2 <= 1 -> y1 <= 5/2\nx2 >= 0 -> y2 < 6/5 and y1 > 0"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    found = verify(ROOF, TEXT)
    assert found.holds
    directory = tmp_path_factory.mktemp("verification") / "made"
    found.save(directory)
    return directory


@pytest.fixture
def directory(written, tmp_path):
    return shutil.copytree(written, tmp_path / "copy")


def judged(directory):
    return judge_verification(str(directory), "python")


def changed(path, change):
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_what_is_written_is_valid(written):
    names = sorted(entry.name for entry in written.iterdir())
    assert names == ["case-1", "case-2", "case-3", "model.json", "spec.txt", "verification.json"]
    assert (written / "spec.txt").read_text(encoding="utf-8") == TEXT
    judgement = judged(written)
    assert (judgement.status, judgement.names) == ("valid", ["kernel.py"])
    assert judgement.statement == [
        "for every input in the box: not (x1 + x2 ≤ 1 and y1 > 2.5)",
        "for every input with 0 ≤ x2 ≤ 0.5: not (y2 ≥ 1.2)",
        "for every input with 0 ≤ x2 ≤ 0.5: not (y1 ≤ 0)",
    ]
    assert judge_verification(str(written)).status == "valid", "both kernels"


def test_it_is_written_again_in_the_same_place_and_the_same_bytes(written, tmp_path):
    files = {path.relative_to(written): path.read_bytes() for path in written.rglob("*") if path.is_file()}
    for text, cases in ((TEXT, 3), ("y1 >= 0", 1), (TEXT, 3)):
        verify(ROOF, text).save(tmp_path / "again")
        assert len(list((tmp_path / "again").glob("case-*"))) == cases
    again = tmp_path / "again"
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()} == files
    (again / "case-1" / "mine.txt").write_text("keep")
    with pytest.raises(InputError, match="case-1"):
        verify(ROOF, TEXT).save(again)
    assert (again / "case-1" / "mine.txt").exists()


def another_specification(directory):
    (directory / "spec.txt").write_text(TEXT.replace("5/2", "2"), encoding="utf-8")


def another_specification_with_its_hash(directory):
    import hashlib

    text = TEXT.replace("5/2", "2")
    (directory / "spec.txt").write_text(text, encoding="utf-8")
    hashed = hashlib.sha256(text.encode()).hexdigest()
    changed(directory / "verification.json", lambda data: data["sha256"].update({"spec.txt": hashed}))


def another_model(directory):
    network = read_network((directory / "model.json").read_text(encoding="utf-8"))
    box = ((network.box[0][0], network.box[0][1] * 2), network.box[1])
    (directory / "model.json").write_text("".join(write_network(network.on_box(box))), encoding="utf-8")


def a_case_less(directory):
    changed(directory / "verification.json", lambda data: data["cases"].pop())


def no_case(directory):
    changed(directory / "verification.json", lambda data: data["cases"].clear())


def a_missing_directory(directory):
    shutil.rmtree(directory / "case-2")


def cases_exchanged(directory):
    (directory / "case-2").rename(directory / "case-9")
    (directory / "case-3").rename(directory / "case-2")
    (directory / "case-9").rename(directory / "case-3")


def another_weight(directory):
    changed(directory / "verification.json", lambda data: data["cases"][0].update(weight="999"))


def a_weaker_bound(directory):
    """A valid certificate of the right network, whose bound does not exclude the case."""
    network = read_network((directory / "case-2" / "network.json").read_text(encoding="utf-8"))
    certificate = certify_range(network, [("-1", "1000")])
    shutil.rmtree(directory / "case-2")
    (directory / "case-2").mkdir()
    for name, pieces in certificate.files().items():
        (directory / "case-2" / name).write_bytes(b"".join(pieces))


def zero_where_it_must_be_positive(directory):
    network = read_network((directory / "case-2" / "network.json").read_text(encoding="utf-8"))
    certificate = certify_range(network, [("0", "1000")])
    (directory / "case-2" / "certificate.jsonl").write_bytes(b"".join(certificate.files()["certificate.jsonl"]))


def an_assumed_bound(directory):
    path = directory / "case-1" / "certificate.jsonl"
    *lines, _, last = path.read_text(encoding="utf-8").splitlines()
    bound = json.loads(last)
    path.write_text("\n".join([*lines, json.dumps([*bound[:3], "low", "0"]), last]) + "\n", encoding="utf-8")


def no_certificate(directory):
    (directory / "case-1" / "certificate.jsonl").unlink()


def a_certificate_about_more(directory):
    shutil.copy(directory / "case-1" / "network.json", directory / "case-1" / "other.json")


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (another_specification, "invalid", "spec.txt has changed"), (another_specification_with_its_hash, "invalid", "case-1/network.json is not the model composed"),
        (another_model, "invalid", "model.json has changed"), (a_case_less, "invalid", "has 3 cases, but 2 are certified"), (no_case, "invalid", "but 0 are certified"),
        (a_missing_directory, "invalid", "case-2/network.json: no such file"), (cases_exchanged, "invalid", "case-2/network.json is not the model composed"),
        (another_weight, "invalid", "case-1/network.json is not the model composed"), (a_weaker_bound, "invalid", "but must be more than 0"),
        (zero_where_it_must_be_positive, "invalid", "at least 0, but must be more than 0"), (an_assumed_bound, "incomplete", "evidence"),
        (no_certificate, "malformed", "case-1"), (a_certificate_about_more, "malformed", "case-1"),
    ],
    ids=lambda value: getattr(value, "__name__", "")[:40],
)  # fmt: skip
def test_anything_else_is_rejected(directory, change, status, words):
    change(directory)
    judgement = judged(directory)
    assert judgement.status == status, judgement.text
    assert words in judgement.text
    assert judgement.statement == []


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("uses_box"), lambda data: data.update(more=1), lambda data: data.update(version=2), lambda data: data.update(networks={"": "../model.json"}),
        lambda data: data.update(networks={}), lambda data: data.update(specification="/etc/passwd"), lambda data: data.update(uses_box=1), lambda data: data.update(cases={}),
        lambda data: data["cases"][0].update(weight="-1"), lambda data: data["cases"][0].pop("closed"), lambda data: data.update(names={"model.json": {"z": "x1"}}),
        lambda data: data.update(names=[]), lambda data: data["cases"].__setitem__(0, {"closed": True, "multipliers": ["1"]}),
    ],
)  # fmt: skip
def test_malformed_summaries(directory, change):
    changed(directory / "verification.json", change)
    assert judged(directory).status in ("malformed", "invalid")


def test_full_names_are_part_of_what_is_read_again(tmp_path):
    network = named(ROOF, ["petal width", "b"], ["risk", "y 2"])
    verify(network, '"petal width" + b <= 1 -> risk <= 5/2').save(tmp_path / "made")
    judgement = judged(tmp_path / "made")
    assert judgement.statement == ['for every input in the box: not ("petal width" + b ≤ 1 and risk > 2.5)']


def test_pairs_and_formulas_and_vacuous_ones(tmp_path):
    pair = """(vnnlib-version <2.0>)
    (declare-network f (declare-input A real [2]) (declare-output B real [2]))
    (declare-network g (equal-to f) (declare-input C real [2]) (declare-output D real [2]))
    (assert (and (<= 0 A[0]) (<= A[0] 1) (<= 0 A[1]) (<= A[1] 1) (== A[0] C[0]) (== A[1] C[1])))
    (assert (> (- B[0] D[0]) 0.01))"""
    unit = ROOF.on_box([(0, 1), (0, 1)])
    for name, text, words in (
        ("pair", pair, "f.x1 = g.x1"),
        ("formula", "y1 → y1 ⊕ x1", "(y1 → y1 ⊕ x1) < 1"),
        ("vacuous", "x1 > 3 -> y1 < 0", "no input satisfies"),
    ):
        verify(unit, text).save(tmp_path / name)
        judgement = judged(tmp_path / name)
        assert judgement.status == "valid"
        assert words in judgement.statement[0]


def test_no_certificate_of_what_does_not_hold(tmp_path):
    with pytest.raises(InputError, match="violated"):
        verify(ROOF, "y1 < 0").save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_open_ends_are_part_of_the_statement(tmp_path):
    """The hat is 0 at both ends of its box, and positive between them."""
    hat = Network.of([Layer.of([[2], [2]], [0, -1]), Layer.of([[1, -2]], [0], "identity")])
    verify(hat, "0 < x1 and x1 < 1 -> y1 > 0").save(tmp_path / "kept")
    assert judged(tmp_path / "kept").statement == ["for every input with 0 < x1 < 1: not (y1 ≤ 0)"]


@pytest.mark.parametrize(
    "labels", [{"y1": "y2", "y2": "y1"}, {"y1": "y2"}, {"y2": "a)\nvalid: not (b"}, {"y2": ""}, {"y1": "q", "y2": "q"}]
)
def test_names_cannot_change_the_statement(directory, labels):
    before = judged(directory)
    summary = json.loads((directory / "verification.json").read_text())
    summary["names"] = {"model.json": labels}
    (directory / "verification.json").write_text(json.dumps(summary))
    after = judged(directory)
    assert after.status != "valid" or after.statement == before.statement


@pytest.mark.parametrize("extra", ["spec.vnnlib", "model-1.json", "case-99"])
def test_what_looks_like_a_part_of_the_statement_is_refused(directory, extra):
    assert judged(directory).status == "valid"
    if extra.startswith("case"):
        shutil.copytree(directory / "case-1", directory / extra)
    else:
        (directory / extra).write_text("y1 > 100")
    assert judged(directory).status == "malformed"
    assert extra in judged(directory).text


def test_a_pipe_is_not_read(directory):
    (directory / "model.json").unlink()
    os.mkfifo(directory / "model.json")
    assert judged(directory).status == "malformed"


@pytest.mark.parametrize("form", [{"multipliers": ["1"]}, {"threshold": "1"}])
def test_the_margin_of_a_formula_has_one_form(tmp_path, form):
    verify(Network.of([Layer.of([[1]], [0], "crelu")]), "y1 ⊕ ¬y1").save(tmp_path / "kept")
    path = tmp_path / "kept" / "verification.json"
    summary = json.loads(path.read_text())
    summary["cases"] = [{"closed": True, **form}]
    path.write_text(json.dumps(summary))
    assert judged(tmp_path / "kept").status == "malformed"
