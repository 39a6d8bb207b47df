"""What people call from Python: paths, numbers of every kind, results that print well and can be saved."""

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import verimv
from tests.oracle import expressions
from verimv.core.errors import InputError

NETWORKS = Path(__file__).parent.parent / "examples" / "networks"
HAT = NETWORKS / "hat.json"

NETWORK = verimv.Network.of([verimv.Layer.of([[1]], [0], "crelu")])
FORMULA = verimv.parse("x1")
NO_NETWORK = "expected Network, found Formula (verimv.to_network makes one)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: verimv.extract(FORMULA), NO_NETWORK),
        (lambda: verimv.bounds(FORMULA), NO_NETWORK),
        (lambda: verimv.parse(None), "expected str, found NoneType"),
        (lambda: verimv.variable(1), "expected str, found int"),
        (lambda: verimv.read_mv(b""), "expected str, found bytes"),
        (lambda: verimv.read_network(b"{}"), "expected str, found bytes"),
        (lambda: verimv.to_network(NETWORK), "expected Formula, found Network"),
        (lambda: verimv.simplify("x"), "expected Formula, found str"),
        (lambda: verimv.certify(FORMULA, FORMULA), NO_NETWORK),
        (lambda: verimv.certify(NETWORK, "x1"), "expected Formula, found str"),
        (lambda: verimv.certify_formulas(FORMULA, NETWORK), "expected Formula, found Network"),
        (lambda: verimv.certify_range(FORMULA, [(0, 1)]), NO_NETWORK),
        (lambda: verimv.certify_difference(NETWORK, FORMULA), NO_NETWORK),
        (lambda: verimv.compose(NETWORK, FORMULA), NO_NETWORK),
        (lambda: verimv.concatenate(FORMULA, NETWORK), NO_NETWORK),
        (lambda: verimv.stack([NETWORK, FORMULA]), NO_NETWORK),
    ],
)
def test_wrong_types(call, message):
    """TypeError, in one line that says what was expected."""
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message


#: One third, one half or so, in all the ways in which people write numbers.
HALVES = ["1/2", "0.5", 0.5, Fraction(1, 2), Decimal("0.5"), np.float32(0.5), verimv.parse("x")(x="1/2")]


@pytest.mark.parametrize("half", HALVES, ids=lambda x: type(x).__name__)
def test_numbers_of_every_kind(half):
    network, formula = verimv.load(HAT), verimv.parse("x ⊕ y")
    assert network.at([half]) == network.at({"x1": half}) == [1]
    assert network(half) == 1
    assert (
        formula.at({"x": half, "y": 0})
        == formula.at([half, 0])
        == formula.at_points([[half, 0]])[0]
        == [Fraction(1, 2)]
    )
    assert verimv.equivalent("x", "Δ[1/2]x", tolerance=half)
    assert verimv.distance("x", "Δ[1/2]x", tolerance=half, within=half).is_within(half)
    assert verimv.explain(HAT, {"x1": half}).outputs[0].value == 1
    assert verimv.certify_equality(network, network, tolerance=half) is not None
    assert (
        verimv.certify_range(network, [(0, Fraction(2) * Fraction(half if isinstance(half, str) else float(half)))])
        is not None
    )


@pytest.mark.parametrize("wrong", ["", "x", float("nan"), float("inf"), True, None, [1]], ids=repr)
def test_what_is_no_number(wrong):
    with pytest.raises(InputError, match="number"):
        verimv.load(HAT).at([wrong])
    with pytest.raises(InputError, match="number"):
        verimv.equivalent("x", "y", tolerance=wrong)


def test_wrong_points():
    for point in ([], [1, 2], "1", {"y": 1}, {}):
        with pytest.raises(InputError, match="expected"):
            verimv.load(HAT).at(point)
    with pytest.raises(InputError, match="no value for y"):
        verimv.parse("x ⊕ y").at({"x": 1})
    with pytest.raises(InputError, match="the tolerance -1 is negative"):
        verimv.equivalent("x", "y", tolerance=-1)


@pytest.mark.parametrize("path", [HAT, str(HAT)], ids=["Path", "str"])
def test_paths_wherever_a_network_is_taken(path):
    network, formula = verimv.load(path), "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    result = verimv.extract(path)
    assert str(result.formula) == formula
    assert verimv.equivalent(path, formula)
    assert verimv.distance(path, network).proved == 0
    assert verimv.output_range(path)[0].upper.value == 1
    assert verimv.bounds(path).layers[0][0].upper == 2
    assert verimv.approximate(path, "constant").rows
    assert verimv.satisfiable(path)
    assert not verimv.valid(path)
    assert verimv.entails("0", path)
    assert verimv.certify_equality(path, formula) is not None
    assert verimv.certify(path, result.formula) is not None
    assert verimv.certify_range(path, [(0, 1)]) is not None
    assert verimv.certify_difference(path, network) is not None
    assert verimv.compose(path, path) == verimv.compose(network, network)
    assert len(verimv.stack([path, network]).outputs) == 2


def test_options_of_load_are_options_of_extract(tmp_path):
    result = verimv.extract(NETWORKS / "iris.onnx", box=NETWORKS / "iris_box.json", margin=(2, 1), scale_output=True)
    assert result.source.box[1] == (2, Fraction(22, 5))
    assert result.at(["6", 3, 5.0, 2]) == result.source.at([6, 3, 5, 2])
    with pytest.raises(InputError, match="outside the box"):
        result.at([0, 0, 0, 0])


