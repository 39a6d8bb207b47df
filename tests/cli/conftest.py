import json

import pytest

from verimv.cli import main

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


def one_line_error(result, code=2):
    assert result[0] == code
    assert result[1] == ""
    assert result[2].count("\n") == 1
    assert "Traceback" not in result[2]
    return result[2]
