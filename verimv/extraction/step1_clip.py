"""Step 1 of the paper: every ReLU becomes clipped units, by eq. (3) with proven bounds.

ρ(t) = Σ_{i<⌈B⌉} σ(t−i) for t ≤ B. Units that are constantly 0 or 1 are folded away; units of one layer with the same
form are one unit, and σ(1−t) = ¬σ(t) makes complementary forms one unit too. The next layer is then a form over the
*merged* units, whose range is often much smaller than over the raw ReLUs: this is how Φ_g becomes Ψ_g.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.core.errors import Undecided
from verimv.exact import ONE, ZERO, Number, Rational, ceil, clip, floor, format_count
from verimv.extraction.clipped import ClippedNetwork, Clipping, HiddenClipping, OutputClipping
from verimv.extraction.events import Listener, NetworkClipped, no_listener
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network
from verimv.networks.program import Range
from verimv.networks.transforms.outputs import OutputMap

#: More clipped units than this are refused: their terms would not fit in memory.
MAX_UNITS = 500_000


def clip_network(
    network: Network,
    bounds: NetworkBounds,
    listener: Listener = no_listener,
    *,
    scaled: bool = False,
    map_outputs: bool = False,
    maps: Sequence[OutputMap] | None = None,
) -> ClippedNetwork:
    """Return the clipped network of a network on the unit cube. Layers that `bounds` leaves out get interval bounds.

    `scaled` makes one unit of each ReLU, ρ(t) = B·σ(t/B) for t ≤ B, which needs a logic with multiplication.
    `map_outputs` maps the range of every output of an affine last layer onto [0,1]: by short numbers, or by `maps`. A
    network for which these are given was made to be read: where a ReLU stays below 1, then B = 1.
    """
    values = [Affine.variable(j) for j in range(len(network.inputs))]  # of the layer below, over the current units
    layers: list[list[Affine]] = []
    steps: list[tuple[int, list[Affine], list[Range], list[Clipping]]] = []
    room = MAX_UNITS
    last = len(network.layers) - 1
    for depth, layer in enumerate(network.layers[:last]):
        forms = [row.substitute(values) for row in layer.rows]
        if layer.activation == "identity":
            values = forms
            continue
        if scaled and layer.activation == "relu":
            ranges = [_tightest(form, bounds.get(depth, i)) for i, form in enumerate(forms)]
        else:
            ranges = [_range(form, bounds.get(depth, i), layer.activation) for i, form in enumerate(forms)]
        units = _Units()
        if scaled and layer.activation == "relu":
            least = ZERO if maps is None else ONE
            clippings = [units.scaled(form, *range_, least) for form, range_ in zip(forms, ranges, strict=True)]
        elif layer.activation == "relu":
            _check_room(room, ranges)
            clippings = [units.rectified(form, *range_) for form, range_ in zip(forms, ranges, strict=True)]
        else:
            clippings = [units.clipped(form, *range_) for form, range_ in zip(forms, ranges, strict=True)]
        values = [clipping.value() for clipping in clippings]
        steps.append((depth + 1, forms, ranges, clippings))
        layers.append(units.forms)
        room -= len(units.forms)
    forms = [row.substitute(values) for row in network.layers[last].rows]
    activation = network.layers[last].activation
    if map_outputs and activation == "identity":
        if maps is None:
            maps = [_output_map(*_tightest(form, bounds.get(last, i))) for i, form in enumerate(forms)]
        ranges = [(map_.offset, map_.undone(ONE)) for map_ in maps]
        outputs = [_mapped(form, map_) for form, map_ in zip(forms, maps, strict=True)]
    else:
        maps = [OutputMap()] * len(forms)
        ranges = [_range(form, bounds.get(last, i), activation) for i, form in enumerate(forms)]
        outputs = [_folded(form, *range_) for form, range_ in zip(forms, ranges, strict=True)]
    clipped, kept = _pruned(ClippedNetwork(layers, outputs, ranges, list(maps)))
    hidden = [HiddenClipping(*step, used) for step, used in zip(steps, kept, strict=True)]
    listener(NetworkClipped(network, bounds, hidden, OutputClipping(last + 1, forms, ranges, maps)))
    return clipped


def _output_map(low: Number, high: Number) -> OutputMap:
    """Return a map with short numbers, offset ≤ low and high ≤ offset + scale."""
    if low == high:
        return OutputMap(ONE, low)
    step = short_dyadic(high - low) / 32
    offset = step * floor(low / step)
    return OutputMap(step * ceil(high / step) - offset, offset)


def _mapped(form: Affine, map_: OutputMap) -> Affine:
    return form.shifted(-map_.offset).scaled(1 / map_.scale)


def _range(form: Affine, proven: NeuronBound | None, activation: Activation) -> Range:
    """The range over the merged units, with an end proved for the neuron only where that makes a difference here."""
    low, high = form.range_over_unit_cube()
    if proven is not None:
        if _matters(activation, floor(proven.lower)) > _matters(activation, floor(low)):
            low = proven.lower
        if -_matters(activation, ceil(proven.upper)) > -_matters(activation, ceil(high)):
            high = proven.upper
    return low, high


def _tightest(form: Affine, proven: NeuronBound | None) -> Range:
    """The range over the merged units, or a smaller one that took more than intervals to prove."""
    low, high = form.range_over_unit_cube()
    if proven is None or proven.method == "interval":
        return low, high
    return max(low, proven.lower), min(high, proven.upper)


def short_dyadic(x: Number) -> Number:
    """A number of at most four bits, up to a power of two, at or above x > 0 (so that exact weights stay short)."""
    exponent = 0
    while x < 8:
        x, exponent = x * 2, exponent - 1
    while x > 16:
        x, exponent = x / 2, exponent + 1
    return Rational(ceil(x)) * (Rational(2) ** exponent)


def _matters(activation: Activation, end: int) -> int:
    """Maps bounds that Step 1 treats alike to one value."""
    lowest, highest = {"relu": (0, end), "crelu": (0, 1), "identity": (-1, 2)}[activation]
    return max(lowest, min(end, highest))


def _check_room(room: int, ranges: Sequence[tuple[Number, Number]]) -> None:
    """Raise :class:`Undecided` before too many units are built (merging seldom leaves far fewer)."""
    needed = sum(max(0, ceil(high) - max(0, floor(low))) for low, high in ranges)
    if needed > room:
        raise Undecided(
            f"Step 1 needs {format_count(needed)} clipped units in one layer, more than {MAX_UNITS:,} in all"
        )


def _folded(form: Affine, low: Number, high: Number) -> Affine:
    """A form with the same σ: a constant where the range says so."""
    return Affine((), Rational(low >= 1)) if low >= 1 or high <= 0 else form


class _Units:
    """The merged units of one layer."""

    def __init__(self) -> None:
        self.forms: list[Affine] = []
        self._index: dict[Affine, int] = {}

    def unit(self, form: Affine) -> int:
        """Return a reference to σ(form), as in :class:`Clipping`."""
        known = self._index.get(form)
        if known is not None:
            return known + 1
        opposite = self._index.get(form.complement())
        if opposite is not None:
            return -opposite - 1
        self._index[form] = len(self.forms)
        self.forms.append(form)
        return len(self.forms)

    def clipped(self, form: Affine, low: Number, high: Number) -> Clipping:
        """σ(form): a constant, or a unit."""
        if not form.terms or low >= 1 or high <= 0:
            return Clipping(clip(form.constant) if not form.terms else Rational(low >= 1), ())
        return Clipping(Rational(0), (self.unit(form),))

    def scaled(self, form: Affine, low: Number, high: Number, least: Number) -> Clipping:
        """ρ(form) = B·σ(form/B) for form ≤ B, with B at least `least`."""
        if not form.terms or high <= 0:
            return Clipping(form.constant if high > 0 else Rational(0), ())
        factor = short_dyadic(high) if high > least else least
        return Clipping(Rational(0), (self.unit(form.scaled(1 / factor)),), factor)

    def rectified(self, form: Affine, low: Number, high: Number) -> Clipping:
        """ρ(form): dead neurons vanish, shifts below `low` are the constant 1, the rest are units."""
        if not form.terms or high <= 0:
            return Clipping(form.constant if high > 0 else Rational(0), ())
        first = max(0, floor(low))
        return Clipping(Rational(first), tuple(self.unit(form.shifted(-i)) for i in range(first, ceil(high))))


def _pruned(clipped: ClippedNetwork) -> tuple[ClippedNetwork, list[list[int]]]:
    """Return the network without the units that nothing above uses, and the units that are kept in each layer."""
    layers: list[list[Affine]] = []
    kept: list[list[int]] = []
    above: list[Affine] = clipped.outputs
    for layer in reversed(clipped.layers):
        used = sorted({j for form in above for j, _ in form.terms})
        numbers = {j: position for position, j in enumerate(used)}
        layers.insert(0, [form.renumbered(numbers) for form in above])
        kept.insert(0, used)
        above = [layer[j] for j in used]
    layers.insert(0, above)
    outputs = layers.pop()
    return ClippedNetwork(layers, outputs, clipped.output_ranges, clipped.maps), kept
