"""Writes the hand-made cases beside it: a directory per case, in the directory named after its verdict.

A case is a few texts, written here by hand, or a change to another one. Hashes are computed, so that nothing but the
change itself can be what a checker objects to (unless the case is about hashes). Run it after a change of the format:

    python tests/certificate/by_verdict/make.py
"""

import gzip
import hashlib
import json
import shutil
from pathlib import Path

HERE = Path(__file__).parent
FILES = {s: f"{s}.json" for s in ("network", "source", "other")} | {s: f"{s}.mv" for s in ("original", "formula")}


def network(*layers, inputs=("x1",), outputs=("y1",), box=None, **extra):
    """Layers are (rows with the bias last, activation)."""
    return json.dumps(
        {
            "format": "verimv-network",
            "version": 1,
            "inputs": list(inputs),
            "box": box if box is not None else [["0", "1"]] * len(inputs),
            "layers": [
                {
                    "weights": [[str(w) for w in row[:-1]] for row in rows],
                    "bias": [str(row[-1]) for row in rows],
                    "activation": act,
                }
                for rows, act in layers
            ],
            "outputs": list(outputs),
            **extra,
        }
    )


def formula(text, inputs="x1", outputs="y1"):
    lines = ["verimv-formula 1", f"inputs {inputs}", *text.split("; "), f"outputs {outputs}"]
    return "\n".join(lines) + "\n"


class Case:
    """The texts of a case; `lines` are the certificate without its header."""

    def __init__(self, lines, **subjects):
        self.lines = list(lines)
        self.subjects = subjects
        self.header = {}
        self.tail = "\n"
        self.pack = False
        self.whole = None

    def copy(self):
        return Case(self.lines, **self.subjects)

    def with_lines(self, lines):
        twin = self.copy()
        twin.lines = list(lines)
        return twin

    def line(self, old, new):
        """One line exchanged (or, for None, left out)."""
        if self.lines.count(old) != 1:
            raise ValueError(f"{old} stands {self.lines.count(old)} times")
        return self.with_lines(new if line == old else line for line in self.lines if line != old or new is not None)

    def more(self, *lines):
        return self.with_lines([*self.lines, *lines])

    def less(self, count):
        return self.with_lines(self.lines[:-count])

    def file(self, subject, old, new):
        if old not in self.subjects[subject]:
            raise ValueError(f"{old} is not in the {subject}")
        twin = self.copy()
        twin.subjects[subject] = self.subjects[subject].replace(old, new, 1)
        return twin

    def head(self, **changes):
        twin = self.copy()
        twin.header = changes
        return twin

    def with_text(self, text):
        """Something else in place of the certificate."""
        twin = self.copy()
        twin.whole = text
        return twin

    def text(self):
        if self.whole is not None:
            return self.whole
        header = {"format": "verimv-certificate", "version": 1}
        for name, text in self.subjects.items():
            header[f"{name}_sha256"] = hashlib.sha256(text.encode()).hexdigest()
        header = {key: value for key, value in (header | self.header).items() if value is not None}
        return "\n".join([json.dumps(header), *self.lines]) + self.tail

    def write(self, directory):
        directory.mkdir(parents=True)
        for name, text in self.subjects.items():
            (directory / FILES[name]).write_text(text, encoding="utf-8")
        data = self.text().encode()
        if self.pack:
            (directory / "certificate.jsonl.gz").write_bytes(self.pack(gzip.compress(data, mtime=0)))
        else:
            (directory / "certificate.jsonl").write_bytes(data)


HAT = Case(
    [
        '["node",2]',  # 1
        '["plus",1,1]',  # 2: σ(2x)
        '["times",1,1]',  # 3: σ(2x − 1)
        '["clip",1,0,"1",0,2,3]',
        '["clip",1,1,"1",0,3]',
        '["atom",2]',  # 4
        '["atom",3]',  # 5
        '["not",5]',  # 6
        '["times",4,6]',  # 7: σ([2] − [3])
        '["clip",2,0,"1",0,7]',
        '["atom",7]',  # 8
        '["output",0,8,"1","0"]',
    ],
    network=network(([[2, 0], [2, -1]], "relu"), ([[1, -2, 0]], "relu")),
    formula=formula("t = x1 ⊕ x1; u = x1 ⊙ x1; y1 = t ⊙ ¬u"),
)
# σ(x + y − z), by Lemma 3.3 and its negative form
LEMMA = Case(
    [
        '["node",2]',  # 1
        '["node",3]',  # 2
        '["node",4]',  # 3
        '["not",3]',  # 4: 1 − z
        '["plus",1,2]',  # 5: x ⊕ y is σ(x + y)
        '["times",1,2]',  # 6: x ⊙ y is σ(x + y − 1)
        '["lemma",6,4,5]',  # 7: σ(x + y − 1 + 1 − z)
        '["clip",1,0,"1",0,7]',
        '["atom",7]',  # 8
        '["output",0,8,"1","0"]',
    ],
    network=network(([[1, 1, -1, 0]], "crelu"), inputs=("x", "y", "z")),
    formula=formula("a = x ⊙ y; b = a ⊕ ¬z; c = x ⊕ y; y1 = b ⊙ c", "x y z"),
)
# σ(x/2 + 1/4): s = 4, units σ(2x + 1 − i)
AVERAGE = Case(
    [
        '["node",2]',  # 1
        '["plus",1,1]',  # 2: σ(2x)
        '["times",1,1]',  # 3: σ(2x − 1)
        '["node",1]',  # 4
        '["scale","d[4]",4]',  # 5: 1/4
        '["atom",2]',  # 6
        '["scale","d[4]",6]',  # 7
        '["atom",3]',  # 8
        '["scale","d[4]",8]',  # 9
        '["plus",5,7,9]',  # 10
        '["average",4,1,10,2,3]',  # 11
        '["output",0,11,"1","0"]',
    ],
    network=network(([["1/2", "1/4"]], "identity")),
    formula=formula("a = x1 ⊕ x1; b = x1 ⊙ x1; y1 = δ[4]1 ⊕ δ[4]a ⊕ δ[4]b"),
)
# σ(√2/2·x + 1/3·y − 1/2)
ROOT = Case(
    [
        '["node",2]',  # 1
        '["node",3]',  # 2
        '["scale","D[sqrt(2)/2]",1]',  # 3
        '["scale","D[1/3]",2]',  # 4
        '["plus",3,4]',  # 5: the sum may exceed 1
        '["node",1]',  # 6
        '["scale","D[1/2]",6]',  # 7
        '["times",3,7]',  # 8: σ(√2/2 x − 1/2)
        '["plus",3,7]',  # 9: σ(√2/2 x + 1/2)
        '["lemma",8,4,9]',  # 10
        '["clip",1,0,"1",0,10]',
        '["atom",10]',  # 11
        '["output",0,11,"1","0"]',
    ],
    network=network(([["sqrt(2)/2", "1/3", "-1/2"]], "crelu"), inputs=("x", "y")),
    formula=formula("a = Δ[sqrt(2)/2]x; b = a ⊙ Δ[1/2]1; c = b ⊕ Δ[1/3]y; d = a ⊕ Δ[1/2]1; y1 = c ⊙ d", "x y"),
)
# |2x − 1| − 1/2 of two ReLUs lies in [−1/2, 1/2]: the output needs a bound with evidence
TENT_NETWORK = network(([[2, -1], [-2, 1]], "relu"), ([[1, 1, 0]], "identity"))
TENT = Case(
    [
        '["node",2]',  # 1
        '["times",1,1]',  # 2: σ(2x − 1)
        '["not",1]',  # 3: 1 − x
        '["times",3,3]',  # 4: σ(1 − 2x)
        '["clip",1,0,"1",0,2]',
        '["clip",1,1,"1",0,4]',
        '["bound",2,0,"high","1",["split",0,"1/2"],["leaf"],["leaf"]]',
        '["atom",2]',  # 5
        '["atom",4]',  # 6
        '["plus",5,6]',  # 7
        '["output",0,7,"1","0"]',
    ],
    network=TENT_NETWORK,
    formula=formula("a = x1 ⊙ x1; b = ¬x1 ⊙ ¬x1; y1 = a ⊕ b"),
)
BOUND = TENT.lines[6]
MULTIPLIERS = TENT.line(BOUND, '["bound",2,0,"high","1",["leaf","1/2","1/2"]]')
PHASES = TENT.line(BOUND, '["bound",2,0,"high","1",["split",1,"0"],["leaf","1/2","0"],["leaf","1/2","1"]]')
DEFAULT = TENT.line(BOUND, '["bound",2,0,"high","1",["leaf"]]')  # c > 0: both chords have the slope 1/2
# |2x − 1| without a formula: it lies in [0,1]
RANGE = Case(['["bound",2,0,"high","1",["leaf"]]', '["bound",2,0,"low","0",["leaf"]]'], network=TENT_NETWORK)
# ρ(3x − 1) + ρ(2 − 3x) is at most 2, by slopes 2/3; rounded down they give a little more
ROUNDED = Case(
    ['["bound",2,0,"high","65537/32768",["leaf"]]', '["bound",2,0,"low","0",["leaf"]]'],
    network=network(([[3, -1], [-3, 2]], "relu"), ([[1, 1, 0]], "identity")),
)
# ρ(√2·x − 1/2): without a chord, the slope is 1, as √2 − 1/2 > 1/2
ROOT_RANGE = Case(
    ['["bound",2,0,"high","sqrt(2)",["leaf"]]', '["bound",2,0,"low","-1/2",["leaf"]]'],
    network=network(([["sqrt(2)", "-1/2"]], "relu"), ([[1, 0]], "identity")),
)
# σ(2x − 1/2) under a ReLU: also with c < 0 the slope is that of the chord, 1/2
CLIPPED_RANGE = Case(
    ['["bound",2,0,"high","1",["leaf"]]', '["bound",2,0,"low","-1/2",["leaf"]]'],
    network=network(([[2, "-1/2"]], "crelu"), ([[1, "-1/4"]], "relu")),
)
# three times the largest min(x, 1 − 2x): 1/3 is no multiple of a power of 2, and must not be rounded
THIRD = Case(
    [
        '["bound",2,0,"high","1/3",["leaf","-1/3"]]',
        '["bound",3,0,"high","1",["leaf","0","0"]]',
        '["bound",3,0,"low","0",["leaf","0","0"]]',
    ],
    network=network(([[1, 0], [3, -1]], "relu"), ([[1, -1, 0]], "relu"), ([[3, 0]], "identity")),
)
# the same, with the bound of the second layer as a lemma inside of cases
CASE_LEMMA = THIRD.with_lines(
    ['["bound",3,0,"high","1",["lemma",3,"high","1/3"],["leaf","-1/3"],["leaf","0","0"]]', THIRD.lines[2]]
)
PROOF = CASE_LEMMA.lines[0]
# ρ(ρ(x) − ρ(3x)) is 0: a lemma makes the neuron stable, and it needs no multiplier then, but ρ(2x − 1) needs one
STABLE = Case(
    ['["bound",3,0,"high","0",["lemma",4,"high","0"],["leaf","0"],["leaf","0"]]', '["bound",3,0,"low","0",["leaf"]]'],
    network=network(([[1, 0], [3, 0], [2, -1]], "relu"), ([[1, -1, 0, 0]], "relu"), ([[3, 0]], "identity")),
)
SPLIT_STABLE = STABLE.line(
    STABLE.lines[0],
    '["bound",3,0,"high","0",["split",4,"1"],["lemma",4,"high","0"],["leaf","0"],["leaf","0","0"],'
    '["lemma",4,"high","0"],["leaf","0"],["leaf","7"]]',
)
# the same by a sweep, which finds that the neuron is stable
SWEEP = STABLE.line(STABLE.lines[0], '["bound",3,0,"high","0",["sweep"],["leaf"]]')
SWEPT = SWEEP.lines[0]
# a split neuron needs its multiplier, whatever a sweep says of it
SPLIT_SWEEP = SWEEP.line(
    SWEPT, '["bound",3,0,"high","0",["split",4,"1"],["sweep"],["leaf","0","0"],["sweep"],["leaf","3","0"]]'
)
# odd denominators, and a bound that has all the digits of what is rounded in a sweep
ODD_SWEEP = Case(
    [
        '["bound",4,0,"high","-347887123089405723/11458194943256821760",["sweep"],["leaf"]]',
        '["bound",4,0,"low","-1/23",["sweep"],["leaf"]]',
    ],
    network=network(
        ([["1/3", "-1/7"], ["-2/5", "1/9"]], "relu"),
        ([["5/7", "-3/11", "-1/13"], ["7/3", "-1/5", "-1/17"]], "crelu"),
        ([[1, -1, "1/41"]], "relu"),
        ([["1/19", "-1/23"]], "identity"),
        box=[["-1/10", "3/2"]],
    ),
)
# ρ(σ(x + 1) + ρ(x) − 3/2): the clipped unit is 1
FULL_SWEEP = Case(
    ['["bound",3,0,"high","1/2",["sweep"],["leaf"]]', '["bound",3,0,"low","0",["leaf"]]'],
    network=network(([[1, 1], [1, 0]], "crelu"), ([[1, 1, "-3/2"]], "relu"), ([[1, 0]], "identity")),
)
# 3ρ(ρ(y) − ρ(3y) − ρ(x)), for x from −1: where a split leaves ρ(x) the argument 0 only, it counts as x, not as 0
ZERO_SWEEP = Case(
    [
        '["bound",3,0,"high","9/4",["split",0,"1/2"],["split",2,"0"],["sweep"],["leaf"],["sweep"],["leaf"],'
        '["sweep"],["leaf"]]',
        '["bound",3,0,"low","0",["leaf"]]',
    ],
    network=network(
        ([[1, 0, 0], [0, 1, 0], [0, 3, 0]], "relu"),
        ([[-1, 1, -1, 0]], "relu"),
        ([[3, 0]], "identity"),
        inputs=("x", "y"),
        box=[["-1", "1"], ["0", "1"]],
    ),
)
# a square root in the last layer only: the layers below may be swept
ROOT_SWEEP = Case(
    ['["bound",3,0,"high","0",["sweep"],["leaf"]]', '["bound",3,0,"low","0",["leaf"]]'],
    network=network(([[1, 0], [3, 0]], "relu"), ([[1, -1, 0]], "relu"), ([["sqrt(2)", 0]], "identity")),
)
# |2x − 1|, written twice: the second with its neurons exchanged, and scaled
TWIN = Case(
    [f'["bound",5,0,"{side}","0",["split",0,"1/2"],["leaf"],["leaf"]]' for side in ("high", "low")],
    network=TENT_NETWORK,
    other=network(([[-4, 2], [4, -2]], "relu"), ([["1/2", "1/2", 0]], "identity")),
)


