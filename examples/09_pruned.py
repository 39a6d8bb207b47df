"""Fewer and rounder weights give shorter formulas: a network as trained, pruned, and rounded to integers.

Prints:
    trained: length 40, 36 nodes, RMV
    pruned: length 15, 23 nodes, RMV
    rounded: length 4, 7 nodes, MV
    rounded, in full: smoke ⊕ hot ⊙ (hot ⊙ ¬vent)
"""

import verimv

#: An alarm, as it may be trained: hot and not ventilated, or smoke.
TRAINED = (
    ([["1.96", "-1.03", "0.04"], ["0.07", "-0.02", "0.98"]], ["-0.99", "0.03"], "relu"),
    ([["1.02", "0.97"]], ["-0.01"], "crelu"),
)


def changed(change):
    """Return the network with every weight and bias changed."""
    layers = [
        verimv.Layer.of([[change(w) for w in row] for row in weights], [change(b) for b in bias], activation)
        for weights, bias, activation in TRAINED
    ]
    return verimv.Network.of(layers, ["hot", "vent", "smoke"])


def pruned(weight):
    return weight if abs(float(weight)) >= 0.1 else 0


networks = {"trained": changed(str), "pruned": changed(pruned), "rounded": changed(lambda w: round(float(w)))}
for name, network in networks.items():
    extraction = verimv.extract(network)
    extraction.certificate.check()
    measures = extraction.measures
    print(f"{name}: length {measures.length}, {measures.size} nodes, {measures.logic.upper()}")
print(f"rounded, in full: {extraction.formula}")
