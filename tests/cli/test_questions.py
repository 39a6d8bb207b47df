import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.cli.conftest import VALID, one_line_error
from tests.cli.test_process import start
from verimv.cli import main
from verimv.exact import Rational, parse_number
from verimv.networks.formats.json_format import write_network
from verimv.paper.benchmarks.bench_bounds import disguised
from verimv.paper.experiments.families import random_network
from verimv.solvers.engines import SOLVERS, Answer


def test_verdicts_and_exit_codes(run, hat):
    code, out, _ = run("equiv", "x ⊙ (x → y)", "x ∧ y", "--solver", "all")
    assert (code, out.splitlines()[0]) == (0, "equal")
    assert "z3" in out
    assert "cvc5" in out
    assert run("equiv", hat, "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)")[0] == 0
    code, out, err = run("equiv", hat, "x1 ⊕ x1")
    assert (code, out, err) == (
        1,
        "not equal: at x1=1: left = 0, right = 1, |left − right| = 1\nthe largest difference is exactly 1\n",
        "",
    )
    assert run("valid", "x ⊕ ¬x")[:2] == (0, "valid\nby exact ranges\n")
    assert run("valid", "x ∨ ¬x")[:2] == (1, "not valid: at x=1/2: value = 1/2\n")
    assert run("sat", "x ↔ ¬x")[:2] == (0, "satisfiable: at x=1/2: value = 1\n")
    assert run("sat", "x ⊙ ¬x")[0] == 1
    assert run("entails", "x ⊙ (x → y)", "y")[0] == 0
    assert run("entails", "x ⊕ x", "x")[:2] == (1, "not entailed: at x=1/2: premise = 1, conclusion = 1/2\n")
    assert run("range", "x ∨ ¬x")[:2] == (0, "minimum 1/2 at x=1/2\nmaximum 1 at x=0\n")
    assert run("range", "1 ⊙ 0")[:2] == (0, "minimum 0\nmaximum 0\n")


def test_inputs_compared_by_position_are_told(run, hat, tmp_path):
    code, out, err = run("equiv", hat, "(u ⊕ u) ⊙ ¬(u ⊙ u)")
    assert (code, err) == (0, "")
    told = "no input has the same name on both sides, so inputs are compared by position (x1 as u)"
    assert out.splitlines()[-1] == told
    assert told in run("equiv", hat, "u")[1]
    assert told in run("entails", hat, "u")[1]
    assert json.loads(run("equiv", hat, "u", "--json")[1])["by_position"] == {"x1": "u"}
    assert "by_position" not in json.loads(run("equiv", "x", "y", "--json")[1])
    for formula in ("(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)", "1"):
        assert "position" not in run("equiv", hat, formula)[1]
    wide = tmp_path / "wide.json"
    layer = {"weights": [["1/9"] * 9], "bias": ["0"], "activation": "relu"}
    wide.write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": [layer]}))
    names = [f"u{i}" for i in range(9)]
    assert "(x1 as u0, x2 as u1, x3 as u2, x4 as u3, …)" in run("equiv", wide, " ⊕ ".join(f"δ[9]{n}" for n in names))[1]


def test_json(run, hat):
    data = json.loads(run("equiv", hat, "x1", "--json")[1])
    assert data["status"] == "refuted"
    assert set(data["witness"]) == {"point", "left", "right"}
    data = json.loads(run("valid", "(x → y) ∨ (y → x)", "--json", "--solver", "all")[1])
    assert [item["solver"] for item in data["evidence"]] == ["z3", "cvc5"]
    data = json.loads(run("range", hat, "--json")[1])
    assert data["outputs"][0]["upper"] == {"value": "1", "bound": "1", "at": {"x1": "1/2"}, "exact": True}


