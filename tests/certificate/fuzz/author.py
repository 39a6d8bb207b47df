"""Writes a certificate line by line: tries lines, keeps what the kernel accepts, and has each judged at once."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from types import ModuleType

from tests.certificate.fuzz.built_text import Builder
from tests.certificate.fuzz.cases import system_of
from tests.certificate.fuzz.judge import FalseLine, Judge, World
from tests.certificate.fuzz.kernel_view import KernelView
from tests.certificate.fuzz.meaning import ONE, ZERO
from verimv.exact import Number, Rational, ceil, floor, format_number, parse_number

Form = dict[int, Number]
POINTS = 12


class Stopped(FalseLine):
    """The kernel neither accepts a line nor rejects it."""


def form_range(form: Form) -> tuple[Number, Number]:
    low = high = form.get(1, ZERO)
    for node, c in form.items():
        if node > 1:
            low, high = (low, high + c) if c > 0 else (low + c, high)
    return low, high


def added(*pairs: tuple[Form, Number], plus: Number = ZERO) -> Form:
    total: Form = {1: plus}
    for form, factor in pairs:
        for node, c in form.items():
            total[node] = total.get(node, ZERO) + factor * c
    return {node: c for node, c in total.items() if c}


class Author:
    """The state of a sequence: its lines, and what is known of the claims that they made."""

    def __init__(
        self, texts: dict[str, str], world: World, source: random.Random, module: ModuleType, sweeping: float = 0.0
    ) -> None:
        self.texts, self.world, self.source = texts, world, source
        #: how often trees of cases have a sweep
        self.sweeping = sweeping
        self.view = KernelView(texts, module)
        self.judge = Judge(world, texts, self.view)
        self.builder = Builder(len(world.inputs))
        self.system = system_of(world.network, world.other) if world.network else None
        if self.system is not None:
            self.system.sweeping = sweeping
        self.lines: list[list] = []
        self.tried: Counter[str] = Counter()
        #: lines that were rejected, and after how many others
        self.rejected: list[tuple[int, list]] = []
        #: node, form, and the range of the form of each claim
        self.claims: list[tuple[int, Form, Number, Number]] = [(0, {}, ZERO, ZERO)]
        #: claims about a node; claims with a form, by its linear part and its constant
        self.about: dict[int, list[int]] = defaultdict(list)
        self.families: dict[frozenset, dict[Number, list[int]]] = defaultdict(dict)
        #: what nodes would be as forms over inputs if σ clipped nothing
        self.unclipped: dict[int, Form] = {0: {}}

    def chance(self, share: float) -> bool:
        return self.source.random() < share

    def propose(self, line: list) -> int | None:
        """The number of the (first) new claim, or of the next one, if a line is accepted."""
        self.tried[line[0]] += 1
        try:
            self.view.follow(line)
        except self.view.rejection:
            self.rejected.append((len(self.lines), line))
            return None
        except Exception as error:  # whatever it is, it is no verdict
            self.lines.append(line)
            raise Stopped(f"the kernel stops: {type(error).__name__}: {error}") from error
        self.lines.append(line)
        first = len(self.claims)
        self.judge.follow(line)
        self.builder.follow(line)
        if line[0] in ("twin", "apart"):
            self.compare(line)
        for c in range(first, self.view.count()):
            node, form = self.view.claim(c)
            self.claims.append((node, form, *form_range(form)))
            self.about[node].append(c)
            if node not in self.unclipped:
                pairs = ((self.unclipped.get(n, {n: ONE}), x) for n, x in form.items())
                self.unclipped[node] = added(*pairs)
            self.family(form).setdefault(form.get(1, ZERO), []).append(c)
        return first

    def compare(self, line: list) -> None:
        """Take note of a twin, or of a bound of a change."""
        k = len(self.world.inputs) + self.world.layers[line[1] - 1][0] + line[2]
        if line[0] == "twin":
            self.system.twins[k] = line[3], parse_number(line[4])
        else:
            self.system.changes[k, line[3]] = parse_number(line[4])

    def family(self, form: Form) -> dict[Number, list[int]]:
        return self.families[frozenset((node, c) for node, c in form.items() if node > 1)]

    def existing(self, form: Form) -> int | None:
        """A claim with this form."""
        found = self.family(form).get(form.get(1, ZERO))
        return self.source.choice(found) if found else None

    def any_claim(self) -> int:
        """0 and 1 come often: constants are where rules go wrong."""
        if len(self.claims) == 1 or self.chance(0.03):
            return self.constant(self.source.randint(0, 1))
        nodes = [node for node in (0, 1) if node in self.about]
        if nodes and self.chance(0.12):
            return self.source.choice(self.about[self.source.choice(nodes)])
        return self.source.randrange(1, len(self.claims))

    def constant(self, k: int) -> int:
        return self.atom(k)

    # -- claims with a given form ---------------------------------------------------------------------------------

    def atom(self, node: int) -> int:
        """A claim that a node is itself."""
        form = {node: ONE} if node else {}
        for c in self.family(form).get(ONE if node == 1 else ZERO, ()):
            if self.claims[c][0] == node:
                return c
        is_leaf = node < 2 + len(self.world.inputs)
        line = (
            ["node", node] if is_leaf and (not self.about[node] or self.chance(0.7)) else ["atom", self.about[node][-1]]
        )
        return self.required(line)

    def required(self, line: list) -> int:
        """A line that no kernel refuses."""
        number = self.propose(line)
        if number is None:
            raise Stopped(f"{line} is refused")
        return number

    def scaled(self, node: int, share: Number) -> int | None:
        """A claim about share · [node], for a share in (0,1]."""
        if share == 1:
            return self.atom(node)
        found = self.existing({node: share})
        if found is not None and self.chance(0.7):
            return found
        text = f"D[{format_number(share)}]"
        if not isinstance(share, type(ONE)) or share.numerator != 1 or self.chance(0.5):
            return self.propose(["scale", text, self.atom(node)])
        return self.propose(["scale", f"d[{share.denominator}]", self.atom(node)])

    def pieces(self, form: Form) -> tuple[list[int], int] | None:
        """Claims of forms within [0,1], and an integer, whose sum is a form; None if there are too many."""
        found, shift = [], floor(form.get(1, ZERO))
        terms = [(node, c) for node, c in form.items() if node > 1]
        if form.get(1, ZERO) != shift:
            terms.append((1, form[1] - shift))
        if sum(abs(c) for _, c in terms) > 7:
            return None
        self.source.shuffle(terms)
        for node, c in terms:
            while c:
                share = min(abs(c), ONE)
                piece = self.scaled(node, share)
                if piece is not None and c < 0:
                    piece, shift = self.propose(["not", piece]), shift - 1
                if piece is None:
                    return None
                found.append(piece)
                c = c - share if c > 0 else c + share
        return found, shift

    def built(self, form: Form) -> int | None:
        """A claim with a form, from an earlier one or by sums, products, `lemma` and `cut`."""
        found = self.existing(form)
        if found is not None and self.chance(0.6):
            return found
        if self.chance(0.15):
            twin = self.built(added((form, -ONE), plus=ONE))
            return None if twin is None else self.propose(["not", twin])
        parts = self.pieces(form)
        return None if parts is None else self.sum_of(*parts)

    def sum_of(self, claims: list[int], shift: int) -> int | None:
        """A claim about the sum of claims within [0,1] and of an integer."""
        if shift >= 0:
            claims = claims + [self.constant(1)] * shift or [self.constant(0)]
            return claims[0] if len(claims) == 1 else self.propose(["plus", *claims])
        if shift <= 1 - len(claims):
            return self.propose(["times", *claims, *[self.constant(0)] * (1 - len(claims) - shift + (not claims))])
        *rest, last = claims
        below, above = self.sum_of(rest, shift), self.sum_of(rest, shift + 1)
        if below is None or above is None:
            return None
        line = ["lemma", below, last, above] if self.chance(0.7) else ["cut", last, below, above, "0", "0"]
        return self.propose(line)

    # -- neurons ----------------------------------------------------------------------------------------------------

    def due(self) -> tuple[int, int, str, Form, Number, Number] | None:
        """Layer, index, activation, argument and its range for the neuron that needs a value next."""
        k = self.view.value_count() - len(self.world.inputs)
        for number, (first, width, name) in enumerate(self.world.layers, start=1):
            if first <= k < first + width:
                form = self.view.arguments()[1][k - first]
                low, high = self.narrowed(form, k)
                return number, k - first, name, form, low, high
        return None

    def narrowed(self, form: Form, neuron: int) -> tuple[Number, Number]:
        low, high = form_range(form)
        bounds = self.view.bound(neuron, "low"), self.view.bound(neuron, "high")
        return low if bounds[0] is None else max(low, bounds[0]), high if bounds[1] is None else min(high, bounds[1])

    def give_value(self) -> bool:
        """A `clip` or `affine` for the neuron that is due; sometimes one that nearly covers it comes first."""
        due = self.due()
        if due is None:
            return False
        layer, i, name, form, low, high = due
        if self.chance(0.3) and self.propose(["affine", layer, i]) is not None:
            return True
        if high < 0 and self.chance(0.3):  # ρ(t) is 0, and not high·σ(t/high)
            negative = self.unit(layer, i, form, high, 0)
            if negative is not None and self.propose(["clip", layer, i, format_number(high), 0, negative]) is not None:
                return True
        factor = ONE
        if name == "relu":
            factors = [ONE, ONE, Rational(1, 2), Rational(2), high, high / 2, high - low, Rational(ceil(high))]
            factor = self.source.choice([f for f in factors if f > 0])
        most = max(0, ceil(high / factor))
        if most > 4:
            factor, most = Rational(ceil(high)), 1
        ones = max(0, min(floor(low / factor), most)) if self.chance(0.7) else 0
        count = most - ones + (self.chance(0.15))
        if name == "crelu":
            ones, count = (1, 0) if low >= 1 else (0, 0) if high <= 0 else (0, 1)
        if self.chance(0.2):  # not quite covered, and so refused
            ones, count = max(0, ones + self.source.choice([0, 0, 1])), max(0, count + self.source.choice([-1, 0, 1]))
            factor = factor * self.source.choice([1, 1, 2])
        units = []
        for k in range(ones, ones + count):
            unit = self.unit(layer, i, form, factor, k)
            if unit is None:
                return False
            units.append(unit)
        return self.propose(["clip", layer, i, format_number(factor), ones, *units]) is not None

    def unit(self, layer: int, i: int, form: Form, factor: Number, k: int) -> int | None:
        """A claim about argument / factor − k, or the negative of one about its complement."""
        wanted = added((form, 1 / factor), plus=Rational(-k))
        is_negative = self.chance(0.3)
        if is_negative:
            wanted = added((wanted, -ONE), plus=ZERO if self.chance(0.05) else ONE)
        found = self.existing(wanted) if self.chance(0.5) else None
        if found is None and self.chance(0.1 if "formula" in self.texts else 0.4):
            share, shift = (-1 / factor, -k - 1) if is_negative else (1 / factor, k)
            found = self.propose(["unit", layer, i, format_number(share), shift])
        if found is None:
            found = self.built(wanted)
        return None if found is None else -found if is_negative else found
