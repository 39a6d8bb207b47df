"""Checks a certificate: at every point of the box, the network's outputs are the formula's values.

    python -I -S kernel.py DIR
    python -I -S kernel.py CERTIFICATE --network N --formula F

Whoever believes a verdict trusts this file and Python, and nothing else of verimv: it imports the standard library
only, reads the files itself, and uses no solver and no floating point. `proofs/FORMAT.md` defines the format and every
rule; `proofs/THEORY.md` says why each rule is right and where it is proved.

A *claim* says that a node of the formula has the value σ(form) = min(1, max(0, form)), where the form is affine in the
values of other nodes, its atoms. A rule makes a claim from earlier ones in constant time; the arguments of the
network's neurons are compared with forms once per neuron.
"""

import argparse
import gzip
import hashlib
import heapq
import io
import itertools
import json
import math
import os
import re
import sys
import zlib
from fractions import Fraction
from functools import total_ordering

MAX_TEXT = 1 << 16  # characters of a number
MAX_BITS = 200_000  # of a number that arises on the way
MAX_ROOTS = 6  # square roots in a number
MAX_LINE = 1 << 23  # bytes
WORK_PER_BYTE = 16  # steps of the check for each byte of the certified files, and for 100,000 bytes more


class Rejected(Exception):
    """Anything but "valid": what was expected, what was found instead, and where."""

    status, exit_code = "rejected", 1
    line = rule = subject = None  # subject: the file in which it was found, unless that is the certificate

    def __init__(self, expected, got):
        super().__init__(expected, got)
        self.expected, self.got = shown(expected), shown(got)

    def __str__(self):
        where = (self.subject, self.line and f"line {self.line}", self.rule and f"rule {self.rule}")
        return ", ".join([self.status, *filter(None, where)]) + f": expected {self.expected}, got {self.got}"

    @classmethod
    def unless(cls, holds, expected, got):
        if not holds:
            raise cls(expected, got)


class Invalid(Rejected):  # a step does not follow
    status, exit_code = "invalid", 1


class Malformed(Rejected):  # a file is not what FORMAT.md describes
    status, exit_code = "malformed", 2


class Incomplete(Rejected):  # nothing is wrong so far, but something is missing, only assumed, or too much work
    status, exit_code = "incomplete", 3


def shown(value):
    """For a message, short: a form as a sum, another tuple word by word."""
    try:
        if type(value) is tuple and value and type(value[0]) is dict:
            text = " + ".join([*(f"{c}·[{atom}]" for atom, c in list(value[0].items())[:9]), str(value[1])])
        else:
            text = " ".join(map(shown, value)) if type(value) is tuple else str(value)
    except ValueError:  # Python prints integers of at most 4,300 digits
        text = "a long number"
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:121])
    return text if len(text) <= 120 else text[:120] + "…"


def parse(text, tokens, strength, operand, apply):
    """Read an expression without recursion: prefix operators bind tightest, then infix ones by strength."""
    token, whole = tokens
    Malformed.unless(whole.fullmatch(text), "an expression", text)
    found = token.findall(text)
    # operands; operators and brackets that wait, the first and the last token enclosing the whole; operand wanted?
    values, pending, wanted = [], ["("], True
    for token in [*found, ")"]:
        if wanted:
            value = operand(token)
            if value is None:  # a bracket or a prefix operator; the tuple tells it from an infix one
                pending.append("(" if token == "(" else (token,))
                continue
        else:
            power = strength.get(token, 0)
            while pending and strength.get(pending[-1], 0) >= (power or 1):
                value = values.pop()
                values[-1] = apply(pending.pop(), values[-1], value)
            if power:
                pending.append(token)
                wanted = True
                continue
            if token != ")" or not pending:
                break  # two operands in a row, or a bracket too many
            pending.pop()
            value = values.pop()
        while pending and type(pending[-1]) is tuple:
            value = apply(pending.pop()[0], value)
        values.append(value)
        wanted = False
    else:
        if not pending:
            return values[0]
    raise Malformed("an expression", text)


# -- numbers: int, Fraction, and Surd for square roots ------------------------------------------------------------


@total_ordering
class Surd:
    """low + high·√square, high ≠ 0; low, high and square have lower roots only. Signs are decided by squaring."""

    def __init__(self, low, high, square):
        self.low, self.high, self.square = low, high, square
        self.level = 1 + getattr(square, "level", 0)
        self.roots = 1 + max(getattr(part, "roots", 0) for part in (low, high, square))
        Incomplete.unless(self.roots <= MAX_ROOTS, f"at most {MAX_ROOTS} square roots in a number", "more")

    def aligned(self, other):
        """Both numbers as low, high over the higher of their roots, and its square."""
        order = self.level - other.level or sign(self.square - other.square) if isinstance(other, Surd) else 1
        mine = (self.low, self.high) if order >= 0 else (self, 0)
        return *mine, *((other, 0) if order > 0 else (other.low, other.high)), (self if order >= 0 else other).square

    def __add__(self, other):
        a, b, c, d, square = self.aligned(other)
        return Surd(a + c, b + d, square) if b + d else a + c

    def __mul__(self, other):
        a, b, c, d, square = self.aligned(other)
        low, high = a * c + b * d * square, a * d + b * c
        return Surd(low, high, square) if high else low

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __bool__(self):
        return sign(self) != 0

    def __eq__(self, other):
        return sign(self - other) == 0

    def __lt__(self, other):
        return sign(self - other) < 0

    def __str__(self):
        return f"({self.low})+({self.high})*sqrt({self.square})"


