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
    "claim-number": 88, "form-range": 0, "double-negation": 3, "prefixes": 91, "surd-product": 21, "lowest-terms": 3,
    "combined": 2, "box": 20, "scale": 5, "plus-negative": 39, "times-above-1": 28, "plus-twice": 9, "lemma-low": 88,
    "lemma-high": 369, "lemma-above": 3, "cut-negative-least": 246, "cut-most": 42, "cut-least": 3, "sort-high": 3,
    "sort-low": 66, "sequence": 93, "merge-order": 12, "average-ones": 64, "average-zeros": 27, "same-zero": 0,
    "same-one": 0, "same-half": 2, "equals-one-way": 12, "equals-other-node": 16, "unit-shift": 5, "affine-low": 0,
    "affine-high": 0, "clip-constant": 262, "node-1": 0, "clip-ones": 21, "clip-high": 158, "clip-factor": 52,
    "clip-form": 23, "clip-negative": 23, "clip-crelu-one": 103, "clip-crelu-zero": 84, "clip-crelu-factor": 0,
    "due-neuron": 275, "kinks-crelu": 33, "kinks-relu": 26, "peak-at-ends": 38, "peak-at-kinks": 158,
    "empty-point": 0, "ranges-turned": 30, "free-variables": 6, "argument-constant": 26, "kept-constant": 0,
    "saturated": 33, "users": 17, "tolerance": 6, "split-side": 6, "case-lemma-side": 161,
    "case-lemma-everywhere": 581, "open-cases": 101, "bound-target": 10, "bound-side": 0, "bound-neuron": 246,
    "learned-side": 23, "twin-factor": 967, "twin-range": 360, "twin-slope-factor": 360, "twin-slope-sign": 62,
    "twin-constant": 62, "pair-constant": 74, "pair-cell-low": 219, "pair-second-sum": 360, "pair-least-cell": 348,
    "apart-factor": 62, "apart-side": 6, "apart-learned": 22, "share-negative": 151, "share-activation": 517,
    "share-crelu": 23, "share-equal": 22, "share-factor": 22, "share-constant": 15, "share-bias": 348, "assumed": 145,
    "output-low": 232, "output-high": 87, "output-value": 79, "output-node": 3, "equal-form": 9, "equal-node": 347,
    "source": 7, "other-box": 124, "finished": 8, "bounds-of-outputs": 10,
    "pair-change-range": 727, "pair-pieces": 1134,
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
