"""Certificates: written here, checked by `verimv/kernel.py`, which knows nothing of this package."""

from verimv.certificate.certificate import Certificate, check_files
from verimv.certificate.extraction import CertifiedExtraction, extract
from verimv.certificate.matching import certify, certify_formulas

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "certify",
    "certify_formulas",
    "check_files",
    "extract",
]
