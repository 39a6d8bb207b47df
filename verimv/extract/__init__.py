"""The paper's three steps: clip (1), terms of units (2), compose (3); and their layered proof."""

from verimv.extract.extraction import Extraction, extract
from verimv.extract.layered import extract_and_prove

__all__ = ["Extraction", "extract", "extract_and_prove"]
