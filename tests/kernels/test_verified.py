"""The verified kernel, in both builds, and the Python kernel give the same verdict, whatever the files are.

The portable build is in the package. `make -C proofs` makes the native one, which is not asked where it is not built.
"""

import gzip
import json
import random
import re
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.by_verdict.make import CASES, HAT, VALID
from tests.certificate.tamper import Bundle, random_bundles, tamper
from tests.certificate.test_certificate import NETWORKS
from tests.certificate.test_sharing import RATIONAL, sharpest
from tests.effort import scaled
from tests.kernels.portable import verified_head
from tests.networks.transforms.test_joint import colliding_pairs
from tests.oracle import build_network
from verimv import certify_simplification, extract, kernel, parse, simplify, simplify_extraction
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_pair import certify, certify_formulas
from verimv.core.files import write_directory
from verimv.kernels.verdicts import rejection
from verimv.kernels.verified import verified_verdict

FOLDER = Path(__file__).parents[1] / "certificate" / "by_verdict"


def agreed(directory, note=""):
    """Return the verdict on a directory, on which both kernels must agree."""
    rejected = rejection(lambda: kernel.check(str(directory), {}))
    status = "valid" if rejected is None else rejected.status
    verified = verified_head(directory, note)
    assert re.split("[,\n]", verified)[0] == status, f"{note}: {rejected}; but the verified kernel: {verified}"
    return status


@pytest.mark.parametrize(
    "directory", sorted(d for v in CASES for d in (FOLDER / v).iterdir()), ids=lambda d: f"{d.parent.name}/{d.name}"
)
def test_the_folder_is_the_verdict(directory):
    assert agreed(directory) == directory.parent.name


def written(certificate: Certificate, directory: Path) -> Path:
    write_directory(directory, certificate.files())
    return directory


@pytest.mark.parametrize("strategy", ["paper", "compact"])
@pytest.mark.parametrize("name", NETWORKS)
def test_fresh_extractions(name, strategy, tmp_path):
    certificate = extract(NETWORKS[name], strategy=strategy).certificate
    assert agreed(written(certificate, tmp_path / "out")) == "valid"


def test_simplified_extractions(tmp_path):
    for name in ("hat", "deep"):
        simplified = simplify_extraction(extract(NETWORKS[name], strategy="paper"))
        assert agreed(written(simplified.certificate, tmp_path / name)) == "valid"


@pytest.mark.parametrize(
    "text",
    ["(x ∧ y) ⊕ (x ∨ y)", "((x → y) → y) → ((y → x) → x)", "δ[2](x ⊕ x) ⊕ δ[2](x ⊙ x)", "Δ[sqrt(2)/2](x ⊕ (x ⊙ ¬x))"],
)
def test_simplified_formulas(text, tmp_path):
    certificate = certify_simplification(simplify(parse(text)))
    assert agreed(written(certificate, tmp_path / "out")) == "valid"


def test_formulas_and_networks_of_different_origins(tmp_path):
    pair = certify_formulas(parse("(x ∧ y) ⊕ (x ∨ y)"), parse("y ⊕ x"))
    assert agreed(written(pair, tmp_path / "pair")) == "valid"
    tent = certify(NETWORKS["hat"], parse("(x1 ∧ ¬x1) ⊕ (x1 ∧ ¬x1)"))
    assert agreed(written(tent, tmp_path / "tent")) == "valid"


# -- files that were tampered with ------------------------------------------------------------------------------------


def emptied(directory: Path) -> None:
    """Remove all files: a subject that the next certificate does not name would make it malformed."""
    for file in directory.iterdir():
        file.unlink()


def write_bundle(bundle: Bundle, directory: Path) -> None:
    emptied(directory)
    for name, text in bundle.subjects.items():
        (directory / kernel.FILES[name]).write_text(text, encoding="utf-8")
    (directory / "certificate.jsonl").write_text(bundle.text(), encoding="utf-8")


def bundles(count, seed):
    hand_made = [Bundle(dict(case.subjects), tuple(case.lines)) for case in VALID.values() if not case.pack]
    return hand_made + random_bundles(count, seed)