def sign(x):
    if not isinstance(x, Surd):
        return (x > 0) - (x < 0)
    low, high = sign(x.low), sign(x.high)
    return high if low in (0, high) else low * sign(x.low * x.low - x.high * x.high * x.square)


def square_root(x):
    Malformed.unless(sign(x) >= 0, "the square root of a number ≥ 0", "of a negative one")
    if not isinstance(x, Surd):
        p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if p * p == x.numerator and q * q == x.denominator:
            return Fraction(p, q)
    return Surd(0, 1, x) if x else 0


_FRACTION = re.compile(r"(-?[0-9]{1,4300})(?:/([1-9][0-9]{0,4299}))?")
_SYMBOL = r"[0-9]{1,4300}|sqrt(?=\()|[-+*/()]"
_SYMBOLS = re.compile(_SYMBOL), re.compile(f"(?:{_SYMBOL})*+")


def number(text):
    """Read -3, 3/4, sqrt(2)/2, 1/3+2*sqrt(2), …"""
    Malformed.unless(type(text) is str and text.isascii() and len(text) <= MAX_TEXT, "a number, as a string", text)
    plain = _FRACTION.fullmatch(text)
    if plain:
        return Fraction(int(plain[1]), int(plain[2])) if plain[2] else int(plain[1])
    strength = {"+": 1, "-": 1, "*": 2, "/": 2}
    return limited(parse(text, _SYMBOLS, strength, lambda token: int(token) if token.isdigit() else None, calculate))


def calculate(operator, a, b=None):
    if b is None:
        return -a if operator == "-" else square_root(a) if operator == "sqrt" else refuse(operator)
    if operator == "/":
        Malformed.unless(not isinstance(b, Surd) and b, "a divisor other than 0, without roots", b)
        return a * (Fraction(1) / b)
    return a + b if operator == "+" else a - b if operator == "-" else a * b


def hashable(x):
    return tuple(map(hashable, (x.low, x.high, x.square))) if isinstance(x, Surd) else x


def bits(x):
    if isinstance(x, Surd):
        return bits(x.low) + bits(x.high) + bits(x.square)
    return x.bit_length() if type(x) is int else x.numerator.bit_length() + x.denominator.bit_length()


def limited(x):
    if bits(x) > MAX_BITS:
        raise Incomplete(f"numbers of at most {MAX_BITS} bits", "a longer one")
    return x


# -- affine forms written out: ({atom: coefficient}, constant) ----------------------------------------------------


def add_terms(total, terms, factor):
    for atom, coefficient in terms.items():
        total[atom] = limited(total.get(atom, 0) + coefficient * factor)
        if not total[atom]:
            del total[atom]


def substituted(row, values):
    """A row of weights over values that are forms themselves."""
    total, constant = {}, row[1]
    for j, weight in row[0].items():
        add_terms(total, values[j][0], weight)
        constant += weight * values[j][1]
    return total, limited(constant)


def range_over(form, box=None):
    """The range of a form over atoms in intervals, [0,1] unless a box is given."""
    low = high = form[1]
    for atom, c in form[0].items():
        ends = [c * end for end in (box[atom] if box is not None else (0, 1))]
        low, high = low + min(ends), high + max(ends)
    return limited(low), limited(high)


def meet(interval, *others):
    """The intersection with intervals that may have no end (None) on a side, or not be there at all."""
    for low, high in filter(None, others):
        low, high = (end if new is None else new for end, new in zip(interval, (low, high), strict=True))
        interval = max(interval[0], low), min(interval[1], high)
    return interval


# -- the network --------------------------------------------------------------------------------------------------

ACTIVATIONS = {"relu": lambda t: max(t, 0), "crelu": lambda t: min(max(t, 0), 1), "identity": lambda t: t}
KINKS = {"relu": (0,), "crelu": (0, 1), "identity": ()}


def unique(pairs):
    Malformed.unless(len(dict(pairs)) == len(pairs), "different keys in an object", "one of them twice")
    return dict(pairs)


def refuse(text):
    raise Malformed("a whole number, or a number as a string", text)


_JSON = json.JSONDecoder(object_pairs_hook=unique, parse_float=refuse, parse_constant=refuse)


def decoded(text):
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError) as error:
        raise Malformed("JSON", error) from None


def expect(value, kind, what):
    Malformed.unless(type(value) is kind, what, value)
    return value


def natural(value):
    return value if expect(value, int, "a whole number") >= 0 else refuse(value)


def is_version_1(data, name):
    return data.get("format") == name and type(data.get("version")) is int and data["version"] == 1