def equal(layer, a, b, cases='["leaf"]'):
    """Two networks whose difference, of one output at this layer, is 0: after sharing, that takes no cases."""
    return Case([f'["bound",{layer},0,"{side}","0",{cases}]' for side in ("high", "low")], network=a, other=b)


# The hat as a formula of the other network; the network is 1/8 + ρ(2x − 1)/4 more
HAT_BOUND = '["bound",2,0,"low","0",["split",0,"1/2"],["leaf"],["leaf"]]'
HAT_LINES = [*HAT.lines[:9], HAT_BOUND, '["output",0,7,"1","0"]']
APART = ['["bound",5,0,"low","1/8",["leaf"]]', '["bound",5,0,"high","3/8",["leaf"]]']
HAT_NEURONS = ([[2, 0], [2, -1]], "relu")
WITHIN = Case(
    [*APART, '["formula"]', *HAT_LINES],
    network=network(HAT_NEURONS, ([[1, "-7/4", "1/8"]], "identity")),
    other=network(HAT_NEURONS, ([[1, -2, 0]], "identity")),
    formula=HAT.subjects["formula"],
)
# the same on the box [−1, 3]; the other is 3 · hat − 1, and the errors go the other way, too
WITHIN_BOX = Case(
    [
        '["bound",5,0,"low","-1",["leaf"]]',
        '["bound",5,0,"high","1/2",["leaf"]]',
        '["formula"]',
        *HAT.lines[:9],
        HAT_BOUND.replace('"0",["split"', '"-1",["split"'),
        '["output",0,7,"3","-1"]',
    ],
    network=network(([["1/2", "1/2"], ["1/2", "-1/2"]], "relu"), ([[3, -7, "-1/2"]], "identity"), box=[["-1", "3"]]),
    other=network(([["1/2", "1/2"], ["1/2", "-1/2"]], "relu"), ([[3, -6, -1]], "identity"), box=[["-1", "3"]]),
    formula=HAT.subjects["formula"],
)
# two outputs, x and 1 − x; only the second has an error
WITHIN_TWO = Case(
    [
        *(f'["bound",3,{k},"{side}","{k}",["leaf"]]' for k in (0, 1) for side in ("low", "high")),
        '["formula"]',
        '["node",2]',
        '["not",1]',
        '["output",0,1,"1","0"]',
        '["output",1,2,"1","0"]',
    ],
    network=network(([[1, 0], [-1, 2]], "identity"), outputs=("p", "q")),
    other=network(([[1, 0], [-1, 1]], "identity"), outputs=("p", "q")),
    formula=formula("p = x1; q = ¬x1", outputs="p q"),
)


# neurons exchanged; and also multiplied by 2, 1/2 below, by 4, 1/3 above
COPY = equal(
    7,
    network(([[2, -1], [-3, 1]], "relu"), ([[1, -2, "1/2"], [-1, 1, "1/4"]], "relu"), ([[1, 1, 0]], "identity")),
    network(([[-3, 1], [2, -1]], "relu"), ([[1, -1, "1/4"], [-2, 1, "1/2"]], "relu"), ([[1, 1, 0]], "identity")),
)
RESCALED = equal(
    7,
    COPY.subjects["network"],
    network(
        ([[-6, 2], [1, "-1/2"]], "relu"),
        ([[2, -8, 1], ["-1/3", "2/3", "1/6"]], "relu"),
        ([["1/4", 3, 0]], "identity"),
    ),
)
# an affine layer in between, its neurons exchanged and multiplied by 3, 2
AFFINE_COPY = equal(
    7,
    network(([[2, -1], [-3, 1]], "relu"), ([[1, -2, 0], [-1, 1, 1]], "identity"), ([[1, 1, 0]], "relu")),
    network(([[2, -1], [-3, 1]], "relu"), ([[-3, 3, 3], [2, -4, 0]], "identity"), ([["1/3", "1/2", 0]], "relu")),
)
# ρ(2x − 1) as one neuron, and as two
HALVES = equal(
    5,
    network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
    network(([[1, "-1/2"], [4, -2]], "relu"), ([[1, "1/4", 0]], "identity")),
)
# neurons that are constant, in layers of different depth, and some that are 0 with any weight above
CONSTANT = equal(
    6,
    network(([[0, 3], [0, 0]], "relu"), ([[1, 1, 0]], "identity")),
    network(([[0, 1], [0, -1]], "relu"), ([[0, 0, 6], [0, 1, 0]], "relu"), ([["1/2", 7, 0]], "identity")),
)
# multiplied by 2 with the rational bias leading; and exchanged with irrational coefficients leading
ROOT_COPY = equal(
    5,
    network(([["sqrt(2)", -1], ["1-sqrt(2)", "sqrt(3)"]], "relu"), ([["sqrt(2)", 1, 0]], "identity")),
    network(([["1-sqrt(2)", "sqrt(3)"], ["2*sqrt(2)", -2]], "relu"), ([[1, "sqrt(2)/2", 0]], "identity")),
)
CLIPPED_COPY = equal(
    5,
    network(([[3, -1], [-2, 1]], "crelu"), ([[1, 2, 0]], "identity")),
    network(([[-2, 1], [3, -1]], "crelu"), ([[2, 1, 0]], "identity")),
)
# the same on the box [−1, 1], mapped onto the unit cube
BOX = Case(
    ['["node",2]', '["not",1]', '["output",0,2,"1","0"]'],
    network=network(([["-1", "1"]], "identity")),
    source=network(([["-1/2", "1/2"]], "identity"), box=[["-1", "1"]]),
    formula=formula("y1 = ¬x1"),
)
BOX_ONLY = Case(BOX.lines, network=BOX.subjects["source"], formula=BOX.subjects["formula"])
# 3x − 1 on [0,1] is 3·x − 1: an affine map of the formula x
MAP = Case(
    ['["node",2]', '["output",0,1,"3","-1"]'],
    network=network(([[3, -1]], "identity")),
    formula=formula("y1 = x1; z = 0"),
)
# the network 2x is not σ(2x)
LEAVING = Case(
    ['["node",2]', '["plus",1,1]', '["output",0,2,"1","0"]'],
    network=network(([[2, 0]], "identity")),
    formula=formula("y1 = x1 ⊕ x1"),
)
# neurons that are dead, constant, saturated, or cancel
DEAD = Case(
    [
        '["clip",1,0,"1",0]',  # ρ(−x) = 0
        '["clip",1,1,"1",2]',  # ρ(0·x + 2) = 2
        '["affine",1,2]',  # ρ(x) = x
        '["unit",1,3,"1",0]',  # 1: σ(x + 1/2), which nothing uses in the end
        '["unit",1,3,"1",1]',  # 2
        '["clip",1,3,"1",0,1,2]',
        '["clip",1,4,"1",0,1,2]',
        '["node",2]',  # 3
        '["output",0,3,"1","0"]',
    ],
    network=network(([[-1, 0], [0, 2], [1, 0], [1, "1/2"], [1, "1/2"]], "relu"), ([[5, 1, 1, 1, -1, -2]], "identity")),
    formula=formula("y1 = x1"),
)
SATURATED = Case(
    [
        '["clip",1,0,"1",1]',  # σ(x + 1) = 1
        '["clip",1,1,"1",0]',  # σ(x − 1) = 0
        '["node",1]',  # 1
        '["output",0,1,"1","0"]',
    ],
    network=network(([[1, 1], [1, -1]], "crelu"), ([[1, 7, 0]], "identity")),
    formula=formula("y1 = 1"),
)
# ρ(1 − 2x) by the complement of σ(2x)
COMPLEMENT = Case(
    ['["node",2]', '["plus",1,1]', '["clip",1,0,"1",0,-2]', '["atom",2]', '["not",3]', '["output",0,4,"1","0"]'],
    network=network(([[-2, 1]], "relu"), ([[1, 0]], "identity")),
    formula=formula("a = x1 ⊕ x1; y1 = ¬a"),
)
# ρ(4x + 4y − 2), which is at most 6, as 6·σ(…/6); the output is its sixth
SCALED = Case(
    [
        '["node",2]',  # 1
        '["node",3]',  # 2
        '["scale","D[1/3]",1]',  # 3
        '["scale","D[1/3]",2]',  # 4
        '["plus",3,4]',  # 5: x/3 + y/3
        '["node",1]',  # 6
        '["scale","D[1/6]",6]',  # 7
        '["not",7]',  # 8
        '["times",5,8]',  # 9: x/3 + y/3 − 1/6
        '["plus",9,9]',  # 10: 2x/3 + 2y/3 − 1/3
        '["clip",1,0,"6",0,10]',
        '["atom",10]',  # 11
        '["output",0,11,"1","0"]',
    ],
    network=network(([[4, 4, -2]], "relu"), ([["1/6", 0]], "identity"), inputs=("x", "y")),
    formula=formula("b = Δ[1/3]x ⊕ Δ[1/3]y; a = b ⊙ ¬Δ[1/6]1; y1 = a ⊕ a", "x y"),
)
# σ(4x − 1) by halving: twice 2x, minus 1
HALVED = Case(
    ['["node",2]', '["plus",1,1]', '["times",2,2]', '["clip",1,0,"1",0,3]', '["atom",3]', '["output",0,4,"1","0"]'],
    network=network(([[4, -1]], "crelu")),
    formula=formula("t = x1 ⊕ x1; y1 = t ⊙ t"),
)
TWO = Case(
    [
        '["node",2]',
        '["node",3]',
        '["plus",1,2]',
        '["clip",1,0,"1",0,3]',
        '["times",1,2]',
        '["clip",1,1,"1",0,4]',
        '["atom",3]',
        '["atom",4]',
        '["output",0,5,"1","0"]',
        '["output",1,6,"1","0"]',
    ],
    network=network(([[1, 1, 0], [1, 1, -1]], "crelu"), inputs=("x", "y"), outputs=("p", "q")),
    formula=formula("p = x ⊕ y; q = x ⊙ y", "x y", "p q"),
)
# two formulas: ¬(¬x ⊕ ¬y) = x ⊙ y, and ⊕ commutes
PAIR = Case(
    [
        '["node",2]',
        '["node",3]',
        '["not",1]',
        '["not",2]',
        '["plus",3,4]',
        '["not",5]',
        '["times",1,2]',
        '["equal",0,6,7]',
    ],
    original=formula("a = ¬x ⊕ ¬y; y1 = ¬a", "x y"),
    formula=formula("y1 = x ⊙ y", "x y"),
)
SAME = Case(
    [
        '["node",2]',  # 1
        '["node",3]',  # 2
        '["plus",1,2]',  # 3: x ⊕ y
        '["plus",2,1]',  # 4: y ⊕ x
        '["atom",3]',  # 5: [x ⊕ y]
        '["same",3,4]',  # 6: y ⊕ x read as [x ⊕ y]
        '["times",5,1]',  # 7
        '["times",6,1]',  # 8
        '["equal",0,7,8]',
    ],
    original=formula("a = x ⊕ y; y1 = a ⊙ x", "x y"),
    formula=formula("a = y ⊕ x; y1 = a ⊙ x", "x y"),
)
# x ⊕ (y ⊕ z) and (x ⊕ y) ⊕ z have one form; so has (x ⊕ ¬x) ⊙ y, which is y
ONE_FORM = Case(
    [
        '["node",2]',
        '["node",3]',
        '["node",4]',
        '["plus",2,3]',  # 4
        '["plus",1,4]',  # 5
        '["plus",1,2,3]',  # 6
        '["equal",0,5,6]',
        '["not",1]',  # 7
        '["plus",1,7]',  # 8: x + (1 − x) = 1
        '["times",8,2]',  # 9
        '["equal",1,9,2]',
    ],
    original=formula("a = y ⊕ z; p = x ⊕ a; b = x ⊕ ¬x; q = b ⊙ y", "x y z", "p q"),
    formula=formula("p = x ⊕ y ⊕ z; q = y", "x y z", "p q"),
)
SPARSE = HAT.file("network", '[["2"], ["2"]]', '[{"width": 1, "0": "2"}, {"width": 1, "0": "2"}]')
NAMED = HAT.file("formula", "t = x1 ⊕ x1\n", "# twice\n\nt=x1 ⊕ x1\n")
# σ(3x − 1) by a cut: f = x and g = 2x − 1, with f ≥ 0 and f − 1 ≤ g/2
CUT = Case(
    [
        '["node",2]',  # 1
        '["times",1,1]',  # 2: σ(2x − 1)
        '["plus",1,1]',  # 3: σ(2x)
        '["cut",1,2,3,"1/2","0"]',  # 4
        '["clip",1,0,"1",0,4]',
        '["atom",4]',  # 5
        '["output",0,5,"1","0"]',
    ],
    network=network(([[3, -1]], "crelu")),
    formula=formula("a = x1 ⊕ x1; b = x1 ⊙ x1; c = x1 ⊙ a; y1 = c ⊕ b"),
)
# x + y + z sorted: 2x + y as σ(x + y), σ(x + y − 1), merged with z
SORT = Case(
    [
        '["node",2]',  # 1
        '["node",3]',  # 2
        '["node",4]',  # 3
        '["sort",1,1,2]',  # 4: σ(x + y), 5: σ(x + y − 1)
        '["sort",2,4,5,3]',  # 6, 7, 8: σ(x + y + z), − 1, − 2
        '["clip",1,0,"1",0,7]',
        '["atom",7]',  # 9
        '["output",0,9,"1","0"]',
    ],
    network=network(([[1, 1, 1, -1]], "crelu"), inputs=("x", "y", "z")),
    formula=formula("a = x ⊕ y; b = x ⊙ y; c = a ⊙ z; y1 = b ⊕ c", "x y z"),
)
# 2x ⊕ ¬x is 1, by cases: where [2x] + 1 − x ≤ 1, multipliers show that it is 1 all the same
EQUALS = Case(
    [
        '["node",2]',  # 1
        '["plus",1,1]',  # 2: a
        '["atom",2]',  # 3
        '["not",1]',  # 4
        '["plus",3,4]',  # 5: [a] + 1 − x
        '["node",1]',  # 6
        '["equals",6,5,[1,2,5],["split",2,"1"],["leaf","-1","-1/2"],["leaf","0","0"],["leaf","0","0"]]',  # 7
        '["equal",0,7,6]',
    ],
    original=formula("a = x ⊕ x; y1 = a ⊕ ¬x", "x"),
    formula=formula("y1 = 1", "x"),
)
EQUALITY = EQUALS.lines[6]

