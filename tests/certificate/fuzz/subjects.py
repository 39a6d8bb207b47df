"""Random subjects of certificates: small networks and formulas of all the kinds that FORMAT §1 has."""

from __future__ import annotations

import json
import random
from itertools import pairwise

from verimv.exact import Number, Rational, format_number, parse_number

#: How often which subjects are drawn. Differences come first: most can go wrong there.
KINDS = {
    "network formula": 5,
    "network source formula": 1,
    "original formula": 3,
    "network": 3,
    "network other": 6,
}
#: Subjects of certificates in two parts, and how often a sequence is one: by its seed, so that the other seeds keep
#: what they are drawn for.
WITHIN, EVERY = "network other formula", 8
#: Deeper networks, with sweeps in the evidence of their bounds; as often.
SWEPT = "network swept"
_NUMBERS = {
    "integer": ["-2", "-1", "-1", "0", "1", "1", "1", "2", "3"],
    "rational": ["-3/2", "-1", "-1/2", "-1/3", "0", "1/4", "1/3", "1/2", "2/3", "1", "1", "3/2", "2", "5/3"],
    "root": ["sqrt(2)/2", "-sqrt(2)/2", "1/2", "-1", "sqrt(3)-1", "1", "0", "1-sqrt(2)", "sqrt(2)", "1/3+sqrt(2)/2"],
}
_FACTORS = [Rational(1), Rational(1), Rational(2), Rational(1, 2), Rational(3), Rational(-1), Rational(-2)]

#: activation, and rows with the bias last
Layer = tuple[str, list[list[Number]]]


def random_number(source: random.Random, kind: str) -> Number:
    return parse_number(source.choice(_NUMBERS[kind]))


def _random_row(
    source: random.Random, kind: str, width: int, earlier: list[list[Number]], alike: float
) -> list[Number]:
    what = source.random()
    if earlier and source.random() < alike:  # a multiple, perhaps by a negative factor; perhaps but for the bias
        factor, row = source.choice(_FACTORS), source.choice(earlier)
        row = [factor * w for w in row]
        return [*row[:-1], random_number(source, kind)] if source.random() < 0.2 else row
    if what < 0.12:
        return [Rational(0)] * width + [random_number(source, kind)]
    return [random_number(source, kind) for _ in range(width + 1)]


def _random_layers(
    source: random.Random, kind: str, inputs: int, outputs: int, alike: float = 0.25, deeper: int = 0
) -> list[Layer]:
    layers: list[Layer] = []
    depth = source.choice([0, 0, 1, 1, 1, 2] if kind != "root" else [0, 1])  # roots multiply: such numbers are slow
    depth += deeper
    widths = [source.choice([1, 2, 2, 3]) for _ in range(depth)]
    below = inputs
    for width in [*widths, outputs]:
        rows: list[list[Number]] = []
        for _ in range(width):
            rows.append(_random_row(source, kind, below, rows, alike))
        layers.append((source.choice(["relu", "relu", "crelu", "crelu", "identity"]), rows))
        below = width
    return layers


def _random_box(source: random.Random, kind: str, inputs: int) -> list[list[Number]]:
    if source.random() < 0.6:
        return [[Rational(0), Rational(1)]] * inputs
    box = []
    for _ in range(inputs):
        low, high = random_number(source, kind), random_number(source, kind)
        box.append([low, high] if low <= high else [high, low])
    return box


def network_text(inputs: int, outputs: int, box: list[list[Number]], layers: list[Layer], source: random.Random) -> str:
    written = []
    for activation, rows in layers:
        texts = [list(map(format_number, row)) for row in rows]
        weights = [row[:-1] for row in texts]
        if source.random() < 0.2:
            weights = [{"width": len(row), **{str(j): w for j, w in enumerate(row) if w != "0"}} for row in weights]
        written.append({"activation": activation, "bias": [row[-1] for row in texts], "weights": weights})
    return json.dumps(
        {
            "format": "verimv-network",
            "version": 1,
            "inputs": [f"x{j}" for j in range(inputs)],
            "outputs": [f"y{k}" for k in range(outputs)],
            "box": [list(map(format_number, ends)) for ends in box],
            "layers": written,
        }
    )