def test_formulas_are_saved_and_converted(tmp_path):
    formula = verimv.parse("(x ⊕ x) ⊙ ¬y")
    for suffix in (".mv", ".txt", ".asc", ".json", ".onnx", ".nnet"):
        path = tmp_path / f"f{suffix}"
        formula.save(path)
        assert verimv.equivalent(formula, path if suffix != ".asc" else path.read_text())
    assert verimv.parse(formula.to_text()) == verimv.parse(formula.to_ascii()) == formula
    assert verimv.read_mv(formula.to_mv()) == formula
    assert "\\oplus" in formula.to_latex()
    assert "(declare-const x Real)" in formula.to_smtlib()
    assert formula.to_network() == verimv.to_network(formula)
    for suffix in (".tex", ".py", ".smt2"):
        formula.save(tmp_path / f"f{suffix}")
    with pytest.raises(InputError, match="cannot tell the format"):
        formula.save(tmp_path / "f.doc")


def test_networks_are_saved_with_their_names(tmp_path):
    network = verimv.load([([["1/3", 1]], [0])], names=["mean radius", "area-2"])
    for suffix in (".json", ".onnx", ".nnet"):
        network.save(tmp_path / f"net{suffix}")
        assert verimv.equivalent(verimv.load(tmp_path / f"net{suffix}"), network, tolerance="1e-9")
    again = verimv.load(tmp_path / "net.json")
    assert again == network
    assert again.labels == network.labels == {"mean_radius": "mean radius", "area_2": "area-2"}
    assert verimv.read_network(network.to_json()) == network
    assert network.at({"mean radius": 3, "area_2": 0}) == [1]


def test_results_are_saved(tmp_path):
    result = verimv.extract(HAT)
    result.save(tmp_path / "hat")
    names = {"network.json", "formula.mv", "certificate.jsonl", "summary.json", "report.html"}
    assert {path.name for path in (tmp_path / "hat").iterdir()} == names
    assert verimv.check_files(tmp_path / "hat")
    assert json.loads((tmp_path / "hat" / "summary.json").read_text())["status"] == "certified"
    result.save(tmp_path / "hat", report=False)  # once more, in place
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("")
    with pytest.raises(InputError):
        result.save(tmp_path / "other")
    result.certificate.save(tmp_path / "certificate")
    assert verimv.check_files(tmp_path / "certificate")
    answers = {
        "verdict": verimv.valid("x"), "distance": verimv.distance("x", "y"), "bounds": verimv.bounds(HAT),
        "range": verimv.output_range(HAT)[0], "why": verimv.explain(HAT, [0]), "front": verimv.approximate(HAT, "constant"),
    }  # fmt: skip
    for name, answer in answers.items():
        answer.save(tmp_path / f"{name}.json")
        assert json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) == answer.to_dict()


def test_results_print_well():
    assert str(verimv.bounds(HAT)) == "1:0  [0, 2]  exact\n1:1  [-1, 1]  exact\n2:0  [0, 1]  exact"
    assert repr(verimv.bounds(HAT)) == "<NetworkBounds 3 exact>"
    [found] = verimv.output_range("Δ[1/3](x ∨ ¬x)")
    assert str(found) == "y1: minimum 1/6 at x=1/2\ny1: maximum 1/3 at x=0"
    assert repr(found) == "<OutputRange y1 in [1/6, 1/3]>"
    assert repr(found.lower) == "<RangeEnd 1/6 at x=1/2>"
    gap = verimv.distance("x ∧ ¬x", "Δ[1/2](x ∧ ¬x)")
    assert str(gap) == "exactly 1/4 (0.25)"
    assert repr(gap.outputs[0]) == "<OutputDistance y1: at least 0.25, at most 0.25>"
    assert str(verimv.valid("x ∨ ¬x")) == "refuted at x=1/2: value = 1/2"
    assert str(verimv.valid("x ⊕ ¬x")) == "proved"
    for shown in (verimv.bounds(HAT), found):
        assert shown._repr_html_().startswith("<div>")


@given(expressions(), expressions())
def test_equal_formulas_have_equal_hashes(a, b):
    first, second, again = verimv.parse(a), verimv.parse(b), verimv.parse(f"({a})")
    assert hash(first) == hash(again)
    assert (first == second) == (len({first, second}) == 1)


def test_a_large_formula_has_a_hash():
    formula = verimv.variable("x")
    for _ in range(5000):
        formula = ~(formula + formula)
    assert {formula: 1}[formula] == 1


USER = """
from fractions import Fraction
from pathlib import Path

import verimv


def main(path: Path) -> list[str]:
    network = verimv.load(path, box=[(0, "1/2")])
    result = verimv.extract(network, scale_output=True, logic="rmv", output=0)
    verdict: verimv.Verdict = verimv.equivalent(path, result.formula, tolerance="1/2")
    gap = verimv.distance(network, network, tolerance=Fraction(1, 2))
    ranges = [str(found) for found in verimv.output_range(network)]
    result.save("out")
    result.formula.save("formula.tex")
    names: dict[verimv.Formula, str] = {result.formula: "hat"}
    values = [float(value) for value in network.at(["1/3"])]
    lines = result.certificate.check()
    return [*ranges, *lines, str(verdict), str(gap.proved), str(values), *names.values(), str(verimv.bounds(network))]


if __name__ == "__main__":
    print(main(Path("net.onnx")))
"""


def mypy(folder, text):
    (folder / "user.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "user.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
def test_a_typed_script_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    done = mypy(tmp_path, USER)
    assert done.returncode == 0, done.stdout
    for right, wrong in (
        ('logic="rmv"', 'logik="rmv"'),
        ("scale_output=True", "scale_output=3"),
        ("gap.proved", "gap.prooved"),
    ):
        assert right in USER
        assert mypy(tmp_path, USER.replace(right, wrong)).returncode == 1
