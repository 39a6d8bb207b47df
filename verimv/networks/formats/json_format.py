"""Network JSON, read strictly and written exactly.

Duplicate keys, NaN, unknown keys and ragged rows are refused. Numbers are strings (``"-3/4"``) or JSON numbers, read as
exact decimals. A row of weights is a list, or an object ``{"index": weight}`` for a sparse row; the writer uses objects
for layers that are large and mostly zero.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from verimv.core.errors import InputError, check_type
from verimv.exact import Number, check_readable, format_number, parse_number, shown
from verimv.formulas.parse import is_identifier
from verimv.networks.affine import Affine
from verimv.networks.names import named
from verimv.networks.network import ACTIVATIONS, Box, Layer, Network, checked_box

FORMAT = "verimv-network"
VERSION = 1

_KEYS = {"format", "version", "inputs", "box", "layers", "outputs", "comment"}
_LAYER_KEYS = {"weights", "bias", "activation"}
_MAX_DENSE = 10_000
#: Limit on the width of a sparse row, which a few bytes can set to any number.
MAX_WIDTH = 1_000_000


class _Literal(str):
    """The text of a JSON number."""

    __slots__ = ()


def loads_strictly(text: str, source: str | None = None) -> Any:
    """Read strict JSON: no duplicate keys, no NaN; numbers stay text (:class:`_Literal`)."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            counts = Counter(key for key, _ in items)
            twice = next(key for key in counts if counts[key] > 1)
            raise InputError(f"the key {shown(twice)} occurs twice in one object", source=source)
        return result

    def refuse(constant: str) -> Any:
        raise InputError(f"expected a number, found {constant}", source=source)

    try:
        return json.loads(
            text, object_pairs_hook=pairs, parse_float=_Literal, parse_int=_Literal, parse_constant=refuse
        )
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", source=source, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise InputError("not a network: JSON nested too deep", source=source) from None


def read_network(text: str, source: str | None = None) -> Network:
    """Read network JSON; errors say where and what was expected."""
    check_type(text, str)
    try:
        return _network(loads_strictly(text, source))
    except InputError as error:
        raise error.located(source) from None


def _network(data: Any) -> Network:
    _expect_keys(data, "the network", _KEYS, {"format", "version", "layers"})
    if data["format"] != FORMAT or isinstance(data["format"], _Literal):
        raise InputError(f'format: expected "{FORMAT}", found {_found(data["format"])}')
    if data["version"] != str(VERSION) or not isinstance(data["version"], _Literal):
        raise InputError(f"version: expected {VERSION}, found {_found(data['version'])}")
    layers = [_layer(layer, f"layers[{i}]") for i, layer in enumerate(_list(data["layers"], "layers"))]
    box = None if data.get("box") is None else _box_pairs(data["box"])
    inputs, outputs = _strings(data, "inputs"), _strings(data, "outputs")
    if not all(map(is_identifier, (*(inputs or ()), *(outputs or ())))):
        return named(Network.of(layers, None, box), inputs or (), outputs or ())
    return Network.of(layers, inputs, box, outputs)


def _layer(data: Any, place: str) -> Layer:
    _expect_keys(data, place, _LAYER_KEYS, _LAYER_KEYS)
    activation = data["activation"]
    if activation not in ACTIVATIONS or isinstance(activation, _Literal):
        raise InputError(f"{place}.activation: expected one of {', '.join(ACTIVATIONS)}, found {_found(activation)}")
    bias = [_number(b, f"{place}.bias[{i}]") for i, b in enumerate(_list(data["bias"], f"{place}.bias"))]
    rows = _list(data["weights"], f"{place}.weights")
    if rows and isinstance(rows[0], dict):
        return _sparse_layer(rows, bias, activation, place)
    weights = [
        [_number(w, f"{place}.weights[{i}][{j}]") for j, w in enumerate(_list(row, f"{place}.weights[{i}]"))]
        for i, row in enumerate(rows)
    ]
    try:
        return Layer.of(weights, bias, activation)
    except InputError as error:
        raise InputError(f"{place}.{error.message}") from None


