"""Certificates of a formula within an error of a network: two certificates, one after the other, in one file."""

from __future__ import annotations

from verimv.certificate.certificate import BETWEEN_PARTS, Certificate
from verimv.core.errors import InputError
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube


def join(pair: Certificate, formula: Certificate) -> Certificate:
    """Return the certificate that a network is within an error of a formula, from two certificates that prove it.

    `pair` is about a `network` and an `other`, as :func:`verimv.certify_difference` writes it. `formula` is about the
    other and its formula, as :func:`verimv.extract` and :func:`verimv.certify` write it, with the names of the inputs
    and outputs that the other has in `pair`. Nothing is searched for and nothing is checked here but that the two
    belong together (otherwise :class:`InputError` is raised): the kernels decide.
    """
    if pair.subjects.keys() != {"network", "other"}:
        raise InputError(f"expected a certificate of two networks, found one of {_named(pair)}")
    if formula.subjects.keys() not in ({"network", "formula"}, {"network", "formula", "source"}):
        raise InputError(f"expected a certificate of a network and a formula, found one of {_named(formula)}")
    other = _network(pair.subjects["other"])
    extracted = _network(formula.subjects.get("source", formula.subjects["network"]))
    if (other.inputs, other.outputs) != (extracted.inputs, extracted.outputs):
        raise InputError("expected a formula with the inputs and outputs of the other network, found other names")
    if to_unit_cube(other).layers != to_unit_cube(extracted).layers:
        raise InputError("expected a formula of the other network, found one of a network with other weights")
    # The formula is over the unit cube, and a kernel maps the box of any network onto it: the lines stay the same.
    subjects = {**pair.subjects, "formula": formula.subjects["formula"]}
    return Certificate(subjects, [*pair.body, BETWEEN_PARTS, *formula.body])


def _named(certificate: Certificate) -> str:
    return ", ".join(sorted(certificate.subjects))


def _network(data: bytes) -> Network:
    return read_network(data.decode())
