"""plot: the right picture for the subject, the same bytes each time, and what to do when there is none."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

from tests import oracle
from verimv import InputError, Layer, Network, load, parse, write_network
from verimv.cli import main
from verimv.cli.commands import plot
from verimv.exact import Rational, parse_number
from verimv.show.pictures.figure import raster
from verimv.show.pictures.maps import region_maps
from verimv.show.pictures.restrict import restricted

HAT = "examples/networks/hat.json"
PNG = b"\x89PNG"


def plotted(capsys, *arguments):
    code = main(["plot", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "kind", "found"),
    [
        ((HAT,), "function", {"pieces": {"y1": 2}}),
        (("x ⊕ y",), "regions", {"regions": {"y1": 2}}),
        (("(a ⊕ b) ⊙ c",), "dag", {"nodes": 5, "size": 5, "folded": False}),
        (("(a ⊕ b) ⊙ c", "--at", "c=1"), "regions", {"regions": {"y1": 2}}),
        (("(a ⊕ b) ⊙ c", "--at", "c=1,a=1/3"), "function", {"pieces": {"y1": 2}}),
        (("x ⊕ y", "--kind", "dag"), "dag", {"nodes": 3, "size": 3, "folded": False}),
        (("(a ⊕ b) ⊙ c", "--nodes", "3"), "dag", {"nodes": 3, "size": 5, "folded": False}),
        (("examples/networks/three_inputs.json", "--at", "c=0"), "regions", {"regions": {"vote": 2}}),
        (("1",), "function", {"pieces": {"y1": 1}}),
    ],
)
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_fitting_picture_is_drawn(tmp_path, capsys, arguments, kind, found, suffix):
    out = tmp_path / f"picture.{suffix}"
    code, told = plotted(capsys, *arguments, "-o", out)
    assert (code, told) == (0, {"out": str(out), "kind": kind, **found})
    if suffix == "svg":
        assert ElementTree.parse(out).getroot().tag.endswith("svg")
    else:
        assert out.read_bytes().startswith(PNG)


def test_pictures_are_the_same_each_time(tmp_path, capsys):
    for name in ("a.svg", "b.svg"):
        assert plotted(capsys, "(x ↔ y) ∨ x", "-o", tmp_path / name)[0] == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("examples/networks/three_inputs.json",), "shows one or two inputs, found 3: fix the others with --at c=1/2"),
        (("x ⊕ y", "--kind", "function"), "a graph needs one input, found 2: fix the others with --at y=1/2"),
        (("(a ⊕ b) ⊙ c", "--kind", "regions"), "a map needs two inputs, found 3: fix the others with --at c=1/2"),
        ((HAT, "--kind", "regions"), "a map needs two inputs, found 1: use --kind function"),
        ((HAT, "--kind", "dag"), "expected a formula, found a network"),
        ((HAT, "--at", "x1=1"), "there is nothing to draw"),
        ((HAT, "--at", "z=1"), "z is not an input: the inputs are x1"),
        ((HAT, "--at", "x1=2"), "x1 = 2 is outside [0, 1]"),
        (("x ⊕ y", "--at", "y=2"), "y = 2 is outside [0, 1]"),
        (("x ⊕ y", "--nodes", "0"), "expected an integer"),
    ],
)
def test_refusals_say_what_to_do(tmp_path, capsys, arguments, reason):
    try:
        code = main(["plot", *arguments, "-o", str(tmp_path / "x.svg")])
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr().err
    assert code == 2
    assert reason in said
    assert said.count("\n") == 1
    assert not (tmp_path / "x.svg").exists()


def test_other_formats_and_no_matplotlib(tmp_path, capsys, monkeypatch):
    assert main(["plot", HAT, "-o", str(tmp_path / "x.gif")]) == 2
    assert "ends in .svg or .png" in capsys.readouterr().err
    monkeypatch.setattr(plot, "available", lambda: False)
    assert main(["plot", HAT, "-o", str(tmp_path / "x.svg")]) == 2
    assert "pip install 'verimv[figures]'" in capsys.readouterr().err


def test_too_many_maps_ask_for_one_output(tmp_path, capsys):
    layer = Layer.of([[1, 1]] * 5, [0] * 5)
    network = tmp_path / "five.json"
    network.write_text("".join(write_network(Network.of([layer]))))
    assert main(["plot", str(network), "-o", str(tmp_path / "x.svg")]) == 2
    assert "choose one with --output" in capsys.readouterr().err
    assert main(["plot", str(network), "-o", str(tmp_path / "x.svg"), "--output", "y2"]) == 0


@given(oracle.expressions(names=("x1", "x2", "x3"), max_leaves=6))
@settings(max_examples=40)
def test_fixed_inputs_give_the_same_values(text):
    formula = parse(f"({text}) ⊕ (x1 ⊙ 0) ⊕ (x2 ⊙ 0) ⊕ (x3 ⊙ 0)")
    for value in ("0", "1/3", "sqrt(2)/2", "1"):
        fixed = restricted(formula, {"x2": parse_number(value)})
        assert fixed.inputs == ("x1", "x3")
        for x, z in ((Rational(1, 2), Rational(0)), (Rational(1, 5), Rational(6, 7))):
            whole = formula.at({"x1": x, "x2": parse_number(value), "x3": z})
            assert fixed.at({"x1": x, "x3": z}) == whole


def test_fixed_inputs_of_networks():
    network = load("examples/networks/three_inputs.json")
    fixed = restricted(network, {"b": Rational(1, 3)})
    assert fixed.inputs == ("a", "c")
    for a, c in ((Rational(1, 2), Rational(1)), (Rational(0), Rational(2, 3))):
        assert fixed.at([a, c]) == network.at([a, Rational(1, 3), c])
    with pytest.raises(InputError, match="outside"):
        restricted(network, {"b": Rational(-1)})


@given(oracle.expressions(names=("x1", "x2"), max_leaves=7))
@settings(max_examples=30)
def test_the_raster_has_the_functions_values(text):
    formula = parse(f"({text}) ⊕ (x1 ⊙ 0) ⊕ (x2 ⊙ 0)")
    (drawn,) = region_maps(formula)
    values = raster(drawn, 9)
    centres = (np.arange(9) + 0.5) / 9
    x, y = np.meshgrid(centres, centres)
    assert np.allclose(values, formula(x, y))


def test_a_large_dag_is_folded_or_refused(run, tmp_path):
    """A chain of shared sums is folded to them; a few hundred of them cannot be read."""
    chain = [f"t{i} = u{i} ⊕ ¬u{i - 1}\nu{i + 1} = t{i} ⊙ (t{i} ⊕ x ⊙ y)\n" for i in range(2, 200)]
    for count, code in ((20, 0), (198, 2)):
        text = f"verimv-formula 1\ninputs x y\nu1 = x ⊕ y\nu2 = x ⊙ y\n{''.join(chain[:count])}outputs u{count + 2}\n"
        path = tmp_path / "chain.mv"
        path.write_text(text, encoding="utf-8")
        found, out, err = run("plot", path, "-o", tmp_path / "chain.svg", "--kind", "dag", "--json")
        assert found == code
        if code:
            assert "too many to read. --nodes 60" in err
        else:
            assert json.loads(out)["folded"] is True
    assert run("plot", path, "-o", tmp_path / "chain.svg", "--kind", "dag", "--nodes", "60")[0] == 0
