"""A unit as a vote with a threshold: in literal form, σ(Σ w·x + b) = σ(Σ |w|·ℓ − θ) with ℓ = x or ¬x.

Up to θ votes the unit is 0, from θ + 1 votes on it is 1, and it is linear in between.
"""

from __future__ import annotations

from typing import NamedTuple

from verimv.exact import ZERO, Number, clip, is_integer
from verimv.networks.affine import Affine
from verimv.show.pictures.axes import label


class Vote(NamedTuple):
    node: int
    negated: bool
    weight: Number


class Ballot(NamedTuple):
    """The votes, the heaviest first, and the threshold θ."""

    votes: tuple[Vote, ...]
    threshold: Number

    @property
    def total(self) -> Number:
        return sum((vote.weight for vote in self.votes), ZERO)


def ballot(form: Affine) -> Ballot:
    votes = [Vote(node, weight < 0, abs(weight)) for node, weight in form.terms]
    against = sum((vote.weight for vote in votes if vote.negated), ZERO)
    return Ballot(tuple(sorted(votes, key=lambda vote: -vote.weight)), against - form.constant)


def phrase(ballot: Ballot) -> str:
    """Return the vote in words, as it decides for inputs that are 0 or 1."""
    votes, threshold, total, count = ballot.votes, ballot.threshold, ballot.total, len(ballot.votes)
    if not votes:
        return f"always {label(clip(-threshold))}"
    if threshold >= total or threshold <= -1:
        return f"always {int(threshold <= -1)}"
    if all(vote.weight == 1 for vote in votes) and is_integer(threshold) and threshold >= 0:
        if count == 1:
            return "the same as"
        if threshold in (0, count - 1):
            return "any of" if threshold == 0 else "all of"
        return f"at least {label(threshold + 1)} of"
    whole = is_integer(threshold) and threshold >= 0 and all(is_integer(vote.weight) for vote in votes)
    if whole:
        return f"at least {label(threshold + 1)} of {label(total)} votes"
    if threshold < 0:
        return f"{label(-threshold)}, plus the votes ({label(total)} in all)"
    return f"the votes above {label(threshold)} ({label(total)} in all)"