def test_bounds(run, hat, tmp_path):
    assert run("bounds", hat)[1] == "1:0  [0, 2]  exact\n1:1  [-1, 1]  exact\n2:0  [0, 1]  exact\n"
    neurons = json.loads(run("bounds", hat, "--json", "--neuron", "2:0")[1])["neurons"]
    assert neurons == [
        {
            "layer": 2,
            "index": 0,
            "lower": "0",
            "upper": "1",
            "lower_at": ["0"],
            "upper_at": ["1/2"],
            "method": "exact",
            "exact": True,
        }
    ]
    assert "[-2, 2]  interval" in run("bounds", hat, "--method", "interval")[1]
    for wrong in ("2", "0:0", "3:0", "1:9", "a:b", "1:-1"):
        assert "neuron" in one_line_error(run("bounds", hat, "--neuron", wrong))
    box = tmp_path / "box.json"
    box.write_text('[["0", "1/4"]]')
    assert run("bounds", hat, "--box", box)[1].startswith("1:0  [0, 1/2]  exact")


def test_malformed_questions(run, hat, tmp_path):
    one_line_error(run("equiv", "x ⊕", "x"))
    one_line_error(run("equiv", hat, "x1 ⊕ y"))
    one_line_error(run("equiv", "x", "x", "--tolerance", "-1"))
    one_line_error(run("equiv", "x", "x", "--tolerance", "nan"))
    one_line_error(run("equiv", tmp_path / "none.json", "x"))
    one_line_error(run("entails", hat, "x1 ⊕ z"))
    assert run("entails", hat, "x1 ↔ ¬x1")[0] == 0, "the hat is 1 at 1/2 only"
    assert run("entails", "x1 ⊕ x1", hat)[0] == 1
    two = tmp_path / "two.mv"
    two.write_text("verimv-formula 1\ninputs x\na = ¬x\nb = x ⊙ x\noutputs a b\n")
    assert "one output" in one_line_error(run("valid", two))
    assert run("range", two)[1].startswith("a: minimum 0 at x=1\n")


def test_emitted_queries(run, tmp_path):
    assert run("valid", "(x → y) ∨ (y → x)", "--emit", tmp_path / "q")[0] == 0
    assert [p.name for p in (tmp_path / "q").iterdir()] == ["query-001.smt2"]
    (tmp_path / "file").write_text("")
    one_line_error(run("valid", "(x → y) ∨ (y → x)", "--emit", tmp_path / "file"))


def test_disagreement_exits_4_with_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SOLVERS, "cvc5", lambda *_: Answer("unsat"))
    monkeypatch.setattr("verimv.solvers.point_search.quick_points", lambda dimension: iter(()))
    assert "verimv-reproduce.smt2" in one_line_error(run("valid", "x ∨ ¬x", "--solver", "all"), 4)
    assert (tmp_path / "verimv-reproduce.smt2").read_text().startswith("; ")


def test_smtlib_of_networks_and_formulas(run, hat, tmp_path):
    import z3

    for subject in (hat, "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"):
        assert run("convert", subject, "-o", tmp_path / "f.smt2")[0] == 0
        solver = z3.Solver()
        solver.from_string((tmp_path / "f.smt2").read_text())
        solver.add(z3.Real("x1") == z3.RealVal("1/3"))
        assert str(solver.check()) == "sat"
        assert str(solver.model()[z3.Real("y1")]) == "2/3"


@pytest.fixture
def hard(tmp_path):
    path = tmp_path / "hard.json"
    path.write_text("".join(write_network(random_network((5, 20, 20, 1), 1))))
    return path


@pytest.mark.parametrize("words", [("range", "--engine", "smt"), ("bounds", "--method", "exact", "--workers", "2")])
def test_interrupting_a_solver_leaves_no_process(hard, words):
    process = start(*words, hard)
    children = []
    for _ in range(300):  # until it is at work, however slow the machine
        time.sleep(0.1)
        listed = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
        if children := listed.stdout.split():
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (130, b"verimv: interrupted\n")
    assert children
    assert not any(os.path.exists(f"/proc/{child}") for child in children)


@pytest.mark.slow
def test_a_million_nodes_end_in_time(tmp_path):
    path = tmp_path / "big.mv"
    lines = "".join(f"t{i + 1} = t{i} ⊙ ¬t{max(0, i - 5)}\n" for i in range(10**6))
    path.write_text(f"verimv-formula 1\ninputs x y\nt0 = x ⊕ y\n{lines}outputs t{10**6}\n")
    command = [sys.executable, "-m", "verimv", "valid", str(path), "--timeout", "5", "--memory", "3000"]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert process.returncode in (1, 3), "refuted at a point, or undecided"
    assert (process.stdout + process.stderr).count("\n") == 1


