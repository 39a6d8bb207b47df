"""Irrational weights are exact too: the paper's example with 1/√2 (Section VI-B).

Prints:
    Δ[sqrt(2)/2]x1 ⊙ ¬(x2 ⊕ x2)
    at (1, 1/4): -1/2+sqrt(2)/2
    in LaTeX: \\Delta_{\\frac{\\sqrt{2}}{2}} x_{1} \\odot \\lnot \\left(x_{2} \\oplus x_{2}\\right)
"""

from pathlib import Path

import verimv

network = verimv.load(Path(__file__).parent / "networks" / "square_root.json")
formula = verimv.extract(network).formula
print(formula)
print(f"at (1, 1/4): {formula(1, '1/4')}")
print(f"in LaTeX: {formula.latex()}")
