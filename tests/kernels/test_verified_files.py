"""The verified kernel: which files it reads, which statements it prints, and its bounds on hostile files."""

import gzip
import json
import os
import random
import resource
import subprocess
import zlib
from collections import Counter
from pathlib import Path

import pytest

from tests.certificate.by_verdict.make import HAT, Case, formula, network
from tests.effort import scaled
from tests.kernels.portable import native
from tests.kernels.test_verified import FOLDER
from verimv.kernels.verified import KernelVerdict, find_verified, verified_verdict

pytestmark = pytest.mark.skipif(native() is None, reason="the native build is not there (make -C proofs)")

ONE = network(([[1, 0]], "relu"))
SUM = network(([[1, 0], [-1, 1]], "relu"), ([[1, 1, 0]], "identity"))


def verdict(directory: Path) -> KernelVerdict:
    return verified_verdict(str(directory), {})


def written(case: Case, directory: Path) -> Path:
    case.write(directory)
    return directory


# -- what was proved --------------------------------------------------------------------------------------------------


def test_a_formula(tmp_path):
    assert verdict(FOLDER / "valid" / "hat").statement == ("y1 = formula on [0,1]",)
    assert verdict(FOLDER / "invalid" / "lemma-upside-down").statement == ()


def bounds(low: str, high: str, count: int = 1) -> list[str]:
    sides = (("low", low), ("high", high))
    return [f'["bound",1,{k},"{side}","{value}",["leaf"]]' for k in range(count) for side, value in sides]


@pytest.mark.parametrize(
    ("low", "high", "line"),
    [
        ("0", "1", "0 ≤ y1 ≤ 1"),
        ("-3/6", "14/4", "0 ≤ y1 ≤ 7/2"),  # after the activation
        ("-1", "1/3+sqrt(8)-sqrt(3)/2", "0 ≤ y1 ≤ 1/3+2*sqrt(2)-1/2*sqrt(3)"),
        ("-1", "sqrt(2)", "0 ≤ y1 ≤ sqrt(2)"),
        ("-1", "9-sqrt(2)", "0 ≤ y1 ≤ 9-sqrt(2)"),
        ("-1", "9" * 4300, f"0 ≤ y1 ≤ {'9' * 4300}"),
        ("-1", "9" * 4300 + "+1", "0 ≤ y1 ≤ a long number"),
    ],
)
def test_numbers_in_a_range(low, high, line, tmp_path):
    found = verdict(written(Case(bounds(low, high), network=ONE), tmp_path / "one"))
    assert (found.status, found.statement) == ("valid", (f"{line} on [0,1]",))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("y.1'", "y.1'"),
        ("a" * 100, "a" * 100),
        ("a" * 101, '"' + "a" * 100 + '"…'),
        ("", '""'),
        ("1y", '"1y"'),
        ('q"\\/\n\r\t\b\f\x00\x7f é𝔽', None),
        ("\ud835x", None),
        ("é" * 17, '"' + ("\\u00e9" * 17)[:100] + '"…'),
    ],
)
def test_names(name, text, tmp_path):
    data = json.loads(ONE)
    data["outputs"] = [name]
    found = verdict(written(Case(bounds("0", "1"), network=json.dumps(data)), tmp_path / "one"))
    assert found.statement == (f"0 ≤ {text or json.dumps(name)} ≤ 1 on [0,1]",)


def test_boxes(tmp_path):
    data = json.loads(network(([[1] * 12 + [0]], "relu"), inputs=[f"x{k}" for k in range(12)]))
    found = verdict(written(Case(bounds("0", "24"), network=json.dumps(data)), tmp_path / "unit"))
    assert found.statement == ("0 ≤ y1 ≤ 24 on [0,1]¹²",)
    data["box"][3] = ["-1", "2/2"]
    found = verdict(written(Case(bounds("-1", "24"), network=json.dumps(data)), tmp_path / "other"))
    assert found.statement == ("0 ≤ y1 ≤ 24 on its box",)


