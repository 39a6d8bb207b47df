"""verimv: neural networks as formulas of Łukasiewicz many-valued logic, exactly.

>>> import verimv
>>> verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)").length
4
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what people and type checkers see; at run time a name is loaded when it is first used
    from verimv.certificate import (
        Certificate,
        CertifiedExtraction,
        certify,
        certify_difference,
        certify_formulas,
        certify_range,
        certify_simplification,
        extract,
        simplify_extraction,
    )
    from verimv.checking import check_files
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
    from verimv.networks import (
        Layer,
        Network,
        compose,
        concatenate,
        load,
        read_network,
        stack,
        to_network,
        write_network,
    )
    from verimv.questions import equivalent
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
    "certify_difference",
    "certify_formulas",
    "certify_range",
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

#: Where the public names live. Solvers and numerical libraries take most of a second to load; `import verimv` does not.
_HOMES = {
    "certificate": (
        "Certificate",
        "CertifiedExtraction",
        "certify",
        "certify_difference",
        "certify_formulas",
        "certify_range",
        "certify_simplification",
        "extract",
        "simplify_extraction",
    ),
    "checking": ("check_files",),
    "errors": (
        "IncompleteCertificate",
        "InexactWarning",
        "InputError",
        "InvalidCertificate",
        "OutputLeavesUnitInterval",
        "Refuted",
        "Undecided",
        "VerimvError",
    ),
    "networks": (
        "Layer",
        "Network",
        "compose",
        "concatenate",
        "load",
        "read_network",
        "stack",
        "to_network",
        "write_network",
    ),
    "questions": ("equivalent",),
    "simplify": ("Simplification", "simplify"),
    "smt": ("Search", "Verdict", "entails", "satisfiable", "valid"),
    "terms": ("Formula", "parse", "read_mv", "variable", "write_mv"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


class _Package(ModuleType):
    """This package, in which `extract` and `simplify` are functions.

    The rooms they come from have the same names, and Python binds a room to its name here once it is imported.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

if not TYPE_CHECKING:  # or every misspelt name would be some Any

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module 'verimv' has no attribute {name!r}")
        globals()[name] = value = getattr(importlib.import_module(f"verimv.{_HOME[name]}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
