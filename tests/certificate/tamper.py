"""Changes to certified files that an attacker might make; the hashes are then computed anew, so that only rules help."""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass, replace
from itertools import pairwise

from tests.certificate.judged import checker_of, rejected
from verimv import kernel
from verimv.certificate.certificate import BETWEEN_PARTS
from verimv.certificate.from_extraction import extract
from verimv.core.errors import Refuted, Undecided
from verimv.exact import Rational, format_number, parse_number
from verimv.formulas.formula import Formula
from verimv.formulas.mvfile import read_mv
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Layer, Network, activate
from verimv.networks.transforms.compose import stack
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.pieces.regions import same_function
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.optimise import output_ranges
from verimv.solvers.point_search import Search


@dataclass(frozen=True)
class Bundle:
    """The texts of the subjects, and the lines of a certificate after its header."""

    subjects: dict[str, str]
    lines: tuple[str, ...]

    def text(self) -> str:
        hashes = {f"{name}_sha256": hashlib.sha256(text.encode()).hexdigest() for name, text in self.subjects.items()}
        header = json.dumps({"format": "verimv-certificate", "version": 1, **hashes})
        return "\n".join([header, *self.lines]) + "\n"

    def verdict(self) -> str:
        found = rejected(self.text(), self.subjects)
        return "valid" if found is None else found.status

    def maps(self) -> list[str]:
        """The lines that are part of the statement: outputs with scales and offsets; without a formula, bounds."""
        if self.has_two_parts:
            return [line for part in self.parts() for line in part.maps()]
        return [line for line in self.lines if ('"output"' if "formula" in self.subjects else '"bound"') in line]

    @property
    def has_two_parts(self) -> bool:
        return {"other", "formula"} <= self.subjects.keys()

    def parts(self) -> tuple[Bundle, Bundle]:
        """What the two parts of a certificate would be by themselves."""
        middle = self.lines.index(BETWEEN_PARTS) if BETWEEN_PARTS in self.lines else len(self.lines)
        texts = self.subjects
        return (
            Bundle({"network": texts["network"], "other": texts["other"]}, self.lines[:middle]),
            Bundle({"network": texts["other"], "formula": texts["formula"]}, self.lines[middle + 1 :]),
        )

    def is_true(self) -> bool:
        return self.truth(600) == "proved"

    def truth(self, seconds: float) -> str:
        """Whether the statement that the certificate is about holds: proved, refuted, or (of ranges) undecided. Of a
        certificate in two parts, both must."""
        if self.has_two_parts:
            found = {part.truth(seconds) for part in self.parts()}
            return next(status for status in ("refuted", "undecided", "proved") if status in found)
        if "formula" not in self.subjects:
            return self._within()
        formula = read_mv(self.subjects["formula"])
        if "original" in self.subjects:
            return _equal(read_mv(self.subjects["original"]), formula, seconds)
        network = read_network(self.subjects["network"])
        if "source" in self.subjects and to_unit_cube(read_network(self.subjects["source"])) != to_unit_cube(network):
            return "refuted"
        network = self._unmapped(to_unit_cube(network))
        return _equal(network, formula, seconds)

    def _within(self) -> str:
        """Whether the network, or the difference of two, stays between its last bounds, by the solver's exact range."""
        network = read_network(self.subjects["network"])
        layers = len(network.layers)
        if "other" in self.subjects:
            other = read_network(self.subjects["other"])
            both, count = stack([network, other]), len(network.outputs)
            rows = [[int(j == i) - int(j == count + i) for j in range(2 * count)] for i in range(count)]
            layers += len(other.layers) + 1
            last = Layer.of([list(map(Rational, row)) for row in rows], [Rational(0)] * count, "identity")
            network = replace(both, layers=(*both.layers, last), outputs=network.outputs)
        claimed = {(i, side): value for _, k, i, side, value, *_ in map(json.loads, self.maps()) if k == layers}
        activation = network.layers[-1].activation
        for i, found in enumerate(output_ranges(to_unit_cube(network))):
            low, high = (activate(activation, parse_number(claimed[i, side])) for side in ("low", "high"))
            if not found.exact:
                return "undecided"
            if not low <= -found.lower.value or not found.upper.value <= high:
                return "refuted"
        return "proved"

    def _unmapped(self, network: Network) -> Network:
        """The network with the affine maps of the outputs undone."""
        outputs = [json.loads(line) for line in self.maps()]
        scales = [parse_number(line[3]) if len(line) > 3 else parse_number("1") for line in outputs]
        offsets = [parse_number(line[4]) if len(line) > 4 else parse_number("0") for line in outputs]
        if all(scale == 1 for scale in scales) and not any(offsets):
            return network
        count = len(outputs)
        rows = [[(1 / scales[i] if i == j else parse_number("0")) for j in range(count)] for i in range(count)]
        bias = [-offset / scale for offset, scale in zip(offsets, scales, strict=True)]
        return replace(network, layers=(*network.layers, Layer.of(rows, bias, "identity")))


# -- what to tamper with ----------------------------------------------------------------------------------------------


