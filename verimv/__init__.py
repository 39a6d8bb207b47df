"""verimv: neural networks as formulas of Łukasiewicz many-valued logic, exactly.

>>> import verimv
>>> verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)").length
4
"""

from verimv.certificate import (
    Certificate,
    CertifiedExtraction,
    certify,
    certify_formulas,
    certify_simplification,
    check_files,
    extract,
    simplify_extraction,
)
from verimv.errors import (
    IncompleteCertificate,
    InexactWarning,
    InputError,
    InvalidCertificate,
    OutputLeavesUnitInterval,
    Refuted,
    Undecided,
    VerimvError,
)
from verimv.extract import equivalent
from verimv.networks import Layer, Network, compose, concatenate, load, read_network, stack, to_network, write_network
from verimv.simplify import Simplification, simplify
from verimv.smt import Search, Verdict, entails, satisfiable, valid
from verimv.terms import Formula, parse, read_mv, variable, write_mv

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "Formula",
    "IncompleteCertificate",
    "InexactWarning",
    "InputError",
    "InvalidCertificate",
    "Layer",
    "Network",
    "OutputLeavesUnitInterval",
    "Refuted",
    "Search",
    "Simplification",
    "Undecided",
    "Verdict",
    "VerimvError",
    "__version__",
    "certify",
    "certify_formulas",
    "certify_simplification",
    "check_files",
    "compose",
    "concatenate",
    "entails",
    "equivalent",
    "extract",
    "load",
    "parse",
    "read_mv",
    "read_network",
    "satisfiable",
    "simplify",
    "simplify_extraction",
    "stack",
    "to_network",
    "valid",
    "variable",
    "write_mv",
    "write_network",
]
