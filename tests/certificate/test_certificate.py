"""Certificates as users meet them: from Python, on disk, on the command line, and checked by nothing but the kernel."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import verimv
from tests.cli.conftest import VALID
from verimv import kernel
from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.cli import main
from verimv.core.errors import IncompleteCertificate, InputError, InternalError, InvalidCertificate
from verimv.exact import parse_number
from verimv.kernels.verified import verified_build
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Layer, Network
from verimv.paper.experiments.families import deep_sawtooth, hat, random_network, shallow_sawtooth, single_unit


def square_root() -> Network:
    root = parse_number("sqrt(2)/2")
    return Network.of(
        [Layer.of([[root, -root], [1, root]], [parse_number("1/3"), -root]), Layer.of([[1, -1]], [0], "crelu")]
    )


NETWORKS = {
    "hat": hat(),
    "deep": deep_sawtooth(40),
    "shallow": shallow_sawtooth(3),
    "unit": single_unit([30, -17], -3),
    "integer": random_network((2, 5, 4, 1), 3, "integer"),
    "float32": random_network((3, 4, 4, 1), 4),
    "dmv": single_unit([parse_number("5/6"), parse_number("-3/4")], parse_number("1/12")),
    "rmv": square_root(),
    "box": replace(random_network((2, 3, 1), 5, "integer"), box=((parse_number("-1"), parse_number("2")),) * 2),
    "constant": Network.of([Layer.of([[0, 0]], [parse_number("2/3")], "crelu")]),
}


@pytest.mark.parametrize("flags", [("-I", "-S"), ("-I", "-S", "-O")], ids=" ".join)
@pytest.mark.parametrize("name", NETWORKS)
def test_the_kernel_alone_accepts_what_extract_writes(name, flags, tmp_path):
    path = tmp_path / "network.json"
    path.write_text("".join(write_network(NETWORKS[name])), encoding="utf-8")
    out = tmp_path / "out"
    assert main(["extract", str(path), "-o", str(out), "--no-check", "--quiet"]) == 0
    done = subprocess.run(
        [sys.executable, *flags, kernel.__file__, str(out)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, "valid", "")
    assert (out / "source.json").exists() == (name == "box")
    assert main(["check", str(out)]) == 0


def test_from_python():
    result = verimv.extract(hat())
    result.certificate.check()
    assert result.summary["status"] == "extracted", "nobody recorded a check"
    assert result.check() == ""
    assert result.summary["status"] == "certified"
    entry, *others = result.summary["proofs"]
    assert (entry["verdict"], entry["checker"], entry["claims"]) == ("proved", "kernel.py", 8)
    assert [other["checker"] for other in others] == [f"verified ({verified_build()})"] * (verified_build() is not None)
    assert result.summary["formula_sha256"] == result.certificate.hashes["formula_sha256"]


def test_an_edited_certificate_is_invalid():
    certificate = verimv.extract(hat()).certificate
    edited = replace(certificate, body=[line.replace('"times",4,6', '"times",6,4') for line in certificate.body])
    with pytest.raises(InvalidCertificate, match="rule output"):
        edited.check()
    with pytest.raises(InputError, match="malformed"):
        replace(certificate, body=["[]"]).check()
    with pytest.raises(IncompleteCertificate, match="incomplete"):
        replace(certificate, body=certificate.body[:-1]).check()


def test_bounds_that_cannot_be_proved_are_only_assumed():
    """Bounds that the caller vouches for: evidence is looked for, and a wrong bound has none."""
    network = single_unit([1], parse_number("1/2"))
    vouched = NetworkBounds([[NeuronBound(parse_number("1/2"), parse_number("1"), "vouched")]])
    result = verimv.extract(network, bounds=vouched)
    assert "bound" not in "".join(result.certificate.body), "where it makes no difference, it is not used"
    wrong = NetworkBounds([[NeuronBound(parse_number("1"), parse_number("3/2"), "vouched")]])
    result = verimv.extract(network, bounds=wrong)
    assert str(result.formula) == "1"
    assert "evidence for every bound" in result.check()
    assert result.summary["status"] == "extracted"
    assert result.summary["proofs"][0]["verdict"] == "undecided"


def test_square_roots_that_the_kernel_does_not_take():
    """Roots of rationals it takes, many in one number, but no roots of roots."""
    many = parse_number("+".join(f"sqrt({p})/{10 * p}" for p in (2, 3, 5, 7, 11, 13, 17)))
    assert verimv.extract(single_unit([many], 0)).check() == ""
    nested = parse_number("sqrt(2+sqrt(2))/2")
    assert "square roots" in verimv.extract(single_unit([nested], 0)).check()


def test_a_certificate_of_verimv_that_the_kernel_refuses_is_a_bug(monkeypatch):
    result = verimv.extract(hat())
    result.derivation.lines[2] = '["plus",1,2]'
    with pytest.raises(InternalError, match="the kernel refuses") as error:
        result.check()
    assert "verimv-network" in error.value.reproduction


# -- on disk -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "network.json"
    path.write_text("".join(write_network(shallow_sawtooth(2))), encoding="utf-8")
    assert main(["extract", str(path), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    return tmp_path / "out"


def test_summary(directory):
    summary = json.loads((directory / "summary.json").read_text())
    assert summary["status"] == "certified"
    assert summary["proofs"][0]["verdict"] == "proved"


def test_check(directory, capsys):
    assert main(["check", str(directory)]) == 0
    assert capsys.readouterr().out.endswith(f"{VALID}\ny1 = formula on [0,1]\n")
    assert verimv.check_files(directory) == ["y1 = formula on [0,1]"]


def test_check_json(directory, capsys):
    capsys.readouterr()
    assert main(["check", str(directory), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "valid"


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "verdict"),
    [
        ("formula.mv", "⊙", "⊕", 1, "invalid"),
        ("network.json", '"-2"', '"-3"', 1, "invalid"),
        ("certificate.jsonl", '["node",2]', '["node",5]', 1, "invalid"),
        ("certificate.jsonl", '["node",2]', '["knot",2]', 2, "malformed"),
        ("certificate.jsonl", '["output"', '["node",1]\n["output"', 0, "valid"),
    ],
)
def test_edited_files(directory, capsys, file, old, new, code, verdict):
    text = (directory / file).read_text(encoding="utf-8")
    assert old in text
    (directory / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    capsys.readouterr()
    assert main(["check", str(directory)]) == code
    captured = capsys.readouterr()
    assert captured.out.startswith(verdict)
    assert captured.out.count("\n") == (1 if code else 2)


def test_check_of_files_given_one_by_one(directory, tmp_path, capsys):
    moved = tmp_path / "c.jsonl"
    (directory / "certificate.jsonl").rename(moved)
    files = ["--network", str(directory / "network.json"), "--formula", str(directory / "formula.mv")]
    assert main(["check", str(moved), *files]) == 0
    assert main(["check", str(moved), *files[:2]]) == 2
    verimv.check_files(moved, network=files[1], formula=files[3])
    with pytest.raises(InvalidCertificate):
        verimv.check_files(moved, network=files[1], formula=files[1])


def test_check_without_files(tmp_path, capsys):
    assert main(["check", str(tmp_path)]) == 2
    assert main(["check", str(tmp_path / "nothing")]) == 2
    assert all(line.startswith("malformed") for line in capsys.readouterr().out.splitlines())


def test_large_certificates_are_gzipped_and_always_the_same(tmp_path):
    first, second = (verimv.extract(single_unit([100], -50), strategy="paper").certificate for _ in range(2))
    assert first.file_name == "certificate.jsonl.gz"
    assert b"".join(first.files()["certificate.jsonl.gz"]) == b"".join(second.files()["certificate.jsonl.gz"])


def test_an_extraction_that_cannot_be_certified_is_not_a_success(directory, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("verimv.certificate.bound_lines.prove_bound", lambda *arguments: None)
    out = tmp_path / "again"
    assert main(["extract", str(directory / "network.json"), "-o", str(out)]) == 3
    assert "not certified" in capsys.readouterr().out
    assert main(["check", str(out)]) == 3
    assert json.loads(Path(out / "summary.json").read_text())["status"] == "extracted"
