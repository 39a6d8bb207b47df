"""verimv: neural networks as equivalent formulas of Łukasiewicz many-valued logic, with proofs.

>>> import verimv
>>> verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)").length
4
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers; at run time a name is loaded when it is first used
    from verimv.approximation.extracting import extract
    from verimv.approximation.front import Front, FrontRow, approximate
    from verimv.approximation.within import WithinExtraction
    from verimv.bounding.results import NetworkBounds
    from verimv.certificate.certificate import Certificate
    from verimv.certificate.from_extraction import CertifiedExtraction
    from verimv.certificate.from_pair import certify, certify_formulas
    from verimv.certificate.from_ranges import certify_difference, certify_range
    from verimv.certificate.from_simplification import certify_simplification, simplify_extraction
    from verimv.core.errors import (
        IncompleteCertificate,
        InexactWarning,
        InputError,
        InvalidCertificate,
        LogitsWarning,
        OutputLeavesUnitInterval,
        Refuted,
        Undecided,
        UnusedWarning,
        VerimvError,
    )
    from verimv.formulas.formula import Formula, parse, variable
    from verimv.formulas.mvfile import read_mv, write_mv
    from verimv.kernels.judge import check_files
    from verimv.networks.boxes import box_of
    from verimv.networks.formats.json_format import read_network, write_network
    from verimv.networks.formats.load import load
    from verimv.networks.network import Layer, Network
    from verimv.networks.transforms.compose import compose, concatenate, stack
    from verimv.networks.transforms.from_formula import to_network
    from verimv.questions.distance import certify_distance, distance
    from verimv.questions.distance_ends import Distance, OutputDistance
    from verimv.questions.equality import certify_equality, equivalent
    from verimv.questions.explanation import Explanation, explain
    from verimv.questions.neuron_ranges import bounds
    from verimv.questions.ranges import OutputRange, output_range
    from verimv.questions.validity import entails, satisfiable, valid
    from verimv.questions.verification import Verification, verify
    from verimv.simplification.simplification import Simplification, simplify
    from verimv.solvers.point_search import Search
    from verimv.solvers.verdict import Verdict

__version__ = "0.2.0"

__all__ = [
    "Certificate",
    "CertifiedExtraction",
    "Distance",
    "Explanation",
    "Formula",
    "Front",
    "FrontRow",
    "IncompleteCertificate",
    "InexactWarning",
    "InputError",
    "InvalidCertificate",
    "Layer",
    "LogitsWarning",
    "Network",
    "NetworkBounds",
    "OutputDistance",
    "OutputLeavesUnitInterval",
    "OutputRange",
    "Refuted",
    "Search",
    "Simplification",
    "Undecided",
    "UnusedWarning",
    "Verdict",
    "Verification",
    "VerimvError",
    "WithinExtraction",
    "__version__",
    "approximate",
    "bounds",
    "box_of",
    "certify",
    "certify_difference",
    "certify_distance",
    "certify_equality",
    "certify_formulas",
    "certify_range",
    "certify_simplification",
    "check_files",
    "compose",
    "concatenate",
    "distance",
    "entails",
    "equivalent",
    "explain",
    "extract",
    "load",
    "output_range",
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
    "verify",
    "write_mv",
    "write_network",
]

#: Modules of the public names, loaded on first use: solvers and numerical libraries take most of a second to load.
_HOMES = {
    "bounding.results": ("NetworkBounds",),
    "certificate.certificate": ("Certificate",),
    "approximation.extracting": ("extract",),
    "approximation.front": ("Front", "FrontRow", "approximate"),
    "approximation.within": ("WithinExtraction",),
    "certificate.from_extraction": ("CertifiedExtraction",),
    "certificate.from_pair": (
        "certify",
        "certify_formulas",
    ),
    "certificate.from_ranges": (
        "certify_difference",
        "certify_range",
    ),
    "certificate.from_simplification": (
        "certify_simplification",
        "simplify_extraction",
    ),
    "core.errors": (
        "IncompleteCertificate",
        "InexactWarning",
        "InputError",
        "InvalidCertificate",
        "LogitsWarning",
        "OutputLeavesUnitInterval",
        "Refuted",
        "Undecided",
        "UnusedWarning",
        "VerimvError",
    ),
    "formulas.formula": (
        "Formula",
        "parse",
        "variable",
    ),
    "formulas.mvfile": (
        "read_mv",
        "write_mv",
    ),
    "kernels.judge": ("check_files",),
    "networks.boxes": ("box_of",),
    "networks.formats.json_format": (
        "read_network",
        "write_network",
    ),
    "networks.formats.load": ("load",),
    "networks.network": (
        "Layer",
        "Network",
    ),
    "networks.transforms.compose": (
        "compose",
        "concatenate",
        "stack",
    ),
    "networks.transforms.from_formula": ("to_network",),
    "questions.distance": ("certify_distance", "distance"),
    "questions.distance_ends": ("Distance", "OutputDistance"),
    "questions.equality": ("certify_equality", "equivalent"),
    "questions.explanation": ("Explanation", "explain"),
    "questions.neuron_ranges": ("bounds",),
    "questions.ranges": (
        "OutputRange",
        "output_range",
    ),
    "questions.validity": (
        "entails",
        "satisfiable",
        "valid",
    ),
    "questions.verification": ("Verification", "verify"),
    "simplification.simplification": (
        "Simplification",
        "simplify",
    ),
    "solvers.point_search": ("Search",),
    "solvers.verdict": ("Verdict",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # otherwise type checkers would accept misspelt names

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module 'verimv' has no attribute {name!r}")
        globals()[name] = value = getattr(importlib.import_module(f"verimv.{_HOME[name]}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