class Network:
    """Layers (activation, [row, …]) over the unit cube; the box is mapped onto it."""

    def __init__(self, text):
        data = expect(decoded(text), dict, "an object")
        right = data.keys() == {"format", "version", "inputs", "box", "layers", "outputs"}
        Malformed.unless(right and is_version_1(data, "verimv-network"), "a verimv-network, version 1", sorted(data))
        layers = [layer_of(layer) for layer in expect(data["layers"], list, "a list of layers")]
        widths = [width for _, _, width in layers] + [len(rows) for _, rows, _ in layers[-1:]]
        fits = all(len(rows) == above for (_, rows, _), above in zip(layers, widths[1:], strict=True))
        Malformed.unless(layers and fits, "rows as long as the layer below is wide", widths)
        self.layers = [(activation, rows) for activation, rows, _ in layers]
        self.inputs, self.outputs = names_of(data["inputs"], widths[0]), names_of(data["outputs"], widths[-1])
        box = [list(map(number, expect(pair, list, "an interval"))) for pair in expect(data["box"], list, "a box")]
        ordered = all(len(pair) == 2 and pair[0] <= pair[1] for pair in box)
        Malformed.unless(ordered and len(box) == widths[0], f"{widths[0]} intervals [low, high]", data["box"])
        # input j is low + (high − low)·u with u in [0,1]
        maps = [({j: high - low} if high > low else {}, low) for j, (low, high) in enumerate(box)]
        if any(pair != [0, 1] for pair in box):
            self.layers[0] = self.layers[0][0], [substituted(row, maps) for row in self.layers[0][1]]


def layer_of(layer):
    right = type(layer) is dict and layer.keys() == {"weights", "bias", "activation"}
    Malformed.unless(right and layer["activation"] in list(ACTIVATIONS), "a layer", layer)
    bias = list(map(number, expect(layer["bias"], list, "a list of biases")))
    rows = list(map(row_of, expect(layer["weights"], list, "a list of rows")))
    widths = {width for _, width in rows}
    Malformed.unless(len(rows) == len(bias) and len(widths) == 1 and 0 not in widths, "rows of one length", widths)
    return layer["activation"], [(terms, b) for (terms, _), b in zip(rows, bias, strict=True)], widths.pop()


def row_of(row):
    """A list of weights, or an object {"width": n, "index": weight, …}."""
    if type(row) is list:
        weights, width = {str(j): w for j, w in enumerate(row)}, len(row)
    else:
        weights = dict(expect(row, dict, "a row of weights"))
        width = natural(weights.pop("width", None))
    right = all(re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < width for key in weights)
    Malformed.unless(right, f"indices below {width}", row)
    numbers = {int(j): number(w) for j, w in weights.items()}
    return {j: w for j, w in numbers.items() if w}, width


def names_of(names, count):
    names = [expect(name, str, "a name") for name in expect(names, list, "a list of names")]
    Malformed.unless(len(names) == count == len(set(names)), f"{count} different names", names)
    return names


# -- the formula: nodes by number, each distinct one once ---------------------------------------------------------

_NAME = re.compile(r"(?!(?:inputs|outputs)$)[A-Za-z_][A-Za-z0-9_.']*")
_TOKEN = r"[A-Za-z_][A-Za-z0-9_.']*+(?!\[)|\([+*]\)|[⊕⊙¬~()]|[01](?![0-9.])|[δd]\[[0-9]+\]|[ΔD]\[[^] ]*\]"
_TOKENS = re.compile(_TOKEN), re.compile(f"(?:{_TOKEN}| )*+")
_STRENGTH = {"⊕": 1, "(+)": 1, "⊙": 2, "(*)": 2}
_SPELLING = str.maketrans("δΔ", "dD")
OPLUS, ODOT, NOT, SCALE = range(4)


class Terms:
    """0 and 1 are the constants, then come the inputs, then operators over earlier nodes."""

    def __init__(self, inputs):
        self.inputs, self.count = inputs, 2 + len(inputs)
        self.interned, self.negated, self.factors = {}, {0: 1, 1: 0}, {}

    def node(self, kind, left, right=0):
        key = (left << 33 | right) << 2 | kind
        found = self.interned.get(key)
        if found is None:
            found = self.interned[key] = self.fresh()
            if kind == NOT:
                self.negated[found] = left
        return found

    def fresh(self):
        self.count += 1
        return self.count - 1

    def negation(self, a):
        """¬a, by ¬¬a = a, ¬0 = 1 and ¬1 = 0 where they apply."""
        return self.negated[a] if a in self.negated else self.node(NOT, a)

    def factor(self, text):
        """The factor of d[i] or D[r], and a number for its text."""
        if type(text) is not str or text not in self.factors:
            shape = re.fullmatch(r"d\[([0-9]+)\]|D\[([^] ]*)\]", expect(text, str, "d[i] or D[r]"))
            Malformed.unless(shape, "d[i] or D[r]", text)
            value = number(f"1/{shape[1]}" if shape[1] else shape[2])
            Malformed.unless(0 <= value <= 1, "a factor in [0,1]", text)
            self.factors[text] = value, len(self.factors)
        return self.factors[text]

    def read(self, text, expected=None):
        """The output names of a formula file, and their nodes."""
        lines = [line for line in map(str.strip, text.split("\n")) if line and line[0] != "#"]
        headed = len(lines) > 2 and lines[0].split() == ["verimv-formula", "1"] and lines[1].split()[0] == "inputs"
        Malformed.unless(headed, "verimv-formula 1, then inputs", lines[:2])
        Invalid.unless(lines[1].split()[1:] == self.inputs, f"inputs {' '.join(self.inputs)}", lines[1])
        names = {"0": 0, "1": 1} | {name: i for i, name in enumerate(self.inputs, start=2)}
        named = all(map(_NAME.fullmatch, self.inputs)) and len(names) == 2 + len(self.inputs)
        Malformed.unless(named, "different names", self.inputs)
        for line in lines[2:-1]:
            name, _, body = line.partition("=")
            name = name.strip()
            if name in names or not _NAME.fullmatch(name):
                raise Malformed("a new name", name)
            names[name] = parse(body, _TOKENS, _STRENGTH, names.get, self.apply)
        keyword, *outputs = lines[-1].split()
        known = keyword == "outputs" and outputs and set(outputs) <= names.keys() - {"0", "1"}
        Malformed.unless(known and len(set(outputs)) == len(outputs), "outputs with different defined names", lines[-1])
        Invalid.unless(expected in (None, outputs), f"outputs {expected}", outputs)
        return outputs, [names[name] for name in outputs]

    def apply(self, operator, a, b=None):
        if b is not None:
            return self.node(ODOT if _STRENGTH[operator] == 2 else OPLUS, a, b)
        if operator in ("¬", "~"):
            return self.node(NOT, a)
        return self.node(SCALE, a, self.factor(operator.translate(_SPELLING))[1])