def tampered_verdicts(count, of, seed, directory):
    """Count the verdicts; both kernels must agree on each."""
    source, originals, verdicts = random.Random(seed), bundles(of, seed), Counter()
    for number in range(count):
        mutant = tamper(originals[number % len(originals)], source)
        write_bundle(mutant, directory)
        verdicts[agreed(directory, mutant)] += 1
    return verdicts


def test_tampering(tmp_path):
    verdicts = tampered_verdicts(250, 10, 1, tmp_path)
    assert min(verdicts[status] for status in ("valid", "invalid", "malformed")) > 10, verdicts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11, 11 + scaled(3)))
def test_tampering_at_length(seed, tmp_path):
    verdicts = tampered_verdicts(600, 60, seed, tmp_path)
    assert min(verdicts[status] for status in ("valid", "invalid", "malformed")) > 5, verdicts


# -- two networks -----------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(colliding_pairs(RATIONAL), st.data())
def test_shared_neurons(pair, data):
    """Both kernels accept exactly the same bounds, so they compute the same arguments of all neurons."""
    original = sharpest(*map(build_network, pair))
    number = data.draw(st.integers(0, len(original.lines) - 1))
    *start, side, value, leaf = json.loads(original.lines[number])
    sharper = Fraction(value) + Fraction(1, 2**40) * (1 if side == "low" else -1)
    line = json.dumps([*start, side, str(sharper), leaf])
    wrong = Bundle(original.subjects, (*original.lines[:number], line, *original.lines[number + 1 :]))
    for bundle, statuses in ((original, {"valid"}), (wrong, {"valid", "invalid"})):
        with tempfile.TemporaryDirectory() as directory:
            write_bundle(bundle, Path(directory))
            assert agreed(directory, bundle) in statuses


# -- files that are hardly text ---------------------------------------------------------------------------------------

#: Text that a careless reader would accept or misread.
PIECES = [
    *("\u00a0", "\u2003", "\x1c", "\x85", "\t", "\r", "\x0b", "\ufeff", "\0", "é", "𝔽", "\n", "\n\n", "#", "=", "inputs", "outputs"),
    *(",", ":", '"', "\\", "\\u0031", "\\ud835\\udd3d", "\\ud835", "\\n", "[", "]", "{", "}", "true", "null", "NaN", "1.0", "1e2"),
    *("-", "--", "+", "-0", "01", "00", "9" * 30, "/", "/0", "/00", "*", "sqrt(4)", "2*sqrt(8)/3", "sqrt(0)", "sqrt(", "(", ")"),
    *("¬", "¬¬", "δ[2]", "Δ[1/2]", "Δ[ 1]", "δ[0]", "Δ[sqrt(2)/2]", "Δ[2]", "⊕", "⊙", " ", "0", "1", "x1", "y1", "'", ".", "_"),
    *('"width"', '"width":1', '"0":"1"', '"box"', "relu", "crelu", "identity", '"low"', '"high"', '["leaf"]', '["split",0,"1/2"]'),
]  # fmt: skip


def garbled(data: bytes, source: random.Random) -> bytes:
    """Insert, remove, double or exchange bytes or pieces of text."""
    for _ in range(source.choice([1, 1, 1, 2, 3])):
        i = source.randrange(len(data) + 1)
        j = min(len(data), i + source.choice([0, 0, 1, 2, 5, 20]))
        new = source.choice([source.choice(PIECES).encode(), bytes([source.randrange(256)]), data[i:j] * 2, b""])
        data = data[:i] + new + data[j:]
    return data


def garbled_verdicts(count, seed, directory):
    source, originals, verdicts = random.Random(seed), bundles(10, seed), Counter()
    for number in range(count):
        bundle = originals[number % len(originals)]
        data = {name: text.encode() for name, text in bundle.subjects.items()}
        name = source.choice([*data, "lines", "text"])
        lines = list(bundle.lines)
        if name in data:
            data[name] = garbled(data[name], source)
        elif name == "lines":
            i = source.randrange(len(lines))
            lines[i] = garbled(lines[i].encode(), source).decode("latin-1")
        certificate = b"".join(line.encode("latin-1") for line in Certificate(data, lines).lines())
        emptied(directory)
        for subject, content in data.items():
            (directory / kernel.FILES[subject]).write_bytes(content)
        (directory / "certificate.jsonl").write_bytes(garbled(certificate, source) if name == "text" else certificate)
        verdicts[agreed(directory, (data, certificate))] += 1
    return verdicts


