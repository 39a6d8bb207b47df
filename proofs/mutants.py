"""Deliberate bugs: without any one side condition of the checker, its soundness proof no longer compiles.

    python proofs/mutants.py [--jobs N] [--only WORDS]

Each mutant is a copy of proofs/coq in which one condition is switched off. What depends on the change is compiled again
until a proof breaks (over the rational numbers; over the reals the proofs are the same texts), and a table says which.
A mutant whose proof does not break is a condition that soundness does not need: exit code 1, unless it is listed here
with its reason. The listed ones are switched off all together in one copy, and one by one only if that breaks a proof.
Needs a finished `make -C proofs/coq`.
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
#: Files of checker/ with conditions, each with the proof that is compiled first, and the proof of the theorem.
CHECKED = {
    "Store.v": "soundness/StoreSound.vo",
    "Claims.v": "soundness/ClaimsSound.vo",
    "Networks.v": "soundness/ProgressSound.vo",
    "Sharing.v": "soundness/SharingSound.vo",
    "Checker.v": "soundness/CheckerSound.vo",
    "Twins.v": "soundness/TwinsSound.vo",
    "Sweeps.v": "soundness/SweepsSound.vo",
    "Cases.v": "soundness/CasesSound.vo",
    "Chain.v": "soundness/ChainSound.vo",
}
THEOREM = "soundness/ChainSound.vo"
_GROUP = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
_NEED = re.compile(rf'\b(?P<word>need|well_formed) (?:{_GROUP}(?:%\w+)?|[\w\']+)\s+"(?P<why>[^"]*)"')
_RANGE = re.compile(rf"\b(?P<why>form_at_(?:least|most) K (?:\w+|{_GROUP}) (?:\w+|{_GROUP}))")
_ERROR = re.compile(r'File "(?:\./)?([^"]+)", line (\d+)')
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
    ("Cases.v", "with_split s k High p :: with_split s k Low p", "with_split s k High p", "split: both sides"),
    ("Cases.v", "for_lemma s k goal weight :: with_lemma", "with_lemma", "lemma inside of cases: its proof"),
    ("Cases.v", "(c, Twins.of_argument w)]", "(zero, Twins.of_argument w)]", "a twin of opposite sign: its argument"),
    ("Cases.v", "(add K other c, Twins.offset w)", "(other, Twins.offset w)", "a complement: the constant 1"),
    ("Twins.v", "Twin m p zero (opp K p) p (None, None)", "Twin m p zero p zero (None, None)", "rho(-z) = rho(z) - z"),
    ("Twins.v", "if begins_below || ends_below", "if begins_below", "a range up to 0 has a piece"),
    ("Twins.v", "Ok (b && b')", "Ok (b && negb b')", "cells: none is left out"),
    ("Twins.v", "let* m := smaller K m (add K y3 d3) in", "let* m := smaller K m y3 in", "the peak: all of each sum"),
    (
        "Twins.v",
        "if falling then (image zh, image zl) else",
        "if false then (image zh, image zl) else",
        "a negative factor exchanges the ends",
    ),
    ("Twins.v", "let* top := larger K top h in", "let* top := Ok h in", "the peak: the largest over all cells"),
    ("Sweeps.v", "Z.opp (Z.div (Z.opp a) (Zpos b))", "Z.div a (Zpos b)", "sweep: totals are rounded up"),
    ("Sweeps.v", "(live, Z.div low (Zpos (below x)),", "(live, ceiling low (below x),", "sweep: low ends go down"),
    ("Sweeps.v", "then Z.eqb h 0 else false", "then true else false", "sweep: a variable that is left out is 0"),
    ("Sweeps.v", "| Relu => kink l h 0", "| Relu => []", "sweep: the kink of a relu"),
    ("Sweeps.v", "(h :: kinks)", "kinks", "sweep: both ends of a range"),
    ("Sweeps.v", "if Z.leb 0 n then high e else low e", "high e", "sweep: the larger end of a free variable"),
    ("Sweeps.v", "if Z.eqb slope 0 then p else later slope e p", "p", "sweep: slopes times arguments"),
    ("Sweeps.v", "(Z.mul m one) (offset x)", "(Z.mul m one) 0", "sweep: the constant of an argument"),
    ("Sweeps.v", "let l := most l (Z.opp down) in", "let l := most l down in", "sweep: a low end is minus a bound"),
    ("Sweeps.v", "most l (Z.div (Z.mul n one) (Zpos d))", "most l n", "sweep: bounds in units of ranges"),
    ("Sweeps.v", "bound_of es x live (-1)", "bound_of es x [] (-1)", "sweep: the argument is bounded"),
    (
        "Chain.v",
        "larger K (opp K (fst bounds)) (snd bounds)",
        "larger K (snd bounds) (snd bounds)",
        "an error: both bounds",
    ),
    ("Chain.v", "let* bounds := Checker.finish K (part c) in", "let bounds := [] in", "line formula: the first part"),
    (
        "Chain.v",
        '| Some _ => Reject Incomplete "a line formula, and a second part"',
        "| Some _ => Ok (errors c, pairs)",
        "finish: the second part",
    ),
    ("Chain.v", "Ok (Chain g None es)", "Ok (Chain g (next c) es)", "line formula: once"),
]

#: Conditions that only keep to the format: why no proof needs them.
NOT_FOR_SOUNDNESS = {
    "rule_twin: a variable before the neuron": "a walk from the last variable to the first notices it",
    "rule_twin: a neuron without a twin": "bounds of changes are forgotten with the old twin",
    "rule_twin: a factor other than 0": "act(0) = 0 for all activations",
    "bound_by: no more multipliers": "numbers that nobody uses change nothing",
    "follow: a variable": "a split of no variable leaves the same situation twice",
    "rule_node: 0, 1, or 2 + the number of an input": "every node is σ of itself",
    "rule_average: at least one unit": "without claims there is no first one, and the rule is refused anyway",
    "cone_variables: a node other than 0 and 1": "0 and 1 are numbers wherever they occur",
    "read_interval: an interval [low, high]": "the map of the unit cube is the same one",
    "neuron: the current layer": "neurons are looked up in the current layer, whatever it is called",
    "any_neuron: a neuron of this layer": "the bound is proved of the neuron that it then names",
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
        return _source(self.file).count("\n", 0, self.position) + 1


def mutants() -> list[Mutant]:
    """Every `need` and every condition on a range, and the changes listed above."""
    found = []
    for file in CHECKED:
        text = _source(file)
        for pattern, new in ((_NEED, r'\g<word> true "\g<why>"'), (_RANGE, "ret tt")):
            for match in pattern.finditer(text):
                what = f"{_enclosing(text, match.start())}: {' '.join(match['why'].split())}"
                again = sum(mutant.what.startswith(what) for mutant in found)
                what += f" ({again + 1})" if again else ""
                found.append(Mutant(file, match.start(), match[0], match.expand(new), what))
    for file, old, new, what in CHANGES:
        text = _source(file)
        if text.count(old) != 1:
            sys.exit(f"{file}: expected once, found {text.count(old)} times: {old}")
        found.append(Mutant(file, text.index(old), old, new, what))
    return found


def _source(file: str) -> str:
    return (COQ / "checker" / file).read_text(encoding="utf-8")


def _enclosing(text: str, position: int) -> str:
    """The name of the definition, or the statement whose proof, stands at a position."""
    names = filter(None, map(_HEAD.match, reversed(text[:position].splitlines())))
    return next((match[1] for match in names), "?")


def broken_by(*mutants: Mutant) -> str | None:
    """The first statement whose proof breaks, with its file; None if all proofs compile."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "coq"
        shutil.copytree(COQ, folder, ignore=shutil.ignore_patterns("*R.vo", "*.vok", "*.vos", "*.glob", ".*.aux"))
        # From the last position to the first: a change moves only what stands behind it.
        for mutant in sorted(mutants, key=lambda each: each.position, reverse=True):
            path = folder / "checker" / mutant.file
            text = path.read_text(encoding="utf-8")
            end = mutant.position + len(mutant.old)
            path.write_text(text[: mutant.position] + mutant.new + text[end:], encoding="utf-8")
        (folder / ".depend").touch()  # no change is one of `Require`
        goals = [*dict.fromkeys(CHECKED[mutant.file] for mutant in mutants), THEOREM]
        command = ["make", "-j1", "-C", str(folder), *goals]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        place = _ERROR.search(done.stderr)
        if place is None or not place[1].startswith("soundness/"):
            sys.exit(f"{mutants[0].what}: this is no checker any more: {done.stderr[-500:]}")
        lines = (folder / place[1]).read_text(encoding="utf-8").splitlines(keepends=True)
        before = "".join(lines[: int(place[2])])
        return f"{_enclosing(before, len(before))} ({Path(place[1]).name})"


