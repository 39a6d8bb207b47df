"""`extract` for tests: whatever a test extracts, the kernel must accept its certificate."""

from typing import Any

from verimv import certificate
from verimv.certificate import CertifiedExtraction
from verimv.errors import IncompleteCertificate
from verimv.networks import Network

#: Larger certificates are checked by tests of their own.
_MOST_LINES = 30_000


def extract(network: Network, **options: Any) -> CertifiedExtraction:
    extraction = certificate.extract(network, **options)
    if len(extraction.derivation.lines) <= _MOST_LINES:
        try:
            extraction.certificate.check()
        except IncompleteCertificate:
            assert not isinstance(options.get("bounds", ""), str), "only bounds from elsewhere may lack evidence"
    return extraction
