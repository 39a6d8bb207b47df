"""Checks a certificate: at every point of the box, outputs of a network are values of a formula, or within bounds.

    python -I -S kernel.py DIR     or     python -I -S kernel.py CERTIFICATE --network N --formula F

Whoever believes a verdict trusts this file and Python: it uses the standard library only, no solver, no floating point.
Rules: `proofs/FORMAT.md`; why: `proofs/THEORY.md`. A *sum* Σ c·[key] is a dictionary {key: c}; [0] is 0 and [1] is 1.
"""

import argparse
import functools
import gzip
import hashlib
import itertools
import json
import math
import operator
import pathlib
import re
import sys
import zlib
from fractions import Fraction

EXIT_CODES = {"invalid": 1, "malformed": 2, "incomplete": 3}
FILES = {s: f"{s}.json" for s in ("network", "source", "other")} | {s: f"{s}.mv" for s in ("original", "formula")}
SUBJECTS = ("network", "network other", "network formula", "network source formula", "original formula")
MAX_BITS, MAX_ROOTS, MAX_LINE = 200_000, 64, 1 << 23  # of a number; of a number; bytes
WORK_PER_BYTE = 16  # steps of the check for each byte of the certified files, and for 100,000 bytes more
KINKS = {"relu": (0,), "crelu": (0, 1), "identity": ()}
ACTIVATIONS = {"relu": lambda t, *_: max(t, 0), "crelu": lambda t, o=1: min(max(t, 0), o), "identity": lambda t, *_: t}
RULES = {  # kinds of arguments, one letter each; the last one before * any number of times
    "node": "n", "atom": "i", "not": "i", "scale": "si", "plus": "ii*", "times": "ii*", "lemma": "iii", "cut": "iiiqq",
    "sort": "ni*", "average": "nnii*", "same": "ii", "equals": "iilc*", "unit": "nnqi", "affine": "nn",
    "clip": "nnqni*", "bound": "nnsqc*", "output": "niqq", "equal": "nii",
}  # fmt: skip
TERM = re.compile(r"([+-]?)(?:(D)|(?:(D)\*)?sqrt\(([0-9]{1,9})\))(?:/(?!0+\Z)(D))?".replace("D", "[0-9]{1,4300}"))
FACTOR = re.compile(r"d\[([0-9]+)\]|D\[([^] ]*)\]")
NAME = re.compile(r"(?!(?:inputs|outputs)$)[A-Za-z_][A-Za-z0-9_.']*")
OPERAND = re.compile(r"((?: *(?:¬|[δΔ]\[[^] ]*\]))*+) *([A-Za-z0-9_.']+) *")
KINDS = {"i": (int, None), "n": (int, 0), "s": (str, None), "l": (list, None), "c": (list, 1)}  # q: an exact number


class Rejected(Exception):  # anything but "valid": what was expected, what was found instead, and where
    def __init__(self, status, expected, got):
        self.status, self.expected, self.got = status, shown(expected), shown(got)
        self.line = self.rule = self.subject = None  # subject: a file other than the certificate

    def __str__(self):
        where = (self.subject, self.line and f"line {self.line}", self.rule and f"rule {self.rule}")
        return ", ".join([self.status, *filter(None, where)]) + f": expected {self.expected}, got {self.got}"


def shown(value):  # for a message, short: a sum with its first terms, a tuple word by word, Σ c·√n as Σ c·[n]
    try:
        if type(terms := getattr(value, "terms", value)) is dict:
            value = " + ".join(f"{shown(c)}·[{key}]" for key, c in list(terms.items())[:9]) or "0"
        text = " ".join(map(shown, value)) if type(value) is tuple else str(value)
    except (ValueError, RecursionError):  # Python prints integers of at most 4,300 digits
        text = "a long number"
    return "".join(c if c.isprintable() else "?" for c in text[:120]) + "…" * (len(text) > 120)


def need(holds, expected, got, status="invalid"):
    if not holds:
        raise Rejected(status, expected, got)


well_formed = functools.partial(need, status="malformed")


def located(function, *arguments, line=None, rule=None, subject=None):
    try:
        return function(*arguments)
    except Rejected as rejected:
        rejected.line, rejected.rule, rejected.subject = line, rule and shown(rule), subject
        raise


def size(x):  # the bits of a number, which must not be too long
    if type(x) is Surd:
        return sum(map(size, itertools.chain(*x.terms.items())))
    bits = x.numerator.bit_length() + x.denominator.bit_length()
    need(bits <= MAX_BITS, "a number with fewer bits", bits, "incomplete")
    return bits