# -- neurons compared with twins --------------------------------------------------------------------------------------

# ρ(2x − 1) − ρ(x) and ρ(2x − 3/4) − 9/8·ρ(x): the first neurons are twins, the second ones are shared. The variables are
# 0: x, 1: ρ(2x − 1), 2: ρ(x), 3; then 4: ρ(2x − 3/4), 5: ρ(x), 6; then 7: the difference, in [−3/16, 3/64].
PAIRED = Case(
    [
        '["twin",3,0,1,"1"]',
        '["apart",3,0,"low","1/4",["pair"]]',
        '["apart",3,0,"high","1/4",["pair"]]',
        '["bound",5,0,"low","-3/16",["pair","0","1/16","0"]]',
        '["bound",5,0,"high","3/64",["pair","0","-1/16","0"]]',
    ],
    network=network(([[2, -1], [1, 0]], "relu"), ([[1, -1, 0]], "identity")),
    other=network(([[2, "-3/4"], [1, 0]], "relu"), ([[1, "-9/8", 0]], "identity")),
)
TWIN_LINE, LEAST_APART, MOST_APART, PAIRED_LOW, PAIRED_HIGH = PAIRED.lines
#: bounds that need no twin
LOOSE = PAIRED.with_lines([TWIN_LINE, '["bound",5,0,"low","-3",["leaf"]]', '["bound",5,0,"high","3",["leaf"]]'])
#: a little
LITTLE = f"1/{2**60}"


def paired(activation, first, second, lines, weight="1", factor="1"):
    """act(first) − weight·act(second), which are variables 1 and 3, in layers 1 and 3. The second is twin to the first."""
    return Case(
        [f'["twin",3,0,1,"{factor}"]', *lines],
        network=network(([first], activation), ([[1, 0]], "identity")),
        other=network(([second], activation), ([[weight, 0]], "identity")),
    )


def compared(activation, first, second, changes, bounds, **more):
    """The same with all bounds by default slopes: lowest and highest change, lowest and highest difference."""
    apart = [f'["apart",3,0,"{side}","{value}",["pair"]]' for side, value in zip(SIDES, changes, strict=True)]
    both = [f'["bound",5,0,"{side}","{value}",["pair"]]' for side, value in zip(SIDES, bounds, strict=True)]
    return paired(activation, first, second, [*apart, *both], **more)


def tighter(case, place):
    """With one bound, that of the line at this place, tighter by a little."""
    line = json.loads(case.lines[place])
    line[4] = f"{line[4]}+{LITTLE}" if line[3] == "low" else f"{line[4]}-{LITTLE}"
    return case.line(case.lines[place], json.dumps(line, separators=(",", ":")))


SIDES = ("low", "high")
# the change is 1/4 everywhere, −1/4 everywhere, or of both signs
COMPARED = {
    "of-neurons-that-rise": compared("relu", [2, -1], [2, "-3/4"], ("1/4", "1/4"), ("-1/4", "0")),
    "of-neurons-that-fall": compared("relu", [2, "-3/4"], [2, -1], ("-1/4", "-1/4"), ("0", "1/4")),
    "of-neurons-that-do-both": compared("relu", [2, -1], [3, "-5/4"], ("-1/4", "3/4"), ("-3/4", "1/4")),
    "of-clipped-neurons-that-rise": compared("crelu", [3, -1], [3, "-3/4"], ("1/4", "1/4"), ("-1/4", "0")),
    "of-clipped-neurons-that-fall": compared("crelu", [3, "-3/4"], [3, -1], ("-1/4", "-1/4"), ("0", "1/4")),
    "of-clipped-neurons-that-do-both": compared("crelu", [3, -1], [4, "-5/4"], ("-1/4", "3/4"), ("-3/4", "1/4")),
    "of-a-rescaled-neuron": compared(
        "relu", [2, -1], [4, "-7/4"], ("1/4", "1/4"), ("-1/8", "0"), weight="1/2", factor="2"
    ),
    "of-a-neuron-made-smaller": compared(
        "relu", [2, -1], ["2/3", "-1/4"], ("1/12", "1/12"), ("-1/4", "0"), weight="3", factor="1/3"
    ),
    "of-a-neuron-multiplied-by-a-square-root": compared(
        "relu", [2, -1], ["2*sqrt(2)", "1/8-sqrt(2)"], ("1/8", "1/8"), ("-sqrt(2)/16", "0"),
        weight="sqrt(2)/2", factor="sqrt(2)",
    ),
    "of-neurons-with-square-roots": compared(
        "relu", ["sqrt(2)", "-1/2"], ["sqrt(2)", "-1/4"], ("1/4", "1/4"), ("-1/4", "0")
    ),
    # an end of the change is irrational: the slope is 0
    "of-neurons-whose-change-is-irrational": compared(
        "relu", [2, -1], [3, "sqrt(2)/8-3/2"], ("sqrt(2)/8-1/2", "sqrt(2)/8+1/2"),
        ("-1/2-sqrt(2)/8", "1/2-sqrt(2)/8"),
    ),
    # ρ(5/4 − 2x) = ρ(2x − 1) − (2x − 1) + a change between 0 and 1/4
    "of-an-opposite-neuron": compared("relu", [2, -1], [-2, "5/4"], ("1/4", "1/4"), ("-5/4", "1"), factor="-1"),
    "of-an-opposite-neuron-made-larger": compared(
        "relu", [2, -1], [-4, "9/4"], ("1/4", "1/4"), ("-9/8", "1"), weight="1/2", factor="-2"
    ),
    # σ(9/4 − 3x) = 1 − σ(3x − 1) + a change between 0 and 1/4
    "of-a-complement": compared("crelu", [3, -1], [-3, "9/4"], ("1/4", "1/4"), ("1", "5/4"), weight="-1", factor="-1"),
    "of-neurons-whose-change-is-a-third": compared("relu", [2, -1], ["7/3", -1], ("0", "1/3"), ("-1/3", "0")),
}  # fmt: skip
# ρ(11/4·x − 5/4) ≤ ρ(2x − 1) + x/2, by the slope 2/3 for the change in [−1/4, 1/2]; rounded down it gives a little more
ROUNDED_TWINS = Case(
    [
        TWIN_LINE,
        '["apart",3,0,"low","-1/4",["pair"]]',
        '["apart",3,0,"high","1/2",["pair"]]',
        '["bound",5,0,"low","-1/131072",["pair"]]',
        '["bound",5,0,"high","5/4",["leaf"]]',
    ],
    network=network(([[2, -1], [1, 0]], "relu"), ([[1, "1/2", 0]], "identity")),
    other=network(([["11/4", "-5/4"]], "relu"), ([[1, 0]], "identity")),
)
# in one network, ρ(2x − 3/4) − ρ(2x − 1): the first neuron of the second layer is compared with that of the first
TWINS_ALONE = Case(
    [
        '["twin",2,0,1,"1"]',
        '["apart",2,0,"low","1/4",["pair"]]',
        '["apart",2,0,"high","1/4",["leaf"]]',
        '["bound",3,0,"low","0",["pair"]]',
        '["bound",3,0,"high","1/4",["pair"]]',
    ],
    network=network(([[2, -1], [1, 0]], "relu"), ([[0, 2, "-3/4"], [1, 0, 0]], "relu"), ([[1, -1, 0]], "identity")),
)
# 2x − 1 as 2·ρ(x) − 1, and as ρ(2x − 4/3) − ρ(4/3 − 2x) + 1/3, the halves of a neuron that was split: they cancel
SPLIT_NEURON = Case(
    [
        '["twin",3,1,3,"-1"]',
        '["apart",3,1,"low","0",["pair"]]',
        '["apart",3,1,"high","0",["pair"]]',
        '["bound",5,0,"low","0",["pair"]]',
        '["bound",5,0,"high","0",["pair"]]',
    ],
    network=network(([[1, 0]], "relu"), ([[2, -1]], "identity")),
    other=network(([[2, "-4/3"], [-2, "4/3"]], "relu"), ([[1, -1, "1/3"]], "identity")),
)
# twins that have twins: ρ(2x − 1/2), ρ(2x − 3/4), ρ(2x − 1)
CHAIN = Case(
    [
        '["twin",2,0,1,"1"]',
        '["twin",3,0,3,"1"]',
        '["apart",2,0,"low","1/4",["pair"]]',
        '["apart",2,0,"high","1/4",["pair"]]',
        '["apart",3,0,"low","1/4",["pair"]]',
        '["apart",3,0,"high","1/4",["pair"]]',
        '["bound",4,0,"low","0",["pair"]]',
        '["bound",4,0,"high","1/2",["pair"]]',
    ],
    network=network(
        ([[2, -1], [1, 0]], "relu"),
        ([[0, 2, "-3/4"], [1, 0, 0], [0, 1, 0]], "relu"),
        ([[0, 0, 2, "-1/2"], [0, 1, 0, 0]], "relu"),
        ([[1, -1, 0]], "identity"),
    ),
)
# 4x − 1 and 2x − 1 as 2·σ(2x − 1) and 3·σ(4/3·x − 1/3), and a bound by twins, without which the output might be negative
TWIN_FORMULA = Case(
    [
        '["node",2]',  # 1
        '["times",1,1]',  # 2: σ(2x − 1)
        '["clip",1,0,"2",0,2]',
        '["affine",1,1]',
        '["scale","D[1/3]",1]',  # 3
        '["node",1]',  # 4
        '["scale","D[2/3]",4]',  # 5
        '["plus",3,5]',  # 6
        '["times",1,6]',  # 7: σ(4/3·x − 1/3)
        '["clip",2,0,"3",0,7]',
        '["affine",2,1]',
        '["twin",2,0,1,"1"]',
        '["apart",2,0,"low","1",["leaf"]]',
        '["bound",3,0,"low","0",["pair"]]',
        '["atom",7]',  # 8
        '["atom",2]',  # 9
        '["scale","D[2/3]",9]',  # 10
        '["not",10]',  # 11
        '["times",8,11]',  # 12
        '["output",0,12,"1","0"]',
    ],
    network=network(([[4, -2], [1, 0]], "relu"), ([[0, 4, -1], [1, 0, 0]], "relu"), ([["1/3", "-1/3", 0]], "identity")),
    formula=formula("a = x1 ⊙ x1; p = Δ[1/3]x1 ⊕ Δ[2/3]1; b = x1 ⊙ p; y1 = b ⊙ ¬Δ[2/3]a"),
)
# where 2x − 1 and 2x − 3/4 have known signs: every pair has one cell, but variables that are split need multipliers
SPLIT_TWINS = PAIRED.line(
    PAIRED_LOW,
    '["bound",5,0,"low","-3/16",["split",1,"0"],["split",4,"0"],["pair","0","0","0"],["pair","0","1/16","0"],'
    '["pair","1/16"]]',
)
SPLIT_LOW = SPLIT_TWINS.lines[3]
# where z ≥ 0 and y ≤ 0, there is no point, and no cell
NO_CELL = PAIRED.line(
    PAIRED_LOW,
    '["bound",5,0,"low","-3/16",["split",4,"0"],["split",1,"0"],["pair","0","0","0"],["pair"],["pair","0","1/16","0"]]',
)
# two neurons of one twin
SIBLINGS = Case(
    [
        TWIN_LINE,
        '["twin",3,1,1,"1"]',
        *(f'["apart",3,0,"{side}","1/4",["pair"]]' for side in SIDES),
        *(f'["apart",3,1,"{side}","-1/4",["pair"]]' for side in SIDES),
        '["bound",5,0,"low","-1/4",["pair"]]',
        '["bound",5,0,"high","1/4",["pair"]]',
    ],
    network=network(([[2, -1]], "relu"), ([[2, 0]], "identity")),
    other=network(([[2, "-3/4"], [2, "-5/4"]], "relu"), ([[1, 1, 0]], "identity")),
)
# an identity is compared only where it is split
IDENTITIES = paired(
    "identity",
    [2, -1],
    [2, "-3/4"],
    [
        *(f'["apart",3,0,"{side}","1/4",["pair"]]' for side in SIDES),
        '["bound",5,0,"low","-1/4",["split",3,"0"],["pair","1","0"],["pair"]]',
        '["bound",5,0,"high","-1/4",["split",3,"0"],["pair"],["pair","-1","0"]]',
    ],
)
# so is one with a negative factor: −z is p·z, and nothing else
NEGATED = paired(
    "identity",
    [2, -1],
    [-2, "5/4"],
    [
        *(f'["apart",3,0,"{side}","1/4",["pair"]]' for side in SIDES),
        *(f'["bound",5,0,"{side}","1/4",["split",3,"0"],["pair"],["pair"]]' for side in SIDES),
    ],
    weight="-1",
    factor="-1",
)
# ρ(2x + 1/2) − ρ(2x − 1) ≤ 3/2. 2x is written as 3x − x, so that the range of the argument has a kink; the change is 3/2.
ONE_CELL = Case(
    [
        '["twin",2,0,1,"1"]',
        '["apart",2,0,"low","3/2",["leaf"]]',
        '["apart",2,0,"high","3/2",["leaf"]]',
        '["bound",3,0,"high","3/2",["split",1,"0"],["pair","-1"],["pair","0"]]',
        '["bound",3,0,"low","-1",["pair"]]',
    ],
    network=network(
        ([[2, -1], [1, 0], [1, 0]], "relu"), ([[0, 3, -1, "1/2"], [1, 0, 0, 0]], "relu"), ([[1, -1, 0]], "identity")
    ),
)


def clipped_cells(shift, change, cases):
    """σ(2x + shift) − σ(2x − 1/2), in the same way; the cases are those of an upper bound 3."""
    return Case(
        [
            '["twin",2,0,1,"1"]',
            f'["apart",2,0,"low","{change}",["leaf"]]',
            f'["apart",2,0,"high","{change}",["leaf"]]',
            f'["bound",3,0,"high","3",{cases}]',
            '["bound",3,0,"low","-3",["pair"]]',
        ],
        network=network(
            ([[2, "-1/2"], [1, 0], [1, 0]], "crelu"),
            ([[0, 3, -1, shift], [1, 0, 0, 0]], "crelu"),
            ([[1, -1, 0]], "identity"),
        ),
    )