def test_smtlib_words_as_names(run, tmp_path):
    import z3

    assert run("convert", "and ⊕ true ⊙ let", "-o", tmp_path / "f.smt2")[0] == 0
    z3.Solver().from_string((tmp_path / "f.smt2").read_text())


def test_errors_are_json_too(run):
    code, out, err = run("eval", "x", "--at", "x=2", "--json")
    assert code == 2
    assert json.loads(out)["status"] == "malformed"
    assert err.count("\n") == 1


def test_a_refutation_is_recorded(run, hat, tmp_path):
    run("extract", hat, "-o", tmp_path / "out")
    formula = tmp_path / "out" / "formula.mv"
    formula.write_text(formula.read_text().replace("⊙", "⊕"))
    assert run("prove", tmp_path / "out")[0] == 1
    proofs = json.loads((tmp_path / "out" / "summary.json").read_text())["proofs"]
    assert [entry["verdict"] for entry in proofs][-2:] == ["proved", "refuted"]
    formula.write_text(formula.read_text().replace("y1", "y2"))
    monolithic = run("prove", tmp_path / "out", "--mode", "monolithic")
    assert "different inputs or outputs" in one_line_error(monolithic)


def test_time_runs_out_in_the_middle_of_an_extraction(run, tmp_path):
    network, formula = tmp_path / "n.json", tmp_path / "f.mv"
    network.write_text("".join(write_network(random_network((5, 20, 20, 1), 1))))
    lines = "".join(f"t{i + 1} = t{i} ⊙ ¬(t{max(0, i - 3)} ⊙ x2)\n" for i in range(400))
    formula.write_text(f"verimv-formula 1\ninputs x1 x2 x3 x4 x5\nt0 = x1 ⊕ x2\n{lines}y1 = t400\noutputs y1\n")
    start = time.monotonic()
    assert run("equiv", network, formula, "--timeout", "1", "--quiet")[0] in (1, 3)
    assert time.monotonic() - start < 60, "no second extraction after the time is used up"


def test_main_returns_the_verdict():
    assert main(["valid", "x", "--quiet"]) == 1


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.json"
    path.write_text("".join(write_network(random_network((2, 4, 3, 1), 1, "integer"))))
    return path


def test_bounds_by_search_and_by_solver_agree(run, small):
    code, both, _ = run("bounds", small, "--method", "exact", "--engine", "both")
    assert code == 0
    for engine in ("search", "smt"):
        assert run("bounds", small, "--method", "exact", "--engine", engine)[1] == both
    assert run("bounds", small, "--method", "exact", "--workers", "2")[1] == both
    for engine in ("auto", "search", "smt", "both"):
        assert run("range", small, "--engine", engine)[0] == 0


def test_solvers_find_exact_bounds_only(run, small):
    for method in ("interval", "linear", "lp"):
        error = one_line_error(run("bounds", small, "--method", method, "--engine", "both"))
        assert f"the engine both finds exact bounds only: choose the method exact, not {method}" in error
    exact = run("bounds", small, "--method", "exact", "--engine", "smt")
    assert run("bounds", small, "--engine", "smt") == exact


def test_disagreement_is_a_bug(run, small, monkeypatch):
    from dataclasses import replace

    from verimv.bounding.interval import interval_bounds
    from verimv.bounding.results import NetworkBounds
    from verimv.questions import neuron_ranges

    def wrong(network, *_):
        layers = [[replace(bound, upper=bound.lower) for bound in layer] for layer in interval_bounds(network).layers]
        return NetworkBounds(layers)

    monkeypatch.setattr(neuron_ranges, "solver_bounds", wrong)
    code, _, err = run("bounds", small, "--method", "exact", "--engine", "both")
    assert code == 4
    assert "disagree about neuron" in err


@pytest.mark.parametrize("method", ["interval", "linear", "lp"])
def test_methods_short_of_exact(run, small, method):
    code, out, _ = run("bounds", small, "--method", method, "--json")
    assert code == 0
    data = json.loads(out)
    assert sum(data["counts"].values()) == len(data["neurons"]) == 8
    assert all(parse_number(n["lower"]) <= parse_number(n["upper"]) for n in data["neurons"])


