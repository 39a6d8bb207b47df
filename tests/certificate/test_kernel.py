"""The kernel: every hand-made case gets the verdict that its directory names, and says why."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.certificates.make import CASES, HAT, Case, network
from verimv import kernel
from verimv.checking import rejection

FOLDER = Path(__file__).parent.parent / "certificates"
SOURCE = Path(kernel.__file__)


def verdict(directory):
    rejected = rejection(lambda: kernel.check(str(directory), {}))
    return ("valid", "") if rejected is None else (rejected.status, str(rejected))


@pytest.mark.parametrize(
    "directory", sorted(d for v in CASES for d in (FOLDER / v).iterdir()), ids=lambda d: f"{d.parent.name}/{d.name}"
)
def test_the_folder_is_the_verdict(directory):
    status, text = verdict(directory)
    assert status == directory.parent.name, text
    assert len(text) < 400
    assert "\n" not in text


@pytest.mark.parametrize("status", CASES)
def test_the_folders_are_what_their_maker_writes(status, tmp_path):
    assert {d.name for d in (FOLDER / status).iterdir()} == CASES[status].keys()
    for name, case in CASES[status].items():
        case.write(tmp_path / name)
        for file in (tmp_path / name).iterdir():
            assert file.read_bytes() == (FOLDER / status / name / file.name).read_bytes(), f"{name}: run make.py"


def run_alone(*arguments, flags=("-I", "-S")):
    done = subprocess.run([sys.executable, *flags, str(SOURCE), *map(str, arguments)], capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("flags", [("-I", "-S"), ("-I", "-S", "-O"), ("-O",)], ids=" ".join)
@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("valid/hat", 0),
        ("valid/gzipped", 0),
        ("invalid/lemma-upside-down", 1),
        ("malformed/line-deeply-nested", 2),
        ("malformed/header-naming-a-source-that-is-not-there", 2),
        ("incomplete/bound-assumed", 3),
    ],
)
def test_it_runs_alone(case, code, flags):
    found, text = run_alone(FOLDER / case, flags=flags)
    assert (found, text.count("\n")) == (code, 1)
    assert text.startswith(case.split("/")[0])


def test_files_given_one_by_one():
    hat = FOLDER / "valid" / "hat"
    network, formula = ("--network", hat / "network.json"), ("--formula", hat / "formula.mv")
    assert run_alone(hat / "certificate.jsonl", *network, *formula)[0] == 0
    code, text = run_alone(hat / "certificate.jsonl", *network)
    assert (code, text.startswith("malformed: expected readable files"), "'--formula'" in text) == (2, True, True)
    assert run_alone(hat / "certificate.jsonl", *network, "--formula", hat / "network.json")[0] == 1, "another file"
    assert run_alone(hat / "nothing.jsonl", *network, *formula)[0] == 2


def test_a_directory_needs_exactly_one_certificate(tmp_path):
    assert run_alone(tmp_path)[0] == 2
    HAT.write(tmp_path / "hat")
    (tmp_path / "hat" / "certificate.jsonl.gz").write_bytes(b"")
    assert run_alone(tmp_path / "hat")[0] == 2


def test_it_imports_the_standard_library_only():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_it_has_no_assert_and_no_float():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Assert)
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id == "float")
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))


def test_it_is_small():
    assert len(SOURCE.read_text(encoding="utf-8").splitlines()) < 600


def test_messages_name_what_is_known():
    rejected = kernel.Rejected("invalid", "this", "that")
    assert str(rejected) == "invalid: expected this, got that"
    rejected.line, rejected.rule, rejected.subject = 3, "plus", "formula"
    assert str(rejected) == "invalid, formula, line 3, rule plus: expected this, got that"


def test_places_that_are_not_known_are_not_named():
    with pytest.raises(kernel.Rejected) as rejected:
        kernel.located(kernel.well_formed, False, "this", "that", line=2)
    assert str(rejected.value) == "malformed, line 2: expected this, got that"


# -- hostile files cost little --------------------------------------------------------------------------------------------


def lines_rejected(lines):
    return case_rejected(HAT.with_lines(lines))


def case_rejected(case):
    numbered = ((number, kernel.decoded(line)) for number, line in enumerate(case.text().splitlines(), start=1))
    return rejection(lambda: kernel.verify(numbered, lambda subject: case.subjects[subject].encode()))


def test_lines_without_end_are_refused():
    rejected = lines_rejected(['["node",2]'] * 1_000_000)
    assert (rejected.status, rejected.expected[:13]) == ("incomplete", "at most 16 st")
    assert rejected.line < 900_000


def test_forms_that_are_written_out_again_and_again_are_refused():
    atoms = [f'["scale","D[1/{k}]",1]' for k in range(1, 3000)]
    wide = [f'["atom",{k}]' for k in range(2, 3001)]
    sums = [f'["plus",{",".join(map(str, range(3001 + k, 6000)))}]' for k in range(1000)]
    rejected = lines_rejected(['["node",2]', *atoms, *wide, *sums])
    assert (rejected.status, rejected.rule) == ("incomplete", "plus")


def test_numbers_that_grow_without_end_are_refused():
    factor = f"D[1/{'9' * 4299}]"
    rejected = lines_rejected(['["node",2]', *(f'["scale","{factor}",{k}]' for k in range(1, 2000))])
    assert (rejected.status, rejected.expected) == ("incomplete", "a number with fewer bits")


@pytest.mark.parametrize(
    ("node", "line"), [(1, '["not",{k}]'), (2, '["scale","D[1/{k}]",7]')], ids=["constant", "coefficient"]
)
def test_long_numbers_cost_more(node, line):
    """One of some 85,000 bits, used again and again."""
    factor = f"D[1/{'9' * 4299}]"
    lines = [f'["node",{node}]', *(f'["scale","{factor}",{k}]' for k in range(1, 7))]
    rejected = lines_rejected([*lines, *(line.format(k=k) for k in range(7, 7000))])
    assert (rejected.status, rejected.expected[:13]) == ("incomplete", "at most 16 st")


def test_sorting_costs_more_than_its_line():
    sequence, lines, claims = [1], ['["node",2]'], 1
    for size in range(1, 64):
        lines.append(f'["sort",{size},{",".join(map(str, sequence))},1]')
        sequence = list(range(claims + 1, claims + size + 2))
        claims += size + 1
    both = ",".join(map(str, sequence))
    rejected = lines_rejected([*lines, *[f'["sort",64,{both},{both}]'] * 3000])
    assert (rejected.status, rejected.rule, rejected.expected[:13]) == ("incomplete", "sort", "at most 16 st")


def test_dense_layers_cost_more_than_their_weights():
    """Affine neurons, each a sum of all inputs."""
    width, depth = 200, 2
    names = [f"x{i}" for i in range(width)]
    dense = network(*[([[1] * width + [0]] * width, "relu")] * depth, inputs=names, outputs=names).replace(", ", ",")
    case = Case([f'["affine",{k + 1},{i}]' for k in range(depth) for i in range(width)], network=dense)
    rejected = case_rejected(case)
    assert (rejected.status, rejected.rule, rejected.expected[:13]) == ("incomplete", "affine", "at most 16 st")


def test_situations_with_many_splits_cost_more():
    width = 1000
    wide = network(([[1] * width + [0]], "relu"), inputs=[f"x{i}" for i in range(width)])
    splits = ",".join(f'["split",{i % width},"1/2"]' for i in range(5 * width))
    rejected = case_rejected(Case([f'["bound",1,0,"high","1",{splits}]'], network=wide))
    assert (rejected.status, rejected.rule, rejected.expected[:13]) == ("incomplete", "bound", "at most 16 st")


def long_number(count):
    """A sum of fractions: of some 28,000 bits for each."""
    return "+".join(f"1/{10**4299 + 2 * k + 1}" for k in range(count))


def test_a_long_scale_of_a_wide_neuron_costs_more():
    """Dividing by it would make all weights as long."""
    width = 6000
    below = [[k, 1] for k in range(width)]
    wide = network((below, "relu"), ([[1] * width + [long_number(6)]], "relu")).replace(", ", ",")
    rejected = case_rejected(Case([], network=wide, other=network(([[1, 0]], "relu"))))
    assert (rejected.status, rejected.line, rejected.expected[:13]) == ("incomplete", None, "at most 16 st")


def test_a_shared_neuron_with_a_long_factor_costs_more():
    """All rows above it would be as long."""
    above = [([[1, 0]] * 5000, "relu"), ([[1] * 5000 + [0]], "relu")]
    first, second = (network(([[w, 0]], "relu"), *above).replace(", ", ",") for w in (1, long_number(6)))
    rejected = case_rejected(Case([], network=first, other=second))
    assert (rejected.status, rejected.line, rejected.expected[:13]) == ("incomplete", None, "at most 16 st")


def test_factors_of_shared_neurons_grow_no_further_than_numbers_may():
    depth = 40
    first, second = (network(*[([[weight, 0]], "relu")] * depth) for weight in (1, f"1/{'9' * 4299}"))
    rejected = case_rejected(Case([], network=first, other=second))
    assert (rejected.status, rejected.expected) == ("incomplete", "a number with fewer bits")


def test_numbers_too_long_to_print_are_no_trouble():
    huge = "9" * 4300
    rejected = lines_rejected([f'["unit",1,0,"{huge}",{huge}]', '["plus",1,1]', '["plus",2,2]', '["scale","d[2]",3]'])
    assert (rejected.status, rejected.rule) == ("invalid", "scale")
    assert rejected.got == "a long number to a long number"


def test_roots_of_roots_are_refused():
    nested = "sqrt(" * 1000 + "2" + ")" * 1000
    case = HAT.file("network", '"-2"', f'"{nested}"')
    numbered = ((number, kernel.decoded(line)) for number, line in enumerate(case.text().splitlines(), start=1))
    assert rejection(lambda: kernel.verify(numbered, lambda s: case.subjects[s].encode())).status == "malformed"


def test_doubling_does_not_grow_the_forms():
    """A form of 2^1000 summands is written out in 1000 steps."""
    doubled = ['["node",2]', *(f'["plus",{k},{k}]' for k in range(1, 1001))]
    assert lines_rejected([*doubled, *HAT.lines]).status == "invalid", "claims are numbered otherwise"
    assert (
        lines_rejected(
            HAT.lines[:-1]
            + [f'["plus",{1 if k == 8 else k},{1 if k == 8 else k}]' for k in range(8, 1000)]
            + HAT.lines[-1:]
        )
        is None
    )
