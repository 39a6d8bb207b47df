"""Rational weights and a box: the box is mapped exactly onto [0,1]²; the formula is DMV (with δ) or RMV (with Δ).

Prints:
    dmv: δ[2](damp ⊕ damp → heat ⊕ heat) ⊕ δ[2]((heat ⊕ heat) ⊙ ¬(damp ⊕ damp))
    rmv: Δ[1/2]¬(damp ⊕ damp) ⊕ Δ[1/2](heat ⊕ heat)
    at 20 degrees and 25 %: network 3/4, formulas 3/4 and 3/4
"""

from pathlib import Path

import verimv

network = verimv.load(Path(__file__).parent / "networks" / "rational.json")
dmv = verimv.extract(network, strategy="paper").formula
rmv = verimv.extract(network).formula
print(f"dmv: {dmv}")
print(f"rmv: {rmv}")
# 20 degrees is half-way from 10 to 30, 25 % a quarter of the way from 0 to 100
point = {"heat": "1/2", "damp": "1/4"}
print(f"at 20 degrees and 25 %: network {network(20, 25)}, formulas {dmv(**point)} and {rmv(**point)}")
