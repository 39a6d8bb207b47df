"""Functions of higher levels, for methods: `formula.save(…)` is what people look for, but a formula knows no files.

A module imports from its own level or below. A method that only passes its object on to a higher level looks the
function up here when it is called; the other way round no module depends on it.
"""

from __future__ import annotations

import importlib
from typing import Any


def above(module: str, function: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of a module of verimv, such as "show.saving"."""
    return getattr(importlib.import_module(f"verimv.{module}"), function)(*arguments, **options)
