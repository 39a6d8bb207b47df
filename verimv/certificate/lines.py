"""The lines of a certificate while they are made, in the words of proofs/FORMAT.md."""

from __future__ import annotations

import json
from collections.abc import Sequence

from verimv.exact import Number, Rational, check_readable, format_number

#: An argument of a line: the number of a claim, an exact number, or a list of these.
Argument = int | str | list[int | str] | list[int]


class Derivation:
    """Lines, and the numbers of the claims they make; the same claim is made once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.claims = 0
        self._known: dict[tuple[int | str, ...], int] = {}

    def without_last(self, count: int) -> Derivation:
        """Return a copy without the last lines, which made no claims."""
        shorter = Derivation()
        shorter.lines, shorter.claims, shorter._known = self.lines[:-count], self.claims, dict(self._known)
        return shorter

    def line(self, rule: str, *arguments: Argument) -> None:
        self.lines.append(json.dumps((rule, *arguments), separators=(",", ":")))

    def claim(self, rule: str, *arguments: Argument) -> int:
        self.line(rule, *arguments)
        self.claims += 1
        return self.claims

    def claim_all(self, count: int, rule: str, *arguments: int | str) -> list[int]:
        """Write a line that makes several claims, and return their numbers."""
        self.line(rule, *arguments)
        self.claims += count
        return list(range(self.claims - count + 1, self.claims + 1))

    def once(self, rule: str, *arguments: int | str) -> int:
        """Return the claim, made only once: for literals, negations and constants, which are used often."""
        key = (rule, *arguments)
        claim = self._known.get(key)
        if claim is None:
            claim = self._known[key] = self.claim(rule, *arguments)
        return claim

    def scaled(self, factor: Number, claim: int) -> int:
        return claim if factor == 1 else self.once("scale", f"D[{format_number(factor)}]", claim)

    def divided(self, divisor: int, claim: int) -> int:
        return claim if divisor == 1 else self.once("scale", _divisor(divisor), claim)

    def input(self, i: int) -> int:
        return self.once("node", 2 + i)

    def constant(self, value: int) -> int:
        return self.once("node", value)

    def sum(self, claims: Sequence[int]) -> int:
        """Return the claim of the sum of forms that stay ≥ 0."""
        return claims[0] if len(claims) == 1 else self.claim("plus", *claims)

    def multiple(self, count: int, claim: int) -> int:
        """Return the claim of a multiple of a form that stays ≥ 0; its nodes are those of
        :func:`verimv.formulas.dag.multiple`."""
        result = claim
        for bit in bin(count)[3:]:
            result = self.claim("plus", result, result)
            if bit == "1":
                result = self.claim("plus", result, claim)
        return result


def _divisor(split: int) -> str:
    text = format_number(Rational(split))
    check_readable(text)
    return f"d[{text}]"