def test_garbled_files(tmp_path):
    verdicts = garbled_verdicts(250, 1, tmp_path)
    assert min(verdicts[status] for status in ("valid", "invalid", "malformed")) > 10, verdicts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11, 11 + scaled(3)))
def test_garbled_files_at_length(seed, tmp_path):
    verdicts = garbled_verdicts(600, seed, tmp_path)
    assert min(verdicts[status] for status in ("valid", "invalid", "malformed")) > 5, verdicts


# -- gzip, sizes, and files given one by one --------------------------------------------------------------------------


def packings(data):
    """Yield a certificate compressed in valid and in invalid ways."""
    packed = gzip.compress(data, mtime=0)
    half = len(data) // 2
    yield from (packed, packed + bytes(100), gzip.compress(data[:half]) + gzip.compress(data[half:]))
    yield from (
        packed + b"x",
        packed + packed[:9],
        packed[:-1],
        packed[:5],
        b"",
        bytes(9),
        data,
        packed[:-4] + bytes(4),
    )


def test_gzip(tmp_path):
    HAT.write(tmp_path / "hat")
    data = (tmp_path / "hat" / "certificate.jsonl").read_bytes()
    (tmp_path / "hat" / "certificate.jsonl").unlink()
    found = []
    for packed in packings(data):
        (tmp_path / "hat" / "certificate.jsonl.gz").write_bytes(packed)
        found.append(agreed(tmp_path / "hat", packed))
    assert found == ["valid"] * 3 + ["malformed"] * 8


@pytest.mark.parametrize("length", [65_534, 65_535, 65_536, 65_537, 131_072, (1 << 23) - 1, 1 << 23, 1 << 24])
def test_long_lines(length, tmp_path):
    first, *rest = HAT.lines
    HAT.with_lines([first + " " * (length - 1 - len(first)), *rest]).write(tmp_path / "hat")
    assert agreed(tmp_path / "hat") == ("valid" if length <= 1 << 23 else "malformed")


def test_a_definition_in_a_long_formula(tmp_path):
    names = "".join(f"t{k} = ¬t{k - 1}\n" if k else "t0 = x1\n" for k in range(200_000))
    twin = HAT.file("formula", "t = x1 ⊕ x1\n", f"{names}t = x1 ⊕ x1\n")
    twin.write(tmp_path / "hat")
    assert agreed(tmp_path / "hat") == "valid"


def test_many_arguments(tmp_path):
    many = ",".join(["1"] * 300_000)
    HAT.more(f'["plus",{many}]').write(tmp_path / "hat")
    assert agreed(tmp_path / "hat") == "valid"


def test_limits_on_steps_and_numbers(tmp_path):
    grown = [f'["scale","D[1/{"9" * 4299}]",{k}]' for k in range(1, 40)]
    HAT.with_lines(['["node",2]', *grown]).write(tmp_path / "numbers")
    assert agreed(tmp_path / "numbers") == "incomplete"
    many = ",".join(["1"] * 1_000)
    HAT.with_lines(['["node",2]', *[f'["plus",{many}]'] * 2_000]).write(tmp_path / "steps")
    assert agreed(tmp_path / "steps") == "incomplete"


def test_files_given_one_by_one(tmp_path):
    hat = FOLDER / "valid" / "hat"
    files = {"network": str(hat / "network.json"), "formula": str(hat / "formula.mv")}
    certificate = str(hat / "certificate.jsonl")
    assert verified_verdict(certificate, files).status == "valid"
    assert verified_verdict(certificate, {**files, "formula": files["network"]}).status == "invalid"
    assert verified_verdict(certificate, {**files, "formula": None}).status == "malformed"
    assert verified_verdict(str(hat / "nothing.jsonl"), files).status == "malformed"
    assert verified_verdict(str(tmp_path), {}).status == "malformed"
    assert verified_verdict("--nothing", {}).status == "malformed"


def test_a_verdict_says_where(tmp_path):
    refused = verified_verdict(str(FOLDER / "invalid" / "lemma-upside-down"), {})
    assert refused.status == "invalid"
    assert refused.place.startswith("line ")
    assert len(str(refused)) < 300
