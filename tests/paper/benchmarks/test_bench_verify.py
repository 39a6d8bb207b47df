"""`bench verify`: its verdicts, and what it takes from folders and tables. The times are nobody's business here."""

import json

import numpy as np
import pytest

from verimv.bounding.guess.floats import FloatNetwork
from verimv.cli import main
from verimv.core.errors import InputError
from verimv.networks.formats.arrays import from_arrays
from verimv.paper.benchmarks import bench_verify, marabou
from verimv.paper.benchmarks.benchmark_properties import (
    chosen,
    instances_of,
    made_instances,
    with_published,
)

BOX = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 0))(assert (<= X_0 1))"
#: Unsafe points of y = |x − 1/2|: none, and some.
NEVER, SOMETIMES = BOX + "(assert (>= Y_0 0.75))", BOX + "(assert (>= Y_0 0.5))"


@pytest.fixture
def folder(tmp_path):
    """Two networks that are the same, with a property of both, one of each, and one that another file has, too."""
    for name in ("a", "b"):
        weights = {"W1": [[1.0], [-1.0]], "b1": [-0.5, 0.5], "W2": [[1.0, 1.0]], "b2": [0.0]}
        np.savez(tmp_path / f"{name}.npz", **weights)
    for name, text in {"p": NEVER, "a__q": SOMETIMES, "b": BOX + "(assert (<= Y_0 (- 1)))", "a__p": NEVER}.items():
        (tmp_path / f"{name}.vnnlib").write_text(text)
    return tmp_path


def names(instances):
    return [one.name for one in instances]


def test_properties_of_a_folder(folder):
    assert names(instances_of(folder)) == ["a p", "a q", "b b", "b p"]
    (folder / "instances.csv").write_text("b.npz,a__q.vnnlib,116\n\na.npz, p.vnnlib,116\n")
    assert names(instances_of(folder)) == ["b a__q", "a p"]


@pytest.mark.parametrize("line", ["a.npz", "a.npz,none.vnnlib,1", "none.onnx,p.vnnlib,1"])
def test_wrong_lists(folder, line):
    (folder / "instances.csv").write_text(f"b.npz,p.vnnlib,116\n{line}\n")
    with pytest.raises(InputError, match="line 2"):
        instances_of(folder)


def test_folders_without_instances(tmp_path):
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError):
            instances_of(place)


def test_published_verdicts(folder):
    table = folder / "verdicts.csv"
    table.write_text("network,property,verdict\nonnx/a.npz,p.vnnlib,unsat\na,a__q,violated\nc,p,holds\n")
    found = {one.name: one.expected for one in with_published(instances_of(folder), table)}
    assert found == {"a p": "holds", "a q": "violated", "b b": None, "b p": None}
    for wrong in ("a,p", "a,p,true", "a,p,holds,1"):
        table.write_text(f"{wrong}\n")
        with pytest.raises(InputError, match="line 1"):
            with_published(instances_of(folder), table)


def test_patterns(folder):
    instances = instances_of(folder)
    assert names(chosen(instances, ["a*p", "b b"])) == ["a p", "b b"]
    with pytest.raises(InputError, match="none of 4"):
        chosen(instances, ["c"])


def test_a_folder_is_verified(folder, capsys):
    table = folder / "verdicts.csv"
    table.write_text("a,p,holds\na,q,holds\n")  # the second is wrong
    (folder / "b.vnnlib").write_text("(assert")
    kept = folder / "certificates"
    words = [
        "bench",
        "verify",
        "--nets",
        folder,
        "--expected",
        table,
        "--certificates",
        kept,
        "--all-kernels",
        "--json",
    ]
    assert main(list(map(str, words))) == 0
    rows, [counts] = (table["rows"] for table in json.loads(capsys.readouterr().out)["verify"])
    assert [row["verdict"].partition(":")[0] for row in rows] == ["holds", "violated", "refused", "holds"]
    decided = {"instances": "4", "decided": "3", "holds": "2", "certified": "2", "violated": "1"}
    assert counts == {**counts, **decided, "expected": "2", "wrong": "1", "it disagrees": "0"}
    held = rows[0]
    assert int(held["leaves"]) >= 1
    assert int(held["certificate, gz bytes"]) < int(held["directory, bytes"].replace(",", ""))
    assert held["kernel.py s"] != "–"
    assert rows[1]["kernel.py s"] == "–"
    assert sorted(path.name for path in kept.iterdir()) == ["a__p", "b__p"]
    assert main(["check", str(kept / "a__p")]) == 0


def test_a_certificate_that_is_not_accepted_is_not_counted(monkeypatch):
    def refuse(*_):
        raise InputError("no")

    monkeypatch.setattr("verimv.questions.verification.Verification.save", refuse)
    rows, [counts] = (table.rows for table in bench_verify.run(lambda *_: None, True, only=["1 bound"]).tables)
    assert "none: no" in rows[0]
    assert dict(zip(bench_verify._SUMMARY_HEADER, counts, strict=True))["certified"] == "0"


def test_networks_made_here(capsys):
    first, second = list(made_instances(2)), list(made_instances(2))
    assert first == second
    assert len({one.network for one in first}) == 2
    assert main(["bench", "verify", "--quick", "--json"]) == 0
    rows, [counts] = (table["rows"] for table in json.loads(capsys.readouterr().out)["verify"])
    assert [row["verdict"] for row in rows] == ["holds", "violated", "holds"]
    assert counts == {**counts, "decided": "3", "certified": "2", "wrong": "0", "it disagrees": "0"}
    assert counts["by Marabou"] == ("3" if marabou.is_installed() else "0")


def test_options_of_verify_are_its_own(capsys):
    assert main(["bench", "start", "--nets", ".", "--marabou-seconds", "3"]) == 2
    assert "--nets, --marabou-seconds" in capsys.readouterr().err


@pytest.mark.skipif(not marabou.is_installed(), reason="maraboupy is not installed")
def test_marabou_is_asked_whether_a_case_is_possible():
    for shift, possible in ((0.3, True), (0.6, False)):  # |x − 1/2| + shift − 0.5 ≤ 0 and 0.4 − x ≤ 0?
        layers = [([[1.0], [-1.0], [1.0]], [-0.5, 0.5, 0.0]), ([[1.0, 1.0, 0.0], [0.0, 0.0, -1.0]], [shift - 0.5, 0.4])]
        assert marabou.none_is_positive(FloatNetwork(from_arrays(layers), {}), 20.0) is possible
    clipped = from_arrays([([[1.0]], [0.0]), ([[1.0]], [0.0])], ["crelu", "identity"])
    assert marabou.none_is_positive(FloatNetwork(clipped, {}), 20.0) is None
