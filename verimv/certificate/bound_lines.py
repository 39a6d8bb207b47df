"""Certificate lines that prove bounds of neurons, each after the lines that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.results import NetworkBounds, add_bound
from verimv.bounding.search.evidence import prove_bound
from verimv.bounding.situation import Case, Ends, Place, Target
from verimv.certificate.lines import Derivation
from verimv.certificate.numbering import Numbering, write_bound
from verimv.core.effort import Meter
from verimv.networks.network import Network


class BoundLines:
    """Writes bounds of one network on the unit cube; `proven` are bounds found before, with evidence."""

    def __init__(self, derivation: Derivation, network: Network, proven: NetworkBounds, meter: Meter) -> None:
        self.derivation, self.network, self.proven, self.meter = derivation, network, proven, meter
        self._numbering = Numbering(network)
        #: bounds that are written
        self.known: dict[Place, Ends] = {}
        #: number of bounds without evidence
        self.assumed = 0
        self._written = 1  # the lemmas of layers below this one are written

    def is_written(self, target: Target) -> bool:
        """Return whether a bound, or a better one, is written."""
        end = self.known.get((target.layer, target.index), (None, None))[target.way > 0]
        return end is not None and target.way * end <= target.way * target.value

    def prove(self, target: Target) -> bool:
        """Write a bound with its evidence, and return whether there is any; without evidence it is assumed."""
        bound = self.proven.get(target.layer - 1, target.index)
        for lemma, cases in bound.lemmas(target.layer, target.index) if bound is not None else ():
            if lemma.way == target.way and target.way * lemma.value <= target.way * target.value:
                self.write_lemmas(target.layer)
                self._write(lemma, cases)
                return True
        found = prove_bound(self.network, target, self.known, self.meter)
        self.assumed += found is None
        self._write(target, found or ())
        return found is not None

    def write_lemmas(self, layer: int) -> None:
        """Write all bounds proved below a layer, on which the evidence for bounds of this layer rests."""
        for lemma, cases in self.proven.lemmas(layer):
            if lemma.layer >= self._written and not self.is_written(lemma):
                self._write(lemma, cases)
        self._written = max(self._written, layer)

    def _write(self, target: Target, cases: Sequence[Case]) -> None:
        add_bound(self.known, target)
        write_bound(self.derivation, (target.layer, target.index), target, self._numbering.numbered(cases))
