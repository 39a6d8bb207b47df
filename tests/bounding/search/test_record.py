"""An interrupted search for bounds is resumed from its file, with the same bounds; nothing trusts the file."""

import json
from itertools import pairwise

import pytest

import verimv
from verimv.bounding.search import engine
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.core.errors import InputError
from verimv.extraction.pipeline import extract_uncertified
from verimv.paper.experiments.families import random_network

NETWORK = random_network((3, 5, 5, 5, 1), 4, "integer")
EFFORT = SearchEffort("exact", nodes=60)
#: So little that some tasks lack work, and start again with more.
LITTLE = SearchEffort("exact", work=100_000)


def interrupted_after(count):
    def progress(stage, done, total):
        if done >= count:
            raise KeyboardInterrupt

    return progress


@pytest.fixture
def solved(monkeypatch):
    """The tasks that were done, as they come."""
    tasks, solve = [], engine._solve
    monkeypatch.setattr(engine, "_solve", lambda context, task: tasks.append(task) or solve(context, task))
    return tasks


@pytest.mark.parametrize("effort", [EFFORT, LITTLE], ids=["nodes", "work"])
def test_a_run_goes_on_where_it_was(effort, tmp_path, solved):
    whole = certified_bounds(NETWORK, effort)
    fresh = list(solved)
    solved.clear()
    path = tmp_path / "bounds.jsonl"
    sizes = [0]
    for count in (2, 9, 14):
        with pytest.raises(KeyboardInterrupt):
            certified_bounds(NETWORK, effort, interrupted_after(count), record=path)
        sizes.append(path.stat().st_size)
    assert all(a < b for a, b in pairwise(sizes))
    assert certified_bounds(NETWORK, effort, record=path) == whole
    assert solved == fresh  # each once
    assert certified_bounds(NETWORK, effort, record=path) == whole
    assert len(solved) == len(fresh)


def test_a_line_that_was_cut_off_is_found_again(tmp_path):
    path = tmp_path / "bounds.jsonl"
    whole = certified_bounds(NETWORK, EFFORT, record=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:5])
    assert certified_bounds(NETWORK, EFFORT, record=path) == whole


def test_another_network_or_method_is_refused(tmp_path):
    path = tmp_path / "bounds.jsonl"
    certified_bounds(NETWORK, EFFORT, record=path)
    with pytest.raises(InputError, match="another network, method or version"):
        certified_bounds(random_network((3, 5, 5, 5, 1), 5, "integer"), EFFORT, record=path)
    with pytest.raises(InputError, match="another network, method or version"):
        certified_bounds(NETWORK, SearchEffort("lp"), record=path)


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", "[1]", "[9]", "[2, 0, 1, 5]", '[2, 0, 3, 5, "1", "lp", null, null, false, 1]',
             '[2, 7, 1, 5, "1", "lp", null, null, false, 1]', '[2, 0, 1, 5, "x", "lp", null, null, false, 1]',
             '[2, 0, 1, 5, "1", "luck", null, null, false, 1]', '["2", 0, 1, 5, "1", "lp", null, null, false, 1]',
             '[2, 0, 1, 5, "1", "lp", null, null, 1, 1]', '[2, 0, 1, 5, "1", "lp", null, null, false, -1]',
             '[2, 0, 1, 5, "1", "lp", null, ["1"], false, 1]'],
)  # fmt: skip
def test_malformed_files_are_refused_with_their_line(line, tmp_path):
    path = tmp_path / "bounds.jsonl"
    certified_bounds(NETWORK, EFFORT, record=path)
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n{line}\n")
    with pytest.raises(InputError, match=r"bounds\.jsonl:2: expected a bound"):
        certified_bounds(NETWORK, EFFORT, record=path)


@pytest.mark.parametrize(
    "case", [[], ["leap"], ["leaf", "x"], ["leaf", 1], ["split", 0, 0], ["split", 0, 3, "1/2"], ["split", 2, 0, "0"],
             ["split", 1, -1, "0"], ["split", "1", 0, "0"], ["split", 1, 0, "0", "0"]],
    ids=str,
)  # fmt: skip
def test_malformed_evidence_is_refused(case, tmp_path):
    """Splits are of an input (layer 0) or of a neuron below."""
    path = tmp_path / "bounds.jsonl"
    with pytest.raises(KeyboardInterrupt):
        certified_bounds(NETWORK, EFFORT, interrupted_after(1), record=path)
    header = path.read_text().splitlines()[0]
    row = [2, 0, 1, 5, "1", "exact", [case], None, False, 1]
    path.write_text(f"{header}\n{json.dumps(row)}\n")
    with pytest.raises(InputError, match=r"bounds\.jsonl:2: expected a bound"):
        certified_bounds(NETWORK, EFFORT, record=path)


def test_extraction_with_resumed_bounds_is_certified(tmp_path):
    path = tmp_path / "bounds.jsonl"
    options = {"bounds": "exact", "scale_output": True, "resume": path}
    with pytest.raises(KeyboardInterrupt):
        extract_uncertified(NETWORK, **options, progress=interrupted_after(3))
    assert len(path.read_text().splitlines()) >= 3
    result = verimv.extract(NETWORK, **options)
    assert result.check() == ""


def test_a_file_that_lies_certifies_nothing(tmp_path):
    """The range of the first neuron of the second layer is cut to a point: no certificate, or no extraction."""
    path = tmp_path / "bounds.jsonl"
    options = {"bounds": "exact", "scale_output": True, "resume": path}
    verimv.extract(NETWORK, **options)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    changed = 0
    for row in rows[1:]:
        if row[:3] == [2, 0, 1]:
            row[4], changed = "1/1000", changed + 1
    assert changed
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        lacking = verimv.extract(NETWORK, **options).check()
    except verimv.VerimvError:
        return
    assert lacking