def random_number(source: random.Random, kind: str) -> str:
    if kind == "integer":
        return str(source.randint(-2, 3))
    if kind == "rational":
        return f"{source.randint(-5, 5)}/{source.choice([1, 2, 3, 4])}"
    return source.choice(["sqrt(2)/2", "-sqrt(2)/2", "1/2", "-1", "sqrt(3)-1", "1", "0", "1-sqrt(2)"])


def random_network(source: random.Random) -> Network:
    kind = source.choice(["integer", "integer", "rational", "algebraic"])
    widths = [source.randint(1, 3), *(source.randint(1, 3) for _ in range(source.randint(0, 2))), source.randint(1, 2)]
    layers = []
    for k, (below, width) in enumerate(pairwise(widths)):
        is_last = k == len(widths) - 2
        activation = source.choice(["crelu", "crelu", "relu", "identity"] if is_last else ["relu", "relu", "crelu"])
        rows = [[parse_number(random_number(source, kind)) for _ in range(below)] for _ in range(width)]
        layers.append(Layer.of(rows, [parse_number(random_number(source, kind)) for _ in range(width)], activation))
    box = None
    if source.random() < 0.2:
        ends = [(source.randint(-3, 0), source.randint(1, 3)) for _ in range(widths[0])]
        box = [(parse_number(str(low)), parse_number(str(high))) for low, high in ends]
    return Network.of(layers, None, box, None)


def random_bundles(count: int, seed: int, most_lines: int = 150) -> list[Bundle]:
    """Certificates of random networks, all logics, those with bounds and boxes among them."""
    source = random.Random(seed)
    bundles: list[Bundle] = []
    while len(bundles) < count:
        network = random_network(source)
        logic = source.choice(["auto", "auto", "rmv"])
        strategy = source.choice(["paper", "compact"])
        try:
            extraction = extract(network, logic=logic, strategy=strategy, bounds=source.choice(["auto", "interval"]))
        except (Refuted, Undecided):
            continue
        certificate = extraction.certificate
        if 8 <= len(certificate.body) <= most_lines:
            texts = {name: data.decode() for name, data in certificate.subjects.items()}
            bundles.append(Bundle(texts, tuple(certificate.body)))
    return bundles


# -- how ------------------------------------------------------------------------------------------------------------------


def _other_number(text: str, source: random.Random) -> str:
    value = parse_number(text)
    tiny = Rational(1, 1048576)
    values = (
        value + 1,
        value - 1,
        -value,
        Rational(0),
        Rational(1),
        Rational(1, 2),
        value + tiny,
        value / 2,
        2 * value,
    )
    return format_number(source.choice(values))


def _tampered_value(value: object, source: random.Random, claims: int) -> object:
    if isinstance(value, int):
        return source.choice([value + 1, value - 1, -value, 0, 1, source.randint(1, max(1, claims)), value + 2])
    if isinstance(value, str):
        if value in ("high", "low"):
            return "low" if value == "high" else "high"
        inner = re.fullmatch(r"([dD])\[(.*)\]", value)
        if inner:
            return source.choice(
                [f"{inner[1]}[{source.choice(['1', '2', '3', '1/2'])}]", f"D[1/{source.randint(1, 5)}]"]
            )
        return _other_number(value, source)
    if isinstance(value, list) and value:
        return _tampered_line(value, source, claims)
    return value


def _tampered_line(line: list, source: random.Random, claims: int) -> list:
    line = list(line)
    if len(line) > 2 and source.random() < 0.2:
        i, j = source.sample(range(1, len(line)), 2)
        line[i], line[j] = line[j], line[i]
        return line
    if source.random() < 0.15 and len(line) > 1:
        position = source.randrange(1, len(line))
        return line[:position] + line[position + 1 :] if source.random() < 0.5 else [*line, line[position]]
    position = source.randrange(1, len(line)) if len(line) > 1 else 0
    if position:
        line[position] = _tampered_value(line[position], source, claims)
    return line


def tamper_lines(bundle: Bundle, source: random.Random) -> Bundle:
    lines = list(bundle.lines)
    if not lines:
        return bundle
    i = source.randrange(len(lines))
    j = source.randrange(len(lines))
    what = source.randrange(7)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(j, lines[i])
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif what == 3:
        line = json.loads(lines[i])
        if line[0] in ("lemma", "cut"):  # the same form, by a rule that asks for more
            line = ["plus", *line[1:3]]
        else:
            line[0] = source.choice(sorted(kernel.RULES))
        lines[i] = json.dumps(line)
    else:
        lines[i] = json.dumps(_tampered_line(json.loads(lines[i]), source, len(lines)))
    return replace(bundle, lines=tuple(lines))


_PIECE = re.compile(r"⊕|⊙|¬|Δ\[[^\]]*\]|δ\[[0-9]+\]|\b[A-Za-z][A-Za-z0-9]*\b|\b[01]\b")