CELL_BELOW = clipped_cells("1/4", "3/4", '["split",1,"0"],["pair","0"],["pair","0","0","0"]')
CELL_ABOVE = clipped_cells(
    "3/4", "5/4", '["split",1,"0"],["pair","0","0","0"],["split",1,"1"],["pair","0"],["pair","0"]'
)
# ρ(4x − 1) − 2x − ρ(2x − 9/8) ≥ −9/8: where the last neuron is positive, so is its twin, and the change is −2x − 1/8
EXACT_CELL = Case(
    [
        TWIN_LINE,
        '["apart",3,0,"low","-17/8",["leaf"]]',
        '["apart",3,0,"high","-1/8",["leaf"]]',
        '["bound",5,0,"low","-9/8",["split",4,"0"],["pair","-1","-1","0"],["pair"]]',
        '["bound",5,0,"high","3",["pair"]]',
    ],
    network=network(([[4, -1], [1, 0]], "relu"), ([[1, -2, 0]], "identity")),
    other=network(([[2, "-9/8"]], "relu"), ([[1, 0]], "identity")),
)
# a cone has no twins: there a pair is a leaf, even if the number of a variable is that of a neuron with a twin
CONE = Case(
    [
        *EQUALS.lines[:6],
        '["affine",1,0]',
        '["affine",2,0]',
        '["twin",2,0,1,"1"]',
        EQUALS.lines[6].replace("leaf", "pair"),
        '["output",0,1,"1","0"]',
    ],
    network=network(([[1, 0]], "crelu"), ([[1, 0]], "crelu"), inputs=("x",)),
    formula=formula("y1 = x", "x"),
)

# A spare unit about the constant 1, which a kernel once counted wrongly: 1 − [1] is 0, and [1] is 1.
FORGED = Case(
    [
        '["node",2]',  # 1: x
        '["node",1]',  # 2: 1
        '["unit",1,0,"-1",-2]',  # 3: 2 − x, which is at least 1
        '["equals",3,2,[1,3],["leaf"],["leaf"]]',  # 4: so the node 1 is σ(2 − x)
        '["clip",1,0,"1",0,1,-4]',  # x as σ(x) + (1 − σ(2 − x)), which is σ(x) + 0
        '["node",0]',  # 5
        '["plus",1,5]',  # 6: y1
        '["output",0,6,"1","1"]',  # claims that x is x + 1
    ],
    network=network(([[1, 0]], "relu")),
    formula=formula("y1 = x1 ⊕ 0"),
)

VALID = {
    "clip-with-a-spare-unit": FORGED.line('["output",0,6,"1","1"]', '["output",0,6,"1","0"]'),
    "hat": HAT,
    "hat-sparse-rows": SPARSE,
    "hat-with-definitions-and-comments": NAMED,
    "claims-nobody-uses": HAT.more('["node",0]', '["lemma",1,9,1]').less(1),
    "lemma-positive-and-negative": LEMMA,
    "average-of-four": AVERAGE,
    "square-root": ROOT,
    "bound-by-box": TENT,
    "bound-by-multipliers": MULTIPLIERS,
    "bound-by-phases": PHASES,
    "bound-by-default-slopes": DEFAULT,
    "range-of-a-network": RANGE,
    "range-on-its-box": Case(RANGE.lines, network=TENT_NETWORK.replace('["0", "1"]', '["1/4", "3/4"]')),
    "range-by-rounded-slopes": ROUNDED,
    "range-with-a-square-root": ROOT_RANGE,
    "range-of-clipped-units": CLIPPED_RANGE,
    "range-by-a-bound-of-a-third": THIRD,
    "range-with-a-case-that-has-no-point": RANGE.line(
        RANGE.lines[0], '["bound",2,0,"high","2",["split",0,"1/2"],["split",0,"3/4"],["leaf"],["leaf","7"],["leaf"]]'
    ),
    "range-by-a-lemma": CASE_LEMMA,
    "range-by-a-lemma-about-a-lower-bound": THIRD.with_lines(
        [
            THIRD.lines[0],
            THIRD.lines[1],
            '["bound",3,0,"low","0",["lemma",3,"low","-2"],["leaf","1"],["leaf","0","0"]]',
        ]
    ),
    "range-by-a-lemma-inside-a-lemma": CASE_LEMMA.line(
        PROOF, PROOF.replace('["leaf","-1/3"]', '["lemma",2,"low","-1"],["leaf"],["leaf","-1/3"]')
    ),
    "range-by-a-lemma-with-cases": CASE_LEMMA.line(
        PROOF, PROOF.replace('["leaf","-1/3"]', '["split",2,"0"],["leaf","-1/3"],["leaf","-1/3"]')
    ),
    "range-by-a-lemma-in-each-case": CASE_LEMMA.line(
        PROOF,
        '["bound",3,0,"high","1",["split",0,"1/3"],["lemma",3,"high","1/3"],["leaf"],["leaf"],'
        '["lemma",3,"high","1/3"],["leaf"],["leaf","0"]]',
    ),
    "range-by-a-lemma-that-makes-a-neuron-stable": STABLE,
    # a neuron that is split needs a multiplier, whatever a lemma says of it
    "range-by-a-lemma-about-a-neuron-that-is-split": SPLIT_STABLE,
    "range-by-a-sweep": SWEEP,
    "range-by-a-sweep-and-multipliers": SWEEP.line(SWEPT, SWEPT.replace('["leaf"]', '["leaf","0"]')),
    "range-by-a-sweep-in-each-case": SWEEP.line(
        SWEPT, '["bound",3,0,"high","0",["split",0,"1/2"],["sweep"],["leaf"],["sweep"],["leaf"]]'
    ),
    "range-by-a-sweep-before-a-split": SWEEP.line(
        SWEPT, '["bound",3,0,"high","0",["sweep"],["split",0,"1/2"],["leaf"],["leaf"]]'
    ),
    "range-by-a-sweep-of-a-neuron-that-is-split": SPLIT_SWEEP,
    "range-by-two-sweeps": SWEEP.line(SWEPT, SWEPT.replace('["sweep"]', '["sweep"],["sweep"]')),
    "range-by-a-sweep-that-finds-no-point": SWEEP.line(
        SWEPT,
        '["bound",3,0,"high","0",["split",0,"1/2"],["split",3,"1/8"],["sweep"],["leaf"],["sweep"],["leaf","7"],'
        '["sweep"],["leaf"]]',
    ),
    "range-by-a-sweep-in-the-proof-of-a-lemma": SWEEP.line(
        SWEPT, '["bound",3,0,"high","0",["lemma",4,"high","0"],["sweep"],["leaf"],["leaf"]]'
    ),
    "range-by-a-sweep-of-odd-denominators": ODD_SWEEP,
    "range-by-a-sweep-below-a-square-root": ROOT_SWEEP,
    "range-by-a-sweep-with-a-unit-that-is-1": FULL_SWEEP,
    "range-by-a-sweep-with-a-neuron-that-is-0": ZERO_SWEEP,
    "range-by-a-sweep-that-knows-an-irrational-bound": SWEEP.with_lines(
        ['["bound",1,2,"high","sqrt(2)",["leaf"]]', SWEPT, *SWEEP.lines[1:]]
    ),
    "equals-by-a-sweep": EQUALS.line(EQUALITY, EQUALITY.replace('["split",2,"1"]', '["sweep"],["split",2,"1"]')),
    "equals-by-a-lemma": EQUALS.line(
        EQUALITY, EQUALITY.replace('["split",2,"1"]', '["lemma",2,"high","2"],["leaf","1/2"],["split",2,"1"]')
    ),
    "range-with-irrational-ends": Case(
        ['["bound",2,0,"high","sqrt(2)",["leaf"]]', '["bound",2,0,"low","1-sqrt(2)",["leaf"]]'],
        network=network(([["-sqrt(2)", 1]], "relu"), ([[1, 0]], "identity")),
    ),
    "range-with-bounds-that-say-nothing": Case(
        [
            '["bound",1,0,"high","100",["leaf"]]',
            '["bound",1,0,"low","-100",["leaf"]]',
            '["bound",2,0,"high","2",["leaf","1"]]',
            '["bound",2,0,"high","1",["leaf"]]',
            '["bound",2,0,"low","0",["leaf"]]',
        ],
        network=network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
    ),
    "range-bounded-twice": RANGE.more('["bound",2,0,"high","2",["leaf"]]'),
    "difference-of-twins": TWIN,
    "difference-with-bounds-of-both": TWIN.with_lines(
        ['["bound",1,0,"high","1",["leaf"]]', '["bound",3,1,"high","2",["leaf"]]', *TWIN.lines]
    ),
    "within": WITHIN,
    "within-on-a-box": WITHIN_BOX,
    "within-two-outputs": WITHIN_TWO,
    "within-0": WITHIN_TWO.file("network", '"2"', '"1"').with_lines(
        line.replace('"1",["leaf"]', '"0",["leaf"]') for line in WITHIN_TWO.lines
    ),
    "within-an-irrational-error": WITHIN.line(APART[1], '["bound",5,0,"high","sqrt(2)/2",["leaf"]]'),
    "within-a-bound-below": WITHIN.line(APART[0], '["bound",5,0,"low","-1/2",["leaf"]]'),
    "within-claims-in-both-parts": WITHIN.with_lines(['["node",1]', '["not",1]', *WITHIN.lines]),
    "within-twins-in-both-parts": WITHIN.with_lines(
        ['["twin",1,1,1,"2"]', *APART, '["formula"]', '["twin",1,1,1,"2"]', *HAT_LINES]
    ),
    "within-lines-after-the-last-output": WITHIN.more('["bound",2,0,"high","2",["leaf"]]', '["node",1]'),
    "difference-of-a-permuted-copy": COPY,
    "difference-of-a-rescaled-copy": RESCALED,
    "difference-of-a-copy-with-an-affine-layer": AFFINE_COPY,
    "difference-of-a-copy-with-a-neuron-in-two-parts": HALVES,
    "difference-of-constant-neurons": CONSTANT,
    "difference-of-a-copy-with-square-roots": ROOT_COPY,
    "difference-of-a-clipped-copy": CLIPPED_COPY,
    "difference-of-a-copy-on-a-box": Case(
        RESCALED.lines,
        **{name: text.replace('["0", "1"]', '["-1/3", "sqrt(2)"]') for name, text in RESCALED.subjects.items()},
    ),
    # the neurons of layer 3 are shared, those of layer 1 cancel, but all four have a kink
    "difference-with-multipliers-of-shared-neurons": equal(
        5, TWIN.subjects["network"], TWIN.subjects["other"], '["leaf","0","0","0","0"]'
    ),
    "difference-with-a-split-at-a-shared-neuron": equal(
        5, TWIN.subjects["network"], TWIN.subjects["other"], '["split",4,"0"],["leaf"],["leaf"]'
    ),
    "twins": PAIRED,
    **{f"twins-{name}": case for name, case in COMPARED.items()},
    "twins-with-rounded-slopes": ROUNDED_TWINS,
    "twins-alone": TWINS_ALONE,
    "twins-in-one-layer": SPLIT_NEURON,
    "twins-of-twins": CHAIN,
    "twins-with-a-formula": TWIN_FORMULA,
    "twins-in-cases": SPLIT_TWINS,
    "twins-without-a-cell": NO_CELL,
    "twins-without-a-cell-and-multipliers": NO_CELL.line(
        NO_CELL.lines[3], NO_CELL.lines[3].replace('["pair"]', '["pair","7","7","7","7","7"]')
    ),
    # the walk comes to variable 3, which has no cell, before it needs more multipliers
    "twins-without-a-cell-before-multipliers-that-are-missing": NO_CELL.line(
        NO_CELL.lines[3], NO_CELL.lines[3].replace('["pair"]', '["pair","7"]')
    ),
    "twins-by-default-in-cases": SPLIT_TWINS.line(
        SPLIT_LOW, '["bound",5,0,"low","-9/8",["split",1,"0"],["split",4,"0"],["pair"],["pair"],["pair"]]'
    ),
    "twins-split-beside-the-kink": PAIRED.line(
        PAIRED_LOW, '["bound",5,0,"low","-3/16",["split",4,"-1/2"],["pair","0","0","0"],["pair","0","1/16","0"]]'
    ),
    "twins-by-a-leaf-of-each-side": PAIRED.line(
        PAIRED_LOW,
        '["bound",5,0,"low","-3/16",["split",0,"3/8"],["leaf"],["split",0,"1/2"],["leaf"],["leaf"]]',
    ),
    "twins-in-one-cell": ONE_CELL,
    "twins-in-one-cell-exactly": EXACT_CELL,
    # σ(2x + 1/4) − σ(2x − 1/2), where 2x − 1/2 ≤ 0: then 1/4 ≤ 2x + 1/4 ≤ 3/4
    "twins-in-one-cell-below": CELL_BELOW,
    # σ(2x + 3/4) − σ(2x − 1/2), where 2x − 1/2 is in [0, 1], or at least 1: then 2x + 3/4 is above 1
    "twins-in-one-cell-above": CELL_ABOVE,
    "twins-that-are-siblings": SIBLINGS,
    "twins-that-are-affine": IDENTITIES,
    "twins-that-are-affine-and-negated": NEGATED,
    # neuron 1 of layer 3 is shared, and its change is 0; variable 6 is compared with variable 3
    "twins-of-all-neurons": PAIRED.with_lines(
        [
            '["twin",3,1,2,"1"]',
            '["twin",4,0,3,"1"]',
            *PAIRED.lines[:3],
            '["apart",3,1,"high","0",["leaf"]]',
            '["apart",3,1,"low","0",["pair"]]',
            '["apart",4,0,"high","3/16",["pair","0","1/16","0"]]',
            '["apart",4,0,"low","-3/64",["pair","0","-1/16","0"]]',
            *PAIRED.lines[3:],
        ]
    ),
    # any choice is right, even if it does not help
    "twins-chosen-badly": PAIRED.with_lines(
        [
            '["twin",3,0,2,"3"]',
            '["apart",3,0,"high","1",["leaf"]]',
            '["bound",5,0,"high","2",["leaf"]]',
            '["bound",5,0,"low","-4",["pair"]]',
        ]
    ),
    "twins-after-bounds": PAIRED.with_lines(
        [
            '["bound",1,0,"high","1",["leaf"]]',
            '["bound",3,0,"low","-3/4",["pair"]]',
            '["bound",5,0,"high","1",["leaf"]]',
            '["twin",3,1,2,"1"]',
            '["bound",4,0,"high","2",["leaf"]]',
            *PAIRED.lines,
        ]
    ),
    # what is known of a neuron makes one cell of four
    "twins-with-bounds-of-both": PAIRED.with_lines(
        [
            *PAIRED.lines[:3],
            '["bound",1,0,"low","-1",["leaf"]]',
            '["bound",5,0,"low","-3/16",["lemma",6,"high","4"],["pair","0","0","0"],["pair","0","1/16","0"]]',
            PAIRED_HIGH,
        ]
    ),
    # x ≥ 1/2 makes 2x − 1 ≥ 0, and with that one cell is left
    "twins-with-a-lemma": PAIRED.line(
        PAIRED_LOW,
        '["bound",5,0,"low","-3/16",["split",0,"1/2"],["pair","0","1/16"],["lemma",1,"low","0"],["pair"],["pair"]]',
    ),
    "twins-apart-replaced": PAIRED.with_lines([TWIN_LINE, '["apart",3,0,"high","1/2",["pair"]]', *PAIRED.lines[1:]]),
    "twins-apart-bounded-loosely": PAIRED.with_lines(
        [*PAIRED.lines, '["apart",3,0,"low","-7",["pair"]]', '["bound",5,0,"low","-2",["pair"]]', PAIRED_HIGH]
    ).less(1),
    "pair-without-twins": RANGE.line(RANGE.lines[0], RANGE.lines[0].replace("leaf", "pair")),
    "pair-in-a-cone": EQUALS.line(EQUALITY, EQUALITY.replace("leaf", "pair")),
    "pair-in-a-cone-beside-twins": CONE,
    "box-with-source": BOX,
    "box-in-the-network": BOX_ONLY,
    "output-map": MAP,
    "dead-constant-and-cancelling-neurons": DEAD,
    "saturated-units": SATURATED,
    "complement-of-a-unit": COMPLEMENT,
    "scaled-unit-as-a-vote": SCALED,
    "halving": HALVED,
    "two-outputs": TWO,
    "two-formulas": PAIR,
    "two-formulas-with-same": SAME,
    "two-formulas-with-one-form": ONE_FORM,
    "cut": CUT,
    "sorted": SORT,
    "two-formulas-by-cases": EQUALS,
}


