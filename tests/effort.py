"""How many random cases are tried: VERIMV_TEST_EFFORT=10 tries ten times as many as a usual run.

Counts in the tests are those of a usual run, which fits into CI; a nightly run has a larger effort. A case depends on its
seed only, so what a long run finds is found again by the number in its message.
"""

import os

from hypothesis import settings

VARIABLE = "VERIMV_TEST_EFFORT"


def _effort() -> int:
    text = os.environ.get(VARIABLE, "1")
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ValueError(f"{VARIABLE}: expected a positive integer, found {text!r}")
    return int(text)


EFFORT = _effort()


def scaled(count: int) -> int:
    """So many cases in a usual run."""
    return count * EFFORT


def spans(first: int, count: int, size: int) -> list[range]:
    """Seeds from the first on, so many in a usual run, in parts: each is a test of its own, and workers share them."""
    end = first + scaled(count)
    return [range(start, min(start + size, end)) for start in range(first, end, size)]


def span_name(seeds: range) -> str:
    """What a test of a part is called."""
    return f"{seeds.start}-{seeds.stop - 1}"


def examples(count: int) -> settings:
    """For Hypothesis: so many examples in a usual run."""
    return settings(max_examples=scaled(count))