def tamper_formula(bundle: Bundle, source: random.Random, name: str = "formula") -> Bundle:
    head, inputs, *body, last = bundle.subjects[name].rstrip("\n").split("\n")
    if not body:
        return bundle
    k = source.randrange(len(body))
    left, _, right = body[k].partition("=")
    names = inputs.split()[1:] + [line.partition("=")[0].strip() for line in body[:k]] + ["0", "1"]
    pieces = list(_PIECE.finditer(right))
    if not pieces:  # a comment
        return bundle
    piece = source.choice(pieces)
    text = piece[0]
    if text in "⊕⊙":
        new = "⊙" if text == "⊕" else "⊕"
    elif text == "¬":
        new = source.choice(["", "¬¬"])
    elif text[0] in "Δδ":
        new = source.choice(["", "Δ[1/2]", "Δ[1/3]", "δ[2]", "¬", f"Δ[{source.randint(0, 4)}/4]"])
    else:
        new = source.choice([source.choice(names), f"¬{text}", f"{text} ⊕ {source.choice(names)}", f"{text} ⊙ 1"])
    body[k] = f"{left}={right[: piece.start()]}{new}{right[piece.end() :]}"
    if source.random() < 0.1 and len(body) > 1:
        i, j = source.sample(range(len(body)), 2)
        body[i], body[j] = body[j], body[i]
    return replace(bundle, subjects={**bundle.subjects, name: "\n".join([head, inputs, *body, last]) + "\n"})


def tamper_network(bundle: Bundle, source: random.Random, name: str = "network") -> Bundle:
    data = json.loads(bundle.subjects[name])
    layer = source.choice(data["layers"])
    what = source.randrange(8)
    if what == 0:
        layer["activation"] = source.choice(["relu", "crelu", "identity"])
    elif what == 1:
        layer["bias"][source.randrange(len(layer["bias"]))] = random_number(source, "rational")
    elif what == 2 and len(layer["weights"]) > 1:
        i, j = source.sample(range(len(layer["weights"])), 2)
        layer["weights"][i], layer["weights"][j] = layer["weights"][j], layer["weights"][i]
    elif what == 3:
        box = data["box"][source.randrange(len(data["box"]))]
        box[source.randrange(2)] = source.choice(["0", "1", "1/2", "2", "-1"])
    elif what == 4:
        i = source.randrange(len(layer["bias"]))
        layer["bias"][i] = _other_number(layer["bias"][i], source)
    else:
        row = source.choice(layer["weights"])
        j = source.choice([key for key in row if key != "width"] if isinstance(row, dict) else range(len(row)))
        row[j] = _other_number(row[j], source)
    return replace(bundle, subjects={**bundle.subjects, name: json.dumps(data)})


def rebuilt(bundle: Bundle) -> Bundle:
    """The formula replaced by what the lines build for its outputs, right or wrong: only the rules are in the way."""
    if not {"network", "formula"} <= bundle.subjects.keys():
        return bundle
    if bundle.has_two_parts:
        second = rebuilt(bundle.parts()[1])
        return replace(bundle, subjects={**bundle.subjects, "formula": second.subjects["formula"]})
    try:
        checker = checker_of(network=bundle.subjects["network"])
        claimed = []
        for line in map(json.loads, bundle.lines):
            if line[0] == "output":
                claimed.append(checker.claim(line[2]).node)
            else:
                checker.follow(line)
    except (kernel.Rejected, IndexError, TypeError, ValueError):
        return bundle
    data = json.loads(bundle.subjects["network"])
    inputs, outputs = data["inputs"], data["outputs"]
    names = {0: "0", 1: "1"} | dict(enumerate(inputs, start=2))
    body = []
    for node, (operator, *operands) in enumerate(checker.nodes.operations):
        if operator in ("constant", "input", "unit"):
            continue
        names[node] = f"node{node}"
        operator = operator.replace("d[", "δ[").replace("D[", "Δ[")
        texts = [names.get(operand, "0") for operand in operands]
        body.append(
            f"node{node} = {operator}{texts[0]}" if len(texts) == 1 else f"node{node} = {f' {operator} '.join(texts)}"
        )
    body += [f"{name} = {names.get(node, '0')}" for name, node in zip(outputs, claimed, strict=False)]
    lines = ["verimv-formula 1", f"inputs {' '.join(inputs)}", *body, f"outputs {' '.join(outputs)}"]
    return replace(bundle, subjects={**bundle.subjects, "formula": "\n".join(lines) + "\n"})


def tamper(bundle: Bundle, source: random.Random) -> Bundle:
    """One to three changes, in the certificate, the formula or the network; or in the certificate and what it builds."""
    if source.random() < 0.3:
        return rebuilt(tamper_lines(bundle, source))
    for _ in range(source.choice([1, 1, 1, 2, 2, 3])):
        name = source.choice([*bundle.subjects, "lines", "lines"])
        if name == "lines":
            bundle = tamper_lines(bundle, source)
        elif name in ("formula", "original"):
            bundle = tamper_formula(bundle, source, name)
        else:
            bundle = tamper_network(bundle, source, name)
    return bundle


def _equal(a: Formula | Network, b: Formula, seconds: float) -> str:
    """Ask the solver; where it gives up, compare the functions on all their linear regions."""
    status = equal_by_solver(a, b, search=Search(seconds=seconds)).status
    if status != "undecided":
        return status
    return "proved" if same_function(a, b) else "refuted"