def packed(case, change=lambda data: data):
    twin = case.copy()
    twin.pack = change
    return twin


VALID["gzipped"] = packed(HAT)

INVALID = {
    "difference-of-networks-on-two-boxes": Case(
        ['["bound",3,0,"high","0",["leaf"]]', '["bound",3,0,"low","0",["leaf"]]'],
        network=network(([[1, 0]], "identity")),
        other=network(([["1/2", 0]], "identity"), box=[["0", "2"]]),
    ),
    "pair-with-an-output-twice": Case(
        ['["node",2]', '["node",3]', '["equal",0,1,1]', '["equal",0,1,1]'],
        original=formula("a = x; b = x", "x y", "a b"),
        formula=formula("a = x; b = y", "x y", "a b"),
    ),
    "pair-with-a-claim-about-another-node-of-the-original": Case(
        ['["node",2]', '["equal",0,1,1]'], original=formula("y1 = x1 ⊕ x1"), formula=formula("y1 = x1")
    ),
    "pair-with-a-claim-about-another-node-of-the-formula": Case(
        ['["node",2]', '["equal",0,1,1]'], original=formula("y1 = x1"), formula=formula("y1 = x1 ⊕ x1")
    ),
    "clip-with-a-spare-unit-that-adds-1": FORGED,
    "clip-with-a-spare-unit-that-takes-1": FORGED.line('["output",0,6,"1","1"]', '["output",0,6,"1","-1"]'),
    "clip-of-1-that-vanishes": Case(
        [
            '["node",1]',  # 1: the node 1 is σ(1)
            '["clip",1,0,"1",0,1]',  # ρ(1) = [1]
            '["node",0]',  # 2
            '["output",0,2,"1","0"]',  # claims that ρ(1) is 0
        ],
        network=network(([[0, 1]], "relu")),
        formula=formula("y1 = 0"),
    ),
    "network-hash-of-another-file": HAT.head(network_sha256="0" * 64),
    "formula-hash-of-another-file": HAT.head(formula_sha256="0" * 64),
    "formula-with-another-operator": HAT.file("formula", "⊕", "⊙"),
    "formula-without-negation": HAT.file("formula", "¬", ""),
    "formula-with-operands-swapped": HAT.file("formula", "t ⊙ ¬u", "¬u ⊙ t"),
    "formula-of-other-inputs": HAT.file("formula", "inputs x1", "inputs x1 x2"),
    "formula-of-other-outputs": HAT.file("formula", "y1 = ", "y2 = ").file("formula", "outputs y1", "outputs y2"),
    "formula-with-another-factor": ROOT.file("formula", "Δ[1/3]", "Δ[1/2]"),
    "formula-outputs-swapped": TWO.file("formula", "outputs p q", "outputs q p"),
    "network-with-another-weight": HAT.file("network", '"-2"', '"-1"'),
    "network-with-another-bias": HAT.file("network", '"0", "-1"', '"0", "1"'),
    "network-with-another-activation": TENT.file("network", '"identity"', '"crelu"'),
    "network-with-larger-box": BOX_ONLY.file("network", '"1"]]', '"2"]]'),
    "source-with-another-box": BOX.file("source", '"-1", "1"', '"-1", "3"'),
    "source-with-another-input": BOX.file("source", '"x1"', '"x2"'),
    "source-with-another-output": BOX.file("source", '"y1"', '"y2"'),
    "source-with-another-weight": BOX.file("source", '"-1/2"', '"-1/3"'),
    "claim-from-the-future": HAT.line('["plus",1,1]', '["plus",1,2]'),
    "claim-zero": HAT.line('["atom",2]', '["atom",0]'),
    "claim-negative": HAT.line('["atom",2]', '["atom",-2]'),
    "input-that-does-not-exist": HAT.line('["node",2]', '["node",3]'),
    "node-that-does-not-exist": AVERAGE.line('["node",1]', '["node",3]'),
    "scale-of-a-form-above-1": HAT.line('["atom",2]', '["scale","d[2]",2]'),
    "scale-by-another-factor": AVERAGE.line('["scale","d[4]",4]', '["scale","d[3]",4]'),
    "plus-of-a-negative-form": HAT.line('["not",5]', '["plus",1,3]'),
    "times-of-a-form-above-1": HAT.line('["not",5]', '["times",1,2]'),
    "not-forgotten": HAT.line('["not",5]', '["atom",5]'),
    "lemma-without-shift": LEMMA.line('["lemma",6,4,5]', '["lemma",5,4,5]'),
    "lemma-upside-down": LEMMA.line('["lemma",6,4,5]', '["lemma",5,4,6]'),
    "lemma-adding-a-form-above-1": LEMMA.line('["lemma",6,4,5]', '["lemma",6,5,5]'),
    "lemma-adding-another-input": LEMMA.line('["lemma",6,4,5]', '["lemma",6,3,5]'),
    "clip-of-a-crelu-with-the-wrong-constant": SATURATED.line('["clip",1,1,"1",0]', '["clip",1,1,"1",1]'),
    "clip-of-a-crelu-with-the-constant-2": SATURATED.line('["clip",1,0,"1",1]', '["clip",1,0,"1",2]'),
    "clip-of-a-crelu-that-is-not-constant": TWO.line('["clip",1,0,"1",0,3]', '["clip",1,0,"1",0]'),
    "clip-of-a-crelu-with-a-factor": TWO.line('["clip",1,0,"1",0,3]', '["clip",1,0,"2",0,3]'),
    "cut-without-multiplier": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",1,2,3,"0","0"]').file(
        "network", '"3"', '"4"'
    ),
    "cut-with-a-negative-multiplier": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",1,2,3,"1/2","-1/2"]'),
    "cut-with-a-multiplier-too-large": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",1,2,3,"1/2","2"]'),
    "cut-without-shift": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",1,2,2,"1/2","0"]'),
    "cut-the-wrong-way": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",2,1,1,"1/2","0"]'),
    "sorted-with-a-claim-missing": SORT.line('["sort",2,4,5,3]', '["sort",1,4,3]'),
    "sorted-out-of-order": SORT.line('["sort",2,4,5,3]', '["sort",2,5,4,3]'),
    "sorted-with-the-wrong-count": SORT.line('["sort",2,4,5,3]', '["sort",1,4,5,3]'),
    "sorted-with-one-side-empty": SORT.line('["sort",2,4,5,3]', '["sort",3,4,5,3]'),
    "sorted-twice-the-same-side": SORT.line('["sort",2,4,5,3]', '["sort",2,4,4,3]'),
    "sorted-to-another-node": SORT.line('["clip",1,0,"1",0,7]', '["clip",1,0,"1",0,6]'),
    "equals-with-a-case-too-few": EQUALS.line(EQUALITY, EQUALITY.replace(',["leaf","0","0"]]', "]")),
    "equals-with-a-case-too-many": EQUALS.line(EQUALITY, EQUALITY[:-1] + ',["leaf"]]'),
    "equals-split-beside-the-kink": EQUALS.line(EQUALITY, EQUALITY.replace('["split",2,"1"]', '["split",2,"2"]')),
    "equals-with-bad-multipliers": EQUALS.line(EQUALITY, EQUALITY.replace('"-1/2"', '"-1"')),
    "equals-of-nodes-that-differ": EQUALS.line(EQUALITY, EQUALITY.replace("6,5,[1", "6,2,[1")),
    "equals-about-nodes-outside-the-cone": EQUALS.line(EQUALITY, EQUALITY.replace("[1,2,5]", "[1,2]")),
    "equals-with-a-node-from-nowhere": EQUALS.line(EQUALITY, EQUALITY.replace("[1,2,5]", "[1,5]")),
    "equals-with-a-node-freed": EQUALS.line(
        EQUALITY, EQUALITY.replace("[1,2,5]", "[1,3,5]").replace('"-1","-1/2"', '"-1"').replace('"0","0"', '"0"')
    ),
    "equals-splitting-no-variable": EQUALS.line(EQUALITY, EQUALITY.replace('["split",2,"1"]', '["split",3,"1"]')),
    "average-into-too-few": AVERAGE.line('["average",4,1,10,2,3]', '["average",2,1,10,2,3]'),
    "average-into-three": AVERAGE.line('["average",4,1,10,2,3]', '["average",3,1,10,2,3]'),
    "average-with-units-out-of-order": AVERAGE.line('["average",4,1,10,2,3]', '["average",4,1,10,3,2]'),
    "average-with-a-one-too-many": AVERAGE.line('["average",4,1,10,2,3]', '["average",4,2,10,2,3]'),
    "average-with-a-unit-missing": AVERAGE.line('["average",4,1,10,2,3]', '["average",4,1,10,2]'),
    "average-of-another-sum": AVERAGE.line('["average",4,1,10,2,3]', '["average",4,1,9,2,3]'),
    "same-of-different-forms": SAME.line('["same",3,4]', '["same",1,4]'),
    "unit-of-another-layer": DEAD.line('["unit",1,3,"1",0]', '["unit",2,0,"1",0]'),
    "unit-of-no-neuron": DEAD.line('["unit",1,3,"1",0]', '["unit",1,9,"1",0]'),
    "unit-with-another-shift": DEAD.line('["unit",1,3,"1",1]', '["unit",1,3,"1",2]'),
    "affine-of-a-neuron-that-can-be-negative": COMPLEMENT.line('["clip",1,0,"1",0,-2]', '["affine",1,0]'),
    "affine-of-a-crelu-that-can-exceed-1": TWO.line('["clip",1,0,"1",0,3]', '["affine",1,0]'),
    "clip-with-too-few-units": HAT.line('["clip",1,0,"1",0,2,3]', '["clip",1,0,"1",0,2]'),
    "clip-of-a-neuron-that-is-not-dead": HAT.line('["clip",1,1,"1",0,3]', '["clip",1,1,"1",0]'),
    "clip-with-units-swapped": HAT.line('["clip",1,0,"1",0,2,3]', '["clip",1,0,"1",0,3,2]'),
    "clip-with-ones-not-proved": HAT.line('["clip",1,0,"1",0,2,3]', '["clip",1,0,"1",1,3]'),
    "clip-without-complement": COMPLEMENT.line('["clip",1,0,"1",0,-2]', '["clip",1,0,"1",0,2]'),
    "clip-with-complement-too-many": HAT.line('["clip",1,1,"1",0,3]', '["clip",1,1,"1",0,-3]'),
    "clip-of-a-crelu-with-two-units": TWO.line('["clip",1,0,"1",0,3]', '["clip",1,0,"1",0,3,3]'),
    "clip-about-another-neuron": HAT.line('["clip",1,1,"1",0,3]', '["clip",1,1,"1",0,2]'),
    "scaled-by-less-than-its-maximum": SCALED.line('["clip",1,0,"6",0,10]', '["clip",1,0,"5",0,10]'),
    "scaled-without-doubling": SCALED.line('["clip",1,0,"6",0,10]', '["clip",1,0,"6",0,9]'),
    "scaled-by-a-negative-factor": SCALED.line('["clip",1,0,"6",0,10]', '["clip",1,0,"-6",0,10]'),
    "square-in-place-of-double": HALVED.line('["plus",1,1]', '["times",1,1]'),
    "neuron-skipped": HAT.line('["clip",1,0,"1",0,2,3]', None),
    "neuron-twice": HAT.line('["clip",1,1,"1",0,3]', '["clip",1,0,"1",0,2,3]'),
    "neuron-of-a-later-layer": HAT.line('["clip",1,1,"1",0,3]', '["clip",2,0,"1",0,3]'),
    "bound-below-the-maximum": TENT.line(BOUND, BOUND.replace('"1"', '"3/4"')),
    "bound-with-an-open-case": TENT.line(BOUND, BOUND.replace(',["leaf"]]', "]")),
    "bound-with-a-case-too-many": TENT.line(BOUND, BOUND[:-1] + ',["leaf"]]'),
    "bound-split-beside-the-kink": TENT.line(
        BOUND, BOUND.replace("1/2", "1/3").replace('["leaf"]]', '["leaf","0","0"]]')
    ),
    "bound-with-bad-multipliers": TENT.line(BOUND, '["bound",2,0,"high","1",["leaf","1","0"]]'),
    "bound-on-the-wrong-side": TENT.line(BOUND, BOUND.replace('"high"', '"low"')),
    "bound-of-another-neuron": TENT.line(BOUND, '["bound",1,0,"high","1",["leaf"]]'),
    "bound-of-no-neuron": TENT.line(BOUND, '["bound",3,0,"high","1",["leaf"]]'),
    "bound-splitting-a-neuron-above": PHASES.line(PHASES.lines[6], PHASES.lines[6].replace('"split",1', '"split",3')),
    "bound-splitting-no-input": TENT.line(BOUND, BOUND.replace('"split",0', '"split",3')),
    "bound-missing": TENT.line(BOUND, None),
    "bound-below-what-default-slopes-give": DEFAULT.line(
        '["bound",2,0,"high","1",["leaf"]]', '["bound",2,0,"high","999/1000",["leaf"]]'
    ),
    "range-by-slopes-that-are-not-rounded": ROUNDED.line(
        ROUNDED.lines[0], ROUNDED.lines[0].replace("65537/32768", "2")
    ),
    "range-by-the-chord-of-a-square-root": ROOT_RANGE.line(
        ROOT_RANGE.lines[0], ROOT_RANGE.lines[0].replace("sqrt(2)", "sqrt(2)-1/2")
    ),
    "range-of-clipped-units-too-small": CLIPPED_RANGE.line(
        CLIPPED_RANGE.lines[1], CLIPPED_RANGE.lines[1].replace("-1/2", "-2/5")
    ),
    "range-by-a-bound-of-less-than-a-third": THIRD.line(
        THIRD.lines[1], f'["bound",3,0,"high","{2**96 - 1}/{2**96}",["leaf","0","0"]]'
    ),
    "lemma-that-is-not-proved": CASE_LEMMA.line(PROOF, PROOF.replace('"high","1/3"', '"high","1/4"')),
    "lemma-on-the-wrong-side": CASE_LEMMA.line(
        PROOF, PROOF.replace('"high","1/3"', '"low","1/3"').replace('["leaf","0","0"]', '["leaf","0"]')
    ),
    "lemma-that-does-not-help": CASE_LEMMA.line(PROOF, PROOF.replace('"high","1/3"', '"high","1/2"')),
    "lemma-without-what-follows": CASE_LEMMA.line(PROOF, PROOF.replace(',["leaf","0","0"]', "")),
    "lemma-with-a-case-too-many": CASE_LEMMA.line(PROOF, PROOF[:-1] + ',["leaf","0","0"]]'),
    "lemma-about-an-input": CASE_LEMMA.line(PROOF, PROOF.replace('["lemma",3', '["lemma",0')),
    "lemma-about-a-neuron-above": CASE_LEMMA.line(PROOF, PROOF.replace('["lemma",3', '["lemma",4')),
    # only the variables before its own matter in the proof of a lemma
    "lemma-proved-by-a-split-of-itself": CASE_LEMMA.line(
        PROOF, PROOF.replace('["leaf","-1/3"]', '["split",3,"1/3"],["leaf","-1/3"],["leaf","-1/3"]')
    ),
    "lemma-proved-by-itself": CASE_LEMMA.line(
        PROOF, PROOF.replace('["leaf","-1/3"]', '["lemma",3,"high","1/3"],["leaf","-1/3"],["leaf","-1/3"]')
    ),
    "lemma-in-the-other-case": CASE_LEMMA.line(
        PROOF,
        '["bound",3,0,"high","1",["split",0,"1/2"],["lemma",3,"high","1/3"],["leaf","-1/3"],["leaf","0","0"],'
        '["leaf","0"]]',
    ),
    "lemma-in-the-next-line": CASE_LEMMA.with_lines([PROOF, '["bound",3,0,"high","1",["leaf","0","0"]]']),
    # the new bound replaces the better one that was known
    "lemma-that-replaces-a-better-bound": THIRD.line(
        THIRD.lines[1], '["bound",3,0,"high","1",["lemma",3,"high","1"],["leaf","0"],["leaf","0","0"]]'
    ),
    "sweep-that-is-left-out": SWEEP.line(SWEPT, SWEPT.replace('["sweep"],', "")),
    "sweep-that-does-not-help": SWEEP.line(SWEPT, SWEPT.replace('"0"', '"-1/1000"')),
    "sweep-with-a-unit-that-is-1": FULL_SWEEP.line(
        FULL_SWEEP.lines[0], FULL_SWEEP.lines[0].replace('"1/2"', '"49/100"')
    ),
    "sweep-with-a-neuron-that-is-0": ZERO_SWEEP.line(ZERO_SWEEP.lines[0], ZERO_SWEEP.lines[0].replace('"9/4"', '"2"')),
    "sweep-that-is-rounded": ODD_SWEEP.line(
        ODD_SWEEP.lines[0], ODD_SWEEP.lines[0].replace("-347887123089405723", "-347887123089405724")
    ),
    "sweep-without-what-follows": SWEEP.line(SWEPT, SWEPT.replace(',["leaf"]', "")),
    "sweep-with-a-case-too-many": SWEEP.line(SWEPT, SWEPT.replace('["leaf"]', '["leaf"],["leaf"]')),
    "sweep-in-the-other-case": SWEEP.line(
        SWEPT, '["bound",3,0,"high","0",["split",0,"1/2"],["leaf"],["sweep"],["leaf"]]'
    ),
    "sweep-in-the-line-before": SWEEP.with_lines([SWEPT, '["bound",3,0,"high","0",["leaf"]]', *SWEEP.lines[1:]]),
    "sweep-in-the-proof-of-a-lemma-alone": SWEEP.line(
        SWEPT, '["bound",3,0,"high","0",["lemma",2,"high","1"],["sweep"],["leaf"],["leaf"]]'
    ),
    "sweep-of-square-roots": ROOT_RANGE.line(ROOT_RANGE.lines[0], '["bound",2,0,"high","sqrt(2)",["sweep"],["leaf"]]'),
    "sweep-of-an-irrational-constant": ROOT_RANGE.file("network", '"sqrt(2)"', '"1"')
    .file("network", '"-1/2"', '"-sqrt(2)/2"')
    .with_lines(['["bound",2,0,"high","1",["sweep"],["leaf"]]', '["bound",2,0,"low","-1",["leaf"]]']),
    "range-with-an-output": RANGE.more('["node",2]', '["output",0,1,"1","0"]'),
    "range-with-an-equality": RANGE.more('["node",2]', '["equal",0,1,1]'),
    "range-of-a-layer-that-is-not-there": RANGE.more('["bound",3,0,"high","1",["leaf"]]'),
    "within-a-bound-that-is-too-small": WITHIN.line(APART[1], '["bound",5,0,"high","1/4",["leaf"]]'),
    "within-the-line-twice": WITHIN.line('["formula"]', None).with_lines(
        [*APART, '["formula"]', '["formula"]', *HAT_LINES]
    ),
    "within-the-line-again-at-the-end": WITHIN.more('["formula"]'),
    "within-the-line-again-after-the-same-lines": WITHIN.more(*WITHIN.lines[2:]),
    "within-without-the-line": WITHIN.line('["formula"]', None),
    "within-the-parts-exchanged": WITHIN.with_lines([*HAT_LINES, '["formula"]', *APART]),
    "within-the-networks-exchanged": Case(
        WITHIN.lines,
        network=WITHIN.subjects["other"],
        other=WITHIN.subjects["network"],
        formula=WITHIN.subjects["formula"],
    ),
    "within-the-formula-of-the-network": Case(
        [
            '["bound",3,0,"low","-1",["leaf"]]',
            '["bound",3,0,"high","0",["leaf"]]',
            '["formula"]',
            '["node",2]',
            '["output",0,1,"1","0"]',
        ],
        network=network(([[1, 0]], "identity")),
        other=network(([[0, 1]], "identity")),
        formula=formula("y1 = x1; z = 0"),
    ),
    "within-a-claim-of-the-first-part": WITHIN.with_lines(['["node",2]', *APART, '["formula"]', *HAT_LINES[1:]]),
    "within-a-bound-of-the-first-part": WITHIN.with_lines(
        [HAT_BOUND, *APART, '["formula"]', *(line for line in HAT_LINES if line != HAT_BOUND)]
    ),
    "within-a-bound-of-the-other-in-the-first-part": WITHIN.with_lines(
        [
            HAT_BOUND.replace('"bound",2', '"bound",4'),
            *APART,
            '["formula"]',
            *(line for line in HAT_LINES if line != HAT_BOUND),
        ]
    ),
    "within-a-twin-of-the-first-part": WITHIN.with_lines(
        [
            '["twin",1,1,1,"2"]',
            *APART,
            '["formula"]',
            '["apart",1,1,"high","0",["leaf"]]',
            *HAT_LINES,
        ]
    ),
    "within-a-layer-of-the-difference": WITHIN.more('["bound",3,0,"low","0",["leaf"]]'),
    "within-an-output-in-the-first-part": WITHIN_TWO.with_lines(
        ['["node",2]', '["output",0,1,"1","0"]', *WITHIN_TWO.lines]
    ),
    "within-another-formula": WITHIN.file("formula", "¬u", "u"),
    "within-a-formula-with-other-inputs": WITHIN.file("formula", "inputs x1", "inputs x2"),
    "within-a-formula-with-other-outputs": WITHIN.file("formula", "outputs y1", "outputs t"),
    "within-another-box": WITHIN.file("other", '["0", "1"]', '["0", "1/2"]'),
    "within-other-inputs": WITHIN.file("other", '"x1"', '"x2"'),
    "within-other-outputs": WITHIN.file("other", '"y1"', '"y2"'),
    "within-another-hash": WITHIN.head(other_sha256="0" * 64),
    "within-another-hash-of-the-formula": WITHIN.head(formula_sha256="0" * 64),
    "formula-line-in-a-certificate-of-a-formula": HAT.with_lines(['["formula"]', *HAT.lines]),
    "formula-line-at-the-end-of-a-certificate-of-a-formula": HAT.more('["formula"]'),
    "formula-line-in-a-certificate-of-a-difference": TWIN.more('["formula"]'),
    "formula-line-in-a-certificate-of-a-range": RANGE.more('["formula"]'),
    "formula-line-in-a-certificate-of-two-formulas": PAIR.more('["formula"]'),
    "formula-line-in-a-certificate-with-a-source": BOX.more('["formula"]'),
    "difference-of-networks-that-differ": TWIN.file("other", '"-2"', '"-3"'),
    "difference-with-other-inputs": TWIN.file("other", '"x1"', '"x2"'),
    "difference-with-other-outputs": TWIN.file("other", '"y1"', '"y2"'),
    "difference-on-another-box": TWIN.file("other", '["0", "1"]', '["0", "1/2"]'),
    "difference-the-wrong-way-round": TWIN.with_lines(
        [line.replace('"0",["split"', '"1/8",["split"') for line in TWIN.lines]
    ).file("other", '["1/2", "1/2"]', '["1/4", "1/2"]'),
    "difference-of-a-copy-multiplied-wrongly": RESCALED.file("other", '"2/3"', '"3/4"'),
    "difference-of-a-copy-exchanged-wrongly": COPY.file("other", '["1", "-1"]', '["-1", "1"]'),
    "difference-of-a-copy-with-another-bias": COPY.file("other", '["1/4", "1/2"]', '["1/4", "1/3"]'),
    "difference-of-an-affine-copy-multiplied-wrongly": AFFINE_COPY.file("other", '"1/3"', '"1/2"'),
    "difference-of-parts-that-are-too-much": HALVES.file("other", '"1/4"', '"1/3"'),
    "difference-of-constant-neurons-that-differ": CONSTANT.file("other", '"1/2"', '"1/3"'),
    # ρ(−1) is not −1, and 1 is not the activation of 0
    "difference-of-a-constant-neuron-without-its-activation": equal(
        5,
        network(([[0, -1]], "relu"), ([[1, 0]], "identity")),
        network(([[0, 0]], "crelu"), ([[0, -1]], "identity")),
    ),
    "difference-of-a-copy-with-other-square-roots": ROOT_COPY.file("other", "sqrt(3)", "sqrt(5)"),
    # ρ(1 − 2x) is not −ρ(2x − 1)
    "difference-of-neurons-multiplied-by-minus-one": equal(
        5,
        network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
        network(([[-2, 1]], "relu"), ([[-1, 0]], "identity")),
    ),
    # σ(2x) is not 2·σ(x)
    "difference-of-clipped-neurons-multiplied": equal(
        5,
        network(([[1, 0]], "crelu"), ([[2, 0]], "identity")),
        network(([[2, 0]], "crelu"), ([[1, 0]], "identity")),
    ),
    "difference-of-other-activations": equal(
        5,
        network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
        network(([[2, -1]], "identity"), ([[1, 0]], "identity")),
    ),
    # they are equal, but neurons are not divided by √2
    "difference-of-neurons-multiplied-by-a-square-root": equal(
        5,
        network(([["sqrt(2)", "-sqrt(2)/2"]], "relu"), ([["sqrt(2)", 0]], "identity")),
        network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
    ),
    "difference-with-a-multiplier-of-a-shared-neuron": equal(
        5, TWIN.subjects["network"], TWIN.subjects["other"], '["leaf","1","0","0","0"]'
    ),
    # what a split says of a shared neuron is not said of the first one
    "difference-by-a-split-at-a-shared-neuron-alone": equal(
        5,
        TWIN.subjects["network"],
        TWIN.subjects["other"].replace('["1/2", "1/2"]', '["1/2", "1/4"]'),
        '["split",4,"0"],["leaf"],["leaf"]',
    ),
    "twins-in-no-layer": LOOSE.line(TWIN_LINE, '["twin",6,0,1,"1"]'),
    "twins-in-layer-0": LOOSE.line(TWIN_LINE, '["twin",0,0,1,"1"]'),
    "twins-of-no-neuron": LOOSE.line(TWIN_LINE, '["twin",3,2,1,"1"]'),
    "twins-that-are-one": LOOSE.line(TWIN_LINE, '["twin",3,0,4,"1"]'),
    "twins-in-the-wrong-order": LOOSE.line(TWIN_LINE, '["twin",1,0,4,"1"]'),
    "twins-that-do-not-exist": LOOSE.line(TWIN_LINE, '["twin",3,0,8,"1"]'),
    "twins-that-are-free": LOOSE.line(TWIN_LINE, '["twin",3,0,0,"1"]'),
    "twins-that-are-free-for-an-identity": LOOSE.line(TWIN_LINE, '["twin",4,0,0,"1"]'),
    "twins-of-another-activation": LOOSE.line(TWIN_LINE, '["twin",3,0,3,"1"]'),
    "twins-of-an-identity-with-another-activation": LOOSE.line(TWIN_LINE, '["twin",4,0,1,"1"]'),
    "twins-with-the-factor-0": LOOSE.line(TWIN_LINE, '["twin",3,0,1,"0"]'),
    # ρ(−z) is ρ(z) − z, not −ρ(z): else ρ(3/4 − 2x) would be at most −ρ(2x − 1)
    "twins-with-a-negative-factor": compared(
        "relu", [2, -1], [-2, "3/4"], ("-1/4", "-1/4"), ("0", "1/4"), weight="-1", factor="-1"
    ),
    # σ(2z) is not 2σ(z)
    "twins-of-clipped-neurons-with-a-factor": compared(
        "crelu", [2, "-1/2"], [4, "-3/4"], ("1/4", "1/4"), ("-1/8", "0"), weight="1/2", factor="2"
    ),
    "twins-of-clipped-neurons-with-a-negative-factor": compared(
        "crelu", [2, "-1/2"], [-4, "9/4"], ("1/4", "1/4"), ("0", "5/4"), weight="-1/2", factor="-2"
    ),
    "twins-for-a-second-time-loosely": LOOSE.with_lines([TWIN_LINE, '["twin",3,0,2,"1"]', *LOOSE.lines[1:]]),
    "twins-for-a-second-time": PAIRED.with_lines([TWIN_LINE, '["twin",3,0,2,"1"]', *PAIRED.lines[1:]]),
    "twins-for-a-second-time-the-same": PAIRED.with_lines([TWIN_LINE, *PAIRED.lines]),
    "twins-in-two-formulas": PAIR.with_lines(['["twin",1,0,1,"1"]', *PAIR.lines]),
    "twins-apart-in-two-formulas": PAIR.with_lines(['["apart",1,0,"high","1"]', *PAIR.lines]),
    "twins-apart-in-no-layer": PAIRED.line(LEAST_APART, '["apart",6,0,"low","1/4",["pair"]]'),
    "twins-apart-of-no-neuron": PAIRED.line(LEAST_APART, '["apart",3,2,"low","1/4",["pair"]]'),
    "twins-apart-without-a-twin": PAIRED.line(LEAST_APART, '["apart",3,1,"low","0",["pair"]]'),
    "twins-apart-before-they-are-twins": PAIRED.with_lines([LEAST_APART, TWIN_LINE, *PAIRED.lines[2:]]),
    "twins-apart-on-the-wrong-side": PAIRED.line(LEAST_APART, '["apart",3,0,"low","3/8",["pair"]]'),
    "twins-apart-with-an-open-case": PAIRED.line(LEAST_APART, '["apart",3,0,"low","1/4",["split",0,"1/2"],["pair"]]'),
    "twins-apart-with-a-case-too-many": PAIRED.line(LEAST_APART, '["apart",3,0,"low","1/4",["pair"],["pair"]]'),
    "twins-apart-split-at-the-neuron": PAIRED.line(
        LEAST_APART, '["apart",3,0,"low","1/4",["split",4,"0"],["pair"],["pair"]]'
    ),
    "twins-apart-replaced-by-less": PAIRED.with_lines(
        [*PAIRED.lines[:3], '["apart",3,0,"high","1/2",["pair"]]', *PAIRED.lines[3:]]
    ),
    "twins-with-another-factor": PAIRED.line(TWIN_LINE, '["twin",3,0,1,"2"]'),
    "twins-with-another-network": PAIRED.file("other", '"-3/4"', '"-5/8"'),
    "twins-exchanged": PAIRED.with_lines(['["twin",3,0,2,"1"]', LEAST_APART]),
    **{
        f"twins-{name}-too-{side}": tighter(case, place)
        for name, case in COMPARED.items()
        for place, side in ((3, "low"), (4, "high"))
    },
    "twins-apart-too-low": tighter(PAIRED, 1),
    "twins-apart-too-high": tighter(PAIRED, 2),
    "twins-apart-by-a-square-root-too-low": tighter(COMPARED["of-a-neuron-multiplied-by-a-square-root"], 1),
    "twins-too-low": tighter(PAIRED, 3),
    "twins-too-high": tighter(PAIRED, 4),
    "twins-by-slopes-that-are-not-rounded": ROUNDED_TWINS.line(
        ROUNDED_TWINS.lines[3], ROUNDED_TWINS.lines[3].replace("-1/131072", "0")
    ),
    "twins-alone-too-low": tighter(TWINS_ALONE, 3),
    "twins-in-one-layer-too-low": tighter(SPLIT_NEURON, 3),
    "twins-in-one-layer-with-the-wrong-sign": SPLIT_NEURON.line(
        SPLIT_NEURON.lines[0], SPLIT_NEURON.lines[0].replace("-1", "1")
    ),
    "twins-alone-too-high": tighter(TWINS_ALONE, 4),
    "twins-of-twins-too-low": tighter(CHAIN, 6),
    "twins-of-twins-too-high": tighter(CHAIN, 7),
    "twins-of-twins-without-the-first": CHAIN.with_lines([*CHAIN.lines[:2], *CHAIN.lines[4:]]),
    "twins-with-a-formula-and-a-leaf": TWIN_FORMULA.line(
        TWIN_FORMULA.lines[13], TWIN_FORMULA.lines[13].replace("pair", "leaf")
    ),
    "twins-with-a-formula-that-can-be-negative": TWIN_FORMULA.line(TWIN_FORMULA.lines[13], None),
    "twins-with-a-formula-apart-too-far": tighter(TWIN_FORMULA, 12),
    "twins-by-leaves": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('["pair","0","1/16","0"]', '["leaf"]')),
    "twins-with-other-multipliers": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace("1/16", "1/15")),
    "twins-with-multipliers-exchanged": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('"0","1/16"', '"1/16","0"')),
    "twins-with-multipliers-of-the-other-side": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace("1/16", "-1/16")),
    "twins-in-cases-with-bad-multipliers": SPLIT_TWINS.line(
        SPLIT_LOW, SPLIT_LOW.replace('["pair","0","1/16","0"]', '["pair","0","0","0"]')
    ),
    "twins-without-a-cell-on-the-other-side": NO_CELL.line(
        NO_CELL.lines[3],
        NO_CELL.lines[3].replace('["pair"],["pair","0","1/16","0"]', '["pair","0","1/16","0"],["pair"]'),
    ),
    "twins-in-one-cell-too-high": tighter(ONE_CELL, 3),
    "twins-in-one-cell-by-slopes-of-the-change": EXACT_CELL.line(
        EXACT_CELL.lines[3], EXACT_CELL.lines[3].replace('["pair"]', '["pair","0","0","0"]')
    ),
    "twins-that-are-siblings-too-low": tighter(SIBLINGS, 6),
    "twins-that-are-siblings-too-high": tighter(SIBLINGS, 7),
    "twins-that-are-affine-too-low": tighter(IDENTITIES, 3),
    "twins-that-are-affine-and-negated-too-high": tighter(NEGATED, 4),
    "twins-that-are-affine-with-bad-multipliers": IDENTITIES.line(
        IDENTITIES.lines[3], IDENTITIES.lines[3].replace('"1","0"', '"0","1"')
    ),
    "twins-with-a-lemma-that-is-not-proved": PAIRED.line(
        PAIRED_LOW, '["bound",5,0,"low","-3/16",["lemma",1,"low","0"],["pair"],["pair"]]'
    ),
    "pair-in-a-cone-with-bad-multipliers": EQUALS.line(EQUALITY, EQUALITY.replace("leaf", "pair").replace("-1/2", "0")),
    "pair-without-twins-too-high": tighter(RANGE.line(RANGE.lines[0], RANGE.lines[0].replace("leaf", "pair")), 0),
    "output-of-another-node": HAT.line('["output",0,8,"1","0"]', '["output",0,1,"1","0"]'),
    "output-before-all-neurons": HAT.line('["clip",2,0,"1",0,7]', None),
    "output-that-leaves-the-unit-interval": LEAVING,
    "output-that-goes-below-the-unit-interval": Case(
        ['["node",2]', '["node",1]', '["scale","d[2]",2]', '["times",1,3]', '["output",0,4,"1","0"]'],
        network=network(([[1, "-1/2"]], "identity")),
        formula=formula("y1 = x1 ⊙ δ[2]1"),
    ),
    "output-without-its-map": MAP.line('["output",0,1,"3","-1"]', '["output",0,1,"1","0"]'),
    "output-with-another-scale": MAP.line('["output",0,1,"3","-1"]', '["output",0,1,"2","-1"]'),
    "output-with-another-offset": MAP.line('["output",0,1,"3","-1"]', '["output",0,1,"3","0"]'),
    "output-scaled-by-0": MAP.file("network", '"3"', '"0"').line('["output",0,1,"3","-1"]', '["output",0,1,"0","-1"]'),
    "output-after-the-last": HAT.more('["output",1,8,"1","0"]'),
    "equal-after-the-last": PAIR.more('["equal",1,6,7]'),
    "output-twice": HAT.more('["output",0,8,"1","0"]'),
    "outputs-out-of-order": TWO.line('["output",0,5,"1","0"]', '["output",1,6,"1","0"]'),
    "outputs-exchanged": TWO.line('["output",0,5,"1","0"]', '["output",0,6,"1","0"]'),
    "output-of-a-pair": PAIR.line('["equal",0,6,7]', '["output",0,6,"1","0"]'),
    "equal-of-part-of-a-sum": ONE_FORM.line('["plus",1,2,3]', '["plus",1,2]'),
    "equal-with-different-forms": PAIR.file("original", "y1 = ¬a", "y1 = ¬x ⊕ ¬y").line(
        '["equal",0,6,7]', '["equal",0,5,7]'
    ),
    "equal-about-other-nodes": PAIR.line('["equal",0,6,7]', '["equal",0,7,6]'),
    "equal-of-a-network": HAT.line('["output",0,8,"1","0"]', '["equal",0,8,8]'),
    "wrong-after-the-last-output": HAT.more('["plus",3,2]'),
}


