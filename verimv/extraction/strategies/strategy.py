"""Step 2 as Step 3 sees it: a strategy gives recipes for the units of a layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from verimv.extraction.strategies.paper import LemmaTable
from verimv.extraction.strategies.plan import PlannedUnits
from verimv.extraction.strategies.threshold import Thresholds
from verimv.networks.affine import Affine

#: How the units of a group become formulas over the units below. It is read twice: `nodes` makes the formulas, and a
#: certificate says why each of them is its unit.
Recipe = LemmaTable | Thresholds | PlannedUnits


class Strategy(Protocol):
    """Decides how units become formulas: by the paper's lemmas, or in the best way that is found."""

    def recipes(self, units: Sequence[Affine]) -> Iterator[Recipe]:
        """Yield recipes for the units σ(form) of one layer, each unit in one of them. Layers are asked for in order,
        and each to its end."""