def _sparse_layer(rows: list[Any], bias: list[Number], activation: Any, place: str) -> Layer:
    if len(bias) != len(rows):
        raise InputError(f"{place}.bias: expected {len(rows)} numbers, one per neuron, found {len(bias)}")
    forms, widths = [], set()
    for i, row in enumerate(rows):
        here = f"{place}.weights[{i}]"
        if not isinstance(row, dict) or "width" not in row:
            raise InputError(f'{here}: expected an object with "width", as weights[0], found {_found(row)}')
        width = _index(row["width"], f"{here}.width")
        if width > MAX_WIDTH:
            raise InputError(f"{here}.width: expected at most {MAX_WIDTH:,}, found {width:,}")
        widths.add(width)
        terms = {_index(j, here): _number(w, f"{here}[{j}]") for j, w in row.items() if j != "width"}
        if len(terms) < len(row) - 1 or any(j >= width for j in terms):
            raise InputError(f"{here}: expected different indices below {width}")
        forms.append(Affine.of(terms, bias[i]))
    if len(widths) != 1 or widths == {0}:
        raise InputError(f"{place}.weights: expected one positive width, found {sorted(widths)}")
    return Layer(tuple(forms), widths.pop(), activation)


def _index(text: Any, place: str) -> int:
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 9:
        raise InputError(f"{place}: expected an integer ≥ 0, found {_found(text)}")
    return int(text)


def _expect_keys(data: Any, place: str, allowed: set[str], required: set[str]) -> None:
    if not isinstance(data, dict):
        raise InputError(f"{place}: expected an object, found {_found(data)}")
    if missing := required - data.keys():
        raise InputError(f'{place}: expected the key "{min(missing)}"')
    if unknown := data.keys() - allowed:
        raise InputError(f"{place}: unknown key {shown(min(unknown))} (known: {', '.join(sorted(allowed))})")


def _list(data: Any, place: str) -> list[Any]:
    if not isinstance(data, list):
        raise InputError(f"{place}: expected a list, found {_found(data)}")
    return data


def _strings(data: dict[str, Any], key: str) -> list[str] | None:
    if data.get(key) is None:
        return None
    for i, name in enumerate(_list(data[key], key)):
        if not isinstance(name, str) or isinstance(name, _Literal):
            raise InputError(f"{key}[{i}]: expected a string, found {_found(name)}")
    return list(data[key])


def _number(value: Any, place: str) -> Number:
    if not isinstance(value, str):
        raise InputError(f"{place}: expected a number, found {_found(value)}")
    try:
        return parse_number(value)
    except InputError as error:
        raise InputError(f"{place}: {error.message}") from None


def _found(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return json.dumps(value)


def write_network(network: Network, full_names: bool = False) -> Iterator[str]:
    """Yield the text of network JSON in pieces, a row of weights per line. Kernels read identifiers, not full names."""
    inputs, outputs = (
        [network.label(name) if full_names else name for name in names] for names in (network.inputs, network.outputs)
    )

    def dump(data: Any) -> str:
        text = json.dumps(data)
        check_readable(text)
        return text

    yield f'{{"format": "{FORMAT}", "version": {VERSION},\n "inputs": {dump(inputs)},\n'
    box = [[format_number(low), format_number(high)] for low, high in network.box]
    yield f' "box": {dump(box)},\n "layers": [\n'
    for index, layer in enumerate(network.layers):
        sparse = _is_sparse(layer)
        yield '  {"weights": [\n'
        for i, row in enumerate(layer.rows):
            data: Any
            if sparse:
                data = {"width": layer.width_in} | {str(j): format_number(w) for j, w in row.terms}
            else:
                data = [format_number(w) for w in row.dense(layer.width_in)]
            yield f"    {dump(data)}{',' if i + 1 < len(layer.rows) else '],'}\n"
        yield f'   "bias": {dump([format_number(row.constant) for row in layer.rows])},\n'
        yield f'   "activation": "{layer.activation}"}}{"," if index + 1 < len(network.layers) else "],"}\n'
    yield f' "outputs": {dump(outputs)}}}\n'


def _is_sparse(layer: Layer) -> bool:
    cells = layer.width_in * len(layer.rows)
    return cells > _MAX_DENSE and 10 * sum(len(row.terms) for row in layer.rows) < cells


def read_box(text: str, inputs: int, source: str | None = None) -> Box:
    """Read a box: a JSON list with a pair of numbers for each input, or the bounds of a VNN-LIB property."""
    if text.lstrip()[:1] in ("(", ";"):
        from verimv.specifications.vnnlib_box import read_vnnlib_box  # specifications import networks

        return read_vnnlib_box(text, inputs, source)
    try:
        data = _list(loads_strictly(text, source), "the box")
        return checked_box(_box_pairs(data), inputs)
    except InputError as error:
        raise error.located(source) from None


def _box_pairs(data: Any) -> list[list[Number]]:
    return [
        [_number(end, f"box[{i}]") for end in _list(pair, f"box[{i}]")] for i, pair in enumerate(_list(data, "box"))
    ]