def test_one_neuron_and_the_summary(run, hard):
    code, out, _ = run("bounds", hard, "--method", "exact", "--neuron", "2:3")
    assert code == 0
    assert out.count("\n") == 1
    assert run("bounds", hard, "--method", "linear")[1].endswith("20 exact, 21 improved, 0 interval only\n")


@pytest.mark.parametrize("workers", ["0", "-1", "x", "257", "²"])
def test_numbers_of_workers(run, small, workers):
    with pytest.raises(SystemExit) as stopped:
        run("bounds", small, "--workers", workers)
    assert stopped.value.code == 2


@pytest.mark.parametrize("method", ["linear", "lp", "exact"])
def test_extraction_with_any_bounds_is_certified(run, small, tmp_path, method):
    assert run("extract", small, "--bounds", method, "-o", tmp_path / "out", "--workers", "2")[0] == 0
    code, text, _ = run("check", tmp_path / "out")
    assert (code, text.splitlines()[0]) == (0, VALID)


def test_certified_ranges(run, hat, tmp_path):
    out = tmp_path / "range"
    code, text, _ = run("range", hat, "--certify", out)
    assert (code, text.splitlines()[-2:]) == (0, [f"certified in {out}/", f"report: {out}/report.html"])
    assert run("check", out)[:2] == (0, f"{VALID}\n0 ≤ y1 ≤ 1 on [0,1]\n")
    lines = (out / "certificate.jsonl").read_text()
    (out / "certificate.jsonl").write_text(lines.replace('"high","1"', '"high","7/8"'))
    assert run("check", out)[0] == 1
    assert "expected a network" in one_line_error(run("range", "x ⊕ x", "--certify", tmp_path / "formula"))
    assert not (tmp_path / "formula").exists()


def test_certified_differences(run, tmp_path):
    """Inputs are matched by name; a tolerance is part of what is certified."""
    layers = [{"weights": [["1", "-2"], ["3", "1"]], "bias": ["0", "-1"], "activation": "relu"}]
    layers += [{"weights": [["1", "-1"]], "bias": ["0"], "activation": "identity"}]
    head = {"format": "verimv-network", "version": 1}
    (tmp_path / "a.json").write_text(json.dumps({**head, "inputs": ["u", "v"], "layers": layers}))
    layers[0]["weights"] = [["-2", "1"], ["1", "3"]]
    (tmp_path / "b.json").write_text(json.dumps({**head, "inputs": ["v", "u"], "layers": layers}))
    layers[1]["bias"] = ["1/8"]
    (tmp_path / "c.json").write_text(json.dumps({**head, "inputs": ["v", "u"], "layers": layers}))
    a, b, c = (tmp_path / f"{name}.json" for name in "abc")
    assert run("equiv", a, b, "--certify", tmp_path / "same")[0] == 0
    assert run("check", tmp_path / "same")[:2] == (0, f"{VALID}\n0 ≤ y1 − other y1 ≤ 0 on [0,1]²\n")
    assert run("equiv", a, c, "--tolerance", "1/8", "--certify", tmp_path / "near")[0] == 0
    assert run("check", tmp_path / "near")[:2] == (0, f"{VALID}\n-1/8 ≤ y1 − other y1 ≤ 1/8 on [0,1]²\n")
    assert run("equiv", a, c, "--certify", tmp_path / "none")[0] == 1
    assert not (tmp_path / "none").exists()
    refused = run("equiv", "x ⊕ x", "x ⊕ x", "--tolerance", "1/8", "--certify", tmp_path / "formulas")
    assert "for two networks only" in one_line_error(refused)


@pytest.mark.parametrize("widths", [(1, 16, 16, 16, 1), (3, 20, 20, 1)])
def test_copies_of_networks_are_certified(run, tmp_path, widths):
    """Neurons permuted and multiplied; and one weight that differs by 2^-20."""
    network = random_network(widths, 3)
    copies = {"a": network, "b": disguised(network, 1), "c": disguised(network, 1, Rational(1, 2**20))}
    for name, found in copies.items():
        (tmp_path / f"{name}.json").write_text("".join(write_network(found)))
    a, b, c = (tmp_path / f"{name}.json" for name in "abc")
    code, out, _ = run("equiv", a, b, "--certify", tmp_path / "same")
    assert (code, out.splitlines()[0]) == (0, "equal")
    cube = "[0,1]" if widths[0] == 1 else "[0,1]³"
    assert run("check", tmp_path / "same")[:2] == (0, f"{VALID}\n0 ≤ y1 − other y1 ≤ 0 on {cube}\n")
    code, out, _ = run("equiv", a, c, "--certify", tmp_path / "none")
    assert (code, out[:13]) == (1, "not equal: at")
    assert not (tmp_path / "none").exists()


