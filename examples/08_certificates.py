"""A certificate: its lines, and what happens when someone edits its formula.

Prints:
    12 lines for the hat function: 1 node, 2 times, 1 plus, 3 clip, 3 atom, 1 not, 1 output
    valid: y1 = formula on [0,1]
    edited: invalid, line 13, rule output: expected a claim about output 0 of the formula, got claim 8 (kernel.py and the verified kernel)
"""  # noqa: E501

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import verimv

result = verimv.extract(verimv.load(Path(__file__).parent / "networks" / "hat.json"))
certificate = result.certificate
rules = Counter(json.loads(line)[0] for line in certificate.body)
print(f"{len(certificate.body)} lines for the hat function: {', '.join(f'{n} {rule}' for rule, n in rules.items())}")

statement = certificate.check()  # raises unless the kernels find it valid
print(f"valid: {'; '.join(statement)}")

# Someone removes the negation and corrects the hashes: the rules reject it.
formula = certificate.subjects["formula"].replace("¬".encode(), b"")
edited = replace(certificate, subjects={**certificate.subjects, "formula": formula})
try:
    edited.check()
except verimv.InvalidCertificate as error:
    print(f"edited: {error}")