def with_tail(case, tail):
    twin = case.copy()
    twin.tail = tail
    return twin


MALFORMED = {
    "header-missing": HAT.head(format=None),
    "header-of-another-format": HAT.head(format="verimv-network"),
    "header-of-version-2": HAT.head(version=2),
    "header-of-version-true": HAT.head(version=True),
    "header-with-an-unknown-key": HAT.head(trusted=True),
    "header-without-network": HAT.head(network_sha256=None),
    "header-of-a-formula-alone": Case([], formula=HAT.subjects["formula"]),
    "header-with-other-and-formula": HAT.head(other_sha256="0" * 64),
    "header-with-other-alone": Case([], other=TENT_NETWORK),
    "difference-without-multipliers-of-shared-neurons": equal(
        5, TWIN.subjects["network"], TWIN.subjects["other"], '["leaf","0","0"]'
    ),
    "twins-without-a-factor": PAIRED.line(TWIN_LINE, '["twin",3,0,1]'),
    "twins-with-too-much": PAIRED.line(TWIN_LINE, '["twin",3,0,1,"1","1"]'),
    "twins-with-a-factor-that-is-a-number": PAIRED.line(TWIN_LINE, '["twin",3,0,1,1]'),
    "twins-with-a-negative-number": PAIRED.line(TWIN_LINE, '["twin",3,0,-1,"1"]'),
    "twins-in-a-negative-layer": PAIRED.line(TWIN_LINE, '["twin",-3,0,1,"1"]'),
    "twins-apart-on-no-side": PAIRED.line(LEAST_APART, '["apart",3,0,"least","1/4",["pair"]]'),
    "twins-apart-on-no-side-without-a-twin": PAIRED.line(LEAST_APART, '["apart",3,1,"least","1/4",["pair"]]'),
    "twins-apart-without-a-value": PAIRED.line(LEAST_APART, '["apart",3,0,"low"]'),
    "twins-apart-with-a-case-that-is-a-string": PAIRED.line(LEAST_APART, '["apart",3,0,"low","1/4","pair"]'),
    "twins-with-too-few-multipliers": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('"0","1/16","0"', '"0","1/16"')),
    "twins-with-one-multiplier": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('"0","1/16","0"', '"0"')),
    "twins-with-too-many-multipliers": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('"0","1/16"', '"0","1/16","0"')),
    "twins-with-a-multiplier-that-is-a-number": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace('"1/16"', "0")),
    "twins-as-a-leaf": PAIRED.line(PAIRED_LOW, PAIRED_LOW.replace("pair", "leaf")),
    "twins-with-multipliers-for-one-cell": SPLIT_TWINS.line(
        SPLIT_LOW, SPLIT_LOW.replace('["pair","1/16"]]', '["pair","1","0","1/16"]]')
    ),
    "twins-in-cases-without-multipliers-of-a-split": SPLIT_TWINS.line(
        SPLIT_LOW, SPLIT_LOW.replace('["pair","0","0","0"]', '["pair","0"]')
    ),
    "twins-in-one-cell-with-multipliers": ONE_CELL.line(
        ONE_CELL.lines[3], ONE_CELL.lines[3].replace('["pair","-1"]', '["pair","0","0","-1"]')
    ),
    "twins-that-are-affine-with-a-multiplier": IDENTITIES.line(
        IDENTITIES.lines[3], IDENTITIES.lines[3].replace('["pair","1","0"]', '["pair","1"]')
    ),
    # the walk comes to the neuron without a cell later
    "twins-without-a-cell-after-a-multiplier-that-is-missing": Case(
        [
            TWIN_LINE,
            *(f'["apart",3,0,"{side}","1/4",["pair"]]' for side in SIDES),
            '["twin",4,0,1,"1"]',
            '["bound",6,0,"high","2",["split",3,"0"],["split",1,"0"],["leaf"],["pair","0"],["leaf"]]',
        ],
        network=network(([[2, -1]], "relu"), ([[1, 0]], "identity")),
        other=network(([[2, "-3/4"], [1, 0]], "relu"), ([[1, 1, "-1/2"]], "relu"), ([[1, 0]], "identity")),
    ),
    "pair-with-a-number": RANGE.line(RANGE.lines[0], RANGE.lines[0].replace('["leaf"]', '["pair",1]')),
    "pair-in-a-cone-with-two-multipliers": CONE.line(
        CONE.lines[9], CONE.lines[9].replace('"-1","-1/2"', '"-1","0","-1/2"')
    ),
    "within-the-line-with-an-argument": WITHIN.line('["formula"]', '["formula",0]'),
    "formula-line-with-an-argument-where-there-is-none": HAT.more('["formula",0]'),
    "within-a-source": Case(WITHIN.lines, source=WITHIN.subjects["network"], **WITHIN.subjects),
    "within-without-a-network": WITHIN.head(network_sha256=None),
    "within-not-naming-its-other": WITHIN.head(other_sha256=None),
    "within-not-naming-its-formula": WITHIN.head(formula_sha256=None),
    "other-without-layers": TWIN.file("other", '"layers"', '"strata"'),
    "header-naming-a-source-that-is-not-there": HAT.head(source_sha256="0" * 64),
    "line-not-json": HAT.line('["plus",1,1]', '["plus",1,1'),
    "line-empty": HAT.line('["plus",1,1]', ""),
    "line-an-empty-list": HAT.line('["plus",1,1]', "[]"),
    "line-an-object": HAT.line('["plus",1,1]', '{"plus": [1, 1]}'),
    "line-with-two-values": HAT.line('["plus",1,1]', '["plus",1,1] ["plus",1,1]'),
    "line-deeply-nested": HAT.line('["plus",1,1]', "[" * 100_000),
    "line-not-ascii": HAT.line('["plus",1,1]', '["plus",1,1,"⊕"]'),
    "rule-unknown": HAT.line('["plus",1,1]', '["add",1,1]'),
    "rule-that-prints-a-verdict": HAT.line('["plus",1,1]', '["\\nvalid\\n\\ud800",1,1]'),
    "rule-a-number": HAT.line('["plus",1,1]', "[1,1,1]"),
    "argument-missing": HAT.line('["atom",2]', '["atom"]'),
    "argument-too-many": HAT.line('["atom",2]', '["atom",2,2]'),
    "argument-a-string": HAT.line('["plus",1,1]', '["plus",1,"1"]'),
    "argument-a-float": HAT.line('["plus",1,1]', '["plus",1,1.0]'),
    "argument-true": HAT.line('["plus",1,1]', '["plus",1,true]'),
    "argument-nan": HAT.line('["plus",1,1]', '["plus",1,NaN]'),
    "argument-null": HAT.line('["plus",1,1]', '["plus",1,null]'),
    "index-negative": HAT.line('["node",2]', '["node",-1]'),
    "cut-with-a-multiplier-as-a-number": CUT.line('["cut",1,2,3,"1/2","0"]', '["cut",1,2,3,"1/2",0]'),
    "sorted-without-claims": SORT.line('["sort",2,4,5,3]', '["sort",2,"4",5,3]'),
    "equals-without-a-cone": EQUALS.line(EQUALITY, EQUALITY.replace("[1,2,5]", "1")),
    "equals-with-a-claim-as-a-string": EQUALS.line(EQUALITY, EQUALITY.replace("[1,2,5]", '["1"]')),
    "plus-of-nothing": HAT.line('["plus",1,1]', '["plus"]'),
    "factor-a-number": AVERAGE.line('["scale","d[4]",4]', '["scale",4,4]'),
    "factor-without-brackets": AVERAGE.line('["scale","d[4]",4]', '["scale","1/4",4]'),
    "factor-above-1": AVERAGE.line('["scale","d[4]",4]', '["scale","D[2]",4]'),
    "factor-negative": AVERAGE.line('["scale","d[4]",4]', '["scale","D[-1/4]",4]'),
    "factor-divided-by-0": AVERAGE.line('["scale","d[4]",4]', '["scale","d[0]",4]'),
    "bound-side-unknown": TENT.line(BOUND, BOUND.replace('"high"', '"above"')),
    "bound-a-decimal": TENT.line(BOUND, BOUND.replace('"1"', '"1.0"')),
    "bound-case-unknown": TENT.line(BOUND, BOUND.replace('["leaf"],', '["trust"],')),
    "bound-split-with-too-much": PHASES.line(PHASES.lines[6], PHASES.lines[6].replace('1,"0"]', '1,"0","0"]')),
    "lemma-with-a-multiplier-of-its-own-neuron": CASE_LEMMA.line(
        PROOF, PROOF.replace('["leaf","-1/3"]', '["leaf","0","-1/3"]')
    ),
    "lemma-with-a-multiplier-of-a-neuron-that-it-makes-stable": STABLE.line(
        STABLE.lines[0], STABLE.lines[0].replace('["leaf","0"]]', '["leaf","0","0"]]')
    ),
    "lemma-without-a-multiplier-of-a-neuron-that-is-split": SPLIT_STABLE.line(
        SPLIT_STABLE.lines[0], SPLIT_STABLE.lines[0].replace('["leaf","0","0"]', '["leaf","0"]')
    ),
    "sweep-with-an-argument": SWEEP.line(SWEPT, SWEPT.replace('["sweep"]', '["sweep",1]')),
    "sweep-with-an-argument-and-square-roots": ROOT_RANGE.line(
        ROOT_RANGE.lines[0], '["bound",2,0,"high","sqrt(2)",["sweep","1"],["leaf"]]'
    ),
    "sweep-and-a-multiplier-too-many": SWEEP.line(SWEPT, SWEPT.replace('["leaf"]', '["leaf","0","0"]')),
    "sweep-without-a-multiplier-of-a-neuron-that-is-split": SPLIT_SWEEP.line(
        SPLIT_SWEEP.lines[0], SPLIT_SWEEP.lines[0].replace('["leaf","0","0"]', '["leaf","0"]')
    ),
    "lemma-with-a-side-that-is-none": CASE_LEMMA.line(PROOF, PROOF.replace('3,"high"', '3,"above"')),
    "lemma-with-a-side-that-is-a-list": CASE_LEMMA.line(PROOF, PROOF.replace('3,"high"', '3,["high"]')),
    "lemma-without-a-value": CASE_LEMMA.line(PROOF, PROOF.replace('"high","1/3"', '"high"')),
    "lemma-with-too-much": CASE_LEMMA.line(PROOF, PROOF.replace('"high","1/3"', '"high","1/3","1"')),
    "lemma-about-a-negative-number": CASE_LEMMA.line(PROOF, PROOF.replace('["lemma",3', '["lemma",-1')),
    "lemma-with-a-value-that-is-a-number": CASE_LEMMA.line(PROOF, PROOF.replace('3,"high","1/3"', '3,"high",1')),
    "bound-case-of-nothing": TENT.line(BOUND, BOUND.replace('["leaf"],', "[],")),
    "bound-case-a-string": TENT.line(BOUND, BOUND.replace('["leaf"],', '"leaf",')),
    "bound-multiplier-for-an-identity": Case(
        ['["bound",2,0,"high","1",["leaf","1"]]'], network=network(([[2, -1]], "identity"), ([[1, 0]], "identity"))
    ),
    "bound-multiplier-for-a-saturated-neuron": Case(
        ['["bound",2,0,"high","1",["leaf","0"]]'], network=network(([[1, 2]], "crelu"), ([[1, 0]], "identity"))
    ),
    "bound-multipliers-missing": TENT.line(BOUND, '["bound",2,0,"high","1",["leaf","1/2"]]'),
    "bound-multipliers-too-many": TENT.line(BOUND, '["bound",2,0,"high","1",["leaf","1/2","1/2","0"]]'),
    "output-scale-a-number": MAP.line('["output",0,1,"3","-1"]', '["output",0,1,3,-1]'),
    "last-line-cut-off": with_tail(HAT, ""),
    "header-a-number": HAT.with_text("1\n"),
    "certificate-empty": HAT.with_text(""),
    "gzip-cut-off": packed(HAT, lambda data: data[:-12]),
    "gzip-with-a-flipped-bit": packed(HAT, lambda data: data[:40] + bytes([data[40] ^ 16]) + data[41:]),
    "gzip-only-in-name": packed(HAT, lambda data: b"[]\n"),
    "network-not-json": HAT.file("network", "{", ""),
    "network-of-another-format": HAT.file("network", "verimv-network", "network"),
    "network-of-version-2": HAT.file("network", '"version": 1', '"version": 2'),
    "network-of-version-true": HAT.file("network", '"version": 1', '"version": true'),
    "network-a-list": HAT.file("network", HAT.subjects["network"], "[]"),
    "network-without-layers": HAT.file("network", HAT.subjects["network"], network(outputs=())),
    "network-of-nothing-but-inputs": HAT.file("network", HAT.subjects["network"], network()),
    "network-with-an-input-too-many": HAT.file("network", '["x1"]', '["x1", "x2"]'),
    "network-with-an-interval-of-three": HAT.file("network", '["0", "1"]', '["0", "1", "2"]'),
    "network-with-a-sign-too-many": HAT.file("network", '"2"', '"+2"'),
    "network-with-a-key-twice": HAT.file("network", '"version": 1', '"version": 1, "version": 1'),
    "network-with-an-unknown-key": HAT.file("network", '"version": 1', '"version": 1, "trusted": true'),
    "network-with-a-float": HAT.file("network", '"-2"', "-2.0"),
    "network-with-a-number-in-arabic-digits": HAT.file("network", '"-2"', '"-٢"'),
    "network-with-a-ragged-row": HAT.file("network", '["1", "-2"]', '["1"]'),
    "network-with-an-unknown-activation": HAT.file("network", '"relu"', '"tanh"'),
    "network-with-an-empty-interval": HAT.file("network", '["0", "1"]', '["1", "0"]'),
    "network-with-a-bias-missing": HAT.file("network", '"bias": ["0", "-1"]', '"bias": ["0"]'),
    "network-with-an-index-beyond-its-width": SPARSE.file("network", '"0": "2"', '"1": "2"'),
    "network-with-an-index-that-has-a-leading-zero": SPARSE.file("network", '"0": "2"', '"00": "2"'),
    "network-with-a-sparse-row-without-a-width": SPARSE.file("network", '"width": 1, ', ""),
    "network-with-a-sparse-row-of-another-width": SPARSE.file("network", '"width": 1', '"width": 2'),
    "network-with-an-index-that-is-no-number": SPARSE.file("network", '"0": "2"', '"x": "2"'),
    "network-with-an-output-named-twice": TWO.file("network", '["p", "q"]', '["p", "p"]'),
    "formula-with-an-input-that-is-no-name": SATURATED.file("network", '"x1"', '"1x"').file("formula", "x1", "1x"),
    "network-with-spaces-in-a-number": HAT.file("network", '"-2"', '" -2"'),
    "network-dividing-by-0": HAT.file("network", '"-2"', '"-2/0"'),
    "network-with-an-imaginary-weight": HAT.file("network", '"-2"', '"sqrt(-2)"'),
    "formula-without-header": HAT.file("formula", "verimv-formula 1", "verimv-formula 2"),
    "formula-of-one-line": HAT.file("formula", HAT.subjects["formula"], "verimv-formula 1\n"),
    "formula-with-another-word-for-inputs": HAT.file("formula", "inputs", "variables"),
    "formula-with-another-word-for-outputs": HAT.file("formula", "outputs", "results"),
    "formula-with-an-output-twice": HAT.file("formula", "outputs y1", "outputs y1 y1"),
    "formula-defining-what-is-no-name": HAT.file("formula", "y1 =", "1a = x1\ny1 ="),
    "formula-with-a-line-that-defines-nothing": HAT.file("formula", "y1 =", "x1\ny1 ="),
    "formula-with-an-output-that-is-not-defined": HAT.file("formula", "outputs y1", "outputs y2"),
    "formula-with-no-output": HAT.file("formula", "outputs y1", "outputs"),
    "formula-with-a-constant-as-output": HAT.file("formula", "outputs y1", "outputs 1"),
    "formula-without-outputs": HAT.file("formula", "outputs y1\n", ""),
    "formula-using-what-is-not-defined": HAT.file("formula", "x1 ⊕ x1", "x1 ⊕ x2"),
    "formula-defining-a-name-twice": HAT.file("formula", "y1 =", "y1 = x1\ny1 ="),
    "formula-with-brackets": HAT.file("formula", "= x1 ⊕ x1", "= (x1 ⊕ x1)"),
    "formula-with-two-operators-in-a-line": HAT.file("formula", "x1 ⊕ x1", "x1 ⊕ x1 ⊙ x1"),
    "formula-with-another-operator": HAT.file("formula", "⊕", "→"),
    "formula-with-brackets-without-end": HAT.file("formula", "x1 ⊕ x1", "D[" * 40_000),
    "formulas-with-an-input-twice": PAIR.file("original", "inputs x y", "inputs x x y").file(
        "formula", "inputs x y", "inputs x x y"
    ),
    "formula-with-something-else-at-its-end": HAT.file("formula", "¬u\n", "¬u $\n"),
    "formula-with-a-factor-above-1": ROOT.file("formula", "Δ[1/3]", "Δ[4/3]"),
}

