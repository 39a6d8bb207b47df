"""Certificates in two parts: joined from two, accepted by both kernels and by solvers, refused when they do not fit."""

import json
import random
from dataclasses import replace

import pytest

from tests.certificate.tamper import Bundle, tamper
from tests.certificate.test_from_ranges import affine_end, bundle, rounded
from tests.kernels.portable import verified_head
from verimv import kernel
from verimv.certificate.certificate import BETWEEN_PARTS, Certificate
from verimv.certificate.from_extraction import extract
from verimv.certificate.from_ranges import certify_difference, certify_range
from verimv.certificate.within_lines import join
from verimv.cli import main
from verimv.core.errors import InputError
from verimv.exact import Rational, parse_number
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Network


def parts(seed: int, box=None) -> tuple[Network, Certificate, Certificate]:
    """A random network, a certificate of it and a rounded copy, and one of the copy and its formula."""
    network = affine_end((2, 3, 1), seed)
    if box is not None:
        network = replace(network, box=tuple((parse_number(low), parse_number(high)) for low, high in box))
    pair = certify_difference(network, rounded(network, 2), 1)
    assert pair is not None
    other = read_network(pair.subjects["other"].decode())
    return network, pair, extract(other, scale_output=True).certificate


@pytest.mark.parametrize("box", [None, [("-1", "1/2"), ("0", "2")]], ids=["unit cube", "box"])
@pytest.mark.parametrize("seed", range(3))
def test_joined(seed, box, tmp_path):
    _, pair, formula = parts(seed, box)
    joined = join(pair, formula)
    assert joined.subjects.keys() == {"network", "other", "formula"}
    [line] = joined.check(kernel="both")
    assert joined.checked_by == "kernel.py and the verified kernel"
    domain = "[0,1]²" if box is None else "its box, mapped onto [0,1]²"
    assert line.startswith("y1 = ")
    assert line.endswith(f"formula ± 1 on {domain}") or f" ± 1 on {domain}" in line
    for name, pieces in joined.files().items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    assert main(["check", str(tmp_path), "--quiet"]) == 0
    assert main(["prove", str(tmp_path), "--quiet"]) == 0
    assert main(["prove", str(tmp_path), "--mode", "monolithic", "--quiet"]) == 2
    assert main(["report", str(tmp_path), "--quiet"]) == 0


def test_the_statement_is_true_at_points():
    network, pair, formula = parts(1, [("-1", "1/2"), ("0", "2")])
    joined = join(pair, formula)
    source, statement = random.Random(1), verified(joined)
    [(scale, offset)], [(low, high)] = statement.numbers, statement.errors
    found = extract(read_network(pair.subjects["other"].decode()), scale_output=True).formula
    for _ in range(50):
        cube = [Rational(source.randint(0, 20), 20) for _ in network.inputs]
        point = [a + (b - a) * u for (a, b), u in zip(network.box, cube, strict=True)]
        [y] = network.at(point)
        [f] = found.at(dict(zip(network.inputs, cube, strict=True)))
        assert low <= y - (scale * f + offset) <= high


def verified(certificate: Certificate) -> kernel.Statement:
    lines = (line.encode() for line in certificate.lines())
    return kernel.verify(lines, certificate.subjects.__getitem__, certificate.subjects.keys(), 10**7)


def test_what_does_not_belong_together_is_refused():
    network, pair, formula = parts(2)
    other_formula = parts(3)[2]
    with pytest.raises(InputError, match="a formula of the other network, found one of a network with other weights"):
        join(pair, other_formula)
    with pytest.raises(InputError, match="expected a certificate of two networks, found one of formula, network"):
        join(formula, pair)
    with pytest.raises(InputError, match="expected a certificate of a network and a formula, found one of network"):
        join(pair, certify_range(network, [(-100, 100)]))
    renamed = extract(replace(read_network(pair.subjects["other"].decode()), inputs=("a", "b")), scale_output=True)
    with pytest.raises(InputError, match="found other names"):
        join(pair, renamed.certificate)
    with pytest.raises(InputError, match="other weights"):
        join(pair, extract(network, scale_output=True).certificate)


def test_parts_with_much_evidence_are_stored_as_they_are():
    _, pair, formula = parts(2)
    split = '["bound",5,0,"high","1",["split",0,"1/2"],["leaf"],["leaf"]]'
    subjects = {**pair.subjects, "formula": formula.subjects["formula"]}
    claims = ['["node",2]'] * 20_000
    assert Certificate(subjects, [*[split] * 10, BETWEEN_PARTS, *claims]).file_name == "certificate.jsonl"
    assert Certificate(subjects, [*claims, BETWEEN_PARTS, *[split] * 10]).file_name == "certificate.jsonl"
    assert Certificate(subjects, [*claims, BETWEEN_PARTS, *claims]).file_name == "certificate.jsonl.gz"
    assert Certificate(pair.subjects, [*claims, *[split] * 10]).file_name == "certificate.jsonl.gz"


def test_tampering(tmp_path):
    """Whatever is changed: refused by both kernels, or still true."""
    _, pair, formula = parts(4, [("-1", "1/2"), ("0", "2")])
    original, source = bundle(join(pair, formula)), random.Random(4)
    assert original.verdict() == "valid"
    verdicts = []
    for number in range(120):
        mutant = tamper(original, source)
        if mutant == original:
            continue
        verdict = mutant.verdict()
        verdicts.append(verdict)
        if verdict == "valid" and (mutant.subjects != original.subjects or mutant.maps() != original.maps()):
            assert mutant.truth(10) == "proved", mutant
        if number % 6 == 0:
            write(mutant, tmp_path)
            assert verified_head(tmp_path, mutant).split(",")[0].split("\n")[0].split(":")[0] == verdict
    assert verdicts.count("invalid") > 40


def write(mutant: Bundle, directory) -> None:
    for name, text in mutant.subjects.items():
        (directory / kernel.FILES[name]).write_text(text, encoding="utf-8")
    (directory / "certificate.jsonl").write_text(mutant.text(), encoding="ascii")


def test_json_has_the_errors(tmp_path, capsys):
    _, pair, formula = parts(2)
    for name, pieces in join(pair, formula).files().items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    assert main(["check", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["errors"] == {"y1": ["-1", "1"]}
