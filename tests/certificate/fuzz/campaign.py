"""Many sequences: what was accepted, how much was judged, and what was false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType

from tests.certificate.fuzz.author import Stopped
from tests.certificate.fuzz.sequence import Outcome, run, run_any
from verimv import kernel


@dataclass
class Tally:
    """Counts over sequences."""

    sequences: Counter[str] = field(default_factory=Counter)
    #: by kind of subjects; by rule
    lines: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    checked: int = 0
    points: int = 0
    stale: int = 0
    faults: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.sequences[outcome.kind] += 1
        self.lines[outcome.kind] += sum(outcome.accepted.values())
        self.accepted += outcome.accepted
        self.tried += outcome.tried
        self.verdicts[outcome.verdict] += 1
        self.checked += outcome.checked
        self.points += outcome.points
        self.stale += outcome.is_stale
        if outcome.fault:
            self.faults.append(outcome)

    def merge(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def per_sequence(self) -> float:
        return sum(self.lines.values()) / max(1, sum(self.sequences.values()))

    def __str__(self) -> str:
        count = sum(self.sequences.values())
        rules = ", ".join(f"{rule} {n}" for rule, n in self.accepted.most_common())
        kinds = ", ".join(f"{kind}: {n} with {self.lines[kind] / n:.1f} lines" for kind, n in self.sequences.items())
        verdicts = ", ".join(f"{n} {verdict}" for verdict, n in self.verdicts.most_common())
        return (
            f"{count} sequences, {sum(self.lines.values())} accepted lines ({self.per_sequence():.1f} each), "
            f"{self.checked} statements judged at {self.points / max(1, count):.1f} points on average\n"
            f"  {kinds}\n  {rules}\n  {verdicts}; {self.stale} stale\n  false: {len(self.faults)}"
        )


def tally(seeds: Iterable[int]) -> Tally:
    total = Tally()
    for seed in seeds:
        total.add(run_any(seed))
    return total


def tallies(first: int, count: int, workers: int = 2, chunk: int = 250) -> Iterator[Tally]:
    """Counts of parts of the sequences, as they are done by processes."""
    chunks = [range(start, min(start + chunk, first + count)) for start in range(first, first + count, chunk)]
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(tally, chunks)


#: So many take about two minutes. They depend on their seeds only: what is found once is found always.
SEQUENCES = 6_000


def first_fault(
    module: ModuleType = kernel, sequences: int = SEQUENCES, kind: str | None = None
) -> tuple[Outcome | None, int]:
    """The first sequence, of this kind of subjects, that a kernel accepts wrongly, and how many were tried."""
    for seed in range(sequences):
        outcome = run(seed, module, kind)
        if outcome.fault and not isinstance(outcome.fault, Stopped):
            return outcome, seed + 1
    return None, sequences
