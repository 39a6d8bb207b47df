"""Certificates: written here, checked by `verimv/kernel.py`, which knows nothing of this package."""

from verimv.certificate.certificate import Certificate, check_files
from verimv.certificate.extraction import CertifiedExtraction, extract

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "check_files",
    "extract",
]
