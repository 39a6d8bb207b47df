"""Certificates: written here, checked by `verimv/kernel.py`, which knows nothing of this package."""

from verimv.certificate.certificate import Certificate, IncompleteCertificate, InvalidCertificate, check_files
from verimv.certificate.extraction import CertifiedExtraction, extract

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "IncompleteCertificate",
    "InvalidCertificate",
    "check_files",
    "extract",
]
