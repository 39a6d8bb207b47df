"""Step 2, compact: units in the shortest or the smallest way that is found, never worse than the paper's.

Integer weights are built by plans (halving, cuts, sorting; `length_search`), others by thresholds (`threshold`).
The length of a formula is that of its units with the lengths of the units below as weights, layer by layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from verimv.core.progress import Progress, ProgressCounter, no_progress
from verimv.extraction.clipped import ClippedNetwork
from verimv.extraction.strategies.cost import Cost, cost, table_cost
from verimv.extraction.strategies.length_search import MAX_PEELED, LengthSearch, sorts
from verimv.extraction.strategies.paper import Group, LemmaTable, group_units
from verimv.extraction.strategies.plan import (
    Choice,
    Halve,
    Key,
    Plan,
    PlanBuilder,
    PlannedUnits,
    Planner,
    literal_form,
    peel,
    planned_nodes,
)
from verimv.extraction.strategies.strategy import Recipe
from verimv.extraction.strategies.threshold import better_thresholds
from verimv.networks.affine import Affine

#: Larger tables of the paper are not built for comparison: every plan is better by far.
_COMPARED = 20_000
#: Lengths of units are compared exactly up to so many bits, then in proportion.
_WEIGHT_BITS = 64


class Compact:
    """The compact strategy, for units of a network with so many inputs. `minimise` is "length" or "size".

    `plain`: with multiplication, units are always votes with thresholds, so that constants are those of the network.
    """

    def __init__(
        self,
        clipped: ClippedNetwork,
        inputs: int,
        logic: str,
        minimise: str,
        progress: Progress = no_progress,
        plain: bool = False,
    ) -> None:
        self._logic, self._plain = logic, plain
        self._minimise = minimise
        self._search = LengthSearch()
        #: the lengths of the units below, in proportion
        self._weights = [1] * inputs
        total = sum(map(len, clipped.layers)) + len(clipped.outputs)
        self._tick = ProgressCounter(progress, "composing terms", total)

    def recipes(self, units: Sequence[Affine]) -> Iterator[Recipe]:
        """Yield the best recipes found; the units of this layer are the variables of the next."""
        lengths = [0] * len(units)
        for group in group_units(units, self._logic):
            self._tick(len(group.members))
            recipe, found = self._best(group)
            for member, length in zip(group.members, found, strict=True):
                lengths[member] = length
            yield recipe
        surplus = max(0, max(lengths, default=0).bit_length() - _WEIGHT_BITS)
        self._weights = [max(1, length >> surplus) for length in lengths]

    def _best(self, group: Group) -> tuple[Recipe, list[int]]:
        if self._logic != "mv":
            return better_thresholds(group, self._logic, self._minimise, self._weights, self._plain)
        return better_plan(group, self._minimise, self._weights, self._search)


def better_plan(
    group: Group, minimise: str, weights: Sequence[int], search: LengthSearch
) -> tuple[PlannedUnits | LemmaTable, list[int]]:
    """Return a plan for a group of units with the same integer weights, or the paper's table where that is as good; and
    the lengths of the units."""
    keys = [literal_form(form) for form in group.forms]
    is_compared = group.table_size() <= _COMPARED
    table = table_cost(group, weights) if is_compared else None
    if minimise == "length":
        best = _shortest(keys, weights, search, table)
    else:
        best = min(_candidates(keys, weights, search, is_compared), key=lambda found: found[1].by("size"))
    if table is not None and table.by(minimise) <= best[1].by(minimise):
        return LemmaTable(group), table.lengths
    return PlannedUnits(group, best[0]), best[1].lengths


def _shortest(
    keys: Sequence[Key], weights: Sequence[int], search: LengthSearch, table: Cost | None
) -> tuple[Plan, Cost]:
    """Return the plan that builds each unit as the search found, or by Lemma 3.3 where that is shorter."""
    builder = PlanBuilder()
    found = Planner(builder, lambda key: search.choose(key, weights))
    paper = Planner(builder, lemma_choice)
    results = []
    for i, key in enumerate(keys):
        is_longer = table is not None and search.length(key, weights) > table.lengths[i]
        results.append((paper if is_longer else found).position(key))
    return _costed(Plan(builder.steps, results), weights)


def _candidates(
    keys: Sequence[Key], weights: Sequence[int], search: LengthSearch, is_small: bool
) -> list[tuple[Plan, Cost]]:
    """Return plans that may be small. All units of a group have the same terms."""
    terms = keys[0][0]
    choices: list[Callable[[Key], Choice]] = [lambda key: search.choose(key, weights)]
    if is_small:
        choices.append(lemma_choice)
    choices += [_always(sort) for sort in sorts([m for _, _, m in terms])]
    if len(choices) == 1 or len(terms) <= MAX_PEELED:
        choices.append(halving_choice)
    return [_costed(plan_by(choose, keys), weights) for choose in choices]


def _always(choice: Choice) -> Callable[[Key], Choice]:
    return lambda key: choice


def plan_by(choose: Callable[[Key], Choice], keys: Sequence[Key]) -> Plan:
    """Return the plan that builds all units as one function decides."""
    builder = PlanBuilder()
    planner = Planner(builder, choose)
    return Plan(builder.steps, [planner.position(key) for key in keys])


def _costed(plan: Plan, weights: Sequence[int]) -> tuple[Plan, Cost]:
    return plan, cost(weights, lambda dag, atoms: planned_nodes(dag, atoms, plan))


def halving_choice(key: Key) -> Choice:
    """Peel literals with odd coefficients by Lemma 3.3, then halve: O(n² log M) nodes for n inputs and largest
    coefficient M, where the lemma's table grows with the sum of the coefficients."""
    odd = next((i for i, (_, _, m) in enumerate(key[0]) if m % 2), None)
    return Halve() if odd is None else peel(key, odd)


def lemma_choice(key: Key) -> Choice:
    """Choose as the paper does (Lemma 3.3): peel one from the largest coefficient, positive ones first among equals."""
    terms = key[0]
    return peel(key, min(range(len(terms)), key=lambda i: (-terms[i][2], not terms[i][1], terms[i][0])))
