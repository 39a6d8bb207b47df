"""Where the fuzzer finds what is planted: the first seed of each. `python -m tests.certificate.fuzz.found` looks for all.

To search from the beginning takes minutes, and several tests need what is found. A seed that is no longer right (after a
change of the kernel or of the fuzzer) costs that time, and nothing else: the search is then made.
"""

from __future__ import annotations

from tests.certificate.fuzz.author import Stopped
from tests.certificate.fuzz.campaign import SEQUENCES, first_fault
from tests.certificate.fuzz.plants import PLANTS
from tests.certificate.fuzz.sequence import Outcome, run

SEEDS = {
    "claim-number": 350, "form-range": 5, "double-negation": 1, "prefixes": 1020, "surd-product": 21,
    "lowest-terms": 3, "combined": 2, "box": 20, "scale": 5, "plus-negative": 5, "times-above-1": 10, "plus-twice": 5,
    "lemma-low": 109, "lemma-high": 225, "lemma-above": 11, "cut-negative-least": 47, "cut-negative-most": 1019,
    "cut-most": 55, "cut-least": 44, "sort-high": 49, "sort-low": 17, "sequence": 30, "merge-order": 12,
    "average-ones": 195, "average-zeros": 33, "same-zero": 0, "same-one": 0, "same-half": 0, "equals-one-way": 1,
    "equals-cone": 132, "equals-other-node": 14, "unit-shift": 5, "affine-low": 15, "affine-high": 8,
    "clip-constant": 153, "node-1": 0, "clip-ones": 22, "clip-high": 22, "clip-factor": 20, "clip-form": 13,
    "clip-negative": 13, "clip-crelu-one": 110, "clip-crelu-zero": 139, "clip-crelu-factor": 6, "due-neuron": 38,
    "kinks-crelu": 33, "kinks-relu": 26, "peak-at-ends": 331, "peak-at-kinks": 394, "empty-point": 6,
    "ranges-turned": 20, "free-variables": 5, "argument-constant": 145, "kept-constant": 6, "saturated": 38,
    "users": 20, "tolerance": 2, "split-side": 2, "open-cases": 236, "bound-target": 2, "bound-side": 2,
    "bound-neuron": 10, "learned-side": 116, "share-negative": 20, "share-activation": 517, "share-crelu": 23,
    "share-equal": 22, "share-factor": 22, "share-constant": 6, "share-bias": 248, "assumed": 0, "output-low": 57,
    "output-high": 1, "output-value": 21, "output-node": 28, "equal-form": 11, "equal-node": 290, "source": 7,
    "other-box": 124, "finished": 8, "bounds-of-outputs": 58,
}  # fmt: skip


def planted_fault(name: str) -> Outcome | None:
    """A sequence that a kernel with a planted defect accepts wrongly, if one of the first SEQUENCES is."""
    module, seed = PLANTS[name].module(), SEEDS.get(name)
    if seed is not None and seed < SEQUENCES:
        outcome = run(seed, module)
        if outcome.fault and not isinstance(outcome.fault, Stopped):
            return outcome
    return first_fault(module)[0]


if __name__ == "__main__":
    for name, plant in PLANTS.items():
        outcome, sequences = first_fault(plant.module())
        print(f'    "{name}": {sequences - 1},' if outcome else f"    # {name}: not found", flush=True)