def test_two_subjects(tmp_path):
    lines = ['["bound",3,0,"low","0",["leaf"]]', '["bound",3,0,"high","0",["leaf"]]']
    found = verdict(written(Case(lines, network=ONE, other=ONE), tmp_path / "other"))
    assert found.statement == ("0 ≤ y1 − other y1 ≤ 0 on [0,1]",)
    pair = Case(['["node",2]', '["equal",0,1,1]'], original=formula("y1 = x1"), formula=formula("y1 = x1"))
    assert verdict(written(pair, tmp_path / "pair")).statement == ("y1: original = formula on [0,1]",)


# -- directories and files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "file"), [("source", "source.json"), ("other", "other.json"), ("original", "original.mv")]
)
def test_a_subject_that_is_not_named(subject, file, tmp_path):
    expected = f"expected a directory without a {subject} that the certificate does not name"
    hat = written(HAT, tmp_path / "hat")
    (hat / file).symlink_to("nowhere")
    assert verdict(hat) == KernelVerdict("malformed", None, expected)
    (hat / file).unlink()
    assert verdict(hat).status == "valid"
    given = {subject: str(hat / "network.json")}
    assert verified_verdict(str(hat), given) == KernelVerdict("malformed", None, expected)


@pytest.mark.parametrize("file", ["network.json", "formula.mv", "certificate.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "device", "directory", "nothing", "link"])
def test_files_that_are_no_files(file, kind, tmp_path):
    hat = written(HAT, tmp_path / "hat")
    content = (hat / file).read_bytes()
    (hat / file).unlink()
    if kind == "pipe":
        os.mkfifo(hat / file)
    elif kind == "directory":
        (hat / file).mkdir()
    elif kind == "link":
        (tmp_path / "there").write_bytes(content)
        (hat / file).symlink_to(tmp_path / "there")
    else:
        (hat / file).symlink_to("/dev/zero" if kind == "device" else "nowhere")
    found = verdict(hat)
    assert found.status == ("valid" if kind == "link" else "malformed")
    if kind in ("pipe", "device", "directory"):
        assert found.reason == "expected a regular file"


def test_a_file_that_is_too_long(tmp_path):
    hat = written(HAT, tmp_path / "hat")
    with open(hat / "formula.mv", "r+b") as file:
        file.truncate((1 << 30) + 1)
    assert verdict(hat) == KernelVerdict("malformed", None, "expected a regular file")


# -- gzip -------------------------------------------------------------------------------------------------------------


def packed(data: bytes, source: random.Random) -> bytes:
    """Compress with a random level, strategy and memory level of zlib, and a random flush in between."""
    strategy = source.choice([zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED])
    packer = zlib.compressobj(source.randrange(10), zlib.DEFLATED, 31, source.randrange(1, 10), strategy)
    half = source.randrange(len(data) + 1)
    flush = source.choice([zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH])
    return packer.compress(data[:half]) + packer.flush(flush) + packer.compress(data[half:]) + packer.flush()


def with_flags(member: bytes, flags: int) -> bytes:
    more = b"\x03\0abc" if flags & 4 else b""
    more += b"name\0" if flags & 8 else b""
    more += b"comment\0" if flags & 16 else b""
    more += b"hc" if flags & 2 else b""
    return member[:3] + bytes([flags]) + member[4:10] + more + member[10:]


def damaged(data: bytes, source: random.Random) -> bytes:
    kind = source.randrange(4)
    if kind == 0:
        return data[: source.randrange(len(data))]
    if kind == 1:
        return data + source.randbytes(source.randrange(1, 20))
    changed = bytearray(data)
    for _ in range(source.choice([1, 1, 3])):
        changed[source.randrange(min(len(changed), source.choice([30, 300, len(changed)])))] ^= 1 << source.randrange(8)
    return bytes(changed)


def test_unpacking_is_that_of_zlib(tmp_path):
    hat = written(HAT, tmp_path / "hat")
    source, counts = random.Random(1), Counter()
    header, *lines = (hat / "certificate.jsonl").read_text().splitlines()
    (hat / "certificate.jsonl").unlink()
    for number in range(scaled(120)):
        blanks = ["".join(source.choices(" \t", k=source.choice([0, 10, 1000, 50_000]))) for _ in lines]
        text = "".join(f"{line}\n" for line in (header, *map(str.__add__, lines, blanks))).encode()
        cut = source.randrange(len(text) + 1)
        data = (
            packed(text[:cut], source)
            + bytes(source.choice([0, 0, 5]))
            + with_flags(packed(text[cut:], source), number % 32)
        )
        data = data if number % 3 == 0 else damaged(data, source)
        try:
            is_right = gzip.decompress(data) == text
        except (OSError, EOFError, zlib.error):
            is_right = False  # an error in a line may determine the verdict before damage at the end is found
        (hat / "certificate.jsonl.gz").write_bytes(data)
        found = verdict(hat)
        assert (found.status == "valid") == is_right, (data, found)
        counts[found.status] += 1
    assert min(counts["valid"], counts["malformed"]) > 30, counts


# -- hostile files ----------------------------------------------------------------------------------------------------


def _tree(count: int, point: str = "1/3") -> str:
    splits = ",".join([f'["split",0,"{point}"]'] * count)
    leaves = ",".join(['["leaf"]'] * (count + 1))
    return f'["bound",2,0,"high","1000000",{splits},{leaves}]'


def _dense() -> str:
    rows = [[(i * k) % 11 - 5 for k in range(61)] for i in range(60)]
    return network(([[k - 30, k % 7] for k in range(60)], "relu"), (rows, "relu"), outputs=[f"y{k}" for k in range(60)])


PAIR = {"original": formula("y1 = x1"), "formula": formula("y1 = x1 ⊕ x1")}
LONG = "9" * 4299

HOSTILE = {  # made when they are needed: some are millions of characters before they are packed
    "a wide cone": lambda: Case(['["node",2]', f'["equals",1,1,[{",".join(["1"] * 2_000_000)}],["leaf"],["leaf"]]'], **PAIR),
    "lines without end": lambda: Case(['["node",2]', *['["atom",1]'] * 2_000_000], **PAIR),
    "a long plus": lambda: Case(['["node",2]', f'["plus",{",".join(["1"] * 4_000_000)}]'], **PAIR),
    "a number of many terms": lambda: Case([f'["bound",2,0,"high","{"+".join(["1"] * 4_000_000)}"]'], network=SUM),
    "many roots in a number": lambda: Case([f'["bound",2,0,"high","{"+".join(f"sqrt({k})" for k in range(2, 9_000))}"]'], network=SUM),
    "radicands in a leaf": lambda: Case(['["bound",2,0,"high","5",["leaf"' + ',"sqrt(2)"' * 700_000 + "]]"] * 3, network=SUM),
    "long denominators": lambda: Case([_tree(40, f"1/{LONG}").replace(LONG, str(10**4289 + k), 1) for k in range(9)], network=SUM),
    "leaves without end": lambda: Case([_tree(200)] * 2_000, network=_dense()),
    "doublings": lambda: Case(['["node",2]', *[f'["plus",{k},{k}]' for k in range(1, 40_000)]], **PAIR),
}  # fmt: skip


def limited() -> None:
    """Set limits that only a bug can reach."""
    resource.setrlimit(resource.RLIMIT_CPU, (200, 200))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end(name, tmp_path):
    case = HOSTILE[name]()
    case.pack = lambda data: data
    directory = written(case, tmp_path / "hostile")
    assert sum(file.stat().st_size for file in directory.iterdir()) < 1_000_000
    done = subprocess.run([find_verified(), str(directory)], capture_output=True, preexec_fn=limited, check=False)
    assert done.stdout.startswith(b"malformed" if name == "radicands in a leaf" else b"incomplete"), done
