"""How much shorter formulas become, and how close to the shortest; every result is proved equivalent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from verimv.core.progress import Progress
from verimv.extraction.pipeline import extract_uncertified
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.experiments.families import random_network, random_term, shallow_network, single_unit
from verimv.simplification.simplification import Simplification, simplify
from verimv.simplification.table import Entry, ShortFormulas, short_formulas
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.point_search import Search

#: Functions per length that are compared with their shortest formulas.
SAMPLE = 8
#: Largest length of enumerated formulas, in one and in two variables.
MAX_LENGTHS = {1: 7, 2: 7}
#: Random terms per kind.
TERMS = 6
#: Seconds for the proof of one result.
PROOF_SECONDS = 20.0


@dataclass(frozen=True)
class Trial:
    """A simplification, and whether the solver proves its result equal to the reference."""

    found: Simplification
    proved: bool

    @staticmethod
    def of(formula: Formula, reference: Formula, minimise: str = "length") -> Trial:
        found = simplify(formula, minimise=minimise)
        verdict = equal_by_solver(reference, found.formula, search=Search(seconds=PROOF_SECONDS))
        return Trial(found, verdict.proved)


def run(progress: Progress) -> Benchmark:
    return Benchmark([_shortest(progress), _random_terms(progress), _extractions(progress)])


def _shortest(progress: Progress) -> Table:
    """Functions by the length of their shortest formula, given as networks of another structure."""
    rows = []
    for variables, max_length in MAX_LENGTHS.items():
        table = short_formulas(variables, max_length)
        for length in range(1, max_length + 1):
            progress(f"shortest formulas in {variables} variables", length - 1, max_length)
            entries = table.of_length(length)
            sample = random.Random(length).sample(entries, min(SAMPLE, len(entries)))
            rows.append((f"{variables}, {length}", f"{len(entries):,}", *_closeness(table, sample)))
    header = (
        "variables, length",
        "functions (told apart by the grid)",
        "tried",
        "compact: mean ratio",
        "minimum found",
        "mean ratio",
        "proved",
    )
    return Table("network, compact extraction, simplify: against the shortest formula of the function", header, rows)


def _closeness(table: ShortFormulas, sample: Sequence[Entry]) -> tuple[str, ...]:
    before, after, trials = [], [], []
    source = random.Random(0)
    for entry in sample:
        shortest = Formula(table.dag, table.names, [entry.node])
        network = disguised(shortest, Formula(table.dag, table.names, [source.choice(sample).node]))
        extracted = extract_uncertified(network, strategy="compact").formula
        trials.append(Trial.of(extracted, shortest))
        before.append(extracted.length / entry.length)
        after.append(trials[-1].found.formula.length / entry.length)
    hits = sum(ratio <= 1 for ratio in after)
    proved = sum(trial.proved for trial in trials)
    count = len(sample)
    return (
        str(count),
        f"{fmean(before):.3f}",
        f"{hits / count:.0%}",
        f"{fmean(after):.3f}",
        f"{proved} of {count}",
    )


def disguised(shortest: Formula, other: Formula) -> Network:
    """Return a network of a formula's function, with another structure.

    In one variable it is built from the breakpoints, in more as (f ∧ g) ⊕ (f ⊖ g) with another formula g.
    """
    if len(shortest.inputs) == 1:
        return shallow_network(shortest, shortest.length)
    return to_network((shortest & other) + (shortest - other))


def _random_terms(progress: Progress) -> Table:
    kinds = [(1, 20), (2, 10), (2, 20), (3, 20), (3, 40), (5, 80)]
    rows = []
    for number, (variables, length) in enumerate(kinds):
        progress("random terms", number, len(kinds))
        terms = [random_term(length, variables, seed) for seed in range(TERMS)]
        rows.append((f"{variables}, {length}", *_reduction(terms)))
    return Table(f"random terms, {TERMS} of each kind", ("variables, length", *_REDUCTION), rows)


def _extractions(progress: Progress) -> Table:
    """Formulas of units and small networks by the paper's strategy."""
    units = [single_unit([a], -(a // 3)) for a in (4, 6, 8)] + [single_unit(w, -1) for w in ([2, 2], [3, -2])]
    networks = [random_network((2, 3, 1), seed, "integer") for seed in (3, 7, 10, 22, 23, 26)]
    rows = []
    for name, subjects in (("units", units), ("2-3-1 integer networks", networks)):
        progress(name, 0, 1)
        formulas = [extract_uncertified(network, strategy="paper").formula for network in subjects]
        rows.append((name, *_reduction(formulas)))
    return Table("extractions by the paper's strategy", ("from", *_REDUCTION), rows)


_REDUCTION = (
    "length, after / before",
    "size, after / before",
    "size (minimising size)",
    "s each",
    "solver calls each",
    "proved",
)


def _reduction(formulas: Sequence[Formula]) -> tuple[str, ...]:
    by_length = [Trial.of(formula, formula) for formula in formulas]
    by_size = [Trial.of(formula, formula, "size") for formula in formulas]
    pairs = list(zip(formulas, by_length, strict=True))
    proved = sum(trial.proved for trial in by_length + by_size)
    return (
        f"{fmean(trial.found.formula.length / formula.length for formula, trial in pairs):.3f}",
        f"{fmean(trial.found.formula.size / formula.size for formula, trial in pairs):.3f}",
        f"{fmean(t.found.formula.size / f.size for f, t in zip(formulas, by_size, strict=True)):.3f}",
        f"{fmean(trial.found.seconds for trial in by_length):.2f}",
        f"{fmean(trial.found.solver_calls for trial in by_length):.1f}",
        f"{proved} of {2 * len(formulas)}",
    )