def main() -> int:
    parser = argparse.ArgumentParser(description="Switch off one side condition at a time.")
    processors = os.cpu_count() or 1
    parser.add_argument(
        "--jobs", type=int, default=processors, help=f"mutants compiled at a time (default: {processors})"
    )
    parser.add_argument("--only", default="", help="only conditions that contain these words")
    arguments = parser.parse_args()
    if not (COQ / THEOREM).exists():
        sys.exit("the proofs are not built: make -C proofs/coq")
    chosen = [mutant for mutant in mutants() if arguments.only in mutant.what]
    listed = [mutant for mutant in chosen if mutant.what in NOT_FOR_SOUNDNESS]
    code = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        together = pool.submit(broken_by, *listed) if listed else None
        alone = {mutant: pool.submit(broken_by, mutant) for mutant in chosen if mutant not in listed}
        if together and together.result() is not None:
            alone |= {mutant: pool.submit(broken_by, mutant) for mutant in listed}
        for mutant in chosen:
            broken = alone[mutant].result() if mutant in alone else None
            reason = NOT_FOR_SOUNDNESS.get(mutant.what)
            if (broken is None) != (reason is not None):
                code = 1
            told = broken or f"nothing: {reason or 'WHY?'}"
            sys.stdout.write(f"{mutant.file}:{mutant.line:<5} {mutant.what:<60} {told}\n")
            sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
