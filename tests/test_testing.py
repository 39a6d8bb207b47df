"""The assertions for people's own tests, and the pytest plugin that offers them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import verimv
from verimv.testing import assert_certified, assert_equivalent

ROOT = Path(__file__).parent.parent
HAT = ROOT / "examples" / "networks" / "hat.json"


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    directory = tmp_path_factory.mktemp("extracted") / "hat"
    subprocess.run([sys.executable, "-m", "verimv", "extract", HAT, "-o", directory], check=True, capture_output=True)
    return directory


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("x ⊙ (x → y)", "x ∧ y"),
        (HAT, "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"),
        (str(HAT), verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")),
        (verimv.load(HAT), verimv.load(HAT)),
        ([([[1, 1]], [0])], "(x1 ⊕ x2)"),
    ],
)
def test_equal_subjects_pass(a, b):
    tolerance = 1 if isinstance(a, list) else 0  # x1 + x2, a pair of arrays, exceeds x1 ⊕ x2 by up to 1
    assert_equivalent(a, b, tolerance=tolerance)


def test_a_difference_is_told_with_its_exact_point(monkeypatch):
    monkeypatch.chdir(HAT.parent)
    with pytest.raises(AssertionError) as raised:
        assert_equivalent(HAT, "x1 ∨ ¬x1")
    assert str(raised.value).splitlines() == [
        "not equal: hat.json and x1 ∨ ¬x1",
        "  at        x1=0",
        "  hat.json  0",
        "  x1 ∨ ¬x1  1",
    ]


def test_a_tolerance_is_exact():
    assert_equivalent("x ∧ ¬x", "0", tolerance="1/2")
    with pytest.raises(AssertionError, match="not equal within 499/1000: x ∧ ¬x and 0\n"):
        assert_equivalent("x ∧ ¬x", "0", tolerance="0.499")


def test_several_outputs_name_the_one_that_differs():
    a = verimv.Network.of([verimv.Layer.of([[1], [1]], [0, 0], "identity")])
    b = verimv.Network.of([verimv.Layer.of([[1], [0]], [0, 0], "identity")])
    with pytest.raises(AssertionError, match=r"not equal: left and right\n  at      x1=1\n  output  y2\n  left    1\n"):
        assert_equivalent(a, b)


def test_undecided_fails_and_says_so(monkeypatch):
    verdict = verimv.Verdict("undecided", reason="the solver gave up")
    monkeypatch.setattr(sys.modules["verimv.questions.equality"], "equivalent", lambda *a, **b: verdict)
    with pytest.raises(AssertionError, match="undecided, so not proved equal: x and y\n  the solver gave up"):
        assert_equivalent("x", "y")


def test_malformed_input_is_an_input_error():
    with pytest.raises(verimv.InputError):
        assert_equivalent("x ⊕", "y")


def test_a_valid_certificate_passes(certified):
    assert_certified(certified)
    assert_certified(str(certified), network=HAT)
    assert_certified(certified, network=verimv.load(HAT))


def test_the_box_of_the_certificate_counts(tmp_path):
    """A file without a box is compared on the box that is certified, in the network's own units."""
    data = {"format": "verimv-network", "version": 1,
            "layers": [{"weights": [["1/4"]], "bias": ["1/2"], "activation": "relu"}]}  # fmt: skip
    (tmp_path / "net.json").write_text(json.dumps(data))
    (tmp_path / "boxed.json").write_text(json.dumps(data | {"box": [["-2", "2"]]}))
    words = ["extract", tmp_path / "boxed.json", "-o", tmp_path / "out"]
    subprocess.run([sys.executable, "-m", "verimv", *words], check=True, capture_output=True)
    assert (tmp_path / "out" / "source.json").exists()
    assert_certified(tmp_path / "out", network=tmp_path / "net.json")


def test_another_network_than_the_certified_one_fails(certified):
    with pytest.raises(AssertionError, match=r"not equal: the network and .*\n  at "):
        assert_certified(certified, network=verimv.to_network(verimv.parse("x1")))


def test_what_is_not_certified_fails(certified, tmp_path):
    with pytest.raises(AssertionError, match=r"is not certified: .*expected"):
        assert_certified(tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(certified, copy)
    text = (copy / "formula.mv").read_text(encoding="utf-8").replace("⊙ ¬", "⊕ ¬")
    (copy / "formula.mv").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match="is not certified: invalid"):
        assert_certified(copy)


TEST = """
def test_equal(assert_equivalent):
    assert_equivalent("x ⊙ (x → y)", "x ∧ y")


def test_wrong(assert_equivalent):
    assert_equivalent("x ⊙ (x → y)", "x")


def test_nothing_there(assert_certified):
    assert_certified("nowhere")
"""


def run_pytest(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=directory, capture_output=True, encoding="utf-8", check=False, timeout=300)


def test_the_fixtures_show_the_counterexample_and_nothing_of_verimv(tmp_path):
    (tmp_path / "test_models.py").write_text(TEST, encoding="utf-8")
    done = run_pytest(tmp_path, "-q")
    assert done.returncode == 1, done.stderr
    assert "2 failed, 1 passed" in done.stdout
    assert "E         at           x=1, y=0\n" in done.stdout
    assert "E       AssertionError: nowhere is not certified: malformed" in done.stdout
    assert "verimv/testing.py" not in done.stdout


def test_the_plugin_costs_tests_that_do_not_use_it_nothing(tmp_path):
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n\n\ndef test_loaded():\n    assert 'verimv.pytest_plugin' in sys.modules\n"
        "    assert not {'z3', 'numpy', 'gmpy2', 'highspy', 'onnx', 'verimv.testing'} & set(sys.modules)\n"
    )
    done = run_pytest(tmp_path, "-q")
    assert done.returncode == 0, done.stdout


# -- promises as tests -------------------------------------------------------------------------------------------------

PROMISES = """[models.hat]
file = "hat.json"
promises = [
    { equal-to = "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)" },
    { equal-to = "x1 ∨ ¬x1", name = "or" },
    { equal-to = "nowhere.onnx" },
]
"""


def test_promises_are_tests(tmp_path):
    (tmp_path / "verimv.toml").write_text(PROMISES, encoding="utf-8")
    shutil.copy(HAT, tmp_path)
    done = run_pytest(tmp_path, "-q")
    assert done.returncode == 1, done.stderr
    assert "2 failed, 1 passed" in done.stdout
    assert "broken: not equal: hat.json and x1 ∨ ¬x1\nat          x1=0\n" in done.stdout
    assert "FAILED verimv.toml::hat: or" in done.stdout
    assert "malformed: verimv.toml:6: models.hat.promises[2]: equal-to: no such file: 'nowhere.onnx'" in done.stdout
    assert "Traceback" not in done.stdout


def test_promises_of_pyproject_are_tests(tmp_path):
    shutil.copy(HAT, tmp_path)
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.verimv.models.hat]\nfile = "hat.json"\npromises = [{ equal-to = "hat.json" }]\n'
    )
    assert "2 passed" in run_pytest(tmp_path, "-q").stdout
    (tmp_path / "pyproject.toml").write_text("[tool.verimv.model]\n")
    done = run_pytest(tmp_path, "-q")
    assert "pyproject.toml: tool.verimv: unknown key 'model'; did you mean models?" in done.stdout
    assert "Traceback" not in done.stdout
