"""What is printed under "valid": the whole statement, the same by both kernels, and no name can disguise it."""

import json

import pytest

from tests.certificate.by_verdict.make import MAP, RANGE, Case, formula, network
from tests.certificate.test_hostile import FOLDER, verified
from verimv import kernel
from verimv.kernels.verified import verified_verdict


def lines_of(case, directory):
    case.write(directory)
    return kernel.check(directory, {}).lines


@pytest.mark.parametrize("name", sorted(path.name for path in (FOLDER / "valid").iterdir()))
def test_both_kernels_say_the_same(name):
    verified()
    directory = FOLDER / "valid" / name
    assert list(verified_verdict(str(directory), {}).statement) == kernel.check(directory, {}).lines


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hat", ["y1 = formula on [0,1]"]),
        ("two-formulas", ["y1: original = formula on [0,1]²"]),
        ("difference-of-twins", ["0 ≤ y1 − other y1 ≤ 0 on [0,1]"]),
        ("range-with-irrational-ends", ["1-sqrt(2) ≤ y1 ≤ sqrt(2) on [0,1]"]),
    ],
)
def test_statements(name, expected):
    assert kernel.check(FOLDER / "valid" / name, {}).lines == expected


def test_a_source_is_part_of_the_statement():
    directory = next(path.parent for path in sorted((FOLDER / "valid").glob("*/source.json")))
    *_, last = kernel.check(directory, {}).lines
    assert last.startswith("network = source with its box mapped onto [0,1]")


@pytest.mark.parametrize(
    ("scale", "offset", "expected"),
    [
        ("1", "0", "formula"),
        ("3", "-1", "3·formula − 1"),
        ("-1/2", "2/3", "-1/2·formula + 2/3"),
        ("1", "sqrt(2)", "formula + (sqrt(2))"),
        ("-sqrt(2)/2+1", "0", "(1-1/2*sqrt(2))·formula"),
    ],
)
def test_maps(scale, offset, expected):
    assert kernel.mapped_formula(kernel.number(scale), kernel.number(offset)) == expected


def test_a_box_that_is_not_the_unit_cube(tmp_path):
    boxed = network(([[1, 0]], "identity"), box=[["-1", "1"]])
    range_only = Case(['["bound",1,0,"high","1",["leaf"]]', '["bound",1,0,"low","-1",["leaf"]]'], network=boxed)
    assert lines_of(range_only, tmp_path / "range") == ["-1 ≤ y1 ≤ 1 on its box"]
    lines = ['["node",2]', '["output",0,1,"2","-1"]']
    mapped = Case(lines, network=boxed, formula=formula("y1 = x1"))
    assert lines_of(mapped, tmp_path / "mapped") == ["y1 = 2·formula − 1 on its box, mapped onto [0,1]"]
    assert lines_of(MAP, tmp_path / "map") == ["y1 = 3·formula − 1 on [0,1]"]


NAMES = [
    ("y.1'", "y.1'"),
    ("two words", '"two words"'),
    ("y1 = 2·formula on [0,1]\n::error::", '"y1 = 2\\u00b7formula on [0,1]\\n::error::"'),
    ("\x1b[31mred", '"\\u001b[31mred"'),
    ("\x7f\x00\u202e\u2028", '"\\u007f\\u0000\\u202e\\u2028"'),
    ("ý", '"\\u00fd"'),
    ("😀", '"\\ud83d\\ude00"'),
    ("\ud83d", '"\\ud83d"'),
    ('quote " and \\', '"quote \\" and \\\\"'),
    ("", '""'),
    ("a" * 100, "a" * 100),
    ("a" * 101, '"' + "a" * 100 + '"…'),
]


@pytest.mark.parametrize(("name", "shown"), NAMES, ids=range(len(NAMES)))
def test_names_cannot_disguise_a_statement(name, shown, tmp_path):
    text = RANGE.subjects["network"].replace('"y1"', json.dumps(name))
    (line,) = lines_of(Case(RANGE.lines, network=text), tmp_path / "case")
    assert line == f"0 ≤ {shown} ≤ 1 on [0,1]"
    verified()
    assert verified_verdict(str(tmp_path / "case"), {}).statement == (line,)
