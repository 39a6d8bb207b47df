"""The rules of certificates as queries: each once, with the numbers of a line as variables.

A rule is about forms (f, g, …): numbers that may have any value that its conditions allow. So one query serves every
line with that rule; only its conditions about concrete forms remain (:mod:`.linear`). The query is the negation of the
rule: "unsat" proves it. Some queries are non-linear (products of two variables), but have few variables.
"""

from __future__ import annotations

from dataclasses import dataclass

from verimv.solvers.obligations.script import Script

_FUNCTIONS = {
    "sigma": "(define-fun sigma ((t Real)) Real (ite (<= t 0.0) 0.0 (ite (<= 1.0 t) 1.0 t)))",
    "rho": "(define-fun rho ((t Real)) Real (ite (<= t 0.0) 0.0 t))",
    # ⊕ and ⊙ on values in [0,1]
    "oplus": "(define-fun oplus ((a Real) (b Real)) Real (ite (<= (+ a b) 1.0) (+ a b) 1.0))",
    "odot": "(define-fun odot ((a Real) (b Real)) Real (ite (<= (+ a b) 1.0) 0.0 (- (+ a b) 1.0)))",
    "upto": "(define-fun upto ((m Real) (t Real)) Real (ite (<= t 0.0) 0.0 (ite (<= m t) m t)))",
}


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule that holds for all values of its variables that meet its conditions. Rules are compared by identity."""

    name: str
    #: the rule in words, for readers of the query
    says: str
    names: str
    conditions: tuple[str, ...]
    conclusion: str

    @property
    def logic(self) -> str:
        return "QF_NRA" if any("(* " in text for text in (*self.conditions, self.conclusion)) else "QF_LRA"

    def script(self) -> Script:
        """Return assertions that cannot hold together if the rule holds."""
        claims = [*self.conditions, f"(not {self.conclusion})"]
        script = Script(*self.names.split())
        script.assertions += [
            text for name, text in _FUNCTIONS.items() if any(f"({name} " in claim for claim in claims)
        ]
        for claim in claims:
            script.require(claim)
        return script

    def text(self) -> str:
        """Return an SMT-LIB 2 script: "unsat" means that the rule holds."""
        return self.script().text(f"{self.name}: {self.says}", self.logic)


def _table(*rules: Rule) -> dict[str, Rule]:
    return {rule.name: rule for rule in rules}


_FRACTIONS = ("(<= 0.0 a)", "(<= a 1.0)", "(<= 0.0 b)", "(<= b 1.0)")


def _whole(name: str, *values: int) -> str:
    """Assert that a number is one of some consecutive integers, or ≤ the least − 1, or ≥ the largest + 1: a rule that
    holds for all such numbers holds for all integers."""
    least, most = min(values), max(values)
    written = [f"{x}.0" if x >= 0 else f"(- {-x}.0)" for x in (least - 1, *values, most + 1)]
    exactly = " ".join(f"(= {name} {x})" for x in written[1:-1])
    return f"(or (<= {name} {written[0]}) {exactly} (<= {written[-1]} {name}))"


#: A good sequence has ones, then a fraction a in [0,1], then zeros: the units σ(f − k) of f = i + a, for an integer i
#: from 0 on and k = 0, 1, …; beyond its end it would go on with zeros. Merging is an induction:
#: - The entries at odd places (first, third, …) and at even places are good sequences again: for i = 2m the units of
#:   m + a and of m, for i = 2m + 1 those of m + 1 and of m + a.
#: - Those of both sequences at odd places are merged into O, the others into E. With N for the sum of both m, O and E
#:   are the units of N + a + b and N (both i even), of N + 1 + b and N + a (the first odd; or the second, with a and
#:   b exchanged), of N + 2 and N + a + b (both odd).
#: - The first entry of O is the first of the sum. Then E_k ⊕ O_{k+1} and E_k ⊙ O_{k+1} are the next two, for
#:   k = 1, 2, …; below, u = N − k. An entry without a partner is compared with 0.
#: Two sequences of one unit each, (a) and (b), are merged into a ⊕ b, a ⊙ b.
_SORTING = (
    Rule(
        "sort units",
        "for f = i + a with a in [0,1], σ(f − k) is 1 if k < i, a if k = i, and 0 if k > i; here w = i − k",
        "a w",
        (*_FRACTIONS[:2], _whole("w", 0)),
        "(= (sigma (+ w a)) (ite (<= 1.0 w) 1.0 (ite (= w 0.0) a 0.0)))",
    ),
    Rule(
        "sort places even",
        "places of the units of 2m + a: the odd ones are the units of m + a, the even ones those of m",
        "a w",
        (*_FRACTIONS[:2], _whole("w", 0)),
        "(and (= (sigma (+ w w a)) (sigma (+ w a))) (= (sigma (- (+ w w a) 1.0)) (sigma w)))",
    ),
    Rule(
        "sort places odd",
        "places of the units of 2m + 1 + a: the odd ones are the units of m + 1, the even ones those of m + a",
        "a w",
        (*_FRACTIONS[:2], _whole("w", 0)),
        "(and (= (sigma (+ w w 1.0 a)) (sigma (+ w 1.0))) (= (sigma (+ w w a)) (sigma (+ w a))))",
    ),
    Rule(
        "sort one one",
        "one unit and one unit",
        "a b",
        _FRACTIONS,
        "(and (= (oplus a b) (sigma (+ a b))) (= (odot a b) (sigma (- (+ a b) 1.0))))",
    ),
    Rule(
        "sort pair even even",
        "O has the sum N + a + b, and E has N",
        "a b u",
        (*_FRACTIONS, _whole("u", -1, 0)),
        "(and (= (oplus (sigma (+ u 1.0)) (sigma (+ u a b))) (sigma (+ u u a b 1.0)))"
        " (= (odot (sigma (+ u 1.0)) (sigma (+ u a b))) (sigma (+ u u a b))))",
    ),
    Rule(
        "sort pair odd even",
        "O has the sum N + 1 + b, and E has N + a",
        "a b u",
        (*_FRACTIONS, _whole("u", -1)),
        "(and (= (oplus (sigma (+ u a 1.0)) (sigma (+ u 1.0 b))) (sigma (+ u u a b 2.0)))"
        " (= (odot (sigma (+ u a 1.0)) (sigma (+ u 1.0 b))) (sigma (+ u u a b 1.0))))",
    ),
    Rule(
        "sort pair odd odd",
        "O has the sum N + 2, and E has N + a + b",
        "a b u",
        (*_FRACTIONS, _whole("u", -2, -1)),
        "(and (= (oplus (sigma (+ u a b 1.0)) (sigma (+ u 2.0))) (sigma (+ u u 3.0 a b)))"
        " (= (odot (sigma (+ u a b 1.0)) (sigma (+ u 2.0))) (sigma (+ u u 2.0 a b))))",
    ),
    Rule(
        "sort first",
        "the first entry of O is that of the sum, in all three cases",
        "a b N",
        ("(<= 0.0 a)", "(<= 0.0 b)", "(or (= N 0.0) (<= 1.0 N))"),
        "(and (= (sigma (+ N a b)) (sigma (+ N N a b))) (= (sigma (+ N 1.0 b)) (sigma (+ N N 1.0 a b)))"
        " (= (sigma (+ N 2.0)) (sigma (+ N N 2.0 a b))))",
    ),
    Rule(
        "sort last",
        "an entry without a partner is compared with 0",
        "a",
        ("(<= a 1.0)",),
        "(and (= (oplus a 0.0) a) (= (oplus 0.0 a) a) (= (odot a 0.0) 0.0) (= (odot 0.0 a) 0.0))",
    ),
)
#: The rules that a line "sort" needs.
SORTING = tuple(rule.name for rule in _SORTING)

RULES = _table(
    *_SORTING,
    Rule("atom", "a value in [0,1] is σ of itself", "v", ("(<= 0.0 v)", "(<= v 1.0)"), "(= v (sigma v))"),
    Rule("claimed", "σ(f) is a value in [0,1]", "f", (), "(and (<= 0.0 (sigma f)) (<= (sigma f) 1.0))"),
    Rule("not", "¬σ(f) is σ(1 − f)", "f", (), "(= (- 1.0 (sigma f)) (sigma (- 1.0 f)))"),
    Rule(
        "scale",
        "r·σ(f) is σ(r·f) if f ≤ 1",
        "r f",
        ("(<= 0.0 r)", "(<= r 1.0)", "(<= f 1.0)"),
        "(= (* r (sigma f)) (sigma (* r f)))",
    ),
    Rule(
        "plus",
        "σ(f) ⊕ σ(g) is σ(f + g), and f + g ≥ 0, if f ≥ 0 and g ≥ 0",
        "f g",
        ("(<= 0.0 f)", "(<= 0.0 g)"),
        "(and (= (oplus (sigma f) (sigma g)) (sigma (+ f g))) (<= 0.0 (+ f g)))",
    ),
    Rule("double", "σ(f) ⊕ σ(f) is σ(2f)", "f", (), "(= (oplus (sigma f) (sigma f)) (sigma (+ f f)))"),
    Rule(
        "times",
        "σ(f) ⊙ σ(g) is σ(f + g − 1), and f + g − 1 ≤ 1, if f ≤ 1 and g ≤ 1",
        "f g",
        ("(<= f 1.0)", "(<= g 1.0)"),
        "(and (= (odot (sigma f) (sigma g)) (sigma (- (+ f g) 1.0))) (<= (- (+ f g) 1.0) 1.0))",
    ),
    Rule("square", "σ(f) ⊙ σ(f) is σ(2f − 1)", "f", (), "(= (odot (sigma f) (sigma f)) (sigma (- (+ f f) 1.0)))"),
    Rule(
        "lemma",
        "(σ(g) ⊕ σ(h)) ⊙ σ(g + 1) is σ(g + h) if 0 ≤ h ≤ 1",
        "g h",
        ("(<= 0.0 h)", "(<= h 1.0)"),
        "(= (odot (oplus (sigma g) (sigma h)) (sigma (+ g 1.0))) (sigma (+ g h)))",
    ),
    Rule(
        "cut",
        "(σ(f) ⊙ σ(g + 1)) ⊕ σ(g) is σ(f + g) if f − λ·g ≤ 1 and f − μ·g ≥ 0 for λ, μ ≥ 0",
        "f g lam mu",
        ("(<= 0.0 lam)", "(<= 0.0 mu)", "(<= (- f (* lam g)) 1.0)", "(<= 0.0 (- f (* mu g)))"),
        "(= (oplus (odot (sigma f) (sigma (+ g 1.0))) (sigma g)) (sigma (+ f g)))",
    ),
    Rule(
        "step",
        "the first k of the units σ(f), σ(f − 1), … add up to f, between 0 and k; so do the first k + 1",
        "f k",
        ("(<= 0.0 k)",),
        "(= (+ (upto k f) (sigma (- f k))) (upto (+ k 1.0) f))",
    ),
    Rule(
        "average",
        "the average a of s units is σ(b) for b = (f + p)/s, if the first p are 1, then m add up, the others are 0",
        "f s p m a b",
        (
            "(< 0.0 s)",
            "(or (= p 0.0) (<= 0.0 f))",
            "(or (= (+ p m) s) (<= f m))",
            "(= (* s a) (+ p (upto m f)))",
            "(= (* s b) (+ f p))",
        ),
        "(= (sigma a) (sigma b))",
    ),
    Rule("same", "two values are σ(f)", "f v w", ("(= v (sigma f))", "(= w (sigma f))"), "(= w (sigma v))"),
    Rule("ones", "σ(f) = σ(g) if f, g ≥ 1", "f g", ("(<= 1.0 f)", "(<= 1.0 g)"), "(= (sigma g) (sigma (sigma f)))"),
    Rule("zeros", "σ(f) = σ(g) if f, g ≤ 0", "f g", ("(<= f 0.0)", "(<= g 0.0)"), "(= (sigma g) (sigma (sigma f)))"),
    Rule("positive", "ρ(t) is t if t ≥ 0", "t", ("(<= 0.0 t)",), "(= (rho t) t)"),
    Rule("unclipped", "σ(t) is t if 0 ≤ t ≤ 1", "t", ("(<= 0.0 t)", "(<= t 1.0)"), "(= (sigma t) t)"),
    Rule(
        "clip",
        "ρ(t), for t = B·w, is B·(p + m units) if t ≤ B·(p + m), and p = 0 or t ≥ B·p",
        "B w p m",
        ("(< 0.0 B)", "(<= 0.0 p)", "(or (= p 0.0) (<= (* B p) (* B w)))", "(<= (* B w) (* B (+ p m)))"),
        "(= (rho (* B w)) (* B (+ p (upto m (- w p)))))",
    ),
    Rule("off", "ρ(t) is 0 if t ≤ 0", "t", ("(<= t 0.0)",), "(= (rho t) 0.0)"),
    Rule("saturated", "σ(t) is 1 if t ≥ 1", "t", ("(<= 1.0 t)",), "(= (sigma t) 1.0)"),
    Rule("dead", "σ(t) is 0 if t ≤ 0", "t", ("(<= t 0.0)",), "(= (sigma t) 0.0)"),
    Rule(
        "output",
        "scale·σ(f) + offset is scale·f + offset = v if v lies between offset and offset + scale",
        "f v scale offset",
        (
            "(= v (+ (* scale f) offset))",
            "(or (<= offset v) (<= (+ offset scale) v))",
            "(or (<= v offset) (<= v (+ offset scale)))",
        ),
        "(= (+ (* scale (sigma f)) offset) v)",
    ),
    # Evidence of bounds
    Rule(
        "interval",
        "if s ≤ S and y is in [l, u], then s + w·y is at most S plus the larger of w·l and w·u",
        "s S w y l u",
        ("(<= l y)", "(<= y u)", "(<= s S)"),
        "(<= (+ s (* w y)) (+ S (ite (<= 0.0 w) (* w u) (* w l))))",
    ),
    Rule(
        "within",
        "n differs by at most the larger of −l and u from scale·f + offset if this is o, and n − o lies in [l, u]",
        "n o f scale offset l u",
        ("(= o (+ (* scale f) offset))", "(<= l (- n o))", "(<= (- n o) u)"),
        "(and (<= (- n (+ (* scale f) offset)) (ite (<= (- l) u) u (- l))) "
        "(<= (- (+ (* scale f) offset) n) (ite (<= (- l) u) u (- l))))",
    ),
    Rule(
        "between relu",
        "ρ(l) ≤ ρ(z) ≤ ρ(u) if l ≤ z ≤ u",
        "z l u",
        ("(<= l z)", "(<= z u)"),
        "(and (<= (rho l) (rho z)) (<= (rho z) (rho u)))",
    ),
    Rule(
        "between crelu",
        "σ(l) ≤ σ(z) ≤ σ(u) if l ≤ z ≤ u",
        "z l u",
        ("(<= l z)", "(<= z u)"),
        "(and (<= (sigma l) (sigma z)) (<= (sigma z) (sigma u)))",
    ),
    Rule(
        "line relu",
        "on [l, u], c·ρ(z) ≤ s·z + p if this holds at the ends and at 0",
        "c s p l u z",
        (
            "(<= l z)",
            "(<= z u)",
            "(<= (* c (rho l)) (+ (* s l) p))",
            "(<= (* c (rho u)) (+ (* s u) p))",
            "(=> (and (< l 0.0) (< 0.0 u)) (<= 0.0 p))",
        ),
        "(<= (* c (rho z)) (+ (* s z) p))",
    ),
    Rule(
        "line identity",
        "on [l, u], c·z ≤ s·z + p if this holds at the ends",
        "c s p l u z",
        ("(<= l z)", "(<= z u)", "(<= (* c l) (+ (* s l) p))", "(<= (* c u) (+ (* s u) p))"),
        "(<= (* c z) (+ (* s z) p))",
    ),
    Rule(
        "line crelu",
        "on [l, u], c·σ(z) ≤ s·z + p if this holds at the ends, at 0 and at 1",
        "c s p l u z",
        (
            "(<= l z)",
            "(<= z u)",
            "(<= (* c (sigma l)) (+ (* s l) p))",
            "(<= (* c (sigma u)) (+ (* s u) p))",
            "(=> (and (< l 0.0) (< 0.0 u)) (<= 0.0 p))",
            "(=> (and (< l 1.0) (< 1.0 u)) (<= c (+ s p)))",
        ),
        "(<= (* c (sigma z)) (+ (* s z) p))",
    ),
    Rule(
        "compared",
        "where act(y) = a·y + b and act(w) = e·w + f, for y = w + d, c·act(y) is c·act(w) + m·d + n·w + A·w + B·d + C, "
        "for A = c·(a − e) − n, B = c·a − m and C = c·(b − f)",
        "c m n a b e f w d",
        (),
        "(= (* c (+ (* a (+ w d)) b)) (+ (* c (+ (* e w) f)) (* m d) (* n w) (* (- (* c (- a e)) n) w) "
        "(* (- (* c a) m) d) (* c (- b f))))",
    ),
    Rule(
        "sums",
        "A·w + B·d is (A − B)·w + B·y, and A·y + (B − A)·d, for y = w + d",
        "A B w d",
        (),
        "(and (= (+ (* A w) (* B d)) (+ (* (- A B) w) (* B (+ w d)))) "
        "(= (+ (* A w) (* B d)) (+ (* A (+ w d)) (* (- B A) d))))",
    ),
    Rule(
        "cell",
        "if w is in [k, K], d in [l, L] and w + d in [u, U], then k + l ≤ U and u ≤ K + L",
        "w d k K l L u U",
        ("(<= k w)", "(<= w K)", "(<= l d)", "(<= d L)", "(<= u (+ w d))", "(<= (+ w d) U)"),
        "(and (<= (+ k l) U) (<= u (+ K L)))",
    ),
    Rule("split", "a number is on one side of a point", "z point", (), "(or (<= z point) (<= point z))"),
    Rule("equal", "a number that is ≤ 0 and ≥ 0 is 0", "d", ("(<= d 0.0)", "(<= 0.0 d)"), "(= d 0.0)"),
    # Two networks
    Rule("multiple relu", "ρ(p·t) is p·ρ(t) if p ≥ 0", "p t", ("(<= 0.0 p)",), "(= (rho (* p t)) (* p (rho t)))"),
    Rule("multiple crelu", "σ(p·t) is p·σ(t) if p = 1", "p t", ("(= p 1.0)",), "(= (sigma (* p t)) (* p (sigma t)))"),
    Rule(
        "opposite relu",
        "ρ(p·t) is −p·ρ(t) + p·t if p ≤ 0",
        "p t",
        ("(<= p 0.0)",),
        "(= (rho (* p t)) (+ (* (- p) (rho t)) (* p t)))",
    ),
    Rule("complement crelu", "σ(1 − t) is 1 − σ(t)", "t", (), "(= (sigma (- 1.0 t)) (- 1.0 (sigma t)))"),
)

#: The rules about the pieces of an activation, on which it is affine.
PIECES = {"relu": ("off", "positive"), "crelu": ("dead", "unclipped", "saturated")}
