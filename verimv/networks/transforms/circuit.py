"""Piecewise linear functions built exactly from ρ and σ, for any box: used by readers of other formats.

Ranges of inputs are not known here. A form that is clearly of one sign (a sum of earlier ρ and σ with weights of one
sign) gets no neuron.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number, clip
from verimv.networks.affine import Affine, combination
from verimv.networks.network import Layer
from verimv.networks.program import PiecewiseValue
from verimv.networks.transforms.layering import layers_of

#: Limit on the weights of all forms together; each takes about 200 bytes.
MAX_WEIGHTS = 10_000_000
MAX_CASES = 1_000_000


class Circuit:
    """Inputs and values computed from them. Everything is an affine form over numbered values."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.cases: dict[int, PiecewiseValue] = {}
        self._known: dict[PiecewiseValue, int] = {}
        self._weights = 0

    def spend(self, weights: int) -> None:
        """Count weights before they are created, so that memory is bounded for any file."""
        self.check_room(weights)
        self._weights += weights

    def check_room(self, weights: int) -> None:
        """Raise if so many more weights would exceed the limit."""
        if self._weights + weights > MAX_WEIGHTS:
            raise InputError(f"the network needs more than {MAX_WEIGHTS:,} weights once it is written as layers")

    def combination(self, parts: Sequence[tuple[Number, Affine]], constant: Number = ZERO) -> Affine:
        self.spend(sum(len(form.terms) for _, form in parts))
        return combination(parts, constant)

    def sum(self, a: Affine, b: Affine) -> Affine:
        return self.combination([(ONE, a), (ONE, b)])

    def difference(self, a: Affine, b: Affine) -> Affine:
        return self.combination([(ONE, a), (-ONE, b)])

    def relu(self, form: Affine) -> Affine:
        if self._has_sign(form, 1):
            return form
        if self._has_sign(form, -1):
            return Affine(())
        return self._case(PiecewiseValue("relu", form))

    def clip(self, form: Affine) -> Affine:
        """Return σ(form)."""
        if not form.terms:
            return Affine((), clip(form.constant))
        if self._has_sign(form, -1):
            return Affine(())
        if self._has_sign(form.shifted(-ONE), 1):
            return Affine((), ONE)
        return self._case(PiecewiseValue("clip", form))

    def maximum(self, a: Affine, b: Affine) -> Affine:
        """Return max(a, b) = a + ρ(b − a), where a is the form with fewer terms."""
        if len(b.terms) < len(a.terms):
            a, b = b, a
        return self.sum(a, self.relu(self.difference(b, a)))

    def minimum(self, a: Affine, b: Affine) -> Affine:
        return -self.maximum(-a, -b)

    def clamp(self, form: Affine, low: Number | None, high: Number | None) -> Affine:
        """Return min(max(form, low), high); None stands for no limit."""
        if low is None or high is None:
            if low is not None:
                return self.relu(form.shifted(-low)).shifted(low)
            return form if high is None else -self.relu((-form).shifted(high)).shifted(-high)
        if low >= high:
            return Affine((), high)
        width = high - low
        return self.clip(form.shifted(-low).scaled(1 / width)).scaled(width).shifted(low)

    def absolute(self, form: Affine) -> Affine:
        return self.sum(self.relu(form), self.relu(-form))

    def leaky(self, form: Affine, slope: Number) -> Affine:
        """Return the form where it is positive, slope·form elsewhere."""
        return self.combination([(ONE, self.relu(form)), (-slope, self.relu(-form))])

    def folded(self, forms: Sequence[Affine], join: Callable[[Affine, Affine], Affine]) -> Affine:
        """Join all forms pairwise in a balanced tree, which needs few layers."""
        current = list(forms)
        while len(current) > 1:
            rest = current[len(current) // 2 * 2 :]
            current = [join(a, b) for a, b in zip(current[::2], current[1::2], strict=False)] + rest
        return current[0]

    def layers(self, outputs: Sequence[Affine]) -> list[Layer]:
        return layers_of(self.cases, outputs, self.inputs, signed=range(self.inputs))

    def _has_sign(self, form: Affine, sign: int) -> bool:
        """Return whether the form is clearly ≥ 0 (sign 1) or ≤ 0 (sign −1) everywhere."""
        return form.constant * sign >= 0 and all(j >= self.inputs and w * sign > 0 for j, w in form.terms)

    def _case(self, case: PiecewiseValue) -> Affine:
        number = self._known.get(case)
        if number is None:
            if len(self.cases) == MAX_CASES:
                raise InputError(f"the network needs more than {MAX_CASES:,} neurons")
            number = self._known[case] = self.inputs + len(self.cases)
            self.cases[number] = case
        return Affine.variable(number)
