"""The paper's three steps: clip (1), terms of units (2), compose (3)."""

from verimv.extract.extraction import Extraction, extract

__all__ = ["Extraction", "extract"]
