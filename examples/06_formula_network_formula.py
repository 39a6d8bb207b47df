"""A formula as a ReLU network (Theorem 3.2), and that network as a formula again.

Prints:
    (x ⊕ x) ⊙ ¬y
    layer 1: ρ(-2·x + 1), ρ(1·y)
    layer 2: ρ(-1·h1 - 1·h2 + 1)
    integer weights, 3 ReLUs (the paper's network has 4)
    ¬(y ⊕ ¬(x ⊕ x))
    equal at 10,201 points
"""

import verimv

formula = verimv.parse("(x ⊕ x) ⊙ ¬y")
network = verimv.to_network(formula)
print(formula)
names = list(network.inputs)
for number, layer in enumerate(network.layers[:-1], start=1):
    rows = []
    for row in layer.rows:
        parts = [f"{w}·{names[j]}" for j, w in row.terms] + ([str(row.constant)] if row.constant else [])
        rows.append("ρ(" + " + ".join(parts).replace("+ -", "- ") + ")")
    names = [f"h{i + 1}" for i in range(len(rows))]
    print(f"layer {number}: {', '.join(rows)}")
print(f"{network.number_kind} weights, {network.neurons} ReLUs (the paper's network has 4)")

again = verimv.extract(network).formula
print(again)
points = [(f"{i}/100", f"{j}/100") for i in range(101) for j in range(101)]
equal = sum(again(*point) == formula(*point) == network(*point) for point in points)
print(f"equal at {equal:,} points")
