"""The methods that the paper compares, and one run of each experiment: lengths of verified formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verimv.certificate.from_extraction import extract
from verimv.certificate.from_simplification import simplify_extraction
from verimv.core.errors import InternalError
from verimv.extraction.pipeline import extract_uncertified
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.paper.baselines.hyperplane import hyperplane
from verimv.paper.baselines.schauder import schauder
from verimv.paper.baselines.shallow import shallow_network
from verimv.paper.experiments.families import deep_sawtooth, sawtooth, shallow_sawtooth
from verimv.paper.experiments.random_terms import TermSource, composition
from verimv.paper.experiments.shortest import shortest_length
from verimv.paper.experiments.source_check import check_breakpoints, check_source, pieces, solver_proves
from verimv.pieces.piecewise import Piecewise, function_of
from verimv.pieces.regions import same_function

#: Results of one run: lengths by method, and counts by name.
Row = dict[str, int]

#: Methods in the order of the legends, with their names there.
METHODS = {
    "shallow": "shallow network",
    "schauder": "Schauder hats",
    "hyperplane": "hyperplanes",
    "hyperplane_few": "hyperplanes, improved",
    "deep": "deep network",
    "compact": "deep network, compact",
    "simplified": "deep network, compact, simplified",
}

#: Methods that start from the function, by its breakpoints and values, not from the term.
FROM_FUNCTIONS: Mapping[str, Callable[[Piecewise], Formula]] = {
    "schauder": schauder,
    "hyperplane": hyperplane,
    "hyperplane_few": lambda function: hyperplane(function, choice="few", sigma="shortest"),
    "shallow": lambda function: extracted(shallow_network(function), "paper"),
}

#: The largest s for which g_s is tried. Only the deep network's formulas have few nodes.
SAWTOOTH_LIMITS = {"deep": 8, "compact": 8, "schauder": 6, "hyperplane": 6, "hyperplane_few": 6, "shallow": 5}

#: Linear regions are compared for formulas up to this length; the solver compares all formulas.
_REGIONS_LENGTH = 14
#: In three variables, hyperplanes are tried for terms up to this length: their formulas take the solver longest.
LATTICE_LENGTH = 8


def extracted(network: Network, strategy: str) -> Formula:
    """Return the formula of `verimv.extract`."""
    return extract_uncertified(network, strategy=strategy, bounds=_bounds(network)).formula


def _bounds(network: Network) -> str:
    """Return the method for bounds: for several inputs intervals, which are quick."""
    return "auto" if len(network.inputs) == 1 else "interval"


def from_deep_network(network: Network) -> tuple[dict[str, Formula], Row]:
    """Return the formulas of a deep network by method; and whether the simplified one lacks a certificate, and the
    length of the shortest formulas, if known."""
    compact = extract(network, bounds=_bounds(network))
    simplified = simplify_extraction(compact)
    formulas = {
        "deep": extracted(network, "paper"),
        "compact": compact.formula,
        "simplified": simplified.formula,
    }
    row = {"uncertified": int(bool(simplified.check(kernel="python")))}
    minimum = shortest_length(simplified.formula)
    return formulas, row if minimum is None else row | {"minimum": minimum}


# -- functions of one variable -----------------------------------------------------------------------------------------


def verified(source: Formula | Network, function: Piecewise, formulas: Mapping[str, Formula]) -> Row:
    """Return the lengths of formulas, and how many of them the solver did not confirm.

    Every formula must have the breakpoints and values of the source.
    """
    row = {"unverified": 0}
    seen: list[Formula] = []
    for method, formula in formulas.items():
        row[method] = formula.length
        if formula in seen:
            continue
        seen.append(formula)
        check_breakpoints(source, function, formula)
        row["unverified"] += not solver_proves(source, formula, pieces(function))
    return row


class UnivariateRuns:
    """Runs with terms of one variable. Many terms have the same function; what depends only on it is done once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Piecewise, bool], tuple[Formula, Row]] = {}

    def run(self, term: Formula, *, shallow: bool) -> Row:
        function = function_of(term)
        check_source(term, function)
        deep, found = from_deep_network(to_network(term))
        row = verified(term, function, deep) | found
        others = self._from_function(term, function, shallow)
        return (
            row
            | others
            | {
                "source": term.length,
                "breakpoints": len(function.breakpoints),
                "unverified": row["unverified"] + others["unverified"],
            }
        )

    def _from_function(self, term: Formula, function: Piecewise, shallow: bool) -> Row:
        known = self._known.get((function, shallow))
        if known is not None:  # these formulas are verified: compare the terms
            first, row = known
            proved = solver_proves(term, first, pieces(function))
            return row | {"unverified": row["unverified"] if proved else len(FROM_FUNCTIONS)}
        formulas = {name: build(function) for name, build in FROM_FUNCTIONS.items() if shallow or name != "shallow"}
        row = verified(term, function, formulas)
        self._known[function, shallow] = term, row
        return row


_runs = UnivariateRuns()


def run_lengths(s: int, seed: str) -> Row:
    """Return lengths for the sawtooth g_s, by every method that is tried for this s; nothing is random."""
    function = sawtooth(s)
    deep = deep_sawtooth(s)
    if function_of(deep) != function:
        raise InternalError(f"the network of g_{s} is not g_{s}")
    builders: dict[str, Callable[[], Formula]] = {
        name: lambda build=build: build(function)  # type: ignore[misc]
        for name, build in FROM_FUNCTIONS.items()
    }
    builders |= {
        "shallow": lambda: extracted(shallow_sawtooth(s), "paper"),
        "deep": lambda: extracted(deep, "paper"),
        "compact": lambda: extracted(deep, "compact"),
    }
    formulas = {name: build() for name, build in builders.items() if s <= SAWTOOTH_LIMITS[name]}
    return verified(deep, function, formulas) | {"breakpoints": len(function.breakpoints)}


def run_random(length: int, seed: str) -> Row:
    return _runs.run(TermSource(seed, ["x"]).draw(length), shallow=True)


def run_breakpoints(length: int, seed: str) -> Row:
    """Return the numbers of breakpoints of a term in which every operator acts, and of any term."""
    row = {"unverified": 0}
    for column, idle in (("breakpoints", False), ("breakpoints_any", True)):
        term = TermSource(seed, ["x"], idle=idle).draw(length)
        function = function_of(term)
        check_source(term, function)
        row[column] = len(function.breakpoints)
    return row


def run_compositions(parts: int, seed: str) -> Row:
    return _runs.run(composition(TermSource(seed, ["x"]), parts), shallow=False)


# -- three variables ---------------------------------------------------------------------------------------------------


def run_multivariate(length: int, seed: str) -> Row:
    """Return lengths for a term in three variables: by the deep network, and by hyperplanes."""
    term = TermSource(seed, ["x1", "x2", "x3"]).draw(length)
    network = to_network(term)
    formulas, found = from_deep_network(network)
    if length <= LATTICE_LENGTH:
        formulas["hyperplane_few"] = hyperplane(network, choice="few", sigma="shortest")
    row = {"source": term.length, "unverified": 0} | found
    seen = [term]
    for method, formula in formulas.items():
        row[method] = formula.length
        if formula in seen:
            continue
        seen.append(formula)
        if formula.length <= _REGIONS_LENGTH and not same_function(term, formula):
            raise InternalError(f"a formula differs from its source: {term.text()}")
        row["unverified"] += not solver_proves(term, formula)
    return row
