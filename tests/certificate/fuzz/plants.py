"""Kernels that are unsound on purpose: one place of `kernel.py` is written otherwise. The fuzzer must notice each."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.certificate.fuzz.subjects import SWEPT
from verimv import kernel

#: Subjects of sequences in which neurons have twins.
PAIRS = "network other"
#: Subjects of sequences in two parts.
PARTS = "network other formula"
SOURCE = Path(kernel.__file__).read_text(encoding="utf-8")


class Plant(NamedTuple):
    #: what is wrong, in one sentence
    description: str
    right: str
    wrong: str

    def module(self) -> ModuleType:
        """The kernel with this defect."""
        if SOURCE.count(self.right) != 1:
            raise ValueError(f"{self.description}: its text occurs {SOURCE.count(self.right)} times in kernel.py")
        planted = ModuleType("planted")
        exec(compile(SOURCE.replace(self.right, self.wrong), "planted kernel", "exec"), vars(planted))
        return planted


PLANTS = {
    # -- forms, nodes, numbers
    "claim-number": Plant(
        "A claim may have the number of one from the end: −1 is the last.",
        "found = self.claims[c] if 0 < c < len(self.claims) else None",
        "found = self.claims[c] if c and -len(self.claims) < c < len(self.claims) else None",
    ),
    "form-range": Plant(
        "Negative coefficients do not lower the range of a form.",
        "            low = low + numerator  # type",
        "            high = high + 0  # type",
    ),
    "double-negation": Plant(
        "¬¬a is taken for ¬a.",
        "            operand: int = self.operations[node][1]\n            return operand",
        "            return node",
    ),
    "prefixes": Plant(
        "Prefixes of an operand are applied from the left.",
        "reversed(PREFIX_PATTERN.findall(match[1]))",
        "PREFIX_PATTERN.findall(match[1])",
    ),
    "surd-product": Plant(
        "√2·√2 is 1: products of square roots lose their common factor.",
        "+ a * b * divisor",
        "+ a * b",
    ),
    "lowest-terms": Plant(
        "Numerators are divided by too much: half of what they should be.",
        "numerators = [shortened(numerator, divisor) for numerator in numerators]",
        "numerators = [shortened(numerator, divisor) for numerator in numerators[:1]] + list(numerators[1:])",
    ),
    "combined": Plant(
        "Terms of one node are not added up: the last one counts.",
        "total[key] = total.get(key, 0) + multiple * numerator",
        "total[key] = multiple * numerator",
    ),
    "box": Plant(
        "The width of a box is its upper end.",
        "linear_of({j: high - low}, work)",
        "linear_of({j: high}, work)",
    ),
    # -- rules that make claims
    "scale": Plant(
        "A form is scaled though it may be above 1.",
        "    checker.need_at_most(1, form)\n    checker.add_claim(checker.nodes.make(text, node)",
        "    checker.add_claim(checker.nodes.make(text, node)",
    ),
    "plus-negative": Plant(
        "Forms of a sum may go down to −1/2.",
        "            checker.need_at_least(0, claim.form)",
        "            checker.need_at_least(Fraction(-1, 2), claim.form)",
    ),
    "times-above-1": Plant(
        "Forms of a product may go up to 2.",
        "            checker.need_at_most(1, claim.form)",
        "            checker.need_at_most(2, claim.form)",
    ),
    "plus-twice": Plant(
        "A claim twice at the beginning excuses all others of a sum.",
        "    if rest != [first]:\n        for claim in claims:\n            checker.need_at_least",
        "    if rest[:1] != [first]:\n        for claim in claims:\n            checker.need_at_least",
    ),
    "lemma-low": Plant(
        "The second form of a lemma may be negative.",
        "    checker.need_at_least(0, form_h)\n",
        "",
    ),
    "lemma-high": Plant(
        "The second form of a lemma may be above 1.",
        "    checker.need_at_most(1, form_h)\n",
        "",
    ),
    "lemma-above": Plant(
        "The third claim of a lemma may be about anything.",
        "node_c = checker.node_of(c, Form(form_g.part, form_g.constant + 1))\n    node = checker.nodes.make(TIMES, checker.nodes.make(PLUS",
        "node_c = checker.claim(c).node\n    node = checker.nodes.make(TIMES, checker.nodes.make(PLUS",
    ),
    "cut-negative-least": Plant(
        "The multiplier μ of a cut may be negative.",
        '    need(mu >= 0, "a multiplier μ that is not negative", mu)\n',
        "",
    ),
    "cut-negative-most": Plant(
        "The multiplier λ of a cut may be negative.",
        '    need(lam >= 0, "a multiplier λ that is not negative", lam)\n',
        "",
    ),
    "cut-most": Plant(
        "The upper condition of a cut is left out.",
        "    checker.need_at_most(1, checker.total([(form_f, 1), (form_g, -lam)]))\n",
        "",
    ),
    "cut-least": Plant(
        "The lower condition of a cut is left out.",
        "    checker.need_at_least(0, checker.total([(form_f, 1), (form_g, -mu)]))\n",
        "",
    ),
    "sort-high": Plant(
        "Sequences to be sorted may be too short.",
        "    checker.need_at_most(len(claims), form)\n    return form, nodes_of_steps",
        "    return form, nodes_of_steps",
    ),
    "sort-low": Plant(
        "Sequences to be sorted may be negative.",
        "    checker.need_at_least(0, form)\n    checker.need_at_most(len(claims), form)\n    return form",
        "    checker.need_at_most(len(claims), form)\n    return form",
    ),
    "sequence": Plant(
        "Claims of a sequence need not go down by 1.",
        "[checker.node_of(c, Form(form.part, form.constant - k)) for k, c in enumerate(claims)]",
        "[checker.claim(c).node for k, c in enumerate(claims)]",
    ),
    "merge-order": Plant(
        "Sorting compares entries of the same place.",
        "zip(even[:pairs], odd[1 : pairs + 1], strict=True)",
        "zip(even[:pairs], odd[:pairs], strict=True)",
    ),
    "average-ones": Plant(
        "Units may be left out above though the form may be negative.",
        "    if ones > 0:\n        checker.need_at_least(0, form)\n",
        "",
    ),
    "average-zeros": Plant(
        "Units may be left out below though the form may be high.",
        "        checker.need_at_most(len(claims), form)\n    nodes = nodes_of_steps",
        "        pass\n    nodes = nodes_of_steps",
    ),
    "same-zero": Plant(
        "Forms that can be ≤ 0 count as 0 everywhere.",
        "are_zeros = high_a <= 0 and high_b <= 0",
        "are_zeros = low_a <= 0 and low_b <= 0",
    ),
    "same-one": Plant(
        "Forms that can be ≥ 1 count as 1 everywhere.",
        "are_ones = low_a >= 1 and low_b >= 1",
        "are_ones = high_a >= 1 and high_b >= 1",
    ),
    "same-half": Plant(
        "It is enough that one of two forms is 1 everywhere.",
        "are_ones = low_a >= 1 and low_b >= 1",
        "are_ones = low_a >= 1 or low_b >= 1",
    ),
    "equals-one-way": Plant(
        "Equality is shown by a ≤ b, twice.",
        "up = add_up([(value_b, 1), (value_a, -1)], 0, checker.work)",
        "up = down",
    ),
    "equals-cone": Plant(
        "Variables of a cone are not clipped.",
        "Variable(CLIPPED, over_variables(affine))",
        "Variable(IDENTITY, over_variables(affine))",
    ),
    "equals-other-node": Plant(
        "What equals concludes is about the wrong form.",
        "    checker.add_claim(node_b, form_a)",
        "    checker.add_claim(node_b, checker.claim(1).form)",
    ),
    "unit-shift": Plant(
        "A unit has one value at all its places.",
        "checker.add_claim(checker.nodes.fresh(), checker.total([(form, factor)], plus=-shift))",
        'checker.add_claim(checker.nodes.make("unit", layer, index), checker.total([(form, factor)], plus=-shift))',
    ),
    # -- neurons
    "affine-low": Plant(
        "An argument that may be negative is kept.",
        '    need(low >= 0, "an argument that is not negative", low)\n',
        "",
    ),
    "affine-high": Plant(
        "A crelu keeps an argument above 1.",
        '        need(high <= 1, "an argument that is at most 1", high)\n',
        "        pass\n",
    ),
    "clip-constant": Plant(
        "A unit whose node is 1 loses its value, or the constant: this was in the kernel once.",
        "            pairs.append((value_of_node(claim.node), -factor))\n            constant = constant + factor\n",
        "            pairs.append((value_of_node(claim.node), -factor))\n            constant = constant + (2 * factor if claim.node == 1 else factor)\n",
    ),
    "node-1": Plant(
        "The node 1 counts as an atom without a value.",
        "return Affine(NOTHING, node) if node <= 1",
        "return Affine(NOTHING, 0) if node <= 1",
    ),
    "clip-ones": Plant(
        "Units are left out above though the argument may be below.",
        '        need(low >= factor * ones, ("an argument that is at least", factor * ones), low)\n',
        "        pass\n",
    ),
    "clip-high": Plant(
        "A clip may be one unit short.",
        "    most = factor * (ones + units)\n",
        "    most = factor * (ones + units + 1)\n",
    ),
    "clip-factor": Plant(
        "The factor of a clip may be negative.",
        '    need(factor > 0, "a factor that is positive", factor)\n    if ones > 0:',
        "    if ones > 0:",
    ),
    "clip-form": Plant(
        "Units may be about anything.",
        'need(found == form, ("a unit',
        'need(True, ("a unit',
    ),
    "clip-negative": Plant(
        "A negative unit is one further.",
        "plus=factor * (k + 1))",
        "plus=factor * k)",
    ),
    "clip-crelu-one": Plant(
        "A crelu may be 1 though its argument may be less.",
        '        need(low >= 1, "an argument that is at least 1", low)\n',
        "        pass\n",
    ),
    "clip-crelu-zero": Plant(
        "A crelu may be 0 though its argument may be more.",
        '        need(high <= 0, "an argument that is at most 0", high)\n',
        "        pass\n",
    ),
    "clip-crelu-factor": Plant(
        "A crelu may have a factor, as a relu has.",
        '    need(factor == 1, "the factor 1", factor)\n',
        "",
    ),
    "due-neuron": Plant(
        "Neurons may get their values in any order.",
        '        need(index == due, f"neuron {due}, which is due", index)\n',
        "",
    ),
    # -- proofs by cases
    "kinks-crelu": Plant(
        "A crelu has no kink at 1.",
        "    if activation == CLIPPED and low < one < high:",
        "    if False:",
    ),
    "kinks-relu": Plant(
        "A relu has no kink.",
        "    if activation in (RELU, CLIPPED) and low < 0 < high:",
        "    if activation == CLIPPED and low < 0 < high:",
    ),
    "peak-at-ends": Plant(
        "The peak over an argument is looked for at the ends of its range only.",
        "for z, value in ((high, high_value), *kinks):",
        "for z, value in ((high, high_value),):",
    ),
    "peak-at-kinks": Plant(
        "The peak over an argument is not looked for at its upper end.",
        "for z, value in ((high, high_value), *kinks):",
        "for z, value in kinks:",
    ),
    "empty-point": Plant(
        "A range with one point counts as empty.",
        "            if low > high:\n                return None",
        "            if low >= high:\n                return None",
    ),
    "ranges-turned": Plant(
        "Signs of weights are not looked at for the ranges of arguments.",
        "low = low + dot(self.falling, self.pick_falling(largest))",
        "low = low + dot(self.falling, self.pick_falling(least))",
    ),
    "free-variables": Plant(
        "Free variables count at their lower ends.",
        "total = total + c * (high if c > 0 else low)",
        "total = total + c * low",
    ),
    "argument-constant": Plant(
        "The constant of an argument is left out.",
        "            total = total + slope * variable.constant\n",
        "",
    ),
    "saturated": Plant(
        "A neuron that is constant counts for nothing.",
        "                    total = total + c * low_value\n",
        "                    pass\n",
    ),
    "users": Plant(
        "A variable that occurs in two arguments is counted in one.",
        "coefficients[j] = coefficients[j] + slope * weight",
        "coefficients[j] = slope * weight",
    ),
    "tolerance": Plant(
        "A gap of 1/1000 is closed.",
        "need(gap is None or gap <= 0,",
        "need(gap is None or gap <= Fraction(1, 1000),",
    ),
    "split-side": Plant(
        "Of a split the upper side is proved twice.",
        "open_situations.append(situation.with_split(k, Bounds({}, {k: bound})))  # first",
        "open_situations.append(situation.with_split(k, Bounds({k: bound}, {})))",
    ),
    "case-lemma-side": Plant(
        "A lemma inside of cases is known on the other side.",
        'lemma = Bounds({k: bound}, {}) if side == "low" else',
        'lemma = Bounds({k: bound}, {}) if side == "high" else',
    ),
    "case-lemma-target": Plant(
        "A lemma inside of cases is always proved as an upper bound.",
        "target = bound_target(variable.argument, side, value, work)",
        'target = bound_target(variable.argument, "high", value, work)',
    ),
    "case-lemma-everywhere": Plant(
        "A lemma about one case is known in all later ones.",
        "open_situations.append(situation.with_lemma(lemma))",
        "open_situations.append(situation.with_lemma(lemma)); self.learn(k, side, value)",
    ),
    "open-cases": Plant(
        "Cases may be left open.",
        '        need(not open_situations, "a leaf for every case", f"{len(open_situations)} open")\n',
        "",
    ),
    "bound-target": Plant(
        "A lower bound is proved as an upper one of the negative value.",
        "return add_up([(argument, -1)], value, work)",
        "return add_up([(argument, -1)], -value, work)",
    ),
    "bound-side": Plant(
        "Every bound is known as an upper one.",
        "    checker.facts[first + index, side] = value\n",
        '    checker.facts[first + index, "high"] = value\n',
    ),
    "bound-neuron": Plant(
        "A bound is known of the next neuron, too.",
        "    checker.facts[first + index, side] = value\n",
        "    checker.facts[first + index, side] = checker.facts[first + index + 1, side] = value\n",
    ),
    "learned-side": Plant(
        "In later proofs, bounds are known on the other side.",
        'ends = self.known.low if side == "low" else self.known.high',
        'ends = self.known.high if side == "low" else self.known.low',
    ),
    # -- twins
    "twin-opposite": Plant(
        "ρ(−z) counts as −ρ(z).",
        "Twin(twin, factor, 0, -factor, factor)  # ρ(−z) = ρ(z) − z",
        "Twin(twin, factor, 0, factor, 0)",
    ),
    "twin-complement": Plant(
        "σ(−z) counts as −σ(z).",
        "Twin(twin, factor, 1, factor, 0)  # σ(1 − z) = 1 − σ(z)",
        "Twin(twin, factor, 0, factor, 0)",
    ),
    "twin-turned": Plant(
        "A negative factor does not exchange the ends of a range.",
        "        if twin.factor < 0:\n            twin_low, twin_high = twin_high, twin_low\n",
        "",
    ),
    "twin-offset": Plant(
        "The constant of a complement is left out.",
        "total = total + (c + nu - mu) * offset + found.peak(c, mu, nu)",
        "total = total + found.peak(c, mu, nu)",
    ),
    "twin-crelu": Plant(
        "A crelu may have a twin with any factor.",
        '        need(factor == 1 or factor == -1, "the factor 1 or -1", factor)\n',
        "        pass\n",
    ),
    "twin-again": Plant(
        "A neuron may get another twin: what is known of its change stays.",
        '    need(k not in checker.twins, "a neuron that has no twin", k)\n',
        "",
    ),
    "twin-range": Plant(
        "The range of a twin lacks the factor.",
        "z = (twin.factor * twin_low + twin.offset, twin.factor * twin_high + twin.offset)",
        "z = tuple(self.scales[k] // self.scales[twin.variable] * x + twin.offset for x in (twin_low, twin_high))",
    ),
    "twin-value": Plant(
        "The value of a twin lacks the factor.",
        "coefficients[twin] = coefficients[twin] + c * of_value",
        "coefficients[twin] = coefficients[twin] + c * (self.scales[k] // self.scales[twin])",
    ),
    "twin-slope-factor": Plant(
        "So does the slope of its argument.",
        "slopes[twin] = slopes[twin] + c * of_argument + (nu - mu) * factor",
        "slopes[twin] = slopes[twin] + c * of_argument + (nu - mu) * (self.scales[k] // self.scales[twin])",
    ),
    "twin-slope-sign": Plant(
        "The slope of the argument of a twin has the wrong sign.",
        "slopes[twin] = slopes[twin] + c * of_argument + (nu - mu) * factor",
        "slopes[twin] = slopes[twin] + c * of_argument + (mu - nu) * factor",
    ),
    "twin-slope-new": Plant(
        "The slope of the argument of a twin is forgotten.",
        "            slope = slope + slopes[k]\n",
        "",
    ),
    "twin-constant": Plant(
        "The constant of the argument of a twin is left out.",
        "            slope = slope + slopes[k]\n            total = total + slope * variable.constant\n",
        "            total = total + slope * variable.constant\n            slope = slope + slopes[k]\n",
    ),
    "pair-cell-low": Plant(
        "A cell that has one point only, the highest change, does not count.",
        "of_y.low <= of_z.high + most",
        "of_y.low < of_z.high + most",
    ),
    "pair-cell-high": Plant(
        "A cell counts only if its whole piece of the twin can go into it.",
        "if of_z.low + least <= of_y.high",
        "if of_z.high + least <= of_y.high",
    ),
    "pair-first-sum": Plant(
        "In the first sum, the change counts at its lower end.",
        "height = largest(a, z) + largest(b, self.change)",
        "height = largest(a, z) + b * self.change[0]",
    ),
    "pair-second-sum": Plant(
        "In the second sum, A stands for A − B.",
        "largest(a - b, z) + largest(b, y)",
        "largest(a, z) + largest(b, y)",
    ),
    "pair-third-sum": Plant(
        "In the third sum, B stands for B − A.",
        "largest(a, y) + largest(b - a, self.change)",
        "largest(a, y) + largest(b, self.change)",
    ),
    "pair-least-cell": Plant(
        "The lowest cell counts.",
        "return functools.reduce(larger, peaks)",
        "return functools.reduce(smaller, peaks)",
    ),
    "pair-shift": Plant(
        "A crelu counts as a relu where it is 1.",
        "peaks.append(height + c * (of_y.shift - of_z.shift))",
        "peaks.append(height)",
    ),
    "pair-pieces": Plant(
        "A range that ends at a kink has no piece below it.",
        "    if low < 0 or high <= 0:",
        "    if low < 0 and high <= 0:",
    ),
    "pair-change-range": Plant(
        "The least change is that of both lower ends.",
        "least = larger(low - z[1], self.changes.low.get(k, low - z[1]))",
        "least = larger(low - z[0], self.changes.low.get(k, low - z[0]))",
    ),
    "apart-factor": Plant(
        "The change of a neuron lacks the factor.",
        "pairs = [(arguments[index], 1), (its_argument, -twin.factor)]",
        "pairs = [(arguments[index], 1), (its_argument, -1)]",
    ),
    "apart-side": Plant(
        "Every bound of a change is known as an upper one.",
        "    checker.changes[k, side] = value\n",
        '    checker.changes[k, "high"] = value\n',
    ),
    "apart-neuron": Plant(
        "A bound of a change is known of the next neuron, too.",
        "    checker.changes[k, side] = value\n",
        "    checker.changes[k, side] = checker.changes[k + 1, side] = value\n",
    ),
    "apart-learned": Plant(
        "In later proofs, bounds of changes are known on the other side.",
        'ends = self.changes.low if side == "low" else self.changes.high',
        'ends = self.changes.high if side == "low" else self.changes.low',
    ),
    # -- sweeps
    "sweep-high": Plant(
        "The high end of a coarse range is rounded down.",
        "high = divided_up(high, variable.denominator)",
        "high = divided_down(high, variable.denominator)",
    ),
    "sweep-low": Plant(
        "The low end of a coarse range is rounded up.",
        "low = divided_down(low, variable.denominator)",
        "low = divided_up(low, variable.denominator)",
    ),
    "sweep-bound": Plant(
        "The bound of a coarse walk is rounded down.",
        "return divided_up(whole, bounded.denominator * ratio)",
        "return divided_down(whole, bounded.denominator * ratio)",
    ),
    "sweep-kinks": Plant(
        "A coarse walk looks for peaks at the ends only.",
        "                *[c * value - in_units * z for z, value in ends.kinks],\n",
        "",
    ),
    "sweep-constant": Plant(
        "A coarse walk leaves out the constants of arguments.",
        "divided_up(peak + mu * variable.constant_in_units,",
        "divided_up(peak,",
    ),
    "sweep-own-constant": Plant(
        "The constant of the argument that is bounded has the wrong sign, from below.",
        "sign * bounded.constant * ratio",
        "bounded.constant * ratio",
    ),
    "sweep-free": Plant(
        "In a coarse walk, free variables count at their lower ends.",
        "c * (ends.high if c > 0 else ends.low)",
        "c * ends.low",
    ),
    "sweep-side": Plant(
        "The lower bound is the upper one of the negative argument.",
        "low = max(low, -self.walk(k, -1, ranges, work))",
        "low = max(low, self.walk(k, -1, ranges, work))",
    ),
    "sweep-own-row": Plant(
        "A coarse walk looks at the argument that is bounded only.",
        "            if variable.first_user > last:",
        "            if True:",
    ),
    "sweep-saturated": Plant(
        "In a coarse walk, a neuron that is constantly 1 counts for nothing.",
        "return self.high_value == 0 and self.slope_if_positive == 0",
        "return self.slope_if_positive == 0",
    ),
    "sweep-everywhere": Plant(
        "What a sweep finds in one case is known in all.",
        "                open_situations.append(self.swept(situation, work))\n",
        "                open_situations.append(self.swept(situation, work))\n"
        "                self.known.high.update(open_situations[-1].bounds.high)\n",
    ),
    # -- shared neurons
    "share-negative": Plant(
        "Neurons are shared by negative factors.",
        "    return -lead if lead < 0 else lead",
        "    return lead",
    ),
    "share-activation": Plant(
        "Neurons are shared whatever the activation.",
        "originals.setdefault((layer.activation, normal), (k, scale))",
        "originals.setdefault((RELU, normal), (k, scale))",
    ),
    "share-crelu": Plant(
        "A crelu is shared by factors, as a relu is.",
        "    if isinstance(lead, Surd) or activation == CLIPPED:",
        "    if isinstance(lead, Surd):",
    ),
    "share-equal": Plant(
        "Multiples count as equal.",
        "{original: scale * inverse(its_scale)}",
        "{original: 1}",
    ),
    "share-factor": Plant(
        "The factor is taken the other way round.",
        "{original: scale * inverse(its_scale)}",
        "{original: its_scale * inverse(scale)}",
    ),
    "share-constant": Plant(
        "Constant neurons lack their activation.",
        "Affine(NOTHING, activate(layer.activation, argument.constant))",
        "Affine(NOTHING, argument.constant)",
    ),
    "share-bias": Plant(
        "Rows that differ in the constant only are shared.",
        "normal = add_up([(argument, inverse(scale))], 0, work)",
        "normal = Affine(add_up([(argument, inverse(scale))], 0, work).linear, 0)",
    ),
    # -- statements
    "assumed": Plant(
        "An assumed bound counts as proved.",
        "        checker.assumed += 1\n",
        "        pass\n",
    ),
    "output-low": Plant(
        "An output may go below [0,1] before its map.",
        "        low >= smaller(offset, offset + scale),",
        "        True,",
    ),
    "output-high": Plant(
        "An output may go above [0,1] before its map.",
        "        high <= larger(offset, offset + scale),",
        "        True,",
    ),
    "output-value": Plant(
        "An output may be any claim of the right node.",
        "    need(found == wanted,",
        "    need(True,",
    ),
    "output-node": Plant(
        "An output may be any claim of the right form.",
        "need(node == checker.goals[k],",
        "need(True,",
    ),
    "equal-form": Plant(
        "Equal outputs need not have one form.",
        "    node_b = checker.node_of(b, form)\n    goal_a",
        "    node_b = checker.claim(b).node\n    goal_a",
    ),
    "equal-node": Plant(
        "Equal outputs need not be those of the formula.",
        '    need(node_b == goal_b, f"a claim about output {k} of the formula", ("claim", b))\n',
        "",
    ),
    "source": Plant(
        "The source is not compared.",
        "                source.layers == network.layers,",
        "                True,",
    ),
    "other-box": Plant(
        "The other network may have another box.",
        "need(other.box == network.box,",
        "need(True,",
    ),
    "finished": Plant(
        "Missing outputs are not missed.",
        "        if len(self.proved) < len(self.goals):",
        "        self.proved += [(1, 0)] * (len(self.goals) - len(self.proved))\n        if False:",
    ),
    "bounds-of-outputs": Plant(
        "Bounds of outputs lack the activation.",
        "return activate(last.activation, low), activate(last.activation, high)",
        "return low, high",
    ),
    # -- two parts
    "within-no-second-part": Plant(
        "The second part may be missing: nothing is said of the formula then.",
        """        if self.second is not None:
            raise Rejected""",
        """        self.errors = self.errors or proved
        if False:
            raise Rejected""",
    ),
    "within-assumed": Plant(
        "The first part may assume bounds.",
        "    checker.errors = checker.finish_part()",
        "    checker.errors = [checker.bounds_of_output(k) for k in range(len(checker.goals))]",
    ),
    "within-a-bound-missing": Plant(
        "The first part need not have bounds of every output: one that is missing is 0.",
        "    checker.errors = checker.finish_part()",
        """    try:
        checker.errors = checker.finish_part()
    except Rejected:
        checker.errors = [(0, 0)] * len(checker.goals)""",
    ),
    "within-claims-kept": Plant(
        "Claims of the first part remain.",
        "        self.claims: list[Claim | None] = [None]",
        '        self.claims: list[Claim | None] = getattr(self, "claims", [None])',
    ),
    "within-bounds-kept": Plant(
        "Bounds of the first part remain, though neurons have other numbers.",
        """        self.facts: dict[
            tuple[int, str], Number
        ] = {}""",
        '        self.facts = getattr(self, "facts", {})',
    ),
    "within-values-kept": Plant(
        "Neurons of the network keep the values that the first part gave them.",
        "        self.values = [Affine(just(2 + j), 0) for j in range(len(self.nodes.inputs))]",
        """        if not hasattr(self, "values"):
            self.values = [Affine(just(2 + j), 0) for j in range(len(self.nodes.inputs))]""",
    ),
    "within-formula-of-the-network": Plant(
        "The second part is about the network.",
        'layers = about("other", read_network, texts["other"], None, work).layers',
        "layers = network.layers",
    ),
    "within-one-side": Plant(
        "The printed error is the high bound.",
        "    error = larger(-low, high)",
        "    error = high",
    ),
    "within-the-smaller": Plant(
        "The printed error is the smaller of the two sizes.",
        "    error = larger(-low, high)",
        "    error = smaller(-low, high)",
    ),
}


def kind_of(name: str) -> str | None:
    """The kind of subjects in whose sequences a plant is looked for; None for all of one part. Few sequences are about
    twins."""
    if name.startswith("within-"):
        return PARTS
    if name.startswith("sweep-"):
        return SWEPT
    return PAIRS if name.startswith(("twin-", "pair-", "apart-")) else None