def add(total, *pairs):  # Σ factor·sum to a sum, for pairs (sum, factor)
    for terms, factor in pairs:
        for key, c in terms.items() if factor else ():
            old = total.pop(key, 0)
            below = c.denominator * factor.denominator * old.denominator
            c = c.numerator * factor.numerator * old.denominator + old.numerator * (below // old.denominator)
            c = c if below == 1 else Fraction(c, below) if type(c) is int else c * Fraction(1, below)
            if c and key and size(c):
                total[key] = c
    return total


@functools.total_ordering
class Surd:  # an irrational number Σ c·√n as {n: c}, for squarefree n: so their roots are independent; no -, but + -1 *
    def __new__(cls, terms):
        need(len(terms) <= MAX_ROOTS, ("at most", MAX_ROOTS, "square roots"), len(terms), "incomplete")
        surd = super().__new__(cls)
        surd.terms, surd.numerator, surd.denominator = terms, surd, 1  # it may stand for a whole number
        return surd if terms.keys() - {1} and size(surd) else terms.get(1, 0)

    def __add__(self, other):
        return Surd(add(dict(self.terms), (getattr(other, "terms", {1: other}), 1)))

    def __mul__(self, other):
        pairs = itertools.product(self.terms.items(), getattr(other, "terms", {1: other}).items())
        return Surd(add({}, *(({m * n // math.gcd(m, n) ** 2: a * b}, math.gcd(m, n)) for (m, a), (n, b) in pairs)))

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return type(other) is Surd and self.terms == other.terms

    def __hash__(self):
        return hash(frozenset(self.terms.items()))

    def __lt__(self, other):
        terms = getattr(difference := self + -1 * other, "terms", {1: difference})
        for bits in (64, 1024, 16384, 262144):  # each √n is rounded down to a multiple of 2^-bits
            scaled = sum(c * math.isqrt(n << 2 * bits) for n, c in terms.items())
            if abs(scaled) > sum(map(abs, terms.values())) or terms.keys() == {1}:
                return scaled < 0
        raise Rejected("incomplete", "numbers that are not so close", self)


def number(text):  # read -3, 3/4, sqrt(2)/2, 1/3+2*sqrt(2), …
    terms = [TERM.fullmatch(term) for term in re.split("(?<=.)(?=[+-])", text)] if type(text) is str else [None]
    well_formed(all(terms) and text[0] != "+", "a number, as a string", text)
    total = {}
    for way, whole, factor, radicand, below in map(re.Match.groups, terms):
        above, below, root, n = int(way + (whole or factor or "1")), int(below or 1), 1, int(radicand or 1)
        if radicand:  # n = root²·m < 10^9 with the largest root: it is at most 1000, or else m is
            root = max(s for k in range(1, 1001) for s in (k, math.isqrt(n // k)) if s and n % (s * s) == 0)
        add(total, ({n // root**2: root}, Fraction(above, below) if below > 1 else above))
    return Surd(total)


def decoded(text):
    def unique(pairs):
        well_formed(len(dict(pairs)) == len(pairs), "different keys in an object", "one of them twice")
        return dict(pairs)

    try:  # int refuses 1.0 and NaN
        return json.loads(text, object_pairs_hook=unique, parse_float=int, parse_constant=int)
    except (ValueError, RecursionError) as error:
        raise Rejected("malformed", "JSON with whole numbers only", error) from None


def typed(value, kind, least=None):
    right = type(value) is kind and (least is None or (value if kind is int else len(value)) >= least)
    well_formed(right, (f"a JSON {kind.__name__}", *(() if least is None else ("of at least", least))), value)
    return value


def with_keys(data, *keys):
    well_formed(type(data) is dict and data.keys() == set(keys), ("an object with the keys", *keys), data)
    return [data[key] for key in keys]


class Network:  # layers (first variable, activation, rows over variables): 1 is 1, then come inputs, then neurons
    def __init__(self, text, first=None):  # the first variable for a neuron
        keys = ("format", "version", "inputs", "box", "layers", "outputs")
        name, version, self.inputs, box, layers, self.outputs = with_keys(decoded(text), *keys)
        well_formed(name == "verimv-network" and typed(version, int) == 1, "a verimv-network 1", (name, version))
        self.box = [list(map(number, typed(pair, list))) for pair in typed(box, list)]
        well_formed(all(len(pair) == 2 and pair[0] <= pair[1] for pair in self.box), "intervals [low, high]", box)
        below = {str(j): {1: low, 2 + j: high + -1 * low} for j, (low, high) in enumerate(self.box)}  # over [0,1]
        self.layers, first = [], first or 2 + len(below)
        for layer in typed(layers, list):
            weights, bias, activation = with_keys(layer, "weights", "bias", "activation")
            well_formed(activation in list(ACTIVATIONS), "an activation", activation)
            well_formed(len(typed(bias, list)) == len(typed(weights, list)) > 0 < len(below), "a bias for a row", layer)
            self.layers.append((first, activation, [self.row(below, *row) for row in zip(bias, weights, strict=True)]))
            self.ends = range(first, first + len(weights))  # of the last layer
            below, first = {str(i): {k: 1} for i, k in enumerate(self.ends)}, self.ends.stop
        for names, count in (self.inputs, len(self.box)), (self.outputs, len(below) if self.layers else 0):
            well_formed(0 < count == len(typed(names, list)) == len({typed(n, str) for n in names}), "names", names)

    def row(self, below, bias, row):  # a list of weights, or an object {"width": n, "index": weight, …}
        weights = {str(j): w for j, w in enumerate(row)} if type(row) is list else dict(typed(row, dict))
        width = len(row) if type(row) is list else typed(weights.pop("width", None), int)
        well_formed(width == len(below) and weights.keys() <= below.keys(), f"a row of width {len(below)}", row)
        return add({}, ({1: 1}, number(bias)), *((below[j], number(weight)) for j, weight in weights.items()))


class Terms:  # nodes by number: 0 and 1 are the constants, then come the inputs, then operators over earlier nodes
    def __init__(self, inputs):
        self.inputs, self.fresh = inputs, itertools.count(2 + len(inputs)).__next__
        self.interned, self.factors = {("¬", 0): 1, ("¬", 1): 0}, {}

    def node(self, *operation):
        if operation not in self.interned:
            self.interned[operation] = self.fresh()
            if operation[0] == "¬":  # ¬¬a is a
                self.interned["¬", self.interned[operation]] = operation[1]
        return self.interned[operation]

    def factor(self, text):
        if text not in self.factors:
            self.factors[text] = number(f"1/{d[1]}" if d[1] else d[2]) if (d := FACTOR.fullmatch(text)) else -1
        well_formed(0 <= self.factors[text] <= 1, "d[i] or D[r], with a factor in [0,1]", text)
        return self.factors[text]

    def read(self, text, expected=None):
        lines = [line for line in map(str.strip, text.split("\n")) if line and line[0] != "#"]
        headed = len(lines) > 2 and lines[0].split() == ["verimv-formula", "1"] and lines[1].split()[0] == "inputs"
        well_formed(headed, "verimv-formula 1, then inputs", lines[:2])
        need(lines[1].split()[1:] == self.inputs, f"inputs {' '.join(self.inputs)}", lines[1])
        names = {"0": 0, "1": 1} | {name: i for i, name in enumerate(self.inputs, start=2)}
        well_formed(all(map(NAME.fullmatch, self.inputs)) and len(names) == 2 + len(self.inputs), "names", lines[1])
        for name, _, body in (line.partition("=") for line in lines[2:-1]):
            well_formed(NAME.fullmatch(name.strip()) and name.strip() not in names, "a new name", name)
            names[name.strip()] = self.definition(body, names)
        keyword, *outputs = lines[-1].split()
        known = keyword == "outputs" and outputs and set(outputs) <= names.keys() - {"0", "1"}
        well_formed(known and len(set(outputs)) == len(outputs), "outputs with different defined names", lines[-1])
        need(expected in (None, outputs), f"outputs {expected}", outputs)
        return outputs, [names[name] for name in outputs]

    def definition(self, text, names):
        operator, nodes = "⊕" if "⊕" in text else "⊙", []
        for operand in map(OPERAND.fullmatch, text.split(operator)):
            well_formed(operand and operand[2] in names, "names from above, with prefixes and one operator", text)
            nodes.append(names[operand[2]])
            for prefix in re.findall(r"¬|[dD]\[[^]]*\]", operand[1].replace("δ", "d").replace("Δ", "D"))[::-1]:
                well_formed(prefix == "¬" or self.factor(prefix) >= 0, "a prefix", prefix)
                nodes[-1] = self.node(prefix, nodes[-1])
        return functools.reduce(functools.partial(self.node, operator), nodes)


def narrowed(ends, key, facts):
    return max(ends[0], facts.get((key, "low"), ends[0])), min(ends[1], facts.get((key, "high"), ends[1]))


def common(*divisors):  # their least common multiple, if it is not too long
    return functools.reduce(lambda a, b: math.lcm(a, b) if size(a) else 1, divisors, 1)


def whole(x, scale):  # x·scale, mostly a whole number
    return x.numerator * (scale // x.denominator) if type(scale) is int and not scale % x.denominator else x * scale


class System:  # variables, each (activation, row) or None for one in [0,1], times a scale: so numbers are mostly whole
    def __init__(self, variables):
        self.scales, self.units, self.common = [1, 1], [None, None], [1, 1]  # common: to all scales up to this one
        for name, row in (unit or ("identity", {0: 1}) for unit in variables[2:]):  # here 0 stands for all of [0,1]
            self.scales.append(common(1 << 48, *(w.denominator * self.scales[j] for j, w in row.items())) << 16)
            keys = [[2 * j + ((w > 0) == way) for j, w in row.items()] for way in (False, True)]  # of lows, of highs
            self.units.append((name, {j: whole(w, self.scales[-1] // self.scales[j]) for j, w in row.items()}, keys))
            self.common.append(common(self.common[-1], self.scales[-1]))

    def points(self, count, bounds):  # of each argument: ends and kinks, with values; None if a range is empty
        points, values = [[(0, 0), (1, 1)], [(1, 1), (1, 1)]], [0, 1, 1, 1]  # of each value, low and high
        for (name, row, keys), one in zip(self.units[2:count], self.scales[2:count], strict=True):
            ends = [sum(map(operator.mul, row.values(), map(values.__getitem__, side))) for side in keys]
            low, high = narrowed(ends, len(points), bounds)
            kinks = (z * one for z in KINKS[name] if low < z * one < high)
            points.append([(z, ACTIVATIONS[name](z, one)) for z in (low, high, *kinks)])
            values += (y for _, y in points[-1][:2] if size(y))
        return points if all(low <= high for (low, _), (high, _), *_ in points) else None

    def leaf(self, count, facts, splits, target, multipliers):  # an upper bound; −1 if there is no such point
        points, given = self.points(count, facts | splits), multipliers[::-1]
        below = self.common[count - 1] * common(*(c.denominator for c in (*given, *target.values()))) << 16
        total = [whole(target[k], below // self.scales[k]) if k in target else 0 for k in range(count)]
        for k in range(count - 1, 1, -1) if points and size(below) else ():
            (name, row, _), ((low, first), (high, last)), c = self.units[k], points[k][:2], total[k]
            slope = c if 0 not in row and size(c) and all(z == y for z, y in points[k]) else 0
            if 0 not in row and (len(points[k]) > 2 or (k, "low") in splits or (k, "high") in splits):
                well_formed(given or not multipliers, "more multipliers", "none")
                is_chord = low < high and Surd not in (type(low), type(high)) and (c > 0 or name != "relu")
                share = Fraction((last - first) * 2**16 // (high - low), 2**16) if is_chord else int(low + high > 0)
                slope = whole(given.pop(), below // self.scales[k]) if multipliers else whole(share, c)
            total[1] += max([c * y + -1 * slope * z for z, y in points[k]])
            for j, weight in row.items() if slope else ():
                total[j] += slope * weight
        well_formed(not points or not given, "no more multipliers", len(given))
        return total[1] * Fraction(1, below) if points else -1


class Checker:  # form: (part, constant), the number of a sum Σ c·[node] and what is added to it; claim: (node, form)
    def __init__(self, layers, terms, outputs, count, share=False):  # count: of certified bytes
        self.layers, self.terms, self.outputs, self.budget = layers, terms, outputs, WORK_PER_BYTE * (100_000 + count)
        self.share(layers if share else [])
        self.claims, self.parts, self.ranges, self.known = [None], [{}], [(0, 0)], {frozenset(): 0}
        self.assumed, self.proved, self.system, self.facts = 0, 0, None, {}  # facts: {(variable, side): bound}
        self.variables = [None] * (2 + len(terms.inputs))  # (activation, row), or None for an input
        self.layer, self.first, self.arguments, self.values = 0, len(self.variables), [], []
        self.variables += ((activation, row) for _, activation, rows in layers for row in rows)
        self.advance({}, *({i: 1} for i in range(1, self.first)))

    def share(self, layers):  # in rows, a neuron that is constant, or p > 0 times an earlier one, gives way to that
        firsts, values = {}, {}  # (activation, row / scale) → (variable, scale); variable → {the first such: p}
        for first, act, rows in layers:
            for k, row in enumerate(rows, start=first):
                rows[k - first] = row = add({}, *((values.get(j, {j: 1}), c) for j, c in row.items()))
                scale = Fraction(abs(c) if row and act != "crelu" and type(c := row[min(row)]) is not Surd else 1)
                self.spend(sum(size(c) + size(scale) for c in row.values()) // 256)
                a, other = firsts.setdefault((act, frozenset(add({}, (row, scale**-1)).items())), (k, scale))
                values[k] = {a: scale * other**-1} if row.keys() - {1} else {1: ACTIVATIONS[act](row.get(1, 0))}

    def follow(self, line):
        well_formed(type(line) is list and line and line[0] in list(RULES), "a list that begins with a rule", line)
        (name, *arguments), kinds = line, RULES[line[0]]
        kinds = kinds[:-2] + kinds[-2] * (len(arguments) + 2 - len(kinds)) if kinds[-1] == "*" else kinds
        well_formed(len(kinds) == len(arguments), "as many arguments as the rule has", len(arguments))
        self.spend(len(line))
        read = (number(x) if kind == "q" else typed(x, *KINDS[kind]) for kind, x in zip(kinds, arguments, strict=True))
        getattr(self, f"rule_{name}")(*read)

    def spend(self, steps):
        self.budget -= steps
        need(self.budget >= 0, ("at most", WORK_PER_BYTE, "steps for each certified byte"), "more", "incomplete")

    def claim(self, c):
        need(0 < c < len(self.claims), ("a claim from 1 to", len(self.claims) - 1), c)
        return self.claims[c]

    def node_of(self, c, form, less=0):
        (node, found), wanted = self.claim(c), (form[0], form[1] + -less)
        if found != wanted:
            raise Rejected("invalid", ("claim", c, "about", self.written(wanted)), self.written(found))
        return node

    def written(self, form):
        return self.parts[form[0]] | ({1: form[1]} if form[1] else {})

    def form(self, terms):
        part = {key: c for key, c in terms.items() if key > 1}
        if (key := frozenset(part.items())) not in self.known:
            self.spend(len(part) + sum(map(size, part.values())) // 256)
            self.known[key] = len(self.parts)
            self.parts.append(part)
            self.ranges += [[add({}, *(({1: 1}, c) for c in part.values() if (c > 0) == i)).get(1, 0) for i in (0, 1)]]
        return self.known[key], terms.get(1, 0)

    def total(self, *pairs, plus=0):  # the form Σ factor·form + plus, for pairs (form, factor)
        if (key := tuple((form[0], factor) for form, factor in pairs)) not in self.known:
            self.spend(sum(len(self.parts[part]) for part, _ in key))
            self.known[key] = self.form(add({}, *((self.parts[part], factor) for part, factor in key)))[0]
        return self.known[key], add({1: plus}, *(({1: form[1]}, factor) for form, factor in pairs)).get(1, 0)

    def within(self, form, low, high):  # the form must lie in [low, high] over nodes in [0,1]; None is no bound
        least, most = (end + form[1] for end in self.ranges[form[0]])
        need((low is None or low <= least) and (high is None or most <= high), (low, "to", high), (least, "to", most))

    def add(self, node, form):
        self.spend(size(form[1]) // 256)
        self.claims.append((node, form))

    def rule_node(self, k):
        need(k < 2 + len(self.terms.inputs), "0, 1, or 2 + the number of an input", k)
        self.add(k, self.form({k: 1}))

    def rule_atom(self, c):
        self.add(self.claim(c)[0], self.form({self.claim(c)[0]: 1}))

    def rule_not(self, c):
        node, form = self.claim(c)
        self.add(self.terms.node("¬", node), self.total((form, -1), plus=1))

    def rule_scale(self, text, c):
        factor, (node, form) = self.terms.factor(text), self.claim(c)
        self.within(form, None, 1)
        self.add(self.terms.node(text, node), self.total((form, factor)))

    def rule_plus(self, *claims, operator="⊕", low=0, high=None, less=0):
        nodes, forms = zip(*map(self.claim, claims), strict=True)
        for form in forms if len(claims) != 2 or claims[0] != claims[1] else ():
            self.within(form, low, high)
        node = functools.reduce(functools.partial(self.terms.node, operator), nodes)
        self.add(node, self.total(*((form, 1) for form in forms), plus=less * (1 - len(claims))))

    rule_times = functools.partialmethod(rule_plus, operator="⊙", low=None, high=1, less=1)

    def rule_lemma(self, g, h, above):
        (node, form), (node2, form2) = self.claim(g), self.claim(h)
        self.within(form2, 0, 1)
        sides = self.terms.node("⊕", node, node2), self.node_of(above, form, -1)
        self.add(self.terms.node("⊙", *sides), self.total((form, 1), (form2, 1)))

    def rule_cut(self, f, g, above, most, least):
        (node, form), (node2, form2) = self.claim(f), self.claim(g)
        need(least >= 0 and most >= 0, "multipliers ≥ 0", (least, most))
        self.within(self.total((form, 1), (form2, -1 * least)), 0, None)
        self.within(self.total((form, 1), (form2, -1 * most)), None, 1)
        sides = self.terms.node("⊙", node, self.node_of(above, form2, -1)), node2
        self.add(self.terms.node("⊕", *sides), self.total((form, 1), (form2, 1)))

    def sequence(self, claims, low, high):  # the nodes of claims about f, f − 1, … with f in [low, high]; and f
        self.within(form := self.claim(claims[0] if claims else 0)[1], low, high)
        return [self.node_of(c, form, k) for k, c in enumerate(claims)], form

    def rule_sort(self, count, *claims):
        (nodes, form), (nodes2, form2) = (self.sequence(c, 0, len(c)) for c in (claims[:count], claims[count:]))
        self.spend(len(claims) * (max(len(nodes), len(nodes2)).bit_length() + 1))
        for k, node in enumerate(self.merge(nodes, nodes2)):
            self.add(node, self.total((form, 1), (form2, 1), plus=-k))

    def merge(self, a, b):  # Batcher's; its recursion is as deep as the logarithm of the lengths
        first, even, odd, node = [], a, b, self.terms.node
        if a and b and len(a) + len(b) > 2:
            odd, even = self.merge(a[::2], b[::2]), self.merge(a[1::2], b[1::2])
            first, odd = odd[:1], odd[1:]
        pairs = [(node("⊕", x, y), node("⊙", x, y)) for x, y in zip(even, odd, strict=False)]
        return [*first, *itertools.chain(*pairs), *even[len(pairs) :], *odd[len(pairs) :]]

    def rule_average(self, s, ones, total, *units):
        need(0 < ones + len(units) <= s, ("1 to", s, "units"), ones + len(units))
        high, share = len(units) if ones + len(units) < s else None, Fraction(1, s)
        nodes, form = self.sequence(units, 0 if ones else None, high)
        node = self.node_of(total, self.form(add({1: ones * share}, *(({node: 1}, share) for node in nodes))))
        self.add(node, self.total((form, share), plus=ones * share))

    def rule_same(self, a, b):
        (node, form), (node2, form2) = self.claim(a), self.claim(b)
        low, high = (side(self.ranges[p][i] + c for p, c in (form, form2)) for i, side in enumerate((min, max)))
        need(form == form2 or low >= 1 or high <= 0, ("claim", b, "about", self.written(form)), self.written(form2))
        self.add(node2, self.form({node: 1}))

    def rule_equals(self, a, b, cone, *cases):  # claims of a cone define its nodes in order; {node: 1} leaves one free
        places, variables = {0: 0, 1: 1}, [None, None]
        for node, form in (self.claim(typed(c, int)) for c in cone):
            terms = self.written(form)
            need(node > 1 and (terms == {node: 1} or terms.keys() <= places.keys()), "a node over earlier ones", terms)
            variables.append(None if terms == {node: 1} else ("crelu", {places[key]: c for key, c in terms.items()}))
            places[node] = len(variables) - 1
        node, node2 = self.claim(a)[0], self.claim(b)[0]
        need({node, node2} <= places.keys(), "claims about nodes of the cone", (a, b))
        targets = [add({}, ({places[node]: 1}, way), ({places[node2]: 1}, -way)) for way in (1, -1)]
        self.prove(System(variables), len(variables), {}, targets, cases)
        self.add(node2, self.claim(a)[1])

    def advance(self, *values):  # of neurons, as sums over nodes; after those of a layer come the next arguments
        self.values += values
        while self.first + len(self.arguments) == len(self.values) < len(self.variables):
            self.layer, (self.first, self.activation, rows) = self.layer + 1, self.layers[self.layer]
            self.spend(sum(len(self.values[j]) for row in rows for j in row))
            self.arguments = [add({}, *((self.values[j], weight) for j, weight in row.items())) for row in rows]
            self.values += self.arguments if self.activation == "identity" else []

    def neuron(self, layer, index, due):  # the argument of a neuron of the current layer, and its range
        is_due = (layer, index) == (self.layer, due) and index < len(self.arguments)
        need(is_due, ("neuron", due, "of layer", self.layer), (layer, index))
        form = self.form(self.arguments[index])
        return form, *narrowed([end + form[1] for end in self.ranges[form[0]]], self.first + index, self.facts)

    def rule_unit(self, layer, index, share, shift):
        self.add(self.terms.fresh(), self.total((self.neuron(layer, index, index)[0], share), plus=-shift))

    def rule_affine(self, layer, index):
        _, low, high = self.neuron(layer, index, len(self.values) - self.first)
        need(low >= 0 and (self.activation == "relu" or high <= 1), "an argument that is kept", (low, "to", high))
        self.advance(self.arguments[index])

    def rule_clip(self, layer, index, factor, ones, *units):
        form, low, high = self.neuron(layer, index, len(self.values) - self.first)
        covered = factor > 0 and (not ones or low >= factor * ones) and high <= factor * (ones + len(units))
        if self.activation == "crelu":
            fixed = (low >= 1 and (ones, len(units)) == (1, 0)) or (high <= 0 and (ones, len(units)) == (0, 0))
            covered = factor == 1 and (fixed or (ones, len(units)) == (0, 1))
        need(covered, (f"a {self.activation} covered by", ones, "and", len(units), "units"), (low, "to", high))
        values = [({1: ones}, factor)]
        for i, unit in enumerate(units, start=ones):
            (node, found), way = self.claim(abs(unit)), 1 if unit > 0 else -1  # −c stands for 1 minus claim c
            found = self.total((found, way * factor), plus=(i if unit > 0 else i + 1) * factor)
            need(found == form, ("the argument less", i, "units"), ("claim", unit))
            values += [({node: way}, factor), ({1: int(unit < 0)}, factor)]  # apart: the node may be 1 itself
        self.advance(add({}, *values))

    def rule_bound(self, layer, index, side, value, *cases):
        well_formed(side in ("low", "high"), "low or high", side)
        need(0 < layer <= len(self.layers) and index < len(self.layers[layer - 1][2]), "a neuron", (layer, index))
        first, way = self.layers[layer - 1][0], 1 if side == "high" else -1
        if cases:
            target = add({}, (self.variables[first + index][1], way), ({1: value}, -way))
            self.system = self.system or System(self.variables)
            self.prove(self.system, first, self.facts, [target], cases)
        self.assumed += not cases
        self.facts[first + index, side] = value

    def prove(self, system, count, facts, targets, cases):  # that targets are ≤ 0, each by a tree of cases
        facts = {(k, side): whole(bound, system.scales[k]) for (k, side), bound in facts.items() if k < count}
        situations = [(target, {}) for target in reversed(targets)]  # with what splits give; the last one is due
        for kind, *arguments in cases:
            need(situations, "no more cases", kind)
            target, splits = situations.pop()
            self.spend(1 + len(splits))
            if kind == "split" and len(arguments) == 2:
                k, point = 2 + typed(arguments[0], int, 0), number(arguments[1])
                need(k < count, f"one of {count - 2} variables", k - 2)
                situations += [(target, splits | {(k, s): whole(point, system.scales[k])}) for s in ("low", "high")]
            else:
                well_formed(kind == "leaf", "a case", kind)
                self.spend(1 + sum(len(row) for _, row, _ in system.units[2:count] if 0 not in row) // 400)
                gap = system.leaf(count, facts, splits, target, list(map(number, arguments)))
                need(gap <= 0, "multipliers that prove the case", ("a gap of", gap))
        need(not situations, "a leaf for every case", f"{len(situations)} open")

    def rule_output(self, k, c, scale, offset):
        node, form = self.claim(c)
        due = self.layers and len(self.values) == len(self.variables) and k == self.proved < len(self.outputs)
        need(due and node == self.outputs[k], f"a claim about output {self.proved}, after all neurons", ("output", k))
        value, facts = self.form(self.values[self.first + k]), self.facts if self.activation == "identity" else {}
        low, high = narrowed([end + value[1] for end in self.ranges[value[0]]], self.first + k, facts)
        wanted, found = value if low < high else (0, low), self.total((form, scale), plus=offset)
        need(found == wanted, ("the value", self.written(wanted)), self.written(found))
        inside = scale and min(offset, offset + scale) <= low and high <= max(offset, offset + scale)
        need(inside, "an output that stays in [0,1] before the map", (low, "to", high))
        self.proved += 1

    def rule_equal(self, k, a, b):
        node, form = self.claim(a)
        due = not self.layers and k == self.proved < len(self.outputs)
        need(due and (node, self.node_of(b, form)) == self.outputs[k], ("claims about output", self.proved), k)
        self.proved += 1


def lines_of(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        for line, text in enumerate(iter(lambda: file.readline(MAX_LINE), b""), start=1):
            located(well_formed, text.endswith(b"\n"), "a whole line", "one that is cut off, or too long", line=line)
            yield line, located(decoded, text.decode("ascii"), line=line)


def verify(lines, contents):  # raise Rejected unless numbered lines prove it; contents(subject) are a file's bytes
    try:
        header = typed(next(lines, (1, None))[1], dict)
        subjects = [subject for subject in FILES if f"{subject}_sha256" in header]
        name, version, *hashes = with_keys(header, "format", "version", *(f"{subject}_sha256" for subject in subjects))
        right = name == "verimv-certificate" and typed(version, int) == 1 and " ".join(subjects) in SUBJECTS
        well_formed(right, "verimv-certificate 1 with its subjects' hashes", header)
        data = {subject: contents(subject) for subject in subjects}
        for subject, digest in zip(subjects, hashes, strict=True):
            need(hashlib.sha256(data[subject]).hexdigest() == digest, f"the {subject} that is named", "another")
        texts = {subject: text.decode("utf-8") for subject, text in data.items()}
        if "original" in texts:
            heads = (line.split() for line in texts["original"].split("\n"))
            layers, terms = [], Terms(next((head[1:] for head in heads if head[:1] == ["inputs"]), []))
            names, originals = located(terms.read, texts["original"], subject="original")
        else:
            network = located(Network, texts["network"], subject="network")
            layers, terms, names = network.layers, Terms(network.inputs), network.outputs
            for name, first, common in ("source", None, "layers"), ("other", network.ends.stop, "box"):
                if name in texts:
                    other = located(Network, texts[name], first, subject=name)
                    for key in "inputs", "outputs", common:
                        need(vars(network)[key] == vars(other)[key], f"networks with the same {key}", name)
            if "other" in texts:  # both networks, then a layer of differences
                rows = [{a: 1, b: -1} for a, b in zip(network.ends, other.ends, strict=True)]
                layers = [*layers, *other.layers, (other.ends.stop, "identity", rows)]
        outputs = located(terms.read, texts["formula"], names, subject="formula")[1] if "formula" in texts else names
        outputs = outputs if layers else list(zip(originals, outputs, strict=True))
        checker = Checker(layers, terms, outputs, sum(map(len, data.values())), "other" in texts)
        for n, line in lines:
            located(checker.follow, line, line=n, rule=line[0] if type(line) is list and line else None)
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise Rejected("malformed", "text, perhaps gzipped", error) from None
    if "formula" not in texts:  # what is proved then is bounds, two for each output
        checker.proved = sum(k >= layers[-1][0] for k, _ in checker.facts) // 2
    got = f"{checker.proved} of {len(checker.outputs)}, and {checker.assumed} bounds without evidence"
    need(checker.proved == len(checker.outputs) and not checker.assumed, "proofs of all outputs", got, "incomplete")


def check(path, given):  # raise Rejected unless a directory, or a certificate with the files given, is valid
    path = folder = pathlib.Path(path)
    if folder.is_dir():
        found = list(filter(pathlib.Path.exists, map(folder.joinpath, ("certificate.jsonl", "certificate.jsonl.gz"))))
        well_formed(len(found) == 1, "one of certificate.jsonl and certificate.jsonl.gz", folder)
        path, given = found[0], {s: given.get(s) or folder.joinpath(name) for s, name in FILES.items()}
    verify(lines_of(path), lambda subject: pathlib.Path(given.get(subject) or f"--{subject}").read_bytes())


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
