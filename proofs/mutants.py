"""Deliberate bugs: without any one side condition of the checker, its soundness proof no longer compiles.

    python proofs/mutants.py [--jobs N] [--only WORDS]

Each mutant is a copy of proofs/coq in which one condition is switched off. What depends on the change is compiled again
until a proof breaks (over the rational numbers; over the reals the proofs are the same texts), and a table says which.
A mutant whose proof does not break is a condition that soundness does not need: exit code 1, unless it is listed here
with its reason. Needs a finished `make -C proofs/coq`.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

COQ = Path(__file__).parent / "coq"
#: Files with conditions, and the one that ends with the theorem.
CHECKED, THEOREM = ("Store.v", "Claims.v", "Networks.v", "Sharing.v", "Checker.v", "Cases.v"), "SoundQc.vo"
_GROUP = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
_NEED = re.compile(rf'\b(?P<word>need|well_formed) (?:{_GROUP}(?:%\w+)?|[\w\']+)\s+"(?P<why>[^"]*)"')
_RANGE = re.compile(rf"\b(?P<why>form_at_(?:least|most) K (?:\w+|{_GROUP}) (?:\w+|{_GROUP}))")
_ERROR = re.compile(r'File "(?:\./)?([^"]+)", line (\d+)')
_LOAD = re.compile(r'^Load "(\w+)"\.', re.MULTILINE)
_HEAD = re.compile(r"\s*(?:Lemma|Theorem|Corollary|Definition|Fixpoint|Instance) ([\w']+)")

#: Changes of another kind: file, old text, new text, what is switched off.
CHANGES = [
    ("Networks.v", 'else Reject Invalid "one unit, or none"', "else Ok tt", "clip of a crelu: one unit, or none"),
    ("Sharing.v", "then Ok (eqb K p one) else", "then Ok true else", "a shared crelu: the factor is 1"),
    ("Sharing.v", "else lt K zero p.", "else Ok true.", "a shared relu: the factor is positive"),
    ("Sharing.v", "Ok (allowed && same_sum K multiple s)", "Ok allowed", "a shared neuron: its argument is a multiple"),
    ("Sharing.v", "if same_activation (fst x) (fst y) then", "if true then", "a shared neuron: the same activation"),
    ("Sharing.v", "lift (Cases.image K a (constant s))", "ret (constant s)", "a constant neuron: its activation"),
    ("Checker.v", "if assumed (place g) then Reject", "if false then Reject", "finish: no bound is assumed"),
    ("Cases.v", "&& same_limits (used e) (find (key e) known)", "", "ranges are kept: the bounds are the same"),
    ("Cases.v", "| Relu => kink l h zero", "| Relu => Ok []", "leaf: the kink of a relu"),
    ("Cases.v", "with_bound s k false p :: with_bound s k true p", "with_bound s k false p", "split: both sides"),
]

#: Conditions that only keep to the format: why no proof needs them.
NOT_FOR_SOUNDNESS = {
    "bound_by: no more multipliers": "numbers that nobody uses change nothing",
    "follow: a variable": "a split of no variable leaves the same situation twice",
    "rule_node: 0, 1, or 2 + the number of an input": "every node is σ of itself",
    "rule_average: at least one unit": "without claims there is no first one, and the rule is refused anyway",
    "cone_variables: a node other than 0 and 1": "0 and 1 are numbers wherever they occur",
    "read_interval: an interval [low, high]": "the map of the unit cube is the same one",
    "neuron: the current layer": "neurons are looked up in the current layer, whatever it is called",
    "rule_bound: a neuron of this layer": "the bound is proved of the neuron that it then names",
    "rule_output: all neurons before the outputs": "values that are not known are not found",
    "rule_output: the next output": "the next one is taken, whatever it is called",
    "rule_output: a scale other than 0": "with the scale 0 the output is shown to be the offset, and is",
    "rule_equal: the next output": "the next one is taken, whatever it is called",
}


@dataclass(frozen=True)
class Mutant:
    """`file` with `old` at `position` replaced by `new`."""

    file: str
    position: int
    old: str
    new: str
    what: str

    @property
    def line(self) -> int:
        return (COQ / self.file).read_text(encoding="utf-8").count("\n", 0, self.position) + 1

    def apply(self, folder: Path) -> None:
        text = (COQ / self.file).read_text(encoding="utf-8")
        changed = text[: self.position] + self.new + text[self.position + len(self.old) :]
        (folder / self.file).write_text(changed, encoding="utf-8")


def mutants() -> list[Mutant]:
    """Every `need` and every condition on a range, and the changes listed above."""
    found = []
    for file in CHECKED:
        text = (COQ / file).read_text(encoding="utf-8")
        for pattern, new in ((_NEED, r'\g<word> true "\g<why>"'), (_RANGE, "ret tt")):
            for match in pattern.finditer(text):
                what = f"{_enclosing(text, match.start())}: {' '.join(match['why'].split())}"
                found.append(Mutant(file, match.start(), match[0], match.expand(new), what))
    for file, old, new, what in CHANGES:
        text = (COQ / file).read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{file}: expected once, found {text.count(old)} times: {old}")
        found.append(Mutant(file, text.index(old), old, new, what))
    return found


def _enclosing(text: str, position: int) -> str:
    """The name of the definition, or the statement whose proof, stands at a position."""
    names = filter(None, map(_HEAD.match, reversed(text[:position].splitlines())))
    return next((match[1] for match in names), "?")


def broken_by(mutant: Mutant) -> str | None:
    """The statement whose proof breaks, with its file; None if all proofs compile."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "coq"
        shutil.copytree(COQ, folder)
        for file in folder.glob("*.v"):
            _inline(file)
        mutant.apply(folder)
        command = ["make", "-C", str(folder), THEOREM]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        place = _ERROR.search(done.stderr)
        if place is None or place[1] == mutant.file:
            sys.exit(f"{mutant.what}: this is no checker any more: {done.stderr[-500:]}")
        lines = (folder / place[1]).read_text(encoding="utf-8").splitlines(keepends=True)
        before = "".join(lines[: int(place[2])])
        return f"{_enclosing(before, len(before))} ({place[1]})"


def _inline(file: Path) -> None:
    """The texts that a file loads, in the file itself, so that errors have a line; it counts as old as it was."""
    times, text = file.stat(), file.read_text(encoding="utf-8")
    while load := _LOAD.search(text):
        text = text[: load.start()] + (COQ / f"{load[1]}.v").read_text(encoding="utf-8") + text[load.end() :]
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def main() -> int:
    parser = argparse.ArgumentParser(description="Switch off one side condition at a time.")
    parser.add_argument("--jobs", type=int, default=2, help="mutants compiled at a time (default: 2)")
    parser.add_argument("--only", default="", help="only conditions that contain these words")
    arguments = parser.parse_args()
    chosen = [mutant for mutant in mutants() if arguments.only in mutant.what]
    code = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, broken in zip(chosen, pool.map(broken_by, chosen), strict=True):
            reason = NOT_FOR_SOUNDNESS.get(mutant.what)
            if (broken is None) != (reason is not None):
                code = 1
            told = broken or f"nothing: {reason or 'WHY?'}"
            sys.stdout.write(f"{mutant.file}:{mutant.line:<5} {mutant.what:<60} {told}\n")
            sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
