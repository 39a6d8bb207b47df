"""Kernels that are unsound on purpose: one place of `kernel.py` is written otherwise. The fuzzer must notice each."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from verimv import kernel

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
        "need(0 < c < len(self.claims)",
        "need(c and -len(self.claims) < c < len(self.claims)",
    ),
    "form-range": Plant(
        "Negative coefficients do not lower the range of a form.",
        "for c in part.values() if (c > 0) == i)",
        "for c in part.values() if c > 0 and i)",
    ),
    "double-negation": Plant(
        "¬¬a is taken for ¬a.",
        'self.interned["¬", self.interned[operation]] = operation[1]',
        'self.interned["¬", self.interned[operation]] = self.interned[operation]',
    ),
    "prefixes": Plant(
        "Prefixes of an operand are applied from the left.",
        '.replace("Δ", "D"))[::-1]:',
        '.replace("Δ", "D")):',
    ),
    "surd-product": Plant(
        "√2·√2 is 1: products of square roots lose their common factor.",
        "a * b}, math.gcd(m, n))",
        "a * b}, 1)",
    ),
    "box": Plant(
        "The width of a box is its upper end.",
        "{1: low, 2 + j: high + -1 * low}",
        "{1: low, 2 + j: high}",
    ),
    # -- rules that make claims
    "scale": Plant(
        "A form is scaled though it may be above 1.",
        "        self.within(form, None, 1)\n        self.add(self.terms.node(text",
        "        self.add(self.terms.node(text",
    ),
    "plus-negative": Plant(
        "Forms of a sum may go down to −1/2.",
        'operator="⊕", low=0, high=None',
        'operator="⊕", low=Fraction(-1, 2), high=None',
    ),
    "times-above-1": Plant(
        "Forms of a product may go up to 2.", "low=None, high=1, less=1)", "low=None, high=2, less=1)"
    ),
    "plus-twice": Plant(
        "A claim twice at the beginning excuses all others of a sum.",
        "forms if len(claims) != 2 or claims[0] != claims[1] else ()",
        "forms if len(claims) < 2 or claims[0] != claims[1] else ()",
    ),
    "lemma-range": Plant(
        "The second form of a lemma may have any range.",
        "        self.within(form2, 0, 1)\n",
        "",
    ),
    "lemma-above": Plant(
        "The third claim of a lemma may be about anything.",
        "node, node2), self.node_of(above, form, -1)",
        "node, node2), self.claim(above)[0]",
    ),
    "cut-negative": Plant("Multipliers of a cut may be negative.", "need(least >= 0 and most >= 0,", "need(True,"),
    "cut-most": Plant(
        "The upper condition of a cut is left out.",
        "        self.within(self.total((form, 1), (form2, -1 * most)), None, 1)\n",
        "",
    ),
    "cut-least": Plant(
        "The lower condition of a cut is left out.",
        "        self.within(self.total((form, 1), (form2, -1 * least)), 0, None)\n",
        "",
    ),
    "sort-high": Plant(
        "Sequences to be sorted may be too short.", "self.sequence(c, 0, len(c))", "self.sequence(c, 0, None)"
    ),
    "sort-low": Plant(
        "Sequences to be sorted may be negative.", "self.sequence(c, 0, len(c))", "self.sequence(c, None, len(c))"
    ),
    "sequence": Plant(
        "Claims of a sequence need not go down by 1.",
        "[self.node_of(c, form, k) for k, c in enumerate(claims)]",
        "[self.claim(c)[0] for k, c in enumerate(claims)]",
    ),
    "merge-order": Plant(
        "Sorting compares entries of the same place.",
        "            first, odd = odd[:1], odd[1:]\n",
        "",
    ),
    "average-ones": Plant(
        "Units may be left out above though the form may be negative.", "0 if ones else None, high)", "None, high)"
    ),
    "average-zeros": Plant(
        "Units may be left out below though the form may be high.",
        "high, share = len(units) if ones + len(units) < s else None, Fraction(1, s)",
        "high, share = None, Fraction(1, s)",
    ),
    "same-zero": Plant(
        "Forms that can be ≤ 0 count as 0 everywhere.",
        "form == form2 or low >= 1 or high <= 0",
        "form == form2 or low >= 1 or low <= 0",
    ),
    "same-one": Plant(
        "Forms that can be ≥ 1 count as 1 everywhere.",
        "form == form2 or low >= 1 or high <= 0",
        "form == form2 or high >= 1 or high <= 0",
    ),
    "equals-one-way": Plant(
        "Equality is shown by a ≤ b, twice.",
        "({places[node2]: 1}, -way)) for way in (1, -1)]",
        "({places[node2]: 1}, -way)) for way in (1, 1)]",
    ),
    "equals-cone": Plant(
        "Variables of a cone are not clipped.",
        'else ("crelu", {places[key]',
        'else ("identity", {places[key]',
    ),
    "unit-shift": Plant("A unit is shifted upwards.", "share), plus=-shift)", "share), plus=shift)"),
    # -- neurons
    "affine-low": Plant(
        "An argument that may be negative is kept.", "need(low >= 0 and (self.activation", "need((self.activation"
    ),
    "affine-high": Plant("A crelu keeps an argument above 1.", '(self.activation == "relu" or high <= 1)', "True"),
    "clip-constant": Plant(
        "A unit whose node is 1 overwrites the constant: this was in the kernel once.",
        "values += [({node: way}, factor), ({1: int(unit < 0)}, factor)]",
        "values.append(({node: way, 1: int(unit < 0)}, factor))",
    ),
    "clip-ones": Plant(
        "Units are left out above though the argument may be below.", "(not ones or low >= factor * ones) and", ""
    ),
    "clip-high": Plant(
        "A clip may be one unit short.",
        "high <= factor * (ones + len(units))\n",
        "high <= factor * (ones + len(units) + 1)\n",
    ),
    "clip-form": Plant("Units may be about anything.", "need(found == form,", "need(True,"),
    "clip-negative": Plant(
        "A negative unit is one further.", "plus=(i if unit > 0 else i + 1) * factor", "plus=i * factor"
    ),
    "clip-crelu-one": Plant("A crelu may be 1 though its argument may be less.", "(low >= 1 and (ones,", "((ones,"),
    "clip-crelu-zero": Plant("A crelu may be 0 though its argument may be more.", "(high <= 0 and (ones,", "((ones,"),
    "clip-crelu-factor": Plant(
        "A crelu may have a factor, as a relu has.", "covered = factor == 1 and (fixed", "covered = (fixed"
    ),
    # -- proofs by cases
    "kinks-crelu": Plant("A crelu has no kink at 1.", '"crelu": (0, 1), "identity"', '"crelu": (0,), "identity"'),
    "peak-at-ends": Plant(
        "The peak over an argument is looked for at the ends of its range only.",
        "max([c * y + -1 * slope * z for z, y in points[k]])",
        "max([c * y + -1 * slope * z for z, y in points[k][:2]])",
    ),
    "empty-point": Plant("A range with one point counts as empty.", "if all(low <= high for", "if all(low < high for"),
    "ranges-turned": Plant(
        "Signs of weights are not looked at for the ranges of arguments.",
        "[2 * j + ((w > 0) == way)",
        "[2 * j + way",
    ),
    "free-variables": Plant(
        "Free variables count for nothing.",
        "slope = c if 0 not in row and size(c) and all(",
        "slope = c if size(c) and all(",
    ),
    "tolerance": Plant("A gap of 1/1000 is closed.", "need(gap <= 0,", "need(gap <= Fraction(1, 1000),"),
    "split-side": Plant(
        "Of a split the upper side is proved twice.",
        'system.scales[k])}) for s in ("low", "high")]',
        'system.scales[k])}) for s in ("low", "low")]',
    ),
    "open-cases": Plant(
        "Cases may be left open.",
        '        need(not situations, "a leaf for every case", f"{len(situations)} open")\n',
        "",
    ),
    "bound-target": Plant(
        "A lower bound is proved as an upper one of the negative value.", "({1: value}, -way))", "({1: value}, -1))"
    ),
    "bound-side": Plant(
        "Every bound is known as an upper one.",
        "self.facts[first + index, side] = value",
        'self.facts[first + index, "high"] = value',
    ),
    "bound-neuron": Plant(
        "A bound is known of the next neuron, too.",
        "self.facts[first + index, side] = value",
        "self.facts[first + index, side] = self.facts[first + index + 1, side] = value",
    ),
    # -- shared neurons
    "share-negative": Plant("Neurons are shared by negative factors.", "Fraction(abs(c) if", "Fraction(c if"),
    "share-activation": Plant(
        "Neurons are shared whatever the activation.", "setdefault((act, frozenset(", "setdefault((frozenset("
    ),
    "share-crelu": Plant(
        "A crelu is shared by factors, as a relu is.", 'if row and act != "crelu" and type', "if row and type"
    ),
    "share-equal": Plant("Multiples count as equal.", "{a: scale * other**-1}", "{a: 1}"),
    "share-factor": Plant(
        "The factor is taken the other way round.", "{a: scale * other**-1}", "{a: other * scale**-1}"
    ),
    "share-constant": Plant(
        "Constant neurons lack their activation.", "ACTIVATIONS[act](row.get(1, 0))", "row.get(1, 0)"
    ),
    "share-bias": Plant(
        "Rows that differ in the constant only are shared.",
        "(act, frozenset(add({}, (row, scale**-1)).items()))",
        "(act, frozenset((j, c) for j, c in add({}, (row, scale**-1)).items() if j != 1))",
    ),
    # -- statements
    "assumed": Plant("An assumed bound counts as proved.", "self.assumed += not cases", "self.assumed += 0"),
    "output-range": Plant("An output may leave [0,1] before its map.", "need(inside,", "need(True,"),
    "output-value": Plant("An output may be any claim of the right node.", "need(found == wanted,", "need(True,"),
    "output-node": Plant(
        "An output may be any claim of the right form.", "need(due and node == self.outputs[k],", "need(due,"
    ),
    "equal-form": Plant(
        "Equal outputs need not have one form.",
        "(node, self.node_of(b, form)) == self.outputs[k]",
        "(node, self.claim(b)[0]) == self.outputs[k]",
    ),
    "source": Plant("The source is not compared.", '("source", None, "layers")', '("source", None, "outputs")'),
    "other-box": Plant(
        "The other network may have another box.",
        '("other", network.ends.stop, "box")',
        '("other", network.ends.stop, "outputs")',
    ),
    "finished": Plant(
        "Missing outputs are not missed.", "need(checker.proved == len(checker.outputs) and not", "need(not"
    ),
    "bounds-anywhere": Plant(
        "Bounds of any layer count as bounds of outputs.",
        "sum(k >= layers[-1][0] for k, _ in",
        "sum(k >= 0 for k, _ in",
    ),
}
