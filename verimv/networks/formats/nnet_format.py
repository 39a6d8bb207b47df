"""NNet files (the text format of ACAS Xu and Marabou): ReLU layers, an affine output, a box and a normalisation.

Lines hold numbers separated by commas; those at the top that begin with // are comments. In order: layers, inputs,
outputs, largest layer; the sizes; an unused flag; lower and upper ends of the inputs; means and ranges of the inputs
and, last, of the outputs; then weights, a row per neuron, and biases, one per line, layer by layer. Decimals are read
exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, floor, parse_number, shown
from verimv.networks.affine import Affine
from verimv.networks.formats.export import Export
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.circuit import MAX_WEIGHTS
from verimv.networks.transforms.normalise import without_identity_layers
from verimv.networks.transforms.outputs import affine_end

_MAX_LAYERS = 10_000
#: Significant digits of an infinite decimal, and the limit for a finite one.
_DIGITS, _MAX_DIGITS = 20, 1100


class _Lines:
    """Lines of numbers, with their place for error messages."""

    def __init__(self, text: str, source: str | None) -> None:
        self.source = source
        self.line = 0
        self._lines = self._numbered(text)

    def _numbered(self, text: str) -> Iterator[tuple[int, str]]:
        for line, content in enumerate(text.split("\n"), start=1):
            stripped = content.strip()
            if stripped and not stripped.startswith("//"):
                yield line, stripped

    def error(self, message: str) -> InputError:
        return InputError(message, source=self.source, line=self.line or None)

    def cells(self, what: str) -> list[str]:
        try:
            self.line, text = next(self._lines)
        except StopIteration:
            raise self.error(f"the file ends where {what} should follow") from None
        cells = [cell.strip() for cell in text.split(",")]
        return cells[:-1] if cells[-1] == "" else cells

    def numbers(self, count: int, what: str) -> list[Number]:
        cells = self.cells(what)
        if len(cells) != count:
            raise self.error(f"{what}: expected {count} numbers, found {len(cells)}")
        try:
            return [parse_number(_with_leading_zero(cell)) for cell in cells]
        except InputError as error:
            raise self.error(f"{what}: {error.message}") from None

    def sizes(self, what: str) -> list[int]:
        cells = self.cells(what)
        for cell in cells:
            if not cell.isascii() or not cell.isdigit() or len(cell) > 7 or int(cell) < 1:
                raise self.error(f"{what}: expected a number from 1 to 9,999,999, found {shown(cell)}")
        return [int(cell) for cell in cells]

    def is_at_end(self) -> bool:
        return next(self._lines, None) is None


def _with_leading_zero(text: str) -> str:
    """Add digits to -.5 and 3., which C programs write and verimv's number reader refuses."""
    text = text.replace("-.", "-0.", 1) if text.startswith("-.") else text
    text = f"0{text}" if text.startswith(".") else text
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}0{e}{exponent}" if mantissa.endswith(".") else text


def read_nnet(text: str, source: str | None = None) -> Network:
    """Read a network as a function of unnormalised inputs: the file's normalisation is merged into the layers."""
    lines = _Lines(text, source)
    head = lines.sizes("the number of layers, inputs, outputs and the largest layer")
    if len(head) != 4 or head[0] > _MAX_LAYERS:
        raise lines.error(f"expected layers (at most {_MAX_LAYERS:,}), inputs, outputs and the largest layer")
    count, inputs, outputs, _ = head
    sizes = lines.sizes("the sizes of the layers")
    if len(sizes) != count + 1 or sizes[0] != inputs or sizes[-1] != outputs:
        raise lines.error(f"expected {count + 1} sizes from {inputs} to {outputs}, found {shown(str(sizes))}")
    if sum(a * b for a, b in pairwise(sizes)) > MAX_WEIGHTS:
        raise lines.error(f"more than {MAX_WEIGHTS:,} weights")
    lines.cells("a flag")
    lower, upper = lines.numbers(inputs, "lower ends"), lines.numbers(inputs, "upper ends")
    means, ranges = lines.numbers(inputs + 1, "means"), lines.numbers(inputs + 1, "ranges")
    if any(not width for width in ranges):
        raise lines.error("a range of 0")
    layers = [Layer(tuple(_normalisation(means, ranges)), inputs, "identity")]
    for index, (below, width) in enumerate(pairwise(sizes)):
        rows = [lines.numbers(below, "a row of weights") for _ in range(width)]
        bias = [lines.numbers(1, "a bias")[0] for _ in range(width)]
        forms = tuple(Affine(enumerate(row), b) for row, b in zip(rows, bias, strict=True))
        layers.append(Layer(forms, below, "relu" if index + 1 < count else "identity"))
    if not lines.is_at_end():
        raise lines.error("expected the end of the file after the last bias")
    last = layers[-1]
    scaled = tuple(row.scaled(ranges[-1]).shifted(means[-1]) for row in last.rows)
    layers[-1] = Layer(scaled, last.width_in, "identity")
    try:
        return without_identity_layers(Network.of(layers, box=list(zip(lower, upper, strict=True))))
    except InputError as error:
        raise error.located(source) from None


