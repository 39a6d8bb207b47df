"""`verimv ci init` writes a file that can be read, from what it finds, and never over another one."""

import json
import shutil
from pathlib import Path

import pytest

from verimv import InputError
from verimv.promises.deciding import decide
from verimv.promises.first_file import write_first_file
from verimv.promises.keeper import Keeper
from verimv.promises.promise_file import read_promises

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "ci"


@pytest.fixture
def models(files, monkeypatch):
    monkeypatch.chdir(files)
    shutil.copytree(EXAMPLE / "certified", files / "proofs" / "valve")
    (files / "sub").mkdir()
    (files / "sub" / "model.json").write_bytes((EXAMPLE / "model.json").read_bytes())
    (files / 'a "b".onnx').write_bytes(b"not a model")
    (files / "settings.json").write_text(json.dumps({"a": 1}))
    for hidden in (".hidden", "node_modules", "venv"):
        (files / hidden).mkdir()
        shutil.copy(files / "copy.json", files / hidden / "other.json")
    (files / "venv" / "pyvenv.cfg").write_text("")
    return files


def test_what_is_found_is_written(models):
    path, count, promises = write_first_file()
    text = Path(path).read_text(encoding="utf-8")
    assert (path, count, promises) == ("verimv.toml", 4, 5)
    found = read_promises(path).promises
    assert {promise.model for promise in found} == {"copy", "model", "sub-model", "wrong"}
    [certified] = [promise for promise in found if promise.kind == "certified-by"]
    assert (certified.file, certified.target) == ("sub/model.json", "proofs/valve")
    assert [promise.target for promise in found if promise.model == "model"] == ["0 <= valve <= 1"]
    assert all(decide(promise, Keeper(".verimv")).status == "proved" for promise in found)
    assert "# cannot be read: not an ONNX model" in text
    assert "settings" not in text
    assert "# 2 inputs (demand, window), 1 output (valve), 1 neurons" in text


def test_suggestions_can_be_used(models):
    """…when the mark of the comment is taken away."""
    write_first_file()
    text = Path("verimv.toml").read_text(encoding="utf-8")
    Path("verimv.toml").write_text(text.replace("    # {", "    {"), encoding="utf-8")
    promises = read_promises("verimv.toml").promises
    assert {promise.kind for promise in promises} == {"within", "certified-by", "spec"}
    assert all(Path(promise.path(promise.target)).exists() for promise in promises if promise.kind != "spec")


def test_nothing_is_overwritten(models):
    Path("verimv.toml").write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        write_first_file()
    assert Path("verimv.toml").read_text() == "mine"
    Path("verimv.toml").unlink()
    Path("pyproject.toml").write_text("[tool.verimv]\neffort = 1\n")
    with pytest.raises(InputError, match=r"has promises already \(\[tool.verimv\]\)"):
        write_first_file()


def test_there_is_nothing_to_promise(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no model was found"):
        write_first_file()
    assert not Path("verimv.toml").exists()
