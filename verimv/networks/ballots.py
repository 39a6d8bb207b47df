"""A unit as a vote with a threshold: in literal form, σ(Σ w·v + b) = σ(Σ |w|·(high − low)·ℓ − θ).

The literal ℓ ∈ [0,1] says how high (w > 0) or how low (w < 0) the value v is in its range. Up to θ votes the unit is 0,
and then it rises: a clipped unit up to 1, which it reaches one vote later, a ReLU without end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from verimv.exact import ZERO, Number, clip, format_number, is_integer
from verimv.exact.decimals import brief, decimal, rounded
from verimv.networks.affine import Affine

#: Votes that are listed one by one, and significant digits of their weights.
MAX_LISTED, VOTE_DIGITS = 6, 3
#: Characters of a fraction that is simpler than its decimal: 1/2, 2/3.
_SIMPLE = 3

#: The interval of a value.
Interval = tuple[Number, Number]


def vote_number(x: Number, numbers: str = "auto", digits: int = VOTE_DIGITS) -> str:
    """Return a number of votes: a few digits are enough for people, and ≈ before each of them would not help."""
    if numbers != "auto":
        return brief(x, numbers, digits)
    exact = format_number(x)
    return exact if is_integer(x) or len(exact) <= _SIMPLE else decimal(x, digits)[0]


def telling_digits(x: Number, y: Number) -> int:
    """Return how many digits tell one number of votes from another."""
    digits = VOTE_DIGITS
    while x != y and digits < 4 * VOTE_DIGITS and decimal(x, digits) == decimal(y, digits):
        digits += 1
    return digits


class Vote(NamedTuple):
    node: int
    negated: bool
    weight: Number

    def literal(self, value: Number, interval: Interval) -> Number:
        """Return how much of the vote a value gives, between 0 and 1."""
        low, high = interval
        return (high - value if self.negated else value - low) / (high - low)


class Ballot(NamedTuple):
    """The votes, the heaviest first, and the threshold θ."""

    votes: tuple[Vote, ...]
    threshold: Number

    @property
    def total(self) -> Number:
        return sum((vote.weight for vote in self.votes), ZERO)


def ballot(form: Affine, ranges: Sequence[Interval] | Mapping[int, Interval] | None = None) -> Ballot:
    """Return the votes of a form over values in these ranges; [0,1] by default."""
    if ranges is None:
        votes = [Vote(node, weight < 0, abs(weight)) for node, weight in form.terms]
        least = form.range_over_unit_cube()[0]
    else:
        widths = [(node, weight, ranges[node][1] - ranges[node][0]) for node, weight in form.terms]
        votes = [Vote(node, weight < 0, abs(weight) * width) for node, weight, width in widths if width]
        least = sum((w * ranges[node][w < 0] for node, w in form.terms), form.constant)
    return Ballot(tuple(sorted(votes, key=lambda vote: -vote.weight)), -least)


def phrase(ballot: Ballot, numbers: str = "auto", clipped: bool = True, digits: int = VOTE_DIGITS) -> str:
    """Return what the vote needs, in words. For inputs that are 0 or 1, "any of" and the like decide.

    `clipped` says whether the unit ends at 1.
    """
    votes, threshold, total, count = ballot.votes, ballot.threshold, ballot.total, len(ballot.votes)

    def told(x: Number) -> str:
        return vote_number(x, numbers, digits)

    if not votes:
        return f"always {told(clip(-threshold) if clipped else max(ZERO, -threshold))}"
    if threshold >= total:
        return "always 0"
    if threshold <= -1 and clipped:
        return "always 1"
    if all(vote.weight == 1 for vote in votes) and is_integer(threshold) and threshold >= 0 and clipped:
        if count == 1:
            return "the same as"
        if threshold in (0, count - 1):
            return "any of" if threshold == 0 else "all of"
        return f"at least {told(threshold + 1)} of"
    whole = is_integer(threshold) and threshold >= 0 and all(is_integer(vote.weight) for vote in votes)
    if whole and clipped:
        return f"at least {told(threshold + 1)} of {told(total)} votes"
    if threshold < 0:
        return f"always on: {told(-threshold)}, plus the votes ({told(total)} in all)"
    return f"on when more than {told(threshold)} of {told(total)} votes"


def listed(ballot: Ballot, name: Callable[[Vote], str], numbers: str = "auto", limit: int = MAX_LISTED) -> str:
    """Return the votes one by one, the heaviest first, and the rest summed up."""
    shown, rest = ballot.votes[:limit], ballot.votes[limit:]
    if len(rest) == 1:
        shown, rest = ballot.votes, ()
    is_count = all(vote.weight == 1 for vote in ballot.votes)
    told = [name(vote) if is_count else f"{name(vote)} {vote_number(vote.weight, numbers)}" for vote in shown]
    if rest:
        weight = sum((vote.weight for vote in rest), ZERO)
        told.append(f"and {len(rest):,} smaller ones, together {vote_number(weight, numbers)}")
    return ", ".join(told)


def in_words(ballot: Ballot, name: Callable[[Vote], str], numbers: str = "auto", clipped: bool = True) -> str:
    """Return a unit as a weighted vote, such as: on when more than 1.7 of 2.6 votes: low mean concavity 0.19, …"""
    votes = listed(ballot, name, numbers)
    return f"{phrase(ballot, numbers, clipped)}: {votes}" if votes else phrase(ballot, numbers, clipped)


def input_words(name: str, interval: Interval, negated: bool, numbers: str = "auto") -> str:
    """Return "high NAME (1 to 6.9)" or "low NAME (1 to 6.9)"; the ends of the unit interval are left out."""
    low, high = interval
    is_unit = low == 0 and high == 1
    ends = "" if is_unit else f" ({_end(low, numbers)} to {_end(high, numbers)})"
    return f"{'low' if negated else 'high'} {name}{ends}"


def _end(x: Number, numbers: str) -> str:
    return format_number(x) if numbers == "exact" else rounded(x, 4)
