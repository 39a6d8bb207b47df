"""Sweeps of both kernels give the same bounds, to the last bit; and `--effort` allows more work in each of them."""

import random
import subprocess
from fractions import Fraction

import pytest

from tests.certificate.by_verdict.make import HAT, Case, network
from tests.effort import span_name, spans
from tests.kernels.portable import native, verified_head
from verimv import kernel
from verimv.kernels.portable import portable_command
from verimv.kernels.verdicts import rejection

#: A value that no leaf proves, and less than what matters to any.
MUCH, LITTLE = Fraction(10**9), Fraction(1, 2**400)


def a_number(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-200, 200), rng.choice([1, 7, 60, 64, 2**30]))


def a_network(rng: random.Random) -> str:
    """Two or three layers with kinks, and an output."""
    width, layers = rng.randint(1, 3), []
    box = [sorted((a_number(rng), a_number(rng))) for _ in range(width)]
    for count in [*(rng.randint(2, 4) for _ in range(rng.randint(2, 3))), 1]:
        rows = [[a_number(rng) if rng.random() < 0.8 else 0 for _ in range(width + 1)] for _ in range(count)]
        layers.append((rows, "identity" if count == 1 else rng.choice(["relu", "relu", "crelu"])))
        width = count
    inputs = [f"x{j}" for j in range(len(box))]
    return network(*layers, inputs=inputs, box=[[str(end) for end in ends] for ends in box])


def rejected(case: Case, directory) -> kernel.Rejected | None:
    case.write(directory)
    return rejection(lambda: kernel.check(str(directory), {}))


@pytest.mark.parametrize("seeds", spans(0, 16, 8), ids=span_name)
def test_bounds_are_the_same_to_the_last_bit(seeds, tmp_path, monkeypatch):
    """The value that a leaf proves depends on all bounds of a sweep: both kernels accept it, and no smaller one."""
    monkeypatch.setattr(kernel, "MOST_CHARACTERS_SHOWN", 10**5)
    for seed in seeds:
        rng = random.Random(seed)
        text = a_network(rng)
        multipliers = [f'"{a_number(rng)}"' for _ in range(20)]
        layers = text.count('"activation"')

        def claim(value: Fraction, count: int, parts=(text, multipliers, layers)) -> Case:
            text, multipliers, layers = parts
            leaf = ",".join(['"leaf"', *multipliers[:count]])
            return Case([f'["bound",{layers},0,"high","{value}",["sweep"],[{leaf}]]'], network=text)

        # as many multipliers as there are kinks: others are malformed
        answers = [rejected(claim(-MUCH, count), tmp_path / f"{seed} with {count}") for count in range(12)]
        found = [(count, answer) for count, answer in enumerate(answers) if answer.status == "invalid"]
        assert found, seed
        for count, answer in found:
            bound = Fraction(answer.got.removeprefix("a gap of ")) - MUCH
            for name, value, verdict in (("it", bound, "incomplete"), ("less", bound - LITTLE, "invalid, line 2")):
                directory = tmp_path / f"{seed} with {count}, {name}"
                assert rejected(claim(value, count), directory).status == verdict.split(",")[0]
                assert verified_head(directory) == verdict, (seed, count)


# -- effort ------------------------------------------------------------------------------------------------------------

PROGRAMS = [program for program in (portable_command(), native() and [native()]) if program]


def run(program, *arguments):
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_effort_allows_more(tmp_path):
    """Each case costs a step for each lemma before it: two million, for 60 kB."""
    text = network(([[1, -1]], "relu"), ([[1, 0]], "identity"))
    lemmas = '["lemma",1,"high","0"],["leaf"],' * 2_000
    Case([f'["bound",2,0,"{side}","0",{lemmas}["leaf"]]' for side in ("low", "high")], network=text).write(
        tmp_path / "x"
    )
    for program in PROGRAMS:
        code, answer = run(program, tmp_path / "x")
        assert (code, answer.split(",")[0]) == (3, "incomplete")
        assert "--effort" in answer
        assert run(program, "--effort", "10", tmp_path / "x") == (0, "valid\n0 ≤ y1 ≤ 0 on [0,1]\n")


@pytest.mark.parametrize("effort", ["0", "1000001", "0x10", ""])
def test_an_effort_that_is_none(effort, tmp_path):
    HAT.write(tmp_path / "hat")
    for program in PROGRAMS:
        code, answer = run(program, f"--effort={effort}", tmp_path / "hat")
        assert (code, answer.partition(",")[0].strip()) == (
            2,
            "malformed: expected --effort with an integer from 1 to 1000000",
        )