def _normalisation(means: Sequence[Number], ranges: Sequence[Number]) -> Iterator[Affine]:
    """Yield (x − mean)/range. NNet clips inputs to their ends first, which changes nothing inside the box."""
    for j, (mean, width) in enumerate(zip(means[:-1], ranges[:-1], strict=True)):
        yield Affine([(j, 1 / width)], -mean / width)


def write_nnet(network: Network, decimal: Callable[[Number], str]) -> Iterator[str]:
    """Yield the text of a network with ReLU layers and an affine output (see `plain`)."""
    sizes = [len(network.inputs), *(len(layer.rows) for layer in network.layers)]
    yield "// written by verimv\n"
    yield f"{len(network.layers)},{sizes[0]},{sizes[-1]},{max(sizes)},\n"
    yield ",".join(map(str, sizes)) + ",\n0,\n"
    for end in (0, 1):
        yield ",".join(decimal(pair[end]) for pair in network.box) + ",\n"
    for number in (ZERO, ONE):
        yield ",".join([decimal(number)] * (sizes[0] + 1)) + ",\n"
    for layer in network.layers:
        for row in layer.rows:
            yield ",".join(map(decimal, row.dense(layer.width_in))) + ",\n"
        for row in layer.rows:
            yield decimal(row.constant) + ",\n"


def export_nnet(network: Network) -> Export:
    """Write NNet: decimals, exact if a number has a finite decimal of bounded length."""
    rounded = 0

    def decimal(x: Number) -> str:
        nonlocal rounded
        text = _finite_decimal(x)
        if text is None:
            rounded += 1
            text = _rounded_decimal(x)
        return text

    text = "".join(write_nnet(plain(network), decimal))
    return Export(text.encode(), rounded)


def _finite_decimal(x: Number) -> str | None:
    if isinstance(x, Algebraic):
        return None
    denominator = int(x.denominator)
    twos = (denominator & -denominator).bit_length() - 1
    odd, fives = denominator >> twos, 0
    while odd % 5 == 0:
        odd, fives = odd // 5, fives + 1
    places = max(twos, fives)
    if odd != 1 or places > _MAX_DIGITS:
        return None
    return _placed(int(x * Rational(10) ** places), places)


def _rounded_decimal(x: Number) -> str:
    """Round to 20 significant digits."""
    places = _DIGITS
    while abs(x) * Rational(10) ** places < Rational(10) ** (_DIGITS - 1):
        places += 1
    return _placed(floor(x * Rational(10) ** places + Rational(1, 2)), places)


def _placed(digits: int, places: int) -> str:
    sign, text = "-" if digits < 0 else "", str(abs(digits)).rjust(places + 1, "0")
    return f"{sign}{text[: len(text) - places]}" + (f".{text[len(text) - places :]}" if places else "")


def plain(network: Network) -> Network:
    """Return the same function with ReLU layers and an affine output layer; σ(t) becomes ρ(t) − ρ(t−1)."""
    network = affine_end(without_identity_layers(network))
    layers: list[Layer] = []
    values: list[Affine] | None = None  # of the layer below, over its neurons
    for layer in network.layers:
        rows = layer.rows if values is None else tuple(row.substitute(values) for row in layer.rows)
        width = layer.width_in if not layers else len(layers[-1].rows)
        values = None
        if layer.activation == "crelu":
            count = len(rows)
            values = [Affine([(j, ONE), (count + j, -ONE)]) for j in range(count)]
            rows = (*rows, *(row.shifted(-ONE) for row in rows))
        layers.append(Layer(tuple(rows), width, "identity" if layer.activation == "identity" else "relu"))
    return replace(network, layers=tuple(layers))
