"""Three inputs, integer weights: by how much a + b + c exceeds one, as a formula of MV logic.

Prints:
    a ⊙ (b ⊙ c) ⊕ (b ⊙ c ⊕ a) ⊙ (c ⊕ b)
    two of three true: 1
    all three half true: 1/2
"""

from pathlib import Path

import verimv

network = verimv.load(Path(__file__).parent / "networks" / "three_inputs.json")
formula = verimv.extract(network).formula
print(formula)
print(f"two of three true: {formula(a=1, b=0, c=1)}")
print(f"all three half true: {formula(a='1/2', b='1/2', c='1/2')}")
