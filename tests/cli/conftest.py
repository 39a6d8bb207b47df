import json

import pytest

from verimv.cli import main

#: The kernels that are asked by default.
KERNELS = "kernel.py and the verified kernel"
VALID = f"valid ({KERNELS})"

HAT = {
    "format": "verimv-network", "version": 1,
    "layers": [{"weights": [["2"], ["2"]], "bias": ["0", "-1"], "activation": "relu"},
               {"weights": [["1", "-2"]], "bias": ["0"], "activation": "relu"}],
}  # fmt: skip


@pytest.fixture
def hat(tmp_path):
    path = tmp_path / "hat.json"
    path.write_text(json.dumps(HAT), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys):
    def run_command(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts a program in the place of the verified kernel: it says what it is told to."""

    def put(text, code):
        path, called = tmp_path / "verimv-kernel", tmp_path / "called"
        path.write_text(f"#!/bin/sh\nprintf '%s' \"$*\" > {called}\nprintf '{text}'\n{code}\n")
        path.chmod(0o755)
        monkeypatch.setenv("VERIMV_VERIFIED_KERNEL", str(path))
        return called

    return put


def one_line_error(result, code=2):
    assert result[0] == code
    assert result[1] == ""
    assert result[2].count("\n") == 1
    assert "Traceback" not in result[2]
    return result[2]
