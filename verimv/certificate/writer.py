"""Extraction's claims, written down as the lines of a certificate while they are made (proofs/FORMAT.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.bounding.situation import Target
from verimv.certificate.bound_lines import BoundLines
from verimv.certificate.lines import Derivation
from verimv.core.effort import SECOND, Meter
from verimv.core.progress import Progress, no_progress
from verimv.exact import ONE, ZERO, Number, Rational, ceil, clip, floor, format_number
from verimv.extraction.clipped import HiddenClipping, OutputClipping
from verimv.extraction.events import Event, LayerBuilt, NetworkClipped, UnitsBuilt
from verimv.extraction.strategies.paper import LemmaStep, LemmaTable, ShiftWindow
from verimv.extraction.strategies.plan import Plan, PlannedUnits, PlanStep
from verimv.extraction.strategies.strategy import Recipe
from verimv.extraction.strategies.threshold import Threshold, Thresholds
from verimv.networks.affine import Affine
from verimv.networks.transforms.outputs import OutputMap

#: For all the evidence of bounds in one certificate; what is missing then leaves it incomplete.
EVIDENCE_WORK = 60 * SECOND


class _Entries(NamedTuple):
    """The claims of a row of a table."""

    window: ShiftWindow
    #: the claim of an entry in the window
    at: Callable[[int], int]

    def claim(self, j: int) -> int:
        """Return the claim of an entry, 0 where it is constantly 0 or 1."""
        return self.at(j) if self.window.first <= j <= self.window.last else 0


class CertificateWriter:
    """Listens to an extraction. `derivation` is complete when the extraction is."""

    def __init__(self, progress: Progress = no_progress, work: int = EVIDENCE_WORK) -> None:
        self.derivation = Derivation()
        self._progress = progress
        self._evidence = Meter(work)  # for evidence of bounds

    def __call__(self, event: Event) -> None:
        """Write the lines of an event."""
        match event:
            case UnitsBuilt(recipe):
                self._built(recipe)
            case LayerBuilt(units):
                self._layer(units)
            case NetworkClipped():
                self._begin(event)

    @property
    def assumed(self) -> int:
        """Number of bounds without evidence: with any, the certificate is incomplete."""
        return self._bounds.assumed

    # -- Step 1: kept until the units have nodes ---------------------------------------------------------------------

    def _begin(self, clipped: NetworkClipped) -> None:
        self._network = clipped.network
        self._bounds = BoundLines(self.derivation, clipped.network, clipped.bounds, self._evidence)
        self._hidden_layers = list(clipped.hidden)
        self._outputs = clipped.outputs
        self._atoms = [self.derivation.input(i) for i in range(len(clipped.network.inputs))]
        self._units: dict[Affine, int] = {}

    # -- Step 2: claims for the nodes of every recipe ----------------------------------------------------------------

    def _built(self, recipe: Recipe) -> None:
        """The claims of the units of a group."""
        match recipe:
            case LemmaTable():
                self._table(recipe)
            case Thresholds(group, thresholds):
                for form, threshold in zip(group.forms, thresholds, strict=True):
                    self._units[form] = self._threshold(form, threshold)
            case PlannedUnits(group, plan):
                self._planned(group.forms, plan)

    def _table(self, table: LemmaTable) -> None:
        """A claim for every entry of the table, and for its units."""
        group = table.group
        self._negations: dict[int, int] = {}
        window = table.windows[-1]
        # the empty form: claims about constants are made only where a row above needs them
        entries = _Entries(window, lambda j: self._number(group.base + j))
        for step, window in table.rows():
            claims: dict[int, int] = {}
            if window.first <= window.last:
                literal = self.derivation.scaled(step.piece, self._atoms[step.variable])
                claims = {j: self._entry(step, literal, j, entries) for j in window.shifts()}
            entries = _Entries(window, claims.__getitem__)
        for form, shift in zip(group.forms, group.shifts, strict=True):
            self._units[form] = self._unit(form, shift, group.split, entries)

    def _entry(self, step: LemmaStep, literal: int, j: int, below: _Entries) -> int:
        """Lemma 3.3, or what is left of it where a neighbour is constant."""
        g, above = below.claim(j), below.claim(j + 1 if step.positive else j - 1)
        if not step.positive:
            g, above = g and self._negated(g), above and self._negated(above)
        claim = self._lemma(g, literal, above)
        return claim if step.positive else self._negated(claim)

    def _lemma(self, g: int, literal: int, above: int) -> int:
        """σ(g + h) from the claims of σ(g), h and σ(g + 1); 0 stands for σ(g) = 0, and for σ(g + 1) = 1."""
        if g and above:
            return self.derivation.claim("lemma", g, literal, above)
        if g:
            return self.derivation.claim("plus", g, literal)
        return self.derivation.claim("times", literal, above) if above else literal

    def _negated(self, claim: int) -> int:
        negation = self._negations.get(claim)
        if negation is None:
            negation = self._negations[claim] = self.derivation.claim("not", claim)
            self._negations[negation] = claim
        return negation

    def _number(self, value: Number) -> int:
        """The claim of σ(value)."""
        if value <= 0 or value >= 1:
            return self.derivation.constant(int(value >= 1))
        return self.derivation.scaled(value, self.derivation.constant(1))

    def _unit(self, form: Affine, shift: int, split: int, entries: _Entries) -> int:
        if not form.terms:
            return self._number(form.constant) if split == 1 else self._shares(shift, split)
        return entries.at(shift) if split == 1 else self._split(shift, split, entries)

    def _shares(self, count: int, split: int) -> int:
        """The claim of count/split, as split_sum builds it."""
        share = self.derivation.divided(split, self.derivation.constant(1))
        return self.derivation.multiple(count, share)

    def _split(self, shift: int, split: int, entries: _Entries) -> int:
        """Theorem 6.2: σ(form) = Σ δ_s σ(s·form − i); the first summands are often all 1, the last all 0."""
        derivation = self.derivation
        ones = min(split, max(0, shift - entries.window.last))
        shifts = range(shift - ones, max(shift - split + 1, entries.window.first) - 1, -1)
        units = [entries.at(j) for j in shifts]
        parts = [derivation.divided(split, derivation.once("atom", unit)) for unit in units]
        total = derivation.sum([self._shares(ones, split), *parts] if ones else parts)
        return derivation.claim("average", split, ones, total, *units)

    def _threshold(self, form: Affine, threshold: Threshold) -> int:
        derivation = self.derivation
        one = derivation.constant(1)
        if not form.terms:
            is_share = 0 < form.constant < 1
            return self._share(form.constant, one, threshold.divided) if is_share else self._number(form.constant)
        votes = []
        for variable, share, positive in threshold.votes:
            literal = self._atoms[variable] if positive else derivation.once("not", self._atoms[variable])
            votes.append(self._share(share, literal, threshold.divided))
        if threshold.constant > 0:
            votes.append(self._share(threshold.constant, one, threshold.divided))
        total = derivation.sum(votes)
        if threshold.constant < 0:
            limit = derivation.once("not", self._share(-threshold.constant, one, threshold.divided))
            total = derivation.claim("times", total, limit)
        for _ in range(threshold.doublings):
            total = derivation.claim("plus", total, total)
        return total

    def _planned(self, forms: Sequence[Affine], plan: Plan) -> None:
        claims: list[int] = []
        for step in plan.steps:
            claims += self._made(step, claims)
        for form, position in zip(forms, plan.results, strict=True):
            self._units[form] = claims[position] if position > 1 else self.derivation.constant(position)

    def _made(self, step: PlanStep, claims: Sequence[int]) -> list[int]:
        """The claims of a step of a plan; of the constants, which no other step names, none is made."""
        derivation = self.derivation
        if step.kind in ("zero", "one"):
            return [0]
        if step.kind in ("positive", "negative"):
            atom = self._atoms[step.operands[0]]
            return [atom if step.kind == "positive" else derivation.once("not", atom)]
        below = [claims[i] for i in step.operands]
        if step.kind == "sort":
            return derivation.claim_all(len(below), "sort", step.first, *below)
        if step.kind in ("double", "square"):
            return [derivation.claim("plus" if step.kind == "double" else "times", *below, *below)]
        return [derivation.claim(step.kind, *below, *map(format_number, step.multipliers))]

    def _share(self, share: Number, claim: int, divided: bool) -> int:
        if not divided or not isinstance(share, Rational):
            return self.derivation.scaled(share, claim)
        return self.derivation.multiple(int(share.numerator), self.derivation.divided(int(share.denominator), claim))

    # -- Step 3: the neurons of a layer from its units ---------------------------------------------------------------

    def _layer(self, units: Sequence[Affine]) -> None:
        claims = [self._units[form] for form in units]
        self._units = {}
        if self._hidden_layers:
            layer = self._hidden_layers.pop(0)
            for index, clipping in enumerate(layer.clippings):
                self._clipped_bounds(layer, index, clipping.factor)
            self._hidden(layer, claims)
            self._atoms = [self.derivation.once("atom", claim) for claim in claims]
        else:
            for index, map_ in enumerate(self._outputs.maps):
                if map_ == OutputMap():
                    self._clipped_bounds(self._outputs, index, ONE)
                else:
                    self._mapped_bounds(self._outputs, index)
            self._last(self._outputs, claims)

    def _clipped_bounds(self, layer: HiddenClipping | OutputClipping, index: int, factor: Number) -> None:
        """Bounds that Step 1 used: integers, or the factor of a scaled unit; these are easy to prove."""
        low, high = layer.ranges[index]
        lowest, highest = layer.arguments[index].range_over_unit_cube()
        if floor(low) > floor(lowest):
            self._bound(Target(layer.depth, index, -1, Rational(floor(low))))
        if factor != 1 and factor < highest:
            self._bound(Target(layer.depth, index, 1, factor))
        elif factor == 1 and ceil(high) < ceil(highest):
            self._bound(Target(layer.depth, index, 1, Rational(ceil(high))))

    def _mapped_bounds(self, layer: OutputClipping, index: int) -> None:
        """An output that is mapped onto [0,1] must keep to the ends of its map."""
        low, high = layer.ranges[index]
        lowest, highest = layer.arguments[index].range_over_unit_cube()
        if low > lowest:
            self._bound(Target(layer.depth, index, -1, low))
        if high < highest:
            self._bound(Target(layer.depth, index, 1, high))

    def _bound(self, target: Target) -> None:
        """A bound that is not plain from the units below."""
        if not self._bounds.is_written(target):
            self._progress("finding evidence for bounds", target.layer, len(self._network.layers))
            self._bounds.prove(target)

    def _hidden(self, layer: HiddenClipping, claims: Sequence[int]) -> None:
        """Neurons from units; units that nothing above needs have no node and get a stand-in."""
        units = dict(zip(layer.kept, claims, strict=True))
        for index, clipping in enumerate(layer.clippings):
            for i, unit in enumerate(clipping.units, start=floor(clipping.constant)):
                if abs(unit) - 1 not in units:
                    units[abs(unit) - 1] = self._stand_in(layer, index, i, unit > 0, clipping.factor)
            references = [units[abs(unit) - 1] * (1 if unit > 0 else -1) for unit in clipping.units]
            self._neuron(layer, index, clipping.constant, references, clipping.factor)

    def _stand_in(self, layer: HiddenClipping, index: int, i: int, positive: bool, factor: Number) -> int:
        """A claim for a unit that has no node."""
        claim = self.derivation.claim("unit", layer.depth, index, format_number(1 / factor), i)
        return claim if positive else self.derivation.claim("not", claim)

    def _neuron(
        self,
        layer: HiddenClipping | OutputClipping,
        index: int,
        constant: Number,
        references: Sequence[int],
        factor: Number = ONE,
    ) -> None:
        """The line that gives a neuron its value."""
        argument = layer.arguments[index]
        if not references and not argument.terms and argument.constant == constant:
            self.derivation.line("affine", layer.depth, index)
        else:
            ones = floor(constant / factor)
            self.derivation.line("clip", layer.depth, index, format_number(factor), ones, *references)

    def _last(self, layer: OutputClipping, claims: Sequence[int]) -> None:
        """The last layer and the outputs: σ changes nothing, because the values stay in [0,1]."""
        derivation = self.derivation
        is_identity = self._network.layers[-1].activation == "identity"
        outputs = []
        for index, (claim, argument, (low, high)) in enumerate(zip(claims, layer.arguments, layer.ranges, strict=True)):
            is_mapped = layer.maps[index] != OutputMap()
            is_saturated = bool(argument.terms) and (low >= 1 or high <= 0) and not is_mapped
            if is_identity:
                outputs.append(claim)
            elif is_saturated or not argument.terms:
                self._neuron(layer, index, Rational(low >= 1) if is_saturated else clip(argument.constant), [])
                outputs.append(claim)
            else:
                self._neuron(layer, index, ZERO, [claim])
                outputs.append(derivation.once("atom", claim))
        for index, (claim, map_) in enumerate(zip(outputs, layer.maps, strict=True)):
            derivation.line("output", index, claim, format_number(map_.scale), format_number(map_.offset))
