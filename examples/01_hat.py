"""The paper's first example: a network with three ReLUs is a formula of four variables.

Prints:
    (x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)
    length 4, 5 shared nodes, logic mv
    at 1/3: network 2/3, formula 2/3
"""

from pathlib import Path

import verimv

network = verimv.load(Path(__file__).parent / "networks" / "hat.json")
result = verimv.extract(network)
print(result.formula)
print(f"length {result.formula.length}, {result.formula.size} shared nodes, logic {result.formula.logic}")
print(f"at 1/3: network {network('1/3')}, formula {result.formula('1/3')}")