def formula_text(inputs: int, definitions: list[str], outputs: list[str]) -> str:
    """With outputs y0, y1, … that are the expressions given."""
    names = [f"y{k}" for k in range(len(outputs))]
    body = [*definitions, *(f"{name} = {text}" for name, text in zip(names, outputs, strict=True))]
    head = ["verimv-formula 1", " ".join(["inputs", *(f"x{j}" for j in range(inputs))])]
    return "\n".join([*head, *body, " ".join(["outputs", *names])]) + "\n"


def _rewritten(layers: list[Layer], source: random.Random) -> list[Layer]:
    """The same function, or nearly: neurons in another order, multiplied by factors that the next layer takes back."""
    layers = [(name, [list(row) for row in rows]) for name, rows in layers]
    for (name, rows), (_, above) in pairwise(layers):
        order = source.sample(range(len(rows)), len(rows))
        factors = [source.choice(_FACTORS) if source.random() < 0.5 else Rational(1) for _ in rows]
        if source.random() < 0.65:
            factors = [Rational(1) if name == "crelu" else abs(f) if name == "relu" else f for f in factors]
        rows[:] = [[factors[i] * w for w in rows[i]] for i in order]
        for row in above:
            row[:] = [*(row[i] / factors[i] for i in order), row[-1]]
    if source.random() < 0.4:  # a change somewhere
        row = source.choice(source.choice(layers)[1])
        row[source.randrange(len(row))] += source.choice([Rational(1), Rational(-1, 2), Rational(1, 1000)])
    if source.random() < 0.15:
        name, rows = layers.pop()
        layers.append((source.choice(["relu", "crelu", "identity"]), rows))
    return layers


def _source(layers: list[Layer], box: list[list[Number]], source: random.Random) -> tuple[list[Layer], list]:
    """The network with its box blown up, as it is when a box is mapped onto the unit cube; sometimes a little wrong."""
    stretch, shift = (
        source.choice([Rational(2), Rational(1, 2), Rational(3)]),
        source.choice([Rational(0), Rational(1)]),
    )
    (name, rows), *rest = layers
    rows = [[*(w / stretch for w in row[:-1]), row[-1] - sum(w * shift / stretch for w in row[:-1])] for row in rows]
    box = [[low * stretch + shift, high * stretch + shift] for low, high in box]
    layers = [(name, rows), *rest]
    if source.random() < 0.3:
        name, rows = layers[-1]
        rows = [list(row) for row in rows]
        rows[0][source.randrange(len(rows[0]))] += 1
        layers = [*layers[:-1], (name, rows)]
    return layers, box


def random_subjects(source: random.Random, kind: str | None = None) -> dict[str, str]:
    """Texts of subjects; formulas have the right names, and are to be replaced by what lines build."""
    kind = kind or source.choices(list(KINDS), list(KINDS.values()))[0]
    inputs, outputs = source.choice([1, 1, 1, 2, 2, 2, 3]), source.choice([1, 1, 1, 2])
    stub = formula_text(inputs, [], ["0"] * outputs)
    if kind == "original formula":
        return {"original": stub, "formula": stub}
    numbers = source.choice(["integer"] * 5 + ["rational"] * 5 + ["root"])
    deeper = 2 if kind == SWEPT and numbers != "root" else 0
    layers = _random_layers(source, numbers, inputs, outputs, 0.45 if "other" in kind else 0.25, deeper)
    box = _random_box(source, numbers, inputs)
    texts = {"network": network_text(inputs, outputs, box, layers, source)}
    if "source" in kind:
        texts["source"] = network_text(inputs, outputs, *reversed(_source(layers, box, source)), source)
    if "other" in kind:
        is_random = source.random() < 0.2
        other = _random_layers(source, numbers, inputs, outputs) if is_random else _rewritten(layers, source)
        if source.random() < 0.03:
            box = [[low, high + 1] for low, high in box]
        texts["other"] = network_text(inputs, outputs, box, other, source)
    if "formula" in kind:
        texts["formula"] = stub
    return texts
