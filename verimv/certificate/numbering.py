"""Evidence in the words of a certificate: cases about places become cases about numbered variables.

A certificate about one network numbers the inputs, then the neurons layer by layer. One about two networks has the
inputs, all neurons of the first network, then all of the second, including those that are multiples of others
(proofs/FORMAT.md, §3). A search looks only at the neurons that matter to it, a *subnetwork*: its evidence becomes
evidence of the certificate when its multipliers are reordered, with 0 for the neurons that do not matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from verimv.bounding.prove.walk import Walk
from verimv.bounding.search.pair import Facts, Pair, Subnetwork
from verimv.bounding.situation import Case, LeafCase, LemmaCase, Place, Situation, SplitCase, SweepCase, Target
from verimv.certificate.lines import Derivation
from verimv.core.errors import InternalError
from verimv.exact import ZERO, Number, format_number
from verimv.networks.network import Box, Network


def case_words(cases: Sequence[Case]) -> list[list[int | str]]:
    """Return cases about numbered variables as a certificate writes them."""
    words: list[list[int | str]] = []
    for case in cases:
        if isinstance(case, LeafCase):
            words.append(["leaf", *map(format_number, case.multipliers)])
        elif isinstance(case, SweepCase):
            words.append(["sweep"])
        elif not isinstance(case.variable, int):
            raise InternalError(f"the neuron at {case.variable} has no number")
        elif isinstance(case, LemmaCase):
            words.append(["lemma", case.variable, "high" if case.way > 0 else "low", format_number(case.value)])
        else:
            words.append(["split", case.variable, format_number(case.point)])
    return words


def write_bound(derivation: Derivation, place: Place, target: Target, cases: Sequence[Case]) -> None:
    """Add the line that bounds the neuron at a place of the certificate, with cases about numbered variables."""
    derivation.line("bound", *place, target.side, format_number(target.value), *case_words(cases))


class Numbering:
    """Numbers of the inputs and neurons of one network: inputs first, then neurons layer by layer."""

    def __init__(self, network: Network) -> None:
        self._first = list(
            itertools.accumulate((len(layer.rows) for layer in network.layers), initial=len(network.inputs))
        )

    def variable(self, variable: int | Place) -> int:
        """Return the number of an input, or of the neuron at a place."""
        return variable if isinstance(variable, int) else self._first[variable[0] - 1] + variable[1]

    def numbered(self, cases: Sequence[Case]) -> list[Case]:
        """Return the same cases about numbered variables."""
        return [
            case if isinstance(case, LeafCase | SweepCase) else replace(case, variable=self.variable(case.variable))
            for case in cases
        ]


class PairNumbering:
    """Numbers of all neurons of a pair of networks, and what the kernel asks of a leaf about them."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._second_from = pair.sides[1][0][0]
        self._all_of_first = pair.subnetwork(pair.sides[0])
        both = [first + second for first, second in zip(*pair.sides, strict=True)]
        self._all = pair.subnetwork(both, pair.differences)

    def place(self, variable: int) -> Place:
        """Return the place of a neuron in the certificate: layers of the first network, then of the second."""
        for layer, found in enumerate(itertools.chain(*self.pair.sides), start=1):
            if variable in range(found[0], found[-1] + 1):
                return layer, variable - found[0]
        raise InternalError(f"variable {variable} is no neuron")

    def walks(self, facts: Facts) -> tuple[Walk, Walk]:
        """Return the exact walks over all neurons of the first network, and over all neurons, given proved bounds."""
        first, both = (Walk(part.network, part.known(facts)) for part in (self._all_of_first, self._all))
        return first, both

    def needed(self, target: int | None, box: Box, phases: Facts, walks: tuple[Walk, Walk]) -> list[int] | None:
        """Return the variables that need a multiplier in a leaf, from the last to the first; None if the leaf is empty.

        The leaf is about the argument of neuron `target`, or for None about a difference. The neurons that come before
        the target are those below it in its own network, and all of the first network.
        """
        depth = self.pair.depth
        layer = self.place(target)[0] if target is not None else 2 * depth + 1
        layers = (min(layer, depth + 1), max(layer - depth, 1))
        result: list[int] = []
        for part, walk, below in zip((self._all_of_first, self._all), walks, layers, strict=True):
            inside = {place: ends for place, ends in part.known(phases).items() if place[0] < below}
            found = _free(part, walk, Situation(box, inside), below)
            if found is None:
                return None
            result += [k for k in found if part is self._all_of_first or k >= self._second_from]
        return sorted(result, reverse=True)


class Translation:
    """Translates evidence about a subnetwork of a pair; `facts` are all bounds that the certificate has so far."""

    def __init__(self, numbering: PairNumbering, part: Subnetwork, facts: Facts) -> None:
        self.numbering, self.part = numbering, part
        self._walk = Walk(part.network, part.known(facts))
        self._walks = numbering.walks(facts)

    def __call__(self, cases: Sequence[Case], target: int | None) -> list[Case]:
        """Return the cases about numbered variables; for None as target they are about a difference."""
        layer = self.part.places[target][0] if target is not None else len(self.part.network.layers)
        result: list[Case] = []
        for case, situation in _followed(self.part.network.box, cases):
            if isinstance(case, LeafCase):
                result.append(LeafCase(self._multipliers(case, situation, layer, target)))
            elif isinstance(case, SweepCase):
                result.append(case)
            else:
                result.append(replace(case, variable=self.part.variable(case.variable)))
        return result

    def _multipliers(self, leaf: LeafCase, situation: Situation, layer: int, target: int | None) -> tuple[Number, ...]:
        """Return the multipliers that the certificate needs, with 0 for neurons that the subnetwork does not have."""
        if not leaf.multipliers:
            return ()
        free = _free(self.part, self._walk, situation, layer) or []
        own = dict(zip(free, leaf.multipliers, strict=True))
        needed = self.numbering.needed(target, situation.box, self.part.facts(situation.phases), self._walks)
        return tuple(own.get(k, ZERO) for k in needed or ())


def _free(part: Subnetwork, walk: Walk, situation: Situation, layer: int) -> list[int] | None:
    """Return the variables below a layer that need a multiplier, from the last to the first; None without a point."""
    ranges = walk.ranges(situation, layer)
    if ranges is None:
        return None
    places = [(depth, int(i)) for depth, found in enumerate(ranges) for i in found.free.nonzero()[0]]
    return [part.members[depth][i] for depth, i in reversed(places)]


def _followed(box: Box, cases: Sequence[Case]) -> Iterator[tuple[Case, Situation]]:
    """Yield each case of a tree with its situation, without lemmas and sweeps: leaves there have no multipliers."""
    pending = [Situation(box, {})]
    for case in cases:
        situation = pending.pop()
        yield case, situation
        if isinstance(case, LemmaCase):
            pending += [situation, situation]
        elif isinstance(case, SweepCase):
            pending.append(situation)
        elif isinstance(case, SplitCase):
            below, above = situation.split(case.variable, case.point)
            pending += [above, below]
