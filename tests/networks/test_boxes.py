"""Boxes from data: ranges and percentiles of columns, found by name, exactly."""

import json
from fractions import Fraction

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verimv
from verimv.cli import main
from verimv.core.errors import InputError
from verimv.networks.boxes import on_given_box

NETWORK = verimv.load([([[1, 1]], [0])], names=["mean radius", "b"])
PLAIN = verimv.load([([[1, 1]], [0])])


def table(folder, text):
    path = folder / "data.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_ranges_of_a_table(tmp_path):
    path = table(tmp_path, "b,other,mean radius\n1,a,0.1\n-2.5,b,3\n0,c,1/3\n")
    network = on_given_box(NETWORK, path)
    assert network.box == ((Fraction(1, 10), 3), (Fraction(-5, 2), 1))
    assert network.notes == ()
    assert NETWORK.notes != ()
    assert on_given_box(NETWORK, f"{path}:25%-50%").box[0] == (Fraction(13, 60), Fraction(1, 3))


def test_a_network_without_names_gets_those_of_the_columns(tmp_path):
    network = on_given_box(PLAIN, table(tmp_path, "mean radius;area\n1;2\n3;4\n"))
    assert [network.label(name) for name in network.inputs] == ["mean radius", "area"]
    assert network.box == ((1, 3), (2, 4))
    assert on_given_box(PLAIN, table(tmp_path, "1,2\n3,4\n")).box == ((1, 3), (2, 4))


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=12), st.integers(0, 99), st.integers(1, 100))
def test_percentiles_are_those_of_numpy(column, low, width):
    ends = (low, min(100, low + width))
    [found] = verimv.box_of([[x] for x in column], ends)
    assert [float(x) for x in found] == pytest.approx(np.percentile(column, ends))


def test_data_frames_and_arrays():
    frame = pandas.DataFrame({"b": [1.5, 2], "mean radius": [0, 1], "text": ["x", "y"]})
    assert on_given_box(NETWORK, frame).box == ((0, 1), (Fraction(3, 2), 2))
    assert verimv.load([([[1, 1]], [0])], box=frame[["b", "mean radius"]]).inputs == ("b", "mean_radius")
    assert verimv.box_of(np.array([[0.1, 2], [0.3, 1]]))[0] == (Fraction(0.1), Fraction(0.3))
    assert verimv.load(NETWORK, box=[("1/3", 2), (0, 0.5)]).box == ((Fraction(1, 3), 2), (0, Fraction(1, 2)))


@pytest.mark.parametrize(
    ("text", "end", "words"),
    [
        ("a,c\n1,2\n", "", "no column has the name of an input: expected mean radius"),
        ("mean radius,c\n1,2\n", "", "no column for 'b'"),
        ("mean radius,b\n1,nan\n", "", "data.csv:2: expected a number, found 'nan'"),
        ("mean radius,b\n", "", "expected rows"),
        ("mean radius,b\n1,2\n", ":x%-9%", "expected percentiles such as data.csv:1%-99%"),
        ("mean radius,b\n1,2\n", ":9%-9%", "0% ≤ low < high ≤ 100%, found 9% and 9%"),
        ("mean radius,b\n1,2\n", ":0%-101%", "found 0% and 101%"),
    ],
)
def test_tables_that_are_no_boxes(text, end, words, tmp_path):
    with pytest.raises(InputError) as error:
        on_given_box(NETWORK, table(tmp_path, text) + end)
    assert words in str(error.value)


def test_columns_of_another_network(tmp_path):
    with pytest.raises(InputError, match="or 2 columns in the order of the inputs, found 3"):
        on_given_box(PLAIN, table(tmp_path, "a,b,c\n1,2,3\n"))
    with pytest.raises(InputError, match="the data frame: expected rows"):
        on_given_box(NETWORK, pandas.DataFrame({"b": [], "mean radius": []}))


def test_commands_tell_what_is_assumed(tmp_path, capsys):
    np.savez(tmp_path / "net.npz", W1=[[0.5, 0.25]], b1=[0.0])
    network, data = str(tmp_path / "net.npz"), table(tmp_path, "mean radius,area\n0,0\n1,1.5\n1,2\n")
    for command in (["extract", "--scale-output"], ["bounds"], ["range"]):
        assert main([command[0], network, *command[1:], "--json"]) == 0
        told = capsys.readouterr()
        assert "note: no box is given: every input is assumed to be in [0,1] (--box FILE gives ranges)" in told.err
        assert len(json.loads(told.out)["notes"]) == 1
    assert main(["range", network, "--box", f"{data}:0%-50%"]) == 0
    told = capsys.readouterr()
    assert "maximum 7/8" in told.out
    assert "mean radius" in told.out
    assert told.err == ""
    assert main(["eval", network, "--at", "x1=5,x2=0"]) == 0  # a value at a point needs no box
    assert capsys.readouterr().err == ""
    assert main(["equiv", network, network, "--quiet"]) == 0


@pytest.mark.parametrize("suffix", [".joblib", ".pkl", ".pickle", ".pt", ".sav"])
def test_pickles_are_not_opened(suffix, tmp_path, capsys):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(b"\x80\x04cos\nsystem\n.")
    for command in ("extract", "range"):
        assert main([command, str(path)]) == 2
        assert "pickled code, which is not run; export ONNX" in capsys.readouterr().err
