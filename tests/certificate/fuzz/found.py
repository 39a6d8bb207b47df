"""Where the fuzzer finds what is planted: the first seed of each. `python -m tests.certificate.fuzz.found` looks for all.

To search from the beginning takes minutes, and several tests need what is found. A seed that is no longer right (after a
change of the kernel or of the fuzzer) costs that time, and nothing else: the search is then made.
"""

from __future__ import annotations

from tests.certificate.fuzz.author import Stopped
from tests.certificate.fuzz.campaign import SEQUENCES, first_fault
from tests.certificate.fuzz.plants import PLANTS, kind_of
from tests.certificate.fuzz.sequence import Outcome, run

SEEDS = {
    "claim-number": 88, "form-range": 0, "double-negation": 3, "prefixes": 91, "surd-product": 21,
    "lowest-terms": 3, "combined": 2, "box": 20, "scale": 5, "plus-negative": 39, "times-above-1": 10,
    "plus-twice": 9, "lemma-low": 88, "lemma-high": 369, "lemma-above": 3, "cut-negative-least": 2027,
    "cut-negative-most": 4879, "cut-most": 42, "cut-least": 3, "sort-high": 3, "sort-low": 46, "sequence": 23,
    "merge-order": 12, "average-ones": 64, "average-zeros": 27, "same-zero": 0, "same-one": 0, "same-half": 2,
    "equals-one-way": 12, "equals-cone": 1407, "equals-other-node": 16, "unit-shift": 5, "affine-low": 0,
    "affine-high": 0, "clip-constant": 262, "node-1": 0, "clip-ones": 21, "clip-high": 214, "clip-factor": 32,
    "clip-form": 0, "clip-negative": 0, "clip-crelu-one": 103, "clip-crelu-zero": 84, "clip-crelu-factor": 0,
    "due-neuron": 275, "kinks-crelu": 0, "kinks-relu": 26, "peak-at-ends": 161, "peak-at-kinks": 17,
    "empty-point": 0, "ranges-turned": 30, "free-variables": 0, "argument-constant": 26,
    "saturated": 0, "users": 0, "tolerance": 0, "split-side": 6, "case-lemma-side": 0, "case-lemma-target": 1200,
    "case-lemma-everywhere": 581, "open-cases": 17, "bound-target": 0, "bound-side": 0, "bound-neuron": 246,
    "learned-side": 240, "twin-opposite": 529, "twin-complement": 14, "twin-turned": 21, "twin-offset": 667,
    "twin-crelu": 1379, "twin-again": 1374, "twin-range": 24, "twin-value": 395, "twin-slope-factor": 1017,
    "twin-slope-sign": 250, "twin-slope-new": 206, "twin-constant": 83,
    "pair-cell-low": 25, "pair-cell-high": 692, "pair-first-sum": 561, "pair-second-sum": 675,
    "pair-third-sum": 221, "pair-least-cell": 76, "pair-shift": 148, "pair-pieces": 96, "pair-change-range": 556,
    "apart-factor": 0, "apart-side": 0, "apart-neuron": 80, "apart-learned": 9, "share-negative": 151,
    "share-activation": 517, "share-crelu": 720, "share-equal": 22, "share-factor": 22, "share-constant": 15,
    "share-bias": 348, "assumed": 38, "output-low": 304, "output-high": 342, "output-value": 79, "output-node": 3,
    "equal-form": 9, "equal-node": 347, "source": 1202, "other-box": 124, "finished": 8, "bounds-of-outputs": 10,
    "within-no-second-part": 19, "within-assumed": 67, "within-a-bound-missing": 9, "within-claims-kept": 0,
    "within-bounds-kept": 0, "within-values-kept": 0, "within-formula-of-the-network": 3, "within-one-side": 3,
    "within-the-smaller": 3, "sweep-high": 1065, "sweep-low": 1727, "sweep-bound": 1146, "sweep-kinks": 442,
    "sweep-constant": 21, "sweep-own-constant": 47, "sweep-free": 141, "sweep-side": 27, "sweep-own-row": 141,
    "sweep-saturated": 275, "sweep-everywhere": 2,
}  # fmt: skip


def planted_fault(name: str) -> Outcome | None:
    """A sequence that a kernel with a planted defect accepts wrongly, if one of the first SEQUENCES is."""
    module, seed = PLANTS[name].module(), SEEDS.get(name)
    if seed is not None and seed < SEQUENCES:
        outcome = run(seed, module, kind_of(name))
        if outcome.fault and not isinstance(outcome.fault, Stopped):
            return outcome
    return first_fault(module, kind=kind_of(name))[0]


if __name__ == "__main__":
    for name, plant in PLANTS.items():
        outcome, sequences = first_fault(plant.module(), kind=kind_of(name))
        print(f'    "{name}": {sequences - 1},' if outcome else f"    # {name}: not found", flush=True)
