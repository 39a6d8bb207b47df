"""Depth keeps formulas short: the sawtooth g_s from a deep and from a shallow network (Section V of the paper).

By the paper's construction the formula of the deep network has length 4^s, and that of the shallow one grows doubly
exponentially; the compact strategy finds shorter ones for shallow networks. Formulas are stored with shared
subformulas, so even 4^300 occurrences of x1 take 1,201 nodes.

Prints:
    s=1: deep 4, shallow 4
    s=2: deep 16, shallow 61
    s=3: deep 64, shallow 7789
    s=4: deep 256, shallow 148789917
    compact, s=4: deep 256, shallow 8704
    s=300: deep 4^300, 1201 shared nodes
"""

import verimv
from verimv.paper.experiments.families import deep_sawtooth, shallow_sawtooth


def lengths(s, strategy):
    networks = (deep_sawtooth(s), shallow_sawtooth(s))
    deep, shallow = (verimv.extract(network, strategy=strategy).formula.length for network in networks)
    return f"s={s}: deep {deep}, shallow {shallow}"


for s in range(1, 5):
    print(lengths(s, "paper"))
print(f"compact, {lengths(4, 'compact')}")

formula = verimv.extract(deep_sawtooth(300)).formula
if formula.length == 4**300:
    print(f"s=300: deep 4^300, {formula.size} shared nodes")