def test_distance(run, hat, tmp_path):
    assert run("distance", "x ∧ ¬x", "Δ[1/2](x ∧ ¬x)")[:2] == (0, "exactly 1/4 (0.25)\n  at x=1/2\n")
    code, out, _ = run("distance", hat, "x1", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["attained"], data["attained_at"], data["proved"], data["exact"]) == ("1", ["1"], "1", True)
    assert [(o["name"], o["attained"], o["proved"]) for o in data["outputs"]] == [("y1", "1", "1")]
    assert run("distance", hat, "x1", "--tolerance", "1")[0] == 0
    code, out, _ = run("distance", hat, "x1", "--tolerance", "0.5")
    assert (code, out.splitlines()[0]) == (1, "not within 1/2")
    assert run("distance", hat, "x1", "--within", "10%")[0] == 0


def test_effort_and_time_of_distance(run, tmp_path):
    paths = []
    for name, network in zip("ab", random_pair(1, Fraction(1, 8)), strict=True):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text("".join(write_network(network)))
    code, out, _ = run("distance", *paths, "--effort", "0.01", "--json")
    little = json.loads(out)
    assert (code, little["ended_by"], little["exact"]) == (0, "effort", False)
    between = (Fraction(little["attained"]) + Fraction(little["proved"])) / 2
    code, out, _ = run("distance", *paths, "--effort", "0.01", "--tolerance", between)
    assert (code, out.splitlines()[-1]) == (3, "more effort may decide it: --effort 0.04")
    assert run("distance", *paths, "--tolerance", between)[0] in (0, 1)
    code, out, _ = run("distance", *paths, "--timeout", "0.001")
    assert code == 3
    assert "at most" in out or not out  # in time to say what was reached, or not


def test_ranges_of_scaled_outputs(run, tmp_path):
    layer = {"weights": [["3", "-1"]], "bias": ["-2"], "activation": "identity"}
    (tmp_path / "a.json").write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": [layer]}))
    code, out, _ = run("range", tmp_path / "a.json", "--scale-output", "--json")
    assert code == 0
    [found] = json.loads(out)["outputs"]
    assert (found["lower"]["value"], found["upper"]["value"]) == ("0", "1")
    assert "needs a network" in one_line_error(run("range", "x", "--scale-output"))


def test_distance_of_networks_is_certified(run, tmp_path):
    paths = []
    for number, weight in enumerate(("1", "5/4")):
        layers = [
            {"weights": [["1", "-1"], ["1", weight]], "bias": ["0", "-1/2"], "activation": "relu"},
            {"weights": [["1", weight], ["-1", "1"]], "bias": ["0", "0"], "activation": "identity"},
        ]
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": layers}))
    code, out, _ = run("distance", *paths, "--certify", tmp_path / "proof")
    assert code == 0
    assert out.startswith("exactly ")
    assert f"certified in {tmp_path / 'proof'}/: at most " in out
    assert "y2  at least" in out
    code, out, _ = run("check", tmp_path / "proof", "--kernel", "both")
    assert code == 0
    assert "≤ y1 − other y1 ≤" in out
    code, _, _err = run("distance", *paths, "--box", tmp_path / "none.json")
    assert code == 2
    code, out, _ = run("equiv", *paths, "--json")
    assert code == 1
    assert {"attained", "proved"} <= set(json.loads(out))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["x", "y", "--tolerance", "-1"], "--tolerance: expected a number ≥ 0"),
        (["x", "y", "--within", "some"], "--within"),
        (["x", "y", "--certify", "nowhere"], "expected two networks"),
        (["x", "y", "--box", "nowhere"], "need a network"),
    ],
)
def test_wrong_calls_of_distance(run, words, told):
    code, _, err = run("distance", *words)
    assert code == 2
    assert told in err