# -- linear parts of forms ----------------------------------------------------------------------------------------


class LinearParts:
    """Affine functions of atoms by number; −n is the negative of n, and 0 is the function 0.

    The form of a claim is one of these plus an integer. Parts are told apart by how they were built, so that a rule
    takes constant time; only `expand` collects coefficients.
    """

    def __init__(self, spend):
        self.ranges, self.built, self.known, self.spend = [(0, 0)], [((), None)], {}, spend

    def make(self, key, low, high, detail=None):
        part = self.known.get(key)
        if part is None:
            part = self.known[key] = len(self.built)
            self.built.append((key, detail))
            self.ranges.append((limited(low), limited(high)))
            self.spend((bits(low) + bits(high)) // 256)
        return part

    def range(self, part):
        low, high = self.ranges[abs(part)]
        return (low, high) if part >= 0 else (-high, -low)

    def atom(self, node):
        return self.make(("atom", node), 0, 1)

    def scaled(self, text, factor, part, shift):
        """factor·(part + shift), for a factor in [0,1] that is written so."""
        if part < 0:
            return -self.scaled(text, factor, -part, -shift)
        low, high = self.range(part)
        return self.make(("scaled", part, shift, text), factor * (low + shift), factor * (high + shift), factor)

    def sum(self, a, b):
        if abs(a) < abs(b):
            a, b = b, a
        if b == 0 or a == -b:
            return a if b == 0 else 0
        if a < 0:
            return -self.sum(-a, -b)
        part = self.known.get((a, b))
        if part is None:
            (low, high), (low2, high2) = self.range(a), self.range(b)
            part = self.make((a, b), low + low2, high + high2)
        return part

    def collected(self, form):
        """A written-out form as a part of its own, with the integer that is left: equal forms are the same."""
        terms, constant = form
        self.spend(len(terms) + sum(map(bits, terms.values())) // 256)
        way = sign(terms[min(terms)]) if terms else 1
        terms, constant = {atom: c * way for atom, c in sorted(terms.items())}, constant * way
        shift = 0 if isinstance(constant, Surd) else math.floor(constant)
        form = terms, constant - shift
        if form == ({}, 0) or (len(terms) == 1 and form == ({min(terms): 1}, 0)):
            return way * (self.atom(min(terms)) if terms else 0), way * shift
        key = "row", *((atom, hashable(c)) for atom, c in terms.items()), hashable(form[1])
        return way * self.make(key, *range_over(form), form), way * shift

    def expand(self, part):
        """The part written out."""
        terms, constant, factors, queue = {}, 0, {abs(part): sign(part)}, [-abs(part)]
        while queue:
            current = -heapq.heappop(queue)  # the part built last: nothing later adds to its factor
            factor, (key, detail), below = factors.pop(current), self.built[current], []
            self.spend(1)
            if detail is None and key[:1] == ("atom",):
                add_terms(terms, {key[1]: factor}, 1)
            elif detail is None:
                below = [(abs(child), factor * sign(child)) for child in key]
            elif key[0] == "scaled":
                constant += factor * detail * key[2]
                below = [(key[1], factor * detail)]
            else:  # the argument of a neuron
                self.spend(len(detail[0]))
                add_terms(terms, detail[0], factor)
                constant += factor * detail[1]
            for child, more in below:
                if child not in factors:
                    heapq.heappush(queue, -child)
                factors[child] = factors.get(child, 0) + more
        return terms, limited(constant)


# -- the rules ----------------------------------------------------------------------------------------------------


class Checker:
    """Follows a certificate line by line. Claims and layers count from 1, neurons and outputs from 0."""

    def __init__(self, layers, terms, outputs, budget):
        self.layers, self.terms, self.outputs, self.budget = layers, terms, outputs, budget
        self.parts = LinearParts(self.spend)
        self.claims = [(0, 0, 0)]  # (node, linear part, shift): the node has the value σ(linear part + shift)
        self.bounds = {}  # of arguments, None where there is none
        self.assumed = self.proved = 0  # bounds without evidence; outputs
        self.layer, self.activation = 0, ""  # the layer whose neurons are due; "" when there is none
        self.values, self.arguments = [({2 + i: 1}, 0) for i in range(len(terms.inputs))], []
        self.next_layer()

    def spend(self, steps):
        self.budget -= steps
        if self.budget < 0:
            raise Incomplete(f"at most {WORK_PER_BYTE} steps for each byte of the certified files", "more")

    def follow(self, line):
        if type(line) is not list or not line or type(line[0]) is not str or line[0] not in RULES:
            raise Malformed("a list that begins with the name of a rule", line)
        rule, kinds, more = RULES[line[0]]
        extra = len(line) - 1 - len(kinds)
        if extra < 0 or (extra > len(more) and more[-1:] != "*"):
            raise Malformed("as many arguments as the rule has", len(line) - 1)
        kinds += more[0] * extra if more[-1:] == "*" else more[:extra]
        arguments = [ARGUMENTS[kind](value) for kind, value in zip(kinds, line[1:], strict=True)]
        self.spend(len(line))
        rule(self, *arguments)

    def finish(self):
        got = f"{self.proved} of {len(self.outputs)}, and {self.assumed} bounds without evidence"
        Incomplete.unless(self.proved == len(self.outputs) and not self.assumed, "proofs of all outputs", got)

    def claim(self, c):
        if not 0 < c < len(self.claims):
            raise Invalid(f"a claim from 1 to {len(self.claims) - 1}", c)
        return self.claims[c]

    def add(self, node, linear, shift):
        if shift.bit_length() > 256:
            self.spend(bits(limited(shift)) // 256)
        self.claims.append((node, linear, shift))

    def read_as_atom(self, node, other):
        """A claim about a node, whose form is another node."""
        self.add(node, *((self.parts.atom(other), 0) if other > 1 else (0, other)))

    def within(self, linear, shift, low, high):
        """The form must lie in [low, high] over atoms in [0,1]; None is no bound."""
        least, most = self.parts.range(linear)
        if (low is not None and least < low - shift) or (high is not None and most > high - shift):
            raise Invalid(f"a form in [{low}, {high}]", (least + shift, "to", most + shift))

    # claims from claims

    def input(self, i):
        Invalid.unless(i < len(self.terms.inputs), f"one of {len(self.terms.inputs)} inputs", i)
        self.read_as_atom(2 + i, 2 + i)

    def constant(self, value):
        Invalid.unless(value <= 1, "0 or 1", value)
        self.read_as_atom(value, value)

    def saturated(self, value, c, shift):
        _, linear, base = self.claim(c)
        Invalid.unless(value <= 1, "0 or 1", value)
        self.within(linear, base + shift, *((1, None) if value else (None, 0)))
        self.add(value, linear, base + shift)

    def atom(self, c):
        node, _, _ = self.claim(c)
        self.read_as_atom(node, node)

    def negation(self, c):
        node, linear, shift = self.claim(c)
        self.add(self.terms.negation(node), -linear, 1 - shift)

    def scale(self, text, c):
        (factor, index), (node, linear, shift) = self.terms.factor(text), self.claim(c)
        self.within(linear, shift, None, 1)
        self.add(self.terms.node(SCALE, node, index), self.parts.scaled(text, factor, linear, shift), 0)

    def plus(self, a, b):
        (node, linear, shift), (node2, linear2, shift2) = self.claim(a), self.claim(b)
        self.within(linear, shift, 0, None)
        self.within(linear2, shift2, 0, None)
        self.add(self.terms.node(OPLUS, node, node2), self.parts.sum(linear, linear2), shift + shift2)

    def times(self, a, b):
        (node, linear, shift), (node2, linear2, shift2) = self.claim(a), self.claim(b)
        self.within(linear, shift, None, 1)
        self.within(linear2, shift2, None, 1)
        self.add(self.terms.node(ODOT, node, node2), self.parts.sum(linear, linear2), shift + shift2 - 1)

    def double(self, c):
        node, linear, shift = self.claim(c)
        self.add(self.terms.node(OPLUS, node, node), self.parts.sum(linear, linear), 2 * shift)

    def square(self, c):
        node, linear, shift = self.claim(c)
        self.add(self.terms.node(ODOT, node, node), self.parts.sum(linear, linear), 2 * shift - 1)

    def lemma(self, g, h, above):
        (node, linear, shift), (added, step, base) = self.claim(g), self.claim(h)
        node1, linear1, shift1 = self.claim(above)
        if linear1 != linear or shift1 != shift + 1:
            raise Invalid(f"claim {above} about the form of claim {g} plus 1", "another form")
        self.within(step, base, 0, 1)
        node = self.terms.node(ODOT, self.terms.node(OPLUS, node, added), node1)
        self.add(node, self.parts.sum(linear, step), shift + base)

    def split(self, s, ones, total, *units):
        """Claim `total` is about ones/s + Σ units/s, the units are σ(f), σ(f−1), …: its node is σ((f + ones)/s)."""
        Invalid.unless(ones + len(units) <= s, ("at most", s, "units"), ones + len(units))
        _, linear, shift = self.claim(units[0])
        wanted, constants = {}, ones
        for k, unit in enumerate(units):
            node, linear2, shift2 = self.claim(unit)
            Invalid.unless(linear2 == linear and shift2 == shift - k, ("a unit about the first one's form -", k), unit)
            add_terms(wanted, {node: Fraction(1, s)} if node > 1 else {}, 1)
            constants += node if node < 2 else 0
        self.within(linear, shift + 1, 1 if ones else None, None)
        self.within(linear, shift - len(units), None, 0 if ones + len(units) < s else None)
        node, part, base = self.claim(total)
        terms, constant = self.parts.expand(part)
        summed = terms == wanted and constant + base == Fraction(constants, s)
        Invalid.unless(summed, (ones, "units of 1 and the others, divided by", s), (terms, constant + base))
        self.add(node, self.parts.scaled(f"d[{s}]", Fraction(1, s), linear, shift + ones), 0)

    def collect(self, c):
        node, linear, shift = self.claim(c)
        terms, constant = self.parts.expand(linear)
        linear, more = self.parts.collected((terms, constant))
        self.add(node, linear, shift + more)

    def same(self, a, b):
        """Nodes with one form are equal: the second may be read as the first."""
        (node, *form), (node2, *form2) = self.claim(a), self.claim(b)
        Invalid.unless(form == form2, ("claim", b, "about the form of claim", a), "another form")
        self.read_as_atom(node2, node)

    # the network, neuron by neuron

    def next_layer(self):
        """The arguments of the next layer, as forms over nodes. A layer of identities needs no lines."""
        self.activation = ""
        self.done = []  # values of the neurons that had their turn
        while not self.activation and self.layer < len(self.layers):
            activation, rows = self.layers[self.layer]
            self.layer += 1
            self.spend(sum(len(self.values[j][0]) for terms, _ in rows for j in terms))
            self.arguments = [substituted(row, self.values) for row in rows]
            if activation == "identity":
                self.values = self.arguments
            else:
                self.activation = activation

    def range_of(self, layer, index, form):
        return meet(range_over(form), self.bounds.get((layer, index)))

    def neuron(self, layer, index):
        """The argument of the neuron that is due, and its range."""
        due = (self.layer, len(self.done)) if self.activation else None
        Invalid.unless((layer, index) == due, f"neuron {due}", (layer, index))
        return self.arguments[index], self.range_of(layer, index, self.arguments[index])

    def value(self, form):
        self.done.append(form)
        if len(self.done) == len(self.arguments):
            self.values = self.done
            self.next_layer()

    def unit(self, layer, index, shift, factor=1):
        """σ(argument/factor − shift) of a neuron of the current layer, as a node that the formula need not mention."""
        share = calculate("/", 1, factor)
        current = layer == self.layer and index < len(self.arguments)
        Invalid.unless(current, f"a neuron of layer {self.layer}", (layer, index))
        Invalid.unless(share > 0, "a factor above 0", factor)
        self.spend(len(self.arguments[index][0]) * (1 + bits(share) // 64))
        low, high = self.range_of(layer, index, self.arguments[index])
        form = substituted(({0: share}, 0), [self.arguments[index]])
        part = self.parts.make(("row", layer, index, share), low * share, high * share, form)
        self.add(self.terms.fresh(), part, -shift)

    def affine(self, layer, index):
        argument, (low, high) = self.neuron(layer, index)
        unchanged = low >= 0 and (self.activation == "relu" or high <= 1)
        Invalid.unless(unchanged, f"a range in which {self.activation} changes nothing", (low, "to", high))
        self.value(argument)

    def scaled(self, layer, index, factor, unit):
        """relu(t) = factor·σ(t/factor) for t ≤ factor."""
        argument, (_, high) = self.neuron(layer, index)
        node, linear, shift = self.claim(abs(unit))
        terms, constant = self.parts.expand(linear if unit > 0 else -linear)
        form = terms, constant + (shift if unit > 0 else 1 - shift)
        right = self.activation == "relu" and factor > 0 and high <= factor
        Invalid.unless(right, ("a relu of at most", factor), (self.activation, "up to", high))
        form = substituted(({0: factor}, 0), [form])
        Invalid.unless(form == argument, ("the unit of", argument), form)
        value = ({node: 1}, 0) if node > 1 else ({}, node)
        self.value(substituted(({0: factor * sign(unit)}, factor if unit < 0 else 0), [value]))

    def clip(self, layer, index, ones, *units):
        """relu(t) = ones + Σ σ(t − i) over ones ≤ i < ones + len(units); crelu(t) = σ(t)."""
        argument, (low, high) = self.neuron(layer, index)
        covered = (not ones or low >= ones) and high <= ones + len(units)
        right = covered if self.activation == "relu" else (ones, len(units)) == (0, 1)
        Invalid.unless(right, (f"a {self.activation} covered by", ones, "and", len(units), "units"), (low, "to", high))
        offsets = {}  # linear part → argument − part, once that is known to be a number
        total, constant = {}, ones
        for i, unit in enumerate(units, start=ones):
            node, linear, shift = self.claim(abs(unit))
            if unit < 0:  # 1 − node, for a claim about 1 − (t − i)
                linear, shift, constant = -linear, 1 - shift, constant + 1
            if linear not in offsets:
                terms, base = self.parts.expand(linear)
                Invalid.unless(terms == argument[0], ("a unit of", argument), (terms, base))
                offsets[linear] = argument[1] - base
            Invalid.unless(offsets[linear] == shift + i, ("a unit about the argument -", i), ("claim", unit))
            if node > 1:
                add_terms(total, {node: sign(unit)}, 1)
            else:
                constant += node * sign(unit)
        self.value((total, constant))

    def bound(self, layer, index, side, value, *cases):
        """A bound of a neuron's argument on the whole cube, by cases; without any it is only assumed."""
        Malformed.unless(side in ("low", "high"), "low or high", side)
        self.need_neuron(layer, index, len(self.layers))
        way, (terms, constant) = 1 if side == "high" else -1, self.layers[layer - 1][1][index]
        target = {j: way * w for j, w in terms.items()}, way * (constant - value)
        situations = [([(0, 1)] * len(self.terms.inputs), {})]  # box and phases of neurons; the last is due
        for kind, *arguments in cases:
            Invalid.unless(situations, "no more cases", kind)
            box, phases = situations.pop()
            self.spend(len(box) + len(phases))
            if (kind, len(arguments)) == ("input", 2):
                j, point = natural(arguments[0]), number(arguments[1])
                Invalid.unless(j < len(box), f"one of {len(box)} inputs", j)
                parts = [[*box[:j], meet(box[j], half), *box[j + 1 :]] for half in ((point, None), (None, point))]
                situations += [(part, phases) for part in parts if part[j][0] <= part[j][1]]
            elif (kind, len(arguments)) == ("neuron", 3):
                place, point = (natural(arguments[0]), natural(arguments[1])), number(arguments[2])
                self.need_neuron(*place, layer - 1)
                low, high = phases.get(place, (None, None))
                situations += [(box, phases | {place: half}) for half in ((point, high), (low, point))]
            else:
                Malformed.unless(kind == "leaf", "a case", kind)
                self.spend(1 + sum(len(terms) for _, rows in self.layers[: layer - 1] for terms, _ in rows) // 100)
                gap = self.walk(target, layer, box, phases, list(map(number, arguments)))
                Invalid.unless(gap <= 0, "multipliers that prove the case", ("a gap of", gap))
        Invalid.unless(not cases or not situations, "a leaf for every case", f"{len(situations)} open")
        self.assumed += not cases
        low, high = self.bounds.get((layer, index), (None, None))
        self.bounds[layer, index] = (low, value) if way > 0 else (value, high)

    def need_neuron(self, layer, index, last):
        exists = 0 < layer <= last and index < len(self.layers[layer - 1][1])
        Invalid.unless(exists, f"a neuron of layers 1 to {last}", (layer, index))

    def walk(self, target, layer, box, phases, multipliers):
        """An upper bound, by multipliers, of a row over the layer below in a situation; −1 if that has no point."""
        ranges, below = [], box
        for depth, (activation, rows) in enumerate(self.layers[: layer - 1], start=1):
            found = enumerate(range_over(row, below) for row in rows)
            ranges.append([meet(r, self.bounds.get((depth, i)), phases.get((depth, i))) for i, r in found])
            if any(low > high for low, high in ranges[-1]):
                return -1
            act = ACTIVATIONS[activation]
            below = [(act(low), act(high)) for low, high in ranges[-1]]
        (coefficients, total), multipliers = target, multipliers[::-1]
        for depth in range(layer - 1, 0, -1):
            activation, rows = self.layers[depth - 1]
            act, weights = ACTIVATIONS[activation], {}
            for i, (terms, constant) in enumerate(rows):
                (low, high), c = ranges[depth - 1][i], coefficients.get(i, 0)
                points = [low, high, *(z for z in KINKS[activation] if low < z < high)]
                if len(points) > 2 or (depth, i) in phases:
                    Malformed.unless(multipliers, "more multipliers", "none")
                    slope = multipliers.pop()
                else:
                    slope = c if (act(low), act(high)) == (low, high) else 0
                total += slope * constant + max(c * act(z) - slope * z for z in points)
                add_terms(weights, terms, slope)
            coefficients = weights
        Malformed.unless(not multipliers, "no more multipliers", len(multipliers))
        return range_over((coefficients, total), box)[1]

    def output(self, k, c, scale=1, offset=0):
        """Output k of the network is scale·(output k of the formula) + offset."""
        due = self.layers and not self.activation and k == self.proved < len(self.outputs)
        node, linear, shift = self.claim(c)
        Invalid.unless(due, f"output {self.proved}, after all neurons", ("output", k))
        Invalid.unless(node == self.outputs[k], f"a claim about output {k} of the formula", "one about another node")
        terms, constant = self.parts.expand(linear)
        value = substituted(({0: scale}, offset), [(terms, constant + shift)])
        Invalid.unless(value == self.values[k], ("the value", self.values[k]), value)
        is_argument = self.layers[-1][0] == "identity"
        low, high = self.range_of(self.layer if is_argument else 0, k, value)
        inside = scale and min(offset, offset + scale) <= low and high <= max(offset, offset + scale)
        Invalid.unless(inside, "an output that stays in [0,1] before the map", (low, "to", high))
        self.proved += 1

    def equal(self, k, a, b):
        """Output k of both formulas has one form."""
        (node, *form), (node2, *form2) = self.claim(a), self.claim(b)
        due = not self.layers and k == self.proved < len(self.outputs)
        Invalid.unless(due and (node, node2) == self.outputs[k], f"claims about output {self.proved}", ("output", k))
        Invalid.unless(form == form2, ("claim", b, "about the form of claim", a), "another form")
        self.proved += 1


#: rule → function, kinds of its arguments, kinds of arguments that may be missing (or come many times: *)
RULES = {
    "input": (Checker.input, "n", ""), "constant": (Checker.constant, "n", ""), "atom": (Checker.atom, "i", ""),
    "saturated": (Checker.saturated, "nii", ""), "not": (Checker.negation, "i", ""), "scale": (Checker.scale, "si", ""),
    "plus": (Checker.plus, "ii", ""), "times": (Checker.times, "ii", ""), "lemma": (Checker.lemma, "iii", ""),
    "split": (Checker.split, "inii", "i*"), "collect": (Checker.collect, "i", ""), "same": (Checker.same, "ii", ""),
    "double": (Checker.double, "i", ""), "square": (Checker.square, "i", ""), "scaled": (Checker.scaled, "nnqi", ""),
    "unit": (Checker.unit, "nni", "q"), "affine": (Checker.affine, "nn", ""), "clip": (Checker.clip, "nnn", "i*"),
    "bound": (Checker.bound, "nnsq", "c*"), "output": (Checker.output, "ni", "qq"), "equal": (Checker.equal, "nii", ""),
}  # fmt: skip
ARGUMENTS = {
    "i": lambda value: expect(value, int, "a whole number"), "n": natural, "q": number,
    "s": lambda value: expect(value, str, "a string"), "c": lambda value: expect(value, list, "a case") or refuse([]),
}  # fmt: skip


# -- files --------------------------------------------------------------------------------------------------------

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
                Malformed.unless(text.endswith(b"\n"), "a whole line", "one that is cut off, or too long")
                yield line, decoded(text.decode("ascii"))
            except Rejected as rejected:
                rejected.line = line
                raise
            except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
                raise Malformed("ASCII text, perhaps gzipped", error) from None


def check(certificate, files):
    """Raise Rejected unless the certificate proves its statement about files, {"network": path, …}."""

    def contents(subject):
        Malformed.unless(files.get(subject), f"a file for the {subject}", "none")
        with open(files[subject], "rb") as file:
            return file.read()

    verify(lines_of(certificate), contents)


def verify(lines, contents):
    """The same for numbered lines, and a function from a subject's name to the bytes of its file."""
    header = expect(next(lines, (1, None))[1], dict, "an object in the first line")
    subjects = [name for name in FILES if f"{name}_sha256" in header]
    right = is_version_1(header, "verimv-certificate") and len(header) == len(subjects) + 2
    Malformed.unless(right and set(subjects) in SUBJECTS, "verimv-certificate 1 with its subjects' hashes", header)
    data = {subject: contents(subject) for subject in subjects}
    for subject in subjects:
        digest = hashlib.sha256(data[subject]).hexdigest()
        Invalid.unless(digest == header[f"{subject}_sha256"], f"the {subject} that the certificate names", digest)
    try:
        checker = prepare({name: text.decode("utf-8") for name, text in data.items()}, sum(map(len, data.values())))
    except UnicodeDecodeError as error:
        raise Malformed("UTF-8", error) from None
    for number_of_line, line in lines:
        try:
            checker.follow(line)
        except Rejected as rejected:
            rejected.line, rejected.rule = number_of_line, shown(line[0]) if type(line) is list and line else None
            raise
    checker.finish()


def prepare(texts, size):
    """The checker for what the certificate speaks of."""
    budget = WORK_PER_BYTE * (100_000 + size)
    if "original" in texts:
        heads = [line.split() for line in texts["original"].split("\n")]
        terms = Terms(next((head[1:] for head in heads if head[:1] == ["inputs"]), []))
        names, left = reading("original", terms.read, texts)
        roots, layers = list(zip(left, reading("formula", terms.read, texts, names)[1], strict=True)), []
    else:
        network = reading("network", Network, texts)
        mapped = "source" not in texts or vars(reading("source", Network, texts)) == vars(network)
        Invalid.unless(mapped, "the source, its box mapped onto the unit cube, as the network", "another network")
        terms = Terms(network.inputs)
        roots, layers = reading("formula", terms.read, texts, network.outputs)[1], network.layers
    return Checker(layers, terms, roots, budget)


def reading(subject, reader, texts, *expected):
    """What a reader makes of a file; its objections name the file."""
    try:
        return reader(texts[subject], *expected)
    except Rejected as rejected:
        rejected.subject = subject
        raise


def locate(path, given):
    """The certificate, and the files it may speak of: those given, or those beside it in a directory."""
    if not os.path.isdir(path):
        return path, given
    found = [name for name in ("certificate.jsonl", "certificate.jsonl.gz") if os.path.exists(os.path.join(path, name))]
    Malformed.unless(len(found) == 1, "one of certificate.jsonl and certificate.jsonl.gz", found)
    return os.path.join(path, found[0]), {key: given.get(key) or os.path.join(path, FILES[key]) for key in FILES}


def main():
    parser = argparse.ArgumentParser(description="Check a certificate of verimv, without a solver.")
    parser.add_argument("path", help="a directory written by verimv, or a certificate")
    for name in FILES:
        parser.add_argument(f"--{name}", help=f"the {name} that the certificate speaks of")
    options = vars(parser.parse_args())
    try:
        check(*locate(options.pop("path"), options))
        verdict = "valid", 0
    except Rejected as rejected:
        verdict = str(rejected), rejected.exit_code
    except OSError as error:
        verdict = f"malformed: expected readable files, got {error}", 2
    except MemoryError:
        verdict = "incomplete: expected enough memory, got too little", 3
    except KeyboardInterrupt:
        verdict = "incomplete: expected time to finish, got an interrupt", 3
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.write(verdict[0] + "\n")
    return verdict[1]


if __name__ == "__main__":
    sys.exit(main())
