"""What writers of other tools' formats return."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Export:
    """The bytes of a file, and how many numbers of the network were rounded."""

    data: bytes
    rounded: int
