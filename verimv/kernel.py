"""Checks a certificate: at every point of the box, the network's outputs are the formula's values.

    python -I -S kernel.py DIR
    python -I -S kernel.py CERTIFICATE --network N --formula F

Whoever believes a verdict trusts this file and Python: it imports the standard library only, reads the files itself,
and uses no solver and no floating point. `proofs/FORMAT.md` defines the format and every rule; `proofs/THEORY.md` says
why each rule is right and where it is proved. A *claim* says that a node of the formula has the value σ(form) =
min(1, max(0, form)); a *form* is a dictionary {node: coefficient}, and node 1 is the number 1.
"""

import argparse
import functools
import gzip
import hashlib
import io
import itertools
import json
import math
import os
import re
import sys
import zlib
from fractions import Fraction

EXIT_CODES = {"invalid": 1, "malformed": 2, "incomplete": 3}
MAX_BITS = 200_000  # of a number
MAX_ROOTS = 64  # different square roots in a number
MAX_LINE = 1 << 23  # bytes
WORK_PER_BYTE = 16  # steps of the check for each byte of the certified files, and for 100,000 bytes more


class Rejected(Exception):
    """Anything but "valid": what was expected, what was found instead, and where."""

    line = rule = subject = None  # subject: the file in which it was found, unless that is the certificate

    def __init__(self, status, expected, got):
        super().__init__(status, expected, got)
        self.status, self.expected, self.got = status, shown(expected), shown(got)

    def __str__(self):
        where = (self.subject, self.line and f"line {self.line}", self.rule and f"rule {self.rule}")
        return ", ".join([self.status, *filter(None, where)]) + f": expected {self.expected}, got {self.got}"


def shown(value):
    """For a message, short: a form as a sum, a tuple word by word."""
    if type(value) is dict:
        value = " + ".join(f"{shown(c)}·[{shown(key)}]" for key, c in list(value.items())[:9]) or "0"
    try:
        text = " ".join(map(shown, value)) if type(value) is tuple else str(value)
    except ValueError:  # Python prints integers of at most 4,300 digits
        text = "a long number"
    return "".join(c if c.isprintable() else "?" for c in text[:120]) + "…" * (len(text) > 120)


def need(holds, expected, got, status="invalid"):
    if not holds:
        raise Rejected(status, expected, got)


def well_formed(holds, expected, got):
    need(holds, expected, got, "malformed")


def add(total, form, factor=1):
    for key, coefficient in form.items():
        value = total.get(key, 0) + coefficient * factor
        if value and key:  # node 0 is the number 0
            total[key] = limited(value)
        else:
            total.pop(key, None)
    return total


def limited(x):
    if size(x) > MAX_BITS:
        raise Rejected("incomplete", f"numbers of at most {MAX_BITS} bits", "a longer one")
    return x


def size(x):
    if isinstance(x, Surd):
        return sum(n.bit_length() + size(c) for n, c in x.terms.items())
    return x.bit_length() if type(x) is int else x.numerator.bit_length() + x.denominator.bit_length()