INCOMPLETE = {
    "no-lines": HAT.with_lines([]),
    "output-missing": HAT.less(1),
    "second-output-missing": TWO.less(1),
    "bound-assumed": TENT.line(BOUND, '["bound",2,0,"high","1"]'),
    "pair-not-proved": PAIR.less(1),
    "hat-without-its-formula": HAT.head(formula_sha256=None).less(1),
    "range-with-one-end": RANGE.less(1),
    "range-with-one-end-twice": RANGE.line(RANGE.lines[1], '["bound",2,0,"high","2",["leaf"]]'),
    "range-of-another-layer": Case(
        ['["bound",1,0,"high","1",["leaf"]]', '["bound",1,0,"low","-1",["leaf"]]'], network=TENT_NETWORK
    ),
    "range-assumed": RANGE.line(RANGE.lines[1], '["bound",2,0,"low","0"]'),
    "difference-not-proved": TWIN.less(1),
    "within-a-first-part-alone": WITHIN.with_lines(APART),
    "within-no-lines": WITHIN.with_lines([]),
    "within-half-of-the-first-part": WITHIN.with_lines(APART[:1]),
    "within-the-line-alone": WITHIN.with_lines(['["formula"]']),
    "within-the-line-too-early": WITHIN.with_lines([APART[0], '["formula"]', APART[1], *HAT_LINES]),
    "within-the-line-too-early-before-a-wrong-line": WITHIN.with_lines([APART[0], '["formula"]', '["atom",9]']),
    "within-a-bound-assumed": WITHIN.line(APART[1], '["bound",5,0,"high","0"]'),
    "within-a-bound-assumed-below": WITHIN.with_lines(['["bound",1,0,"high","1"]', *WITHIN.lines]),
    "within-a-bound-of-the-formula-assumed": WITHIN.line(HAT_BOUND, '["bound",2,0,"low","0"]'),
    "within-the-first-part-only": WITHIN.with_lines([*APART, '["formula"]']),
    "within-an-output-missing": WITHIN_TWO.less(1),
    "twins-apart-assumed": PAIRED.line(LEAST_APART, '["apart",3,0,"low","1/4"]'),
    "twins-apart-alone": PAIRED.less(2),
    "twins-not-proved": PAIRED.less(1),
    "network-with-a-sum-of-too-many-square-roots": HAT.file(
        "network", '"-2"', f'"{"+".join(f"sqrt({2 * k + 1})" for k in range(1, 90))}"'
    ),
}

CASES = {"valid": VALID, "invalid": INVALID, "malformed": MALFORMED, "incomplete": INCOMPLETE}


def main():
    for verdict, cases in CASES.items():
        shutil.rmtree(HERE / verdict, ignore_errors=True)
        for name, case in cases.items():
            case.write(HERE / verdict / name)


if __name__ == "__main__":
    main()
