"""`verimv verify`, and what `check` says about its directory."""

import json
import random

import pytest

from tests.cli.conftest import VALID, one_line_error

BOX = "(assert (<= 0 X_0 1))"


def test_holds_with_a_certificate(run, hat, tmp_path):
    directory = tmp_path / "kept"
    code, out, _ = run("verify", hat, "x1 <= 1/4 -> y1 <= 0.5", "-o", directory)
    assert (code, out) == (0, f"holds\ncertified in {directory}/: verimv check {directory}\n")
    code, out, _ = run("check", directory)
    assert (code, out) == (0, f"{VALID}\nfor every input with 0 ≤ x1 ≤ 1/4: not (y1 > 0.5)\n")
    code, out, _ = run("check", directory / "verification.json", "--json")
    assert json.loads(out)["statement"] == ["for every input with 0 ≤ x1 ≤ 1/4: not (y1 > 0.5)"]
    code, out, _ = run("check", directory, directory / "case-1")
    assert (code, out.count("valid")) == (0, 3), "a stack"
    (directory / "spec.txt").write_text("y1 <= 0")
    code, out, _ = run("check", directory)
    assert (code, out) == (1, "invalid: spec.txt has changed: its hash is not that in verification.json (verimv)\n")


def test_violated_at_a_point(run, hat, tmp_path):
    code, out, _ = run("verify", hat, "x1 <= 1/4 -> y1 < 0.5", "-o", tmp_path / "none")
    assert code == 1
    assert out.splitlines() == ["violated", "  at x1=1/4", "  y1=1/2", "  where 0 ≤ x1 ≤ 1/4 and y1 ≥ 0.5"]
    assert not (tmp_path / "none").exists()
    code, out, _ = run("verify", hat, "y1 < 1", "--json")
    data = json.loads(out)
    assert (code, data["verdict"], data["counterexample"], data["values"]) == (1, "violated", ["1/2"], {"y1": "1"})
    assert data["seconds"] >= 0


def test_files_of_every_kind(run, hat, tmp_path):
    for name, text, code in (
        ("a.vnnlib", BOX + "(assert (> Y_0 1))", 0), ("b.vnnlib", BOX + "(assert (>= Y_0 1))", 1), ("c.txt", "# kept\ny1 <= 1\ny1 >= 0", 0),
        ("d.mv", "verimv-formula 1\ninputs x1 y1\ny = y1 → x1 ⊕ x1\noutputs y\n", 0), ("e.any", "y1 <= 0.9", 1),
    ):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert run("verify", hat, tmp_path / name)[0] == code, name


def test_vacuous(run, hat):
    code, out, _ = run("verify", hat, "x1 > 2 -> y1 < 0")
    assert (code, out.splitlines()[1]) == (
        0, "but it is vacuous: no input satisfies its conditions, so it holds of every network",
    )  # fmt: skip


def test_undecided(run, tmp_path):
    rng = random.Random(1)
    rows = [[rng.randint(-9, 9) for j in range(12)] for i in range(12)]
    layers = [{"weights": rows, "bias": [1] * 12, "activation": "relu"}] * 6
    path = tmp_path / "deep.json"
    path.write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": layers}))
    code, out, _ = run("verify", path, "y1 <= 100000000 and y2 <= 100000000", "--effort", "0.001")
    assert code == 3
    first, *rest = out.splitlines()
    assert first == "undecided: the effort is used up: 2 of 2 cases left"
    assert rest[0].startswith("  case 1 (y1 > 100000000): margin at least -")
    assert ", at some point " in rest[0]


def test_a_pair_of_networks(run, hat, tmp_path):
    spec = tmp_path / "pair.vnnlib"
    spec.write_text("""(vnnlib-version <2.0>)
    (declare-network f (declare-input A real [1]) (declare-output B real [1]))
    (declare-network g (isomorphic-to f) (declare-input C real [1]) (declare-output D real [1]))
    (assert (and (<= 0 A[0]) (<= A[0] 1) (== A[0] C[0]) (!= B[0] D[0])))""")
    assert run("verify", hat, spec, "--network", f"g={hat}")[:2] == (0, "holds: 2 cases excluded\n")
    assert "--network g=FILE" in one_line_error(run("verify", hat, spec))
    assert "NAME=FILE" in one_line_error(run("verify", hat, spec, "--network", "g"))
    assert "no network 'h'" in one_line_error(
        run("verify", hat, spec, "--network", f"g={hat}", "--network", f"h={hat}")
    )
    twice = run("verify", hat, spec, "--network", f"g={hat}", "--network", f"g={hat}")
    assert "g is given twice" in one_line_error(twice)
    assert "given as NETWORK" in one_line_error(run("verify", hat, spec, "--network", f"f={hat}"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("y2 <= 1", "'y2' is no input or output: there are x1, y1"), ("y1 <=", "the end"), ("no.vnnlib", "no such file"), (BOX[:-1], "closing bracket")],
)  # fmt: skip
def test_what_is_refused(run, hat, text, words):
    assert words in one_line_error(run("verify", hat, text))


def test_a_box_from_a_file_that_says_more(run, hat, tmp_path):
    """Every command that takes --box says that assertions about outputs are not used."""
    spec = tmp_path / "p.vnnlib"
    spec.write_text(BOX + "(assert (>= Y_0 2))")
    for words in (["range", hat], ["bounds", hat], ["equiv", hat, hat], ["distance", hat, hat], ["extract", hat]):
        code, _, err = run(*words, "--box", spec)
        assert code == 0
        assert (
            err
            == f"verimv: warning: {spec}: only the box is used here, not what it asserts about outputs: verimv verify NETWORK {spec}\n"
        )
    spec.write_text(BOX)
    assert run("range", hat, "--box", spec)[2] == ""
