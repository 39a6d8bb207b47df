"""Sliding windows of convolutions and pools: strides, dilations, paddings, in any number of dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from verimv.core.errors import InputError
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format.node import Node
from verimv.networks.formats.onnx_format.tensors import Array, check_size, room

Index = tuple[int, ...]


@dataclass(frozen=True)
class SlidingWindows:
    """Positions of the windows of a kernel over an input, with paddings at the beginning and at the end."""

    lengths: Index
    kernel: Index
    strides: Index
    dilations: Index
    before: Index
    after: Index
    output_shape: Index

    @staticmethod
    def of(node: Node, lengths: Sequence[int], kernel: Sequence[int]) -> SlidingWindows:
        rank = len(lengths)
        declared = node.integer_list("kernel_shape")
        strides = node.integer_list("strides") or [1] * rank
        dilations = node.integer_list("dilations") or [1] * rank
        if len(kernel) != rank or (declared is not None and declared != list(kernel)):
            raise InputError(f"kernel_shape {declared} for {rank} spatial axes and kernels of shape {tuple(kernel)}")
        if len(strides) != rank or len(dilations) != rank or min(*kernel, *strides, *dilations) < 1:
            raise InputError("expected a kernel length, a stride and a dilation of at least 1 for each spatial axis")
        spans = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
        before, after = _paddings(node, lengths, spans, strides)
        ceiling = node.flag("ceil_mode", False)
        output = []
        for length, span, stride, p, q in zip(lengths, spans, strides, before, after, strict=True):
            room = length + p + q - span
            count = (-(-room // stride) if ceiling else room // stride) + 1
            if ceiling and (count - 1) * stride >= length + p:
                count -= 1  # a window must begin inside the input or its padding at the beginning
            if room < 0 or count < 1:
                raise InputError(f"a kernel that spans {span} over an axis of length {length + p + q}")
            output.append(count)
        return SlidingWindows(
            tuple(lengths), tuple(kernel), tuple(strides), tuple(dilations), before, after, tuple(output)
        )

    def places(self) -> Iterator[tuple[Index, list[tuple[Index, Index]]]]:
        """Yield each index of the output, with pairs of a kernel index and the input index under it."""
        per_axis = [
            [self._axis_cells(axis, place) for place in range(count)] for axis, count in enumerate(self.output_shape)
        ]
        for place in itertools.product(*map(range, self.output_shape)):
            axes = [per_axis[axis][k] for axis, k in enumerate(place)]
            cells = [(tuple(c for c, _ in pairs), tuple(p for _, p in pairs)) for pairs in itertools.product(*axes)]
            yield place, cells

    def _axis_cells(self, axis: int, place: int) -> list[tuple[int, int]]:
        start = place * self.strides[axis] - self.before[axis]
        cells = ((cell, start + cell * self.dilations[axis]) for cell in range(self.kernel[axis]))
        return [(cell, position) for cell, position in cells if 0 <= position < self.lengths[axis]]

    def padded_count(self, place: Sequence[int]) -> int:
        """Number of entries under a window, including padding."""
        counts = []
        for axis, k in enumerate(place):
            start = k * self.strides[axis] - self.before[axis]
            end = self.lengths[axis] + self.after[axis]
            counts.append(sum(start + c * self.dilations[axis] < end for c in range(self.kernel[axis])))
        return math.prod(counts)

    def pooled(self, data: Array, join: Callable[[Index, list[Affine]], Affine]) -> Array:
        """Join the entries of each window, for each channel; data is (N, C, …)."""
        shape = (*data.shape[:2], *self.output_shape)
        check_size(shape, room(data))
        check_size([math.prod(shape), math.prod(self.kernel)])
        result = np.empty(shape, dtype=object)
        for place, cells in self.places():
            if not cells:
                raise InputError("a window that holds nothing but padding")
            for image, channel in itertools.product(range(shape[0]), range(shape[1])):
                entries = [data[(image, channel, *position)] for _, position in cells]
                result[(image, channel, *place)] = join(place, entries)
        return result


def _paddings(node: Node, lengths: Sequence[int], spans: Sequence[int], strides: Sequence[int]) -> tuple[Index, Index]:
    rank = len(lengths)
    automatic = node.text("auto_pad", "NOTSET")
    if automatic in ("NOTSET", "VALID"):
        pads = [0] * (2 * rank) if automatic == "VALID" else node.integer_list("pads") or [0] * (2 * rank)
        if len(pads) != 2 * rank or min(pads, default=0) < 0:
            raise InputError(f"expected {2 * rank} pads of at least 0, found {pads}")
        return tuple(pads[:rank]), tuple(pads[rank:])
    if automatic not in ("SAME_UPPER", "SAME_LOWER"):
        raise InputError(f"auto_pad {automatic}")
    before, after = [], []
    for length, span, stride in zip(lengths, spans, strides, strict=True):
        missing = max(0, (-(-length // stride) - 1) * stride + span - length)
        less, more = missing // 2, missing - missing // 2
        before.append(less if automatic == "SAME_UPPER" else more)
        after.append(more if automatic == "SAME_UPPER" else less)
    return tuple(before), tuple(after)