@functools.total_ordering
class Surd:
    """An irrational number Σ c·√n as {n: c}: square roots of different squarefree numbers n are independent."""

    def __init__(self, terms):
        need(len(terms) <= MAX_ROOTS, f"at most {MAX_ROOTS} square roots", len(terms), "incomplete")
        self.terms = terms

    def __add__(self, other):
        return plain(add(dict(self.terms), terms_of(other)))

    def __mul__(self, other):
        total = {}
        for (m, a), (n, b) in itertools.product(self.terms.items(), terms_of(other).items()):
            add(total, {m * n // math.gcd(m, n) ** 2: a * b * math.gcd(m, n)})
        return plain(total)

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    def __eq__(self, other):
        return isinstance(other, Surd) and self.terms == other.terms

    def __hash__(self):
        return hash(frozenset(self.terms.items()))

    def __lt__(self, other):
        difference = terms_of(self - other)
        if difference == {1: 0}:
            return False
        for bits in (64, 1024, 16384, 262144):  # each √n is rounded down to a multiple of 2^-bits
            scaled = sum(c * math.isqrt(n << 2 * bits) for n, c in difference.items())
            if abs(scaled) > sum(map(abs, difference.values())):
                return scaled < 0
        raise Rejected("incomplete", "numbers that are not so close", self)

    def __str__(self):
        return "+".join(f"{c}*sqrt({n})" for n, c in self.terms.items())


def terms_of(x):
    return x.terms if isinstance(x, Surd) else {1: x}


def plain(terms):
    return Surd(terms) if terms.keys() - {1} else terms.get(1, 0)


@functools.lru_cache(256)
def square_root(n):
    outside, d = 1, 2
    while d * d <= n:
        if n % (d * d):
            d += 1
        else:
            outside, n = outside * d, n // (d * d)
    return plain({n: outside}) if n else 0


_TERM = re.compile(
    r"([+-]?)(?:([0-9]{1,4300})(?:/([0-9]{1,4300}))?|(?:([0-9]{1,4300})\*)?sqrt\(([0-9]{1,9})\)(?:/([0-9]{1,4300}))?)"
)


def number(text):
    """Read -3, 3/4, sqrt(2)/2, 1/3+2*sqrt(2), …"""
    well_formed(type(text) is str and text.isascii() and text, "a number, as a string", text)
    terms, total = re.findall("^-?[^+-]+|(?<!^)[+-][^+-]+", text), 0
    for match in map(_TERM.fullmatch, terms):
        well_formed(match and sum(map(len, terms)) == len(text), "a number", text)
        way, numerator, denominator, factor, radicand, divisor = match.groups()
        below = int(denominator or divisor or 1)
        well_formed(below, "a divisor other than 0", text)
        above = int(way + (numerator or factor or "1")) * (square_root(int(radicand)) if radicand else 1)
        total += above if below == 1 else above * Fraction(1, below)
    return limited(total) if terms else refuse(text)


def substituted(row, forms):
    total = {}
    for key, weight in row.items():
        add(total, forms[key], weight)
    return total


def range_over(form, ranges):
    """The range of a form over nodes with ranges; that of others is [0,1]."""
    low = high = 0
    for key, c in form.items():
        ends = [c * end for end in ranges.get(key, (0, 1))]
        low, high = low + min(ends), high + max(ends)
    return limited(low), limited(high)


def narrowed(interval, key, facts):
    low, high = interval
    return max(low, facts.get((key, "low"), low)), min(high, facts.get((key, "high"), high))


ONE = {1: (1, 1)}
ACTIVATIONS = {"relu": lambda t: max(t, 0), "crelu": lambda t: min(max(t, 0), 1), "identity": lambda t: t}
KINKS = {"relu": (0,), "crelu": (0, 1), "identity": ()}


def unique(pairs):
    well_formed(len(dict(pairs)) == len(pairs), "different keys in an object", "one of them twice")
    return dict(pairs)


def refuse(value):
    raise Rejected("malformed", "a whole number ≥ 0, a number as a string, or a case", value)


_JSON = json.JSONDecoder(object_pairs_hook=unique, parse_float=refuse, parse_constant=refuse)


def decoded(text):
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError) as error:
        raise Rejected("malformed", "JSON", error) from None


def typed(value, kind):
    well_formed(type(value) is kind, f"a JSON {kind.__name__}", value)
    return value


def natural(value):
    return value if typed(value, int) >= 0 else refuse(value)


def with_keys(data, *keys):
    well_formed(type(data) is dict and data.keys() == set(keys), ("an object with the keys", *keys), data)
    return [data[key] for key in keys]


class Network:
    """Layers (first variable, activation, rows over earlier variables). Variable 1 is 1, then inputs, then neurons."""

    def __init__(self, text):
        keys = ("format", "version", "inputs", "box", "layers", "outputs")
        name, version, inputs, box, layers, outputs = with_keys(decoded(text), *keys)
        right = name == "verimv-network" and type(version) is int and version == 1
        well_formed(right, "a verimv-network, version 1", (name, version))
        ends = [list(map(number, typed(pair, list))) for pair in typed(box, list)]
        well_formed(all(len(pair) == 2 and pair[0] <= pair[1] for pair in ends), "intervals [low, high]", box)
        self.layers, first, width = [], 2, len(ends)
        for layer in typed(layers, list):
            weights, bias, activation = with_keys(layer, "weights", "bias", "activation")
            well_formed(activation in list(ACTIVATIONS), "an activation", activation)
            right = len(typed(bias, list)) == len(typed(weights, list)) > 0 < width
            well_formed(right, "a bias for each row", (len(bias), "for", len(weights)))
            rows = [row_of(*pair, first, width) for pair in zip(weights, bias, strict=True)]
            first, width = first + width, len(rows)
            self.layers.append((first, activation, rows))
        self.inputs, self.outputs = names_of(inputs, len(ends)), names_of(outputs, width if self.layers else 0)
        if any(pair != [0, 1] for pair in ends):  # an input is low + (high − low)·u with u in [0,1]
            maps = [{}, {1: 1}, *({1: low, j: high - low} for j, (low, high) in enumerate(ends, start=2))]
            self.layers[0] = *self.layers[0][:2], [substituted(row, maps) for row in self.layers[0][2]]


def row_of(row, bias, first, width):
    """From a list of weights, or an object {"width": n, "index": weight, …}."""
    weights = {str(j): w for j, w in enumerate(row)} if type(row) is list else dict(typed(row, dict))
    length = len(row) if type(row) is list else natural(weights.pop("width", None))
    indices = all(re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < width for key in weights)
    well_formed(indices and length == width, f"a row of width {width}", row)
    numbers = {1: number(bias)} | {first + int(key): number(weight) for key, weight in weights.items()}
    return {key: weight for key, weight in numbers.items() if weight}


def names_of(names, count):
    names = [typed(name, str) for name in typed(names, list)]
    well_formed(0 < count == len(names) == len(set(names)), f"{count} different names", names)
    return names


_NAME = re.compile(r"(?!(?:inputs|outputs)$)[A-Za-z_][A-Za-z0-9_.']*")
_OPERAND = re.compile(r"((?: *(?:¬|[δΔ]\[[^] ]*\]))*+) *([A-Za-z0-9_.']+) *")
_FACTOR = re.compile(r"d\[([0-9]+)\]|D\[([^] ]*)\]")


class Terms:
    """0 and 1 are the constants, then come the inputs, then operators over earlier nodes."""

    def __init__(self, inputs):
        self.inputs, self.count = inputs, 2 + len(inputs)
        self.interned, self.negated, self.factors = {}, {0: 1, 1: 0}, {}

    def node(self, *operation):
        if operation[0] == "¬" and operation[1] in self.negated:
            return self.negated[operation[1]]
        found = self.interned.get(operation)
        if found is None:
            found = self.interned[operation] = self.fresh()
            if operation[0] == "¬":
                self.negated[found] = operation[1]
        return found

    def fresh(self):
        self.count += 1
        return self.count - 1

    def factor(self, text):
        """Of d[i] or D[r]."""
        if text not in self.factors:
            shape = _FACTOR.fullmatch(text)
            value = number(f"1/{shape[1]}" if shape[1] else shape[2]) if shape else -1
            well_formed(0 <= value <= 1, "d[i] or D[r], with a factor in [0,1]", text)
            self.factors[text] = value
        return self.factors[text]

    def read(self, text, expected=None):
        """The output names of a formula file, and their nodes."""
        lines = [line for line in map(str.strip, text.split("\n")) if line and line[0] != "#"]
        headed = len(lines) > 2 and lines[0].split() == ["verimv-formula", "1"] and lines[1].split()[0] == "inputs"
        well_formed(headed, "verimv-formula 1, then inputs", lines[:2])
        need(lines[1].split()[1:] == self.inputs, f"inputs {' '.join(self.inputs)}", lines[1])
        names = {"0": 0, "1": 1} | {name: i for i, name in enumerate(self.inputs, start=2)}
        named = all(map(_NAME.fullmatch, self.inputs)) and len(names) == 2 + len(self.inputs)
        well_formed(named, "different names", self.inputs)
        for line in lines[2:-1]:
            name, _, body = line.partition("=")
            name = name.strip()
            if name in names or not _NAME.fullmatch(name):
                raise Rejected("malformed", "a new name", name)
            names[name] = self.definition(body, names)
        keyword, *outputs = lines[-1].split()
        known = keyword == "outputs" and outputs and set(outputs) <= names.keys() - {"0", "1"}
        well_formed(known and len(set(outputs)) == len(outputs), "outputs with different defined names", lines[-1])
        need(expected in (None, outputs), f"outputs {expected}", outputs)
        return outputs, [names[name] for name in outputs]

    def definition(self, text, names):
        """Names with prefixes, joined by one operator, from the left."""
        operator, total = "⊕" if "⊕" in text else "⊙", None
        for operand in map(_OPERAND.fullmatch, text.split(operator)):
            well_formed(operand and operand[2] in names, "names from above, with prefixes and one operator", text)
            node = names[operand[2]]
            for prefix in re.findall(r"¬|[δΔ]\[[^]]*\]", operand[1])[::-1]:
                prefix = prefix.replace("δ", "d").replace("Δ", "D")
                node = self.node(prefix, node) if prefix == "¬" or self.factor(prefix) is not None else node
            total = node if total is None else self.node(operator, total, node)
        return total


class Checker:
    """Follows a certificate line by line. Claims and layers count from 1, neurons and outputs from 0.

    A claim is (node, part, constant): the node has the value σ(part + constant). Parts are sums Σ c·[node], by number.
    """

    def __init__(self, layers, terms, outputs, budget):
        self.layers, self.terms, self.outputs, self.budget = layers, terms, outputs, budget
        self.claims, self.parts, self.ranges, self.known = [None], [{}], [(0, 0)], {frozenset(): 0}
        self.facts = {}  # bounds of arguments: (variable, side) → value
        self.assumed = self.proved = 0  # bounds without evidence; outputs
        self.values = [{}, {1: 1}, *({2 + i: 1} for i in range(len(terms.inputs)))]  # of variables, over nodes
        self.variables = [None] * len(self.values)  # (activation, row), or None for an input
        self.variables += ((activation, row) for _, activation, rows in layers for row in rows)
        self.layer, self.arguments, self.activation = 0, [], None  # whose neurons are due; None: there are no more
        self.next_layer()

    def follow(self, line):
        if type(line) is not list or not line or type(line[0]) is not str or line[0] not in RULES:
            raise Rejected("malformed", "a list that begins with the name of a rule", line)
        rule, kinds = RULES[line[0]]
        if kinds[-1] == "*":
            kinds = kinds[:-2] + kinds[-2] * (len(line) + 1 - len(kinds))
        if len(kinds) != len(line) - 1:
            raise Rejected("malformed", "as many arguments as the rule has", len(line) - 1)
        self.spend(len(line))
        rule(self, *[ARGUMENTS[kind](value) for kind, value in zip(kinds, line[1:], strict=True)])

    def finish(self):
        got = f"{self.proved} of {len(self.outputs)}, and {self.assumed} bounds without evidence"
        need(self.proved == len(self.outputs) and not self.assumed, "proofs of all outputs", got, "incomplete")

    def spend(self, steps):
        self.budget -= steps
        if self.budget < 0:
            raise Rejected("incomplete", f"at most {WORK_PER_BYTE} steps for each byte of the certified files", "more")

    def claim(self, c):
        if not 0 < c < len(self.claims):
            raise Rejected("invalid", f"a claim from 1 to {len(self.claims) - 1}", c)
        return self.claims[c]

    def node_of(self, c, part, constant):
        """The node of a claim that must be about a form."""
        node, *form = self.claim(c)
        if form != [part, constant]:
            raise Rejected("invalid", ("claim", c, "about", self.form(part, constant)), self.form(*form))
        return node

    def form(self, part, constant):
        return self.parts[part] | ({1: constant} if constant else {})

    def part(self, form):
        key = frozenset(form.items())
        if key not in self.known:
            self.spend(len(form) + sum(map(size, form.values())) // 256)
            self.known[key] = len(self.parts)
            self.parts.append(form)
            self.ranges.append(range_over(form, {}))
        return self.known[key]

    def combined(self, *pairs):
        """Σ factor·part over pairs (part, factor)."""
        if pairs not in self.known:
            self.spend(sum(len(self.parts[part]) for part, _ in pairs))
            self.known[pairs] = self.part(functools.reduce(lambda a, b: add(a, self.parts[b[0]], b[1]), pairs, {}))
        return self.known[pairs]

    def add(self, node, part, constant):
        self.spend(size(limited(constant)) // 256)
        self.claims.append((node, part, constant))

    def parted(self, form):
        """A form as a part and a constant."""
        return self.part({key: c for key, c in form.items() if key > 1}), form.get(1, 0)

    def read_as(self, node, other):
        self.add(node, *self.parted({other: 1} if other else {}))

    def within(self, part, constant, low, high):
        """The form must lie in [low, high] over nodes in [0,1]; None is no bound."""
        least, most = self.ranges[part]
        if (low is not None and least < low - constant) or (high is not None and most > high - constant):
            raise Rejected("invalid", f"a form in [{low}, {high}]", (least + constant, "to", most + constant))

    # claims from claims

    def node(self, k):
        need(k < 2 + len(self.terms.inputs), "0, 1, or 2 + the number of an input", k)
        self.read_as(k, k)

    def atom(self, c):
        self.read_as(self.claim(c)[0], self.claim(c)[0])

    def negation(self, c):
        node, part, constant = self.claim(c)
        self.add(self.terms.node("¬", node), self.combined((part, -1)), 1 - constant)

    def scale(self, text, c):
        factor, (node, part, constant) = self.terms.factor(text), self.claim(c)
        self.within(part, constant, None, 1)
        self.add(self.terms.node(text, node), self.combined((part, factor)), factor * constant)

    def plus(self, *claims, operator="⊕", low=0, high=None, less=0):
        node, total, free = None, less, len(claims) == 2 and claims[0] == claims[1]
        for node2, part, constant in map(self.claim, claims):
            self.within(part, constant, *((None, None) if free else (low, high)))
            node = node2 if node is None else self.terms.node(operator, node, node2)
            total += constant - less
        self.add(node, self.combined(*((self.claims[c][1], 1) for c in claims)), total)

    def times(self, *claims):
        self.plus(*claims, operator="⊙", low=None, high=1, less=1)

    def lemma(self, g, h, above):
        (node, part, constant), (node2, part2, constant2) = self.claim(g), self.claim(h)
        self.within(part2, constant2, 0, 1)
        sides = self.terms.node("⊕", node, node2), self.node_of(above, part, constant + 1)
        self.add(self.terms.node("⊙", *sides), self.combined((part, 1), (part2, 1)), constant + constant2)

    def cut(self, f, g, above, most, least):
        (node, part, constant), (node2, part2, constant2) = self.claim(f), self.claim(g)
        need(least >= 0 and most >= 0, "multipliers ≥ 0", (least, most))
        self.within(self.combined((part, 1), (part2, least * -1)), constant - least * constant2, 0, None)
        self.within(self.combined((part, 1), (part2, most * -1)), constant - most * constant2, None, 1)
        sides = self.terms.node("⊙", node, self.node_of(above, part2, constant2 + 1)), node2
        self.add(self.terms.node("⊕", *sides), self.combined((part, 1), (part2, 1)), constant + constant2)

    def sequence(self, claims):
        """The nodes of claims about f, f − 1, … with f between 0 and their number; and f."""
        need(claims, "at least one claim on each side", "none")
        _, part, constant = self.claim(claims[0])
        self.within(part, constant, 0, len(claims))
        return [self.node_of(c, part, constant - k) for k, c in enumerate(claims)], part, constant

    def sort(self, count, *claims):
        (a, part, constant), (b, part2, constant2) = self.sequence(claims[:count]), self.sequence(claims[count:])
        step, node, merged = 2 << (max(len(a), len(b)) - 1).bit_length(), self.terms.node, []
        self.spend((len(a) + len(b)) * step.bit_length())
        while step > 1:  # merged[r] comes from every step-th entry from entry r on; below, twice as many
            step, below, merged = step // 2, merged, []
            for r in range(step):
                left, right = a[r::step], b[r::step]
                if left and right and len(left) + len(right) > 2:
                    odd, even = below[r], below[r + step]
                    pairs = [(node("⊕", x, y), node("⊙", x, y)) for x, y in zip(even, odd[1:], strict=False)]
                    merged.append([odd[0], *itertools.chain(*pairs), *even[len(pairs) :], *odd[1 + len(pairs) :]])
                else:
                    pair = (*left, *right)
                    merged.append([node("⊕", *pair), node("⊙", *pair)] if left and right else list(pair))
        for k, found in enumerate(merged[0]):
            self.add(found, self.combined((part, 1), (part2, 1)), constant + constant2 - k)

    def average(self, s, ones, total, *units):
        need(units and ones + len(units) <= s, ("1 to", s, "units"), ones + len(units))
        _, part, constant = self.claim(units[0])
        nodes = [self.node_of(unit, part, constant - k) for k, unit in enumerate(units)]
        self.within(part, constant, 0 if ones else None, len(units) if ones + len(units) < s else None)
        wanted = functools.reduce(add, ({node: Fraction(1, s)} for node in nodes), {1: Fraction(ones, s)})
        node = self.node_of(total, *self.parted(wanted))
        self.add(node, self.combined((part, Fraction(1, s))), (constant + ones) * Fraction(1, s))

    def same(self, a, b):
        (node, *form), (node2, *form2) = self.claim(a), self.claim(b)
        low, high = (side([self.ranges[part][i] + c for part, c in (form, form2)]) for i, side in enumerate((min, max)))
        need(form == form2 or low >= 1 or high <= 0, ("claim", b, "about", self.form(*form)), self.form(*form2))
        self.read_as(node2, node)

    def equals(self, a, b, cone, *cases):
        """The claims of the cone define its nodes one after the other; {node: 1} leaves a node any value."""
        places, variables, cases = {0: 0, 1: 1}, [None, None], iter(cases)
        for node, *form in (self.claim(typed(c, int)) for c in cone):
            form = self.form(*form)
            is_known = node > 1 and (form == {node: 1} or form.keys() <= places.keys())
            need(is_known, "claims about nodes before, other than 0 and 1", form)
            variables.append(None if form == {node: 1} else ("crelu", {places[key]: c for key, c in form.items()}))
            places[node] = len(variables) - 1
        node, node2 = self.claim(a)[0], self.claim(b)[0]
        need({node, node2} <= places.keys(), "claims about nodes of the cone", (a, b))
        for way in (1, -1):
            self.prove(variables, add(add({}, {places[node]: way}), {places[node2]: -way}), {}, cases)
        need(next(cases, None) is None, "no more cases", "one")
        self.add(node2, *self.claim(a)[1:])

    # the network, neuron by neuron

    def next_layer(self):
        """The arguments of the next layer, as forms over nodes. A layer of identities needs no lines."""
        self.activation = None
        while self.activation is None and self.layer < len(self.layers):
            self.first, activation, rows = self.layers[self.layer]
            self.layer += 1
            self.spend(sum(len(self.values[j]) for row in rows for j in row))
            self.arguments = [substituted(row, self.values) for row in rows]
            if activation == "identity":
                self.values += self.arguments
            else:
                self.activation = activation

    def neuron(self, layer, index):
        """The argument of the neuron that is due, and its range."""
        due = (self.layer, len(self.values) - self.first) if self.activation else None
        need((layer, index) == due, f"neuron {due}", (layer, index))
        return self.arguments[index], narrowed(range_over(self.arguments[index], ONE), len(self.values), self.facts)

    def value(self, form):
        self.values.append(form)
        if len(self.values) == self.first + len(self.arguments):
            self.next_layer()

    def unit(self, layer, index, share, shift):
        """A node of its own, which the formula need not mention."""
        need(layer == self.layer and index < len(self.arguments), f"a neuron of layer {self.layer}", (layer, index))
        part, constant = self.parted(self.arguments[index])
        self.add(self.terms.fresh(), self.combined((part, share)), constant * share - shift)

    def affine(self, layer, index):
        argument, (low, high) = self.neuron(layer, index)
        unchanged = low >= 0 and (self.activation == "relu" or high <= 1)
        need(unchanged, f"a range in which {self.activation} changes nothing", (low, "to", high))
        self.value(argument)

    def clip(self, layer, index, factor, ones, *units):
        argument, (low, high) = self.neuron(layer, index)
        covered = factor > 0 and (not ones or low >= factor * ones) and high <= factor * (ones + len(units))
        if self.activation == "crelu":
            constant = not units and (low >= 1 == ones or high <= 0 == ones)
            covered = factor == 1 and ((ones, len(units)) == (0, 1) or constant)
        need(covered, (f"a {self.activation} covered by", ones, "and", len(units), "units"), (low, "to", high))
        value, wanted = add({}, {1: ones}, factor), self.parted(argument)
        for i, unit in enumerate(units, start=ones):
            node, part, constant = self.claim(abs(unit))
            way, constant = (1, constant) if unit > 0 else (-1, 1 - constant)  # −c stands for 1 minus claim c
            found = self.combined((part, way * factor)), (constant + i) * factor
            need(found == wanted, ("a unit of", argument, "shifted by", i), ("claim", unit))
            add(value, {node: 1} if unit > 0 else {1: 1, node: -1}, factor)
        self.value(value)

    def bound(self, layer, index, side, value, *cases):
        well_formed(side in ("low", "high"), "low or high", side)
        exists = 0 < layer <= len(self.layers) and index < len(self.layers[layer - 1][2])
        need(exists, f"a neuron of layers 1 to {len(self.layers)}", (layer, index))
        first, way, rest = self.layers[layer - 1][0], 1 if side == "high" else -1, iter(cases)
        target = add(add({}, self.variables[first + index][1], way), {1: value}, -way)
        if cases:
            self.prove(self.variables[:first], target, self.facts, rest)
        need(next(rest, None) is None, "no more cases", "one")
        self.assumed += not cases
        self.facts[first + index, side] = value

    def prove(self, variables, target, facts, cases):
        """Follow a tree of cases, in each of which a row over variables is ≤ 0."""
        situations = [{}]  # what splits have added to the facts; the last is due
        weights = sum(len(variable[1]) for variable in variables if variable)
        for kind, *arguments in cases:
            splits = situations.pop()
            self.spend(1 + len(splits))
            if kind == "split" and len(arguments) == 2:
                k, point = 2 + natural(arguments[0]), number(arguments[1])
                need(k < len(variables), f"one of {len(variables) - 2} variables", k - 2)
                situations += [splits | {(k, side): point} for side in ("low", "high")]
            else:
                well_formed(kind == "leaf", "a case", kind)
                self.spend(1 + weights // 100)
                gap = leaf(variables, target, facts, splits, list(map(number, arguments)))
                need(gap <= 0, "multipliers that prove the case", ("a gap of", gap))
            if not situations:
                return
        raise Rejected("invalid", "a leaf for every case", f"{len(situations)} open")

    def output(self, k, c, scale, offset):
        node, *form = self.claim(c)
        due = self.layers and not self.activation and k == self.proved < len(self.outputs)
        need(due and node == self.outputs[k], f"a claim about output {self.proved}, after all neurons", ("output", k))
        variable, facts = self.first + k, self.facts if self.layers[-1][1] == "identity" else {}
        low, high = narrowed(range_over(self.values[variable], ONE), variable, facts)
        value = self.values[variable] if low < high else add({}, {1: low})
        mapped = add(add({}, self.form(*form), scale), {1: offset})
        need(mapped == value, ("the value", value), mapped)
        inside = scale and min(offset, offset + scale) <= low and high <= max(offset, offset + scale)
        need(inside, "an output that stays in [0,1] before the map", (low, "to", high))
        self.proved += 1

    def equal(self, k, a, b):
        node, *form = self.claim(a)
        due = not self.layers and k == self.proved < len(self.outputs)
        right = due and (node, self.node_of(b, *form)) == self.outputs[k]
        need(right, f"claims about output {self.proved}", ("output", k))
        self.proved += 1


def leaf(variables, target, facts, splits, multipliers):
    """An upper bound, by multipliers, of a row over variables; −1 if the facts contradict each other."""
    facts, arguments, ranges = facts | splits, {}, dict(ONE)
    for k, variable in enumerate(variables[2:], start=2):
        low, high = narrowed(range_over(variable[1], ranges) if variable else (0, 1), k, facts)
        if low > high:
            return -1
        arguments[k] = low, high
        ranges[k] = tuple(map(ACTIVATIONS[variable[0]], (low, high))) if variable else (low, high)
    total, multipliers = dict(target), multipliers[::-1]
    for k in sorted(arguments, reverse=True):
        if variables[k]:
            (activation, row), (low, high), c = variables[k], arguments[k], total.pop(k, 0)
            points = [(z, ACTIVATIONS[activation](z)) for z in (low, high, *KINKS[activation]) if low <= z <= high]
            slope = c if all(z == value for z, value in points) else 0
            if any(low < z < high for z in KINKS[activation]) or (k, "low") in splits or (k, "high") in splits:
                well_formed(multipliers, "more multipliers", "none")
                slope = multipliers.pop()
            add(total, {1: max(c * value - slope * z for z, value in points)})
            add(total, row if slope else {}, slope)
    well_formed(not multipliers, "no more multipliers", len(multipliers))
    return range_over(total, ranges)[1]


#: rule → function, kinds of its arguments (*: the last kind any number of times)
RULES = {
    "node": (Checker.node, "n"), "atom": (Checker.atom, "i"), "not": (Checker.negation, "i"),
    "scale": (Checker.scale, "si"), "plus": (Checker.plus, "ii*"), "times": (Checker.times, "ii*"),
    "lemma": (Checker.lemma, "iii"), "cut": (Checker.cut, "iiiqq"), "sort": (Checker.sort, "ni*"),
    "average": (Checker.average, "nnii*"), "same": (Checker.same, "ii"), "equals": (Checker.equals, "iilc*"),
    "unit": (Checker.unit, "nnqi"), "affine": (Checker.affine, "nn"), "clip": (Checker.clip, "nnqni*"),
    "bound": (Checker.bound, "nnsqc*"), "output": (Checker.output, "niqq"), "equal": (Checker.equal, "nii"),
}  # fmt: skip
ARGUMENTS = {
    "i": lambda value: typed(value, int), "n": natural, "q": number, "s": lambda value: typed(value, str),
    "l": lambda value: typed(value, list), "c": lambda value: typed(value, list) or refuse(value),
}  # fmt: skip
FILES = {"network": "network.json", "source": "source.json", "original": "original.mv", "formula": "formula.mv"}
SUBJECTS = ({"network", "formula"}, {"network", "formula", "source"}, {"original", "formula"})


def lines_of(path):
    """The lines of a certificate with their numbers, one at a time."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as raw, io.BufferedReader(raw) as file:
        for line in itertools.count(1):
            try:
                text = file.readline(MAX_LINE)
                if not text:
                    return
                well_formed(text.endswith(b"\n"), "a whole line", "one that is cut off, or too long")
                yield line, decoded(text.decode("ascii"))
            except Rejected as rejected:
                rejected.line = line
                raise
            except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
                raise Rejected("malformed", "ASCII text, perhaps gzipped", error) from None


def verify(lines, contents):
    """Raise Rejected unless numbered lines prove their statement; contents(subject) are the bytes of a file."""
    header = typed(next(lines, (1, None))[1], dict)
    subjects = [name for name in FILES if f"{name}_sha256" in header]
    name, version, *hashes = with_keys(header, "format", "version", *(f"{subject}_sha256" for subject in subjects))
    right = (name, version) == ("verimv-certificate", 1) and type(version) is int and set(subjects) in SUBJECTS
    well_formed(right, "verimv-certificate 1 with its subjects' hashes", header)
    data = {subject: contents(subject) for subject in subjects}
    for subject, digest in zip(subjects, hashes, strict=True):
        need(
            hashlib.sha256(data[subject]).hexdigest() == digest, f"the {subject} that the certificate names", "another"
        )
    try:
        texts = {subject: text.decode("utf-8") for subject, text in data.items()}
    except UnicodeDecodeError as error:
        raise Rejected("malformed", "UTF-8", error) from None
    checker = Checker(*prepared(texts), WORK_PER_BYTE * (100_000 + sum(map(len, data.values()))))
    for number_of_line, line in lines:
        try:
            checker.follow(line)
        except Rejected as rejected:
            rejected.line, rejected.rule = number_of_line, shown(line[0]) if type(line) is list and line else None
            raise
    checker.finish()


def prepared(texts):
    """Layers, terms and outputs of what the certificate speaks of."""

    def read(subject, reader, *expected):
        try:
            return reader(texts[subject], *expected)
        except Rejected as rejected:
            rejected.subject = subject
            raise

    if "original" in texts:
        heads = [line.split() for line in texts["original"].split("\n")]
        terms = Terms(next((head[1:] for head in heads if head[:1] == ["inputs"]), []))
        names, outputs = read("original", terms.read)
        return [], terms, list(zip(outputs, read("formula", terms.read, names)[1], strict=True))
    network = read("network", Network)
    mapped = "source" not in texts or vars(read("source", Network)) == vars(network)
    need(mapped, "the source, its box mapped onto the unit cube, as the network", "another network")
    terms = Terms(network.inputs)
    return network.layers, terms, read("formula", terms.read, network.outputs)[1]


def check(path, given):
    """Raise Rejected unless a directory, or a certificate with the files given, is valid."""
    folder = os.path.isdir(path)
    if folder:
        paths = [os.path.join(path, "certificate.jsonl" + end) for end in ("", ".gz")]
        well_formed(sum(map(os.path.exists, paths)) == 1, "one of certificate.jsonl and certificate.jsonl.gz", path)

    def contents(subject):
        file = given.get(subject) or (os.path.join(path, FILES[subject]) if folder else None)
        well_formed(file, f"a file for the {subject}", "none")
        with open(file, "rb") as opened:
            return opened.read()

    verify(lines_of(next(filter(os.path.exists, paths)) if folder else path), contents)


def main():
    parser = argparse.ArgumentParser(description="Check a certificate of verimv, without a solver.")
    parser.add_argument("path", help="a directory written by verimv, or a certificate")
    for name in FILES:
        parser.add_argument(f"--{name}", help=f"the {name} that the certificate speaks of")
    options = vars(parser.parse_args())
    try:
        check(options.pop("path"), options)
        verdict, code = "valid", 0
    except Rejected as rejected:
        verdict, code = str(rejected), EXIT_CODES[rejected.status]
    except OSError as error:
        verdict, code = f"malformed: expected readable files, got {error}", 2
    except (MemoryError, KeyboardInterrupt) as error:
        verdict, code = f"incomplete: expected memory and time enough, got {type(error).__name__}", 3
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.write(verdict + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
