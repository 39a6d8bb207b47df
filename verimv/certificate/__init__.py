"""Certificates: written here, checked by `verimv/kernel.py`, which knows nothing of this package."""

from verimv.certificate.certificate import Certificate
from verimv.certificate.extraction import CertifiedExtraction, extract
from verimv.certificate.matching import certify, certify_formulas
from verimv.certificate.ranges import certify_difference, certify_range
from verimv.certificate.simplifying import certify_simplification, simplify_extraction
from verimv.checking import check_files

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "certify",
    "certify_difference",
    "certify_formulas",
    "certify_range",
    "certify_simplification",
    "check_files",
    "extract",
    "simplify_extraction",
]
