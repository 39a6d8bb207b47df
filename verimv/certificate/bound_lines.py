"""Lines that prove bounds of neurons, with those that they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.prove.row_evidence import prove_bound
from verimv.bounding.prove.situation import Case, Ends, Place, Target
from verimv.bounding.results import NetworkBounds
from verimv.certificate.lines import Derivation
from verimv.core.effort import Meter
from verimv.exact import format_number
from verimv.networks.network import Network


class BoundLines:
    """Lines for bounds of one network on the unit cube; `proven` are its bounds that have evidence."""

    def __init__(self, derivation: Derivation, network: Network, proven: NetworkBounds, meter: Meter) -> None:
        self.derivation, self.network, self.proven, self.meter = derivation, network, proven, meter
        #: what is written
        self.known: dict[Place, Ends] = {}
        #: bounds without evidence
        self.assumed = 0
        self._written = 1  # the lemmas of layers below this one are written

    def is_written(self, target: Target) -> bool:
        """Return whether this bound, or a better one, is written."""
        end = self.known.get((target.layer, target.index), (None, None))[target.way > 0]
        return end is not None and target.way * end <= target.way * target.value

    def prove(self, target: Target) -> bool:
        """A line with its evidence, if that is known or found; otherwise the bound is assumed."""
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
        """Evidence from bounding the network rests on all that was proved of the layers below."""
        for lemma, cases in self.proven.lemmas(layer):
            if lemma.layer >= self._written and not self.is_written(lemma):
                self._write(lemma, cases)
        self._written = max(self._written, layer)

    def _write(self, target: Target, cases: Sequence[Case]) -> None:
        low, high = self.known.get((target.layer, target.index), (None, None))
        self.known[target.layer, target.index] = (low, target.value) if target.way > 0 else (target.value, high)
        value = format_number(target.value)
        self.derivation.line("bound", target.layer, target.index, target.side, value, *map(list, cases))
