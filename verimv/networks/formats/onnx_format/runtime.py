"""Float values of a model by onnxruntime, to compare with the exact network. onnxruntime is optional."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.core.errors import InputError


class RuntimeModel:
    """A model in onnxruntime, on one thread; points and values are flat, as for the exact network."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise InputError("onnxruntime is not installed: pip install onnxruntime") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session: Any = onnxruntime.InferenceSession(os.fspath(path), options)
        except Exception as error:  # onnxruntime's errors have no common class
            raise InputError(f"onnxruntime refuses the model: {_first_line(error)}", source=str(path)) from None

    def at(self, point: Sequence[float]) -> list[float]:
        """Return the outputs at a point, whose coordinates are first rounded to the type of the input."""
        feed, start = {}, 0
        for value in self._session.get_inputs():
            shape = [length if isinstance(length, int) and length > 0 else 1 for length in value.shape]
            size = math.prod(shape)
            kind = np.float64 if "double" in value.type else np.float32
            feed[value.name] = np.array(point[start : start + size], dtype=kind).reshape(shape)
            start += size
        return [float(x) for result in self._session.run(None, feed) for x in np.ravel(result)]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
