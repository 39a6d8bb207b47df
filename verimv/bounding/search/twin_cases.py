"""Evidence about the difference of two networks with twins: lemmas about hidden neurons, and trees of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from verimv.bounding.prove.twin_layers import TwinPlace, TwinSystem
from verimv.bounding.prove.twin_ranges import TwinRange
from verimv.bounding.prove.twin_walk import LayerSlopes
from verimv.exact import Number


@dataclass(frozen=True)
class TwinLeaf:
    """Closed by multipliers, from the last that is needed to the first; without any, by default slopes."""

    multipliers: tuple[Number, ...] = ()


@dataclass(frozen=True)
class TwinSplitCase:
    """Two cases follow: an argument is at most `point`, then it is at least `point`."""

    place: TwinPlace
    point: Number


TwinCase = TwinLeaf | TwinSplitCase


@dataclass(frozen=True)
class TwinLemma:
    """way·(y or d of a neuron) ≤ way·value on the whole cube, by default slopes and the lemmas before it."""

    place: TwinPlace
    way: int
    value: Number


@dataclass(frozen=True)
class TwinProof:
    """way·(first − second) of an output is at most `value`, by cases."""

    output: int
    way: int
    value: Number
    cases: Sequence[TwinCase]


@dataclass(frozen=True)
class TwinEvidence:
    """A system of two networks, lemmas in the order in which they were proved, and a proof for each end."""

    system: TwinSystem
    #: neurons that are compared with their twins, by the number of the variable
    compared: Sequence[int]
    lemmas: Sequence[TwinLemma]
    proofs: Sequence[TwinProof]

    @property
    def upper(self) -> list[Number]:
        """The bounds of |first − second| that are proved, per output."""
        outputs = sorted({proof.output for proof in self.proofs})
        return [max(proof.value for proof in self.proofs if proof.output == k) for k in outputs]

    def loosened(self, tolerance: Number) -> TwinEvidence:
        """Return the same evidence for a larger bound of all outputs."""
        return replace(self, proofs=[replace(proof, value=tolerance) for proof in self.proofs])


def needed(ranges: Sequence[TwinRange], slopes: Sequence[LayerSlopes]) -> tuple[Number, ...]:
    """Return multipliers in the order of a certificate: from the last neuron to the first."""
    result: list[Number] = []
    for found, layer in zip(reversed(ranges), reversed(slopes), strict=True):
        twins = set(found.compared.at[found.compared.is_multiplied].tolist())
        for i in sorted([*np.flatnonzero(found.bends).tolist(), *twins], reverse=True):
            result += [layer.mu[i], layer.nu[i]] if i in twins else [layer.of_y[i]]
    return tuple(result)
