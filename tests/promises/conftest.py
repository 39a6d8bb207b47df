import json
import shutil

import pytest

from verimv.promises.promise_file import read_promises

#: demand ∧ ¬window as a network, and one weight of it slightly wrong.
VALVE = {
    "format": "verimv-network", "version": 1, "inputs": ["demand", "window"], "outputs": ["valve"],
    "layers": [{"weights": [["1", "1"]], "bias": ["-1"], "activation": "relu"},
               {"weights": [["-1"]], "bias": ["1"], "activation": "identity"}],
}  # fmt: skip


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty repository, with a function that writes verimv.toml and returns its promises."""
    monkeypatch.chdir(tmp_path)

    def promises(text, name="verimv.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read_promises(name).promises

    return promises


@pytest.fixture
def files(tmp_path):
    """1 − ρ(demand + window − 1) = ¬demand ⊕ ¬window as a network and as a formula; the same, slightly wrong."""
    wrong = json.loads(json.dumps(VALVE))
    wrong["layers"][1]["weights"] = [["-63/64"]]
    (tmp_path / "model.json").write_text(json.dumps(VALVE), encoding="utf-8")
    shutil.copy(tmp_path / "model.json", tmp_path / "copy.json")
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    bounds = "".join(f"(declare-const X_{i} Real) (assert (>= X_{i} 0.5)) (assert (<= X_{i} 0.75))\n" for i in range(2))
    for name, limit in (("safe", "0.4"), ("unsafe", "0.5")):  # the least value there is 1/2
        text = f"{bounds}(declare-const Y_0 Real) (assert (<= Y_0 {limit}))\n"
        (tmp_path / f"{name}.vnnlib").write_text(text, encoding="utf-8")
    (tmp_path / "two.mv").write_text("verimv-formula 1\ninputs demand window\ny = demand\nz = window\noutputs y z\n")
    (tmp_path / "spec.mv").write_text("¬demand ⊕ ¬window\n", encoding="utf-8")
    return tmp_path
