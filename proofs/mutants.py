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
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

COQ = Path(__file__).parent / "coq"
#: Files with conditions, and the file that ends with the theorem.
CHECKED, THEOREM = ("Checker.v", "Cases.v", "Sums.v"), "CheckerQc.vo"
_NEED = re.compile(
    r'\bneed\s+(?P<condition>\((?:[^()]|\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\))*\)|[\w\']+)\s+"(?P<why>[^"]*)"'
)
_ERROR = re.compile(r'File "(?:\./)?([^"]+)", line (\d+)')
_STATEMENT = re.compile(
    r"\s*(?:Local |Global )?(?:Lemma|Theorem|Corollary|Fact|Remark|Definition|Fixpoint|Instance)\s+([\w']+)"
)

#: Changes that are not the loss of a `need`: (file, old text, new text, what is switched off).
CHANGES: list[tuple[str, str, str, str]] = []

#: Conditions that only keep to the format, by their reason in the checker's text, and why no proof needs them.
NOT_FOR_SOUNDNESS: dict[str, str] = {}


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
    """Every `need`, and the changes listed above."""
    found = []
    for file in CHECKED:
        text = (COQ / file).read_text(encoding="utf-8")
        for match in _NEED.finditer(text):
            if not re.match(r"\s*Definition", text[text.rfind("\n", 0, match.start()) + 1 :]):
                new = f'need true "{match["why"]}"'
                found.append(Mutant(file, match.start(), match[0], new, match["why"]))
    for file, old, new, what in CHANGES:
        text = (COQ / file).read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{file}: expected once, found {text.count(old)} times: {old}")
        found.append(Mutant(file, text.index(old), old, new, what))
    return found


def broken_by(mutant: Mutant) -> str | None:
    """The proof that breaks, as file:line name; None if all compile."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "coq"
        shutil.copytree(COQ, folder)
        mutant.apply(folder)
        command = ["make", "-C", str(folder), THEOREM]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        place = _ERROR.search(done.stderr)
        if place is None or place[1] == mutant.file:
            return f"no proof, but the build: {done.stderr[-300:]}"
        lines = (folder / place[1]).read_text(encoding="utf-8").splitlines()
        names = filter(None, map(_STATEMENT.match, reversed(lines[: int(place[2])])))
        name = next((match[1] for match in names), "?")
        return f"{place[1]}:{place[2]} {name}"


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
            if (broken is None or broken.startswith("no proof")) != (reason is not None):
                code = 1
            told = broken or (f"not needed: {reason}" if reason else "NOTHING BREAKS")
            sys.stdout.write(f"{mutant.file}:{mutant.line:<5} {mutant.what:<60} {told}\n")
            sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
