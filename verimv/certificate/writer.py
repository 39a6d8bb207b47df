"""Extraction's claims, written down as the lines of a certificate while they are made (proofs/FORMAT.md)."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.results import NetworkBounds
from verimv.bounding.situation import Target
from verimv.certificate.bound_lines import BoundLines
from verimv.certificate.lines import Derivation
from verimv.core.effort import SECOND, Meter
from verimv.exact import ONE, ZERO, Number, Rational, ceil, clip, floor, format_number
from verimv.extraction.pipeline import no_progress
from verimv.extraction.recorder import Clipping, Recorder, TableRow
from verimv.extraction.step3_compose import Progress
from verimv.extraction.strategies.paper import LemmaStep, Row
from verimv.extraction.strategies.plan import Plan, PlanStep
from verimv.extraction.strategies.threshold import Threshold
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.program import Range
from verimv.networks.transforms.outputs import OutputMap

#: For all the evidence of bounds in one certificate; what is missing then leaves it incomplete.
EVIDENCE_WORK = 60 * SECOND


class _Layer:
    """What Step 1 said of a layer, until its units have nodes."""

    def __init__(
        self, depth: int, arguments: Sequence[Affine], ranges: Sequence[Range], maps: Sequence[OutputMap] = ()
    ) -> None:
        self.depth = depth
        #: of the outputs, in the last layer
        self.maps = maps
        self.arguments = arguments
        self.ranges = ranges
        self.clippings: Sequence[Clipping] = ()
        self.kept: Sequence[int] = ()


class CertificateWriter(Recorder):
    """Listens to an extraction. `derivation` is complete when the extraction is."""

    def __init__(self, progress: Progress = no_progress, work: int = EVIDENCE_WORK) -> None:
        self.derivation = Derivation()
        self._progress = progress
        self._evidence = Meter(work)  # for evidence of bounds

    # -- Step 1: remembered until the units have nodes --------------------------------------------------------

    def start(self, network: Network, bounds: NetworkBounds) -> None:
        self._network = network
        self._bounds = BoundLines(self.derivation, network, bounds, self._evidence)
        self._layers: list[_Layer] = []

    def clipped(
        self,
        depth: int,
        arguments: Sequence[Affine],
        ranges: Sequence[Range],
        clippings: Sequence[Clipping],
    ) -> None:
        layer = _Layer(depth + 1, arguments, ranges)
        layer.clippings = clippings
        self._layers.append(layer)

    def outputs(self, arguments: Sequence[Affine], ranges: Sequence[Range], maps: Sequence[OutputMap]) -> None:
        self._layers.append(_Layer(len(self._network.layers), arguments, ranges, maps))

    def pruned(self, kept: Sequence[Sequence[int]]) -> None:
        for layer, used in zip(self._layers, kept, strict=False):  # the outputs keep all
            layer.kept = used

    # -- Steps 2 and 3: a claim for every entry of every table ------------------------------------------------

    def begin(self, inputs: int) -> None:
        self._atoms = [self.derivation.input(i) for i in range(inputs)]
        self._units: dict[Affine, int] = {}

    def table(self, base: Number) -> None:
        self._base = base
        self._linear = False  # whether the table's forms have variables yet
        self._entries: dict[int, int] = {}
        self._negations: dict[int, int] = {}

    def row(self, row: TableRow) -> None:
        window, step = row.row.window, row.step
        if window.first <= window.last:
            literal = self.derivation.scaled(step.piece, self._atoms[step.variable])
            self._entries = {j: self._entry(step, literal, j, row.below) for j in window.shifts()}
        else:
            self._entries = {}
        self._linear = True

    def _entry(self, step: LemmaStep, literal: int, j: int, below: Row) -> int:
        """Lemma 3.3, or what is left of it where a neighbour is constant."""
        g, above = self._below(j, below), self._below(j + 1 if step.positive else j - 1, below)
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

    def _below(self, j: int, below: Row) -> int:
        """The claim of the entry below, 0 where it is constantly 0 or 1."""
        if not below.window.first <= j <= below.window.last:
            return 0
        return self._entries[j] if self._linear else self._number(self._base + j)

    def _number(self, value: Number) -> int:
        """The claim of σ(value)."""
        if value <= 0 or value >= 1:
            return self.derivation.constant(int(value >= 1))
        return self.derivation.scaled(value, self.derivation.constant(1))

    def unit(self, form: Affine, shift: int, split: int, row: Row) -> None:
        if not form.terms:
            claim = self._number(form.constant) if split == 1 else self._shares(shift, split)
        elif split == 1:
            claim = self._entries[shift]
        else:
            claim = self._split(shift, split, row)
        self._units[form] = claim

    def _shares(self, count: int, split: int) -> int:
        """The claim of count/split, as split_sum builds it."""
        share = self.derivation.divided(split, self.derivation.constant(1))
        return self.derivation.multiple(count, share)

    def _split(self, shift: int, split: int, row: Row) -> int:
        """Theorem 6.2: σ(form) = Σ δ_s σ(s·form − i); the first summands are often all 1, the last all 0."""
        derivation = self.derivation
        ones = min(split, max(0, shift - row.window.last))
        shifts = range(shift - ones, max(shift - split + 1, row.window.first) - 1, -1)
        units = [self._entries[j] for j in shifts]
        parts = [derivation.divided(split, derivation.once("atom", unit)) for unit in units]
        total = derivation.sum([self._shares(ones, split), *parts] if ones else parts)
        return derivation.claim("average", split, ones, total, *units)

    def threshold(self, form: Affine, threshold: Threshold) -> None:
        derivation = self.derivation
        one = derivation.constant(1)
        if not form.terms:
            is_share = 0 < form.constant < 1
            self._units[form] = (
                self._share(form.constant, one, threshold.divided) if is_share else self._number(form.constant)
            )
            return
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
        self._units[form] = total

    def planned(self, forms: Sequence[Affine], plan: Plan) -> None:
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

    def layer(self, forms: Sequence[Affine]) -> None:
        layer = self._layers.pop(0)
        claims = [self._units[form] for form in forms]
        for index, (argument, (low, high)) in enumerate(zip(layer.arguments, layer.ranges, strict=True)):
            lowest, highest = argument.range_over_unit_cube()
            if layer.maps and layer.maps[index] != OutputMap():
                self._mapped_bounds(layer, index, low > lowest, high < highest)
                continue
            scaled = layer.clippings[index].factor if layer.clippings else ONE
            # Step 1 asks for whole numbers, or for the factor of a scaled unit; these are easy to prove.
            if floor(low) > floor(lowest):
                self._bound(Target(layer.depth, index, -1, Rational(floor(low))))
            if scaled != 1 and scaled < highest:
                self._bound(Target(layer.depth, index, 1, scaled))
            elif scaled == 1 and ceil(high) < ceil(highest):
                self._bound(Target(layer.depth, index, 1, Rational(ceil(high))))
        if self._layers:
            self._hidden(layer, claims)
            self._atoms = [self.derivation.once("atom", claim) for claim in claims]
        else:
            self._last(layer, claims)
        self._units = {}

    def _mapped_bounds(self, layer: _Layer, index: int, needs_low: bool, needs_high: bool) -> None:
        """An output that is mapped onto [0,1] must keep to the ends of its map."""
        low, high = layer.ranges[index]
        if needs_low:
            self._bound(Target(layer.depth, index, -1, low))
        if needs_high:
            self._bound(Target(layer.depth, index, 1, high))

    def _bound(self, target: Target) -> None:
        """A bound that is not plain from the units below."""
        if not self._bounds.is_written(target):
            self._progress("finding evidence for bounds", target.layer, len(self._network.layers))
            self._bounds.prove(target)

    @property
    def assumed(self) -> int:
        """Bounds without evidence: the certificate will be incomplete."""
        return self._bounds.assumed

    def _hidden(self, layer: _Layer, claims: Sequence[int]) -> None:
        """Neurons from units; units that nothing above needs have no node and get a stand-in."""
        units = dict(zip(layer.kept, claims, strict=True))
        for index, clipping in enumerate(layer.clippings):
            for i, unit in enumerate(clipping.units, start=floor(clipping.constant)):
                if abs(unit) - 1 not in units:
                    units[abs(unit) - 1] = self._stand_in(layer, index, i, unit > 0, clipping.factor)
            references = [units[abs(unit) - 1] * (1 if unit > 0 else -1) for unit in clipping.units]
            self._neuron(layer, index, clipping.constant, references, clipping.factor)

    def _stand_in(self, layer: _Layer, index: int, i: int, positive: bool, factor: Number) -> int:
        """A claim for a unit that has no node."""
        claim = self.derivation.claim("unit", layer.depth, index, format_number(1 / factor), i)
        return claim if positive else self.derivation.claim("not", claim)

    def _neuron(
        self, layer: _Layer, index: int, constant: Number, references: Sequence[int], factor: Number = ONE
    ) -> None:
        """The line that gives a neuron its value."""
        argument = layer.arguments[index]
        if not references and not argument.terms and argument.constant == constant:
            self.derivation.line("affine", layer.depth, index)
        else:
            ones = floor(constant / factor)
            self.derivation.line("clip", layer.depth, index, format_number(factor), ones, *references)

    def _last(self, layer: _Layer, claims: Sequence[int]) -> None:
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
