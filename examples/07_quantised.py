"""Is a quantised network equal to its specification? Refuted with an exact point, then proved within a tolerance.

Prints:
    equal: refuted, at heat=10, damp=0: left = 1/2, right = 9/16
    within 1/16: proved
    largest value: 1
"""

from dataclasses import replace
from pathlib import Path

import verimv
from verimv.exact import Rational
from verimv.solvers.optimise import output_ranges

network = verimv.load(Path(__file__).parent / "networks" / "rational.json")
first, last = network.layers
coarse = verimv.Layer.of([["1/2", "9/16"]], [0], "identity")  # 1/2 stored as 9/16
quantised = replace(network, layers=(first, coarse))

verdict = verimv.equivalent(network, quantised)
print(f"equal: {verdict.status}, {verdict.counterexample}")
print(f"within 1/16: {verimv.equivalent(network, quantised, tolerance=Rational(1, 16)).status}")
print(f"largest value: {output_ranges(network)[0].upper.value}")
