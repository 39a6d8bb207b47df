"""Other formats, boxes and output options from the command line."""

import json

import numpy as np
import pytest

from tests.cli.conftest import one_line_error
from tests.networks.models import single
from verimv.cli.float_values import rounded_up
from verimv.exact import parse_number
from verimv.networks.formats.load import load
from verimv.networks.formats.nnet_format import export_nnet
from verimv.networks.formats.onnx_format.model_writer import export_onnx
from verimv.networks.network import Layer, Network

NETWORK = Network.of(
    [
        Layer.of([["1", "-2"], ["0.5", "1"]], ["0.25", "-1"]),
        Layer.of([["4", "1"], ["-1", "3"]], ["-1", "0"], "identity"),
    ],
    box=[["-1", "1"], ["0", "2"]],
)
BOX = "(assert (<= X_0 0.5)) (assert (>= X_0 -0.5)) (assert (<= X_1 1)) (assert (>= X_1 0))"
POINT = "x1=0.25,x2=0.75"


@pytest.fixture
def onnx(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(export_onnx(NETWORK).data)
    return path


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "box.vnnlib"
    path.write_text(BOX)
    return path


def data(result, code=0):
    assert result[0] == code, result[2]
    return json.loads(result[1])


def test_every_command_reads_onnx_and_nnet(run, onnx, tmp_path):
    nnet = tmp_path / "net.nnet"
    nnet.write_bytes(export_nnet(NETWORK).data)
    assert run("equiv", onnx, nnet)[0] == 0
    first = data(run("eval", onnx, "--at", POINT, "--json"))
    assert first == data(run("eval", nnet, "--at", POINT, "--json"))
    assert len(data(run("bounds", onnx, "--json"))["neurons"]) == 4
    assert len(data(run("range", nnet, "--json"))["outputs"]) == 2


def test_extraction_on_a_box_with_scaled_outputs(run, onnx, box, tmp_path):
    out = tmp_path / "out"
    summary = data(run("extract", onnx, "--box", box, "--scale-output", "--strategy", "compact", "-o", out, "--json"))
    assert summary["status"] == "certified"
    assert summary["box"] == [["-1/2", "1/2"], ["0", "1"]]
    assert any(entry["offset"] != "0" for entry in summary["outputs"])
    assert run("check", out)[0] == 0
    # eval undoes the maps: the formula in the network's own units
    assert (
        data(run("eval", out, "--at", POINT, "--json"))["outputs"]
        == data(run("eval", onnx, "--at", POINT, "--json"))["outputs"]
    )
    assert "outside the box" in one_line_error(run("eval", out, "--at", "x1=0.75,x2=0"))
    proved = run("prove", out, "--timeout", 300)
    assert proved[0] == 0, proved


def test_eval_notices_another_formula(run, onnx, tmp_path):
    out = tmp_path / "out"
    assert run("extract", onnx, "--scale-output", "-o", out)[0] == 0
    formula = (out / "formula.mv").read_text()
    (out / "formula.mv").write_text(formula.replace("⊕", "⊙", 1))
    assert "it was changed" in one_line_error(run("eval", out, "--at", POINT))


def test_boxes_of_formulas(run, tmp_path):
    """A formula is a function on the unit cube; beside a network on another box, its inputs are mapped."""
    box, network = tmp_path / "box.json", tmp_path / "n.json"
    box.write_text('[["1/2", "1"]]')
    assert run("convert", "x", "-o", network)[0] == 0
    assert "a formula is a function on the unit cube" in one_line_error(run("equiv", "x", "x", "--box", box))
    code, out, _ = run("equiv", network, "x", "--box", box)
    assert code == 1
    assert "the network's box is mapped onto the unit cube" in out


def test_prove_takes_the_maps_into_account(run, onnx, tmp_path):
    out = tmp_path / "out"
    assert run("extract", onnx, "--scale-output", "--strategy", "compact", "-o", out)[0] == 0
    summary = json.loads((out / "summary.json").read_text())
    summary["outputs"][0]["offset"] = "-17"
    (out / "summary.json").write_text(json.dumps(summary))
    assert run("prove", out, "--timeout", 300)[0] == 0, "the certificate has the maps"
    (out / "certificate.jsonl").unlink()
    monolithic = ("prove", out, "--timeout", 300, "--mode", "monolithic")
    assert run(*monolithic)[0] == 1, "without it, the summary has them"
    summary["outputs"][0]["scale"] = "0"
    (out / "summary.json").write_text(json.dumps(summary))
    assert "a scale other than 0" in one_line_error(run(*monolithic))
    summary["outputs"] = [3]
    (out / "summary.json").write_text(json.dumps(summary))
    assert "scale and an offset" in one_line_error(run("eval", out, "--at", POINT))


def test_margins_on_the_command_line(run, onnx, box):
    a, b = NETWORK("1/4", "3/4")
    assert run("eval", onnx, "--at", POINT, "--margin", "y1", "1")[1].strip() == str(a - b)
    assert run("eval", onnx, "--at", POINT, "--output", "y2")[1].strip() == str(b)
    assert "minimum" in run("range", onnx, "--margin", "0", "1", "--box", box)[1]
    assert run("extract", onnx, "--margin", "y1", "y2", "--clip-output")[0] == 0
    assert "no output 'y9'" in one_line_error(run("eval", onnx, "--at", POINT, "--margin", "y1", "y9"))
    assert "unit cube" in one_line_error(run("range", "x ⊕ y", "--box", box))


def test_formulas_on_a_box(run, box):
    assert run("eval", "x ⊙ y", "--box", box, "--at", "x=1/4,y=3/4")[1].strip() == "1/2"
    assert "outside the box" in one_line_error(run("eval", "x ⊙ y", "--box", box, "--at", "x=1,y=0"))


def test_points_outside_a_box_that_was_asked_for(run, onnx, box):
    assert run("eval", onnx, "--at", "x1=1,x2=0")[0] == 0
    assert "outside the box" in one_line_error(run("eval", onnx, "--box", box, "--at", "x1=1,x2=0"))


def test_formulas_run_in_onnxruntime(run, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    text, path = "(x ⊕ x) ⊙ ¬(x ⊙ δ[4]y)", tmp_path / "f.onnx"
    assert "rounded" not in run("convert", text, "-o", path)[1]
    session = onnxruntime.InferenceSession(str(path))
    points = np.random.default_rng(0).uniform(0, 1, (50, 2)).astype(np.float32)
    (floats,) = session.run(None, {"input": points})
    network = load(path)
    assert np.allclose(floats[:, 0], [float(network(x, y)) for x, y in points], atol=1e-6)
    assert run("equiv", path, text.replace("x", "x1").replace("y", "x2"))[0] == 0


def test_floats_beside_exact_values(run, onnx, tmp_path):
    pytest.importorskip("onnxruntime")
    table = tmp_path / "points.csv"
    table.write_text("x2,x1\n0.1,0.3\n0.7,-0.9\n")
    found = data(run("eval", onnx, "--csv", table, "--floats", "--json"))
    assert found["columns"] == ["x2", "x1", "y1", "y2", "y1_float", "y2_float", "gap"]
    assert 0 < found["largest_gap"] < 1e-6
    for row in found["rows"]:
        exact = NETWORK(row["x1"], row["x2"])
        assert max(abs(float(y) - float(row[f"y{i}_float"])) for i, y in enumerate(exact, 1)) == float(row["gap"])
    assert "give one with --csv" in one_line_error(run("eval", onnx, "--at", POINT, "--floats"))
    assert ".onnx" in one_line_error(run("eval", "x ⊕ y", "--csv", table, "--floats"))
    assert "all outputs" in one_line_error(run("eval", onnx, "--csv", table, "--floats", "--output", "y1"))


def test_what_convert_says(run, onnx, tmp_path):
    assert data(run("convert", "δ[3](x ⊙ y)", "-o", tmp_path / "f.onnx", "--json"))["rounded"] == 1
    assert data(run("convert", onnx, "-o", tmp_path / "n.nnet", "--json"))["rounded"] == 0
    assert load(tmp_path / "n.nnet").box == NETWORK.box
    assert run("convert", onnx, "-o", tmp_path / "n.json")[0] == 0
    assert load(tmp_path / "n.json") == load(onnx)
    assert "to a file" in one_line_error(run("convert", "x", "--to", "onnx", "-o", "-"))


def test_bad_models_in_one_line(run, tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(single("Softmax", [1, 2]).SerializeToString())
    assert "ranking" in one_line_error(run("extract", path))
    path.write_bytes(b"\x08")
    assert "not an ONNX model" in one_line_error(run("extract", path))


def test_networks_of_a_folder(run, onnx, tmp_path):
    (tmp_path / "bad.onnx").write_bytes(single("Sigmoid", [2]).SerializeToString())
    rows = data(run("bench", "nets", tmp_path, "--json"))["nets"][0]["rows"]
    assert [row["file"] for row in rows] == ["bad.onnx", "net.onnx"]
    assert "Sigmoid" in rows[0]["result"]
    assert rows[1]["result"] == "certified"
    assert (rows[1]["ReLUs"], rows[1]["weights"]) == ("2", "8")
    assert "no such folder" in one_line_error(run("bench", "nets", tmp_path / "none"))
    assert "FOLDER is only for: nets" in one_line_error(run("bench", "extract", tmp_path))


def test_rounded_numbers_are_told_once_and_recorded(run, tmp_path):
    path, directory = tmp_path / "norm.onnx", tmp_path / "out"
    numbers = [np.float32(row) for row in ([0.25, 0.5], [0.5, 0.25], [0.5, 0.5], [2, 3])]
    path.write_bytes(single("BatchNormalization", [1, 2], numbers, epsilon=0.0).SerializeToString())
    box = tmp_path / "box.json"
    box.write_text("[[0, 1], [0, 1]]")
    code, out, err = run("extract", path, "-o", directory, "--box", box)
    assert code == 0
    assert err.startswith("verimv: warning: BatchNormalization")
    assert err.count("\n") == 1
    (told,) = json.loads((directory / "summary.json").read_text())["warnings"]
    assert f"verimv: warning: {told}\n" == err
    code, out, err = run("eval", path, "--at", "x1=1,x2=1", "--json", "--quiet")
    assert (code, err) == (0, "")
    assert json.loads(out)["warnings"] == [told]
    assert "warnings" not in data(run("eval", "x", "--at", "x=1", "--json"))


def test_float_gap_in_the_box_at_a_point_and_in_a_table(run, onnx, tmp_path):
    everywhere = data(run("eval", onnx, "--float-gap", "--json"))["float_gap"]
    assert set(everywhere) == {"y1", "y2"}
    here = data(run("eval", onnx, "--at", POINT, "--float-gap", "--json"))["float_gap"]
    assert 0 < float(here) < max(map(float, everywhere.values())) < 1e-5
    assert run("eval", onnx, "--at", POINT, "--float-gap")[1].endswith(f"float32 is within {here} of this\n")
    table = tmp_path / "points.csv"
    table.write_text("x1,x2\n0.25,0.75\n1/3,1/7\n")
    rows = data(run("eval", onnx, "--csv", table, "--floats", "--float-gap", "--json"))["rows"]
    assert rows[0]["gap_bound"] == here
    assert all(float(row["gap"]) <= float(row["gap_bound"]) for row in rows)
    assert run("eval", onnx, "--float-gap")[1].count("anywhere in the box") == 2


def test_float_gap_needs_a_network_of_known_operators(run, onnx, tmp_path):
    one_line_error(run("eval", "x", "--at", "x=1", "--float-gap"))
    one_line_error(run("eval", onnx, "--output", "0", "--float-gap"))
    path = tmp_path / "conv.onnx"
    path.write_bytes(single("Conv", [1, 1, 2, 2], [np.ones((1, 1, 1, 1), np.float32)]).SerializeToString())
    assert "the input is not float32" in one_line_error(run("eval", path, "--float-gap"))


@pytest.mark.parametrize(
    ("number", "text"),
    [("1/3", "3.34e-01"), ("0", "0"), ("9.999", "1.00e+01"), ("0.00123", "1.23e-03"), ("1234", "1.24e+03"), ("1", "1.00e+00")],
)  # fmt: skip
def test_bounds_are_rounded_up(number, text):
    assert rounded_up(parse_number(number)) == text
    assert parse_number(text) >= parse_number(number)
