"""Read a specification of any kind, for networks that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verimv.core.errors import InputError
from verimv.exact import ONE, shown
from verimv.formulas.formula import parse
from verimv.formulas.mvfile import HEADER, read_mv
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.specifications.conditions import Condition, Conjunction, LinearConstraint, cases_of, negation
from verimv.specifications.language import compares, read_statements, resolver
from verimv.specifications.specification import Specification, System, UnsafeCase, unsafe_cases
from verimv.specifications.vnnlib_box import input_name
from verimv.specifications.vnnlib_query import VnnlibQuery, is_vnnlib, read_query


def read_specification(
    text: str,
    network: Network,
    others: Mapping[str, Network] | None = None,
    *,
    source: str | None = None,
    uses_box: bool | None = None,
) -> Specification:
    """Read VNN-LIB, verimv's language (a text with comparisons) or a formula (without).

    `others` are the further networks that a file of VNN-LIB 2.0 declares, by name. `uses_box` is whether inputs are
    bounded by the networks' boxes; by default they are, except in VNN-LIB, which has its own bounds.
    """
    try:
        if is_vnnlib(text):
            return _from_query(text, read_query(text), network, others or {}, bool(uses_box))
        if others:
            raise InputError(f"expected VNN-LIB 2.0, which can be about several networks ({', '.join(others)})")
        if not text.lstrip().startswith(HEADER) and compares(text):
            return _from_statements(text, network)
        return _from_formula(text, network)
    except InputError as error:
        raise error.located(source) from None


def _from_statements(text: str, network: Network) -> Specification:
    system = System({"": network})
    names = (*network.inputs, *network.outputs)
    must = read_statements(text, resolver([names, [network.label(name) for name in names]]))
    cases, left_out = _cases(negation(must), system, network.box)
    return Specification(text, "language", system, cases, left_out)


def _cases(unsafe: Condition, system: System, box: Box | None) -> tuple[tuple[UnsafeCase, ...], int]:
    count = len(system.inputs)
    found, left_out = cases_of(unsafe, range(count))
    cases, empty = unsafe_cases(found, count, box, system.told)
    return tuple(cases), left_out + empty


# -- formulas ----------------------------------------------------------------------------------------------------------


def _from_formula(text: str, network: Network) -> Specification:
    """Return the specification that every output of a formula is 1 wherever its variables are those of the network."""
    formula = read_mv(text) if text.lstrip().startswith(HEADER) else parse(_without_comments(text))
    for name in formula.inputs:
        if name not in (*network.inputs, *network.outputs):
            listed = ", ".join((*network.inputs, *network.outputs)[:12])
            raise InputError(f"{shown(name)} is no input or output: there are {listed}")
        if name in network.inputs:
            low, high = network.box[network.inputs.index(name)]
            if low < 0 or high > 1:
                raise InputError(
                    f"{name} is in [{low}, {high}]: a formula needs inputs in [0,1] (a comparison does not)"
                )
    system = System({"": network}, formula)
    inputs = len(network.inputs)
    first = inputs + len(network.outputs)
    cases = [
        Conjunction(constraints={LinearConstraint(Affine([(first + k, ONE)], -ONE), True): None})
        for k in range(len(formula.outputs))
    ]
    found, _ = unsafe_cases(cases, inputs, network.box, system.told)
    return Specification(text, "formula", system, tuple(found))


def _without_comments(text: str) -> str:
    return " ".join(line.partition("#")[0] for line in text.splitlines()).strip()


# -- VNN-LIB -----------------------------------------------------------------------------------------------------------


def _from_query(
    text: str, query: VnnlibQuery, network: Network, others: Mapping[str, Network], uses_box: bool
) -> Specification:
    system = System(_declared(query, network, others))
    places = _places(query, list(system.networks.values()))
    condition = query.condition
    count = len(system.inputs)
    inputs = {number for number, place in enumerate(places) if place < count}
    cases, left_out = cases_of(condition, inputs)
    names = [input_name(query, k, j) for k, one in enumerate(system.networks.values()) for j in range(len(one.inputs))]
    found, empty = unsafe_cases(
        (_renumbered(case, places) for case in cases), count, system.box if uses_box else None, names
    )
    return Specification(text, "vnnlib", system, tuple(found), left_out + empty, uses_box)


def _declared(query: VnnlibQuery, network: Network, others: Mapping[str, Network]) -> dict[str, Network]:
    """Return the networks that a query declares; the first one is the network that was given first."""
    result: dict[str, Network] = {}
    if query.networks and query.networks[0].name in others:
        first = shown(query.networks[0].name)
        raise InputError(
            f"{first} is the first network of the file, which is given as NETWORK: leave out its --network"
        )
    for number, declared in enumerate(query.networks):
        name = declared.name
        relation, other = declared.relation or ("", "")
        if number == 0:
            found = network
        elif name in others:
            found = others[name]
            if relation == "equal-to" and found.layers != result[other].layers:
                raise InputError(f"{name} must be equal to {other}, but another network was given for it")
        elif relation == "equal-to":
            found = result[other]
        else:
            raise InputError(f"the file is about several networks: give one for {name}, too (--network {name}=FILE)")
        if name:
            _check_sizes(name, declared.size("input"), declared.size("output"), found)
        result[name] = found
    unknown = [name for name in others if name not in result]
    if unknown:
        declared_names = ", ".join(name for name in result if name) or "one network without a name"
        raise InputError(f"the file has no network {shown(unknown[0])}: it declares {declared_names}")
    return result


def _check_sizes(name: str, inputs: int, outputs: int, network: Network) -> None:
    found = (len(network.inputs), len(network.outputs))
    if (inputs, outputs) != found:
        raise InputError(
            f"{name} is declared with {inputs} inputs and {outputs} outputs; the network has {found[0]} and {found[1]}"
        )


def _places(query: VnnlibQuery, networks: Sequence[Network]) -> list[int]:
    """Return the numbers of a query's variables among the values of the networks."""
    starts: dict[tuple[int, str], int] = {}
    start = 0
    for role in ("X", "Y"):
        for k, network in enumerate(networks):
            starts[k, role] = start
            start += len(network.inputs if role == "X" else network.outputs)
    places = []
    for variable in query.variables:
        network = networks[variable.network]
        count = len(network.inputs if variable.role == "X" else network.outputs)
        if variable.place >= count:
            kind = "inputs" if variable.role == "X" else "outputs"
            raise InputError(f"{variable.name} is not there: the network has {count} {kind}, numbered from 0")
        places.append(starts[variable.network, variable.role] + variable.place)
    return places


def _renumbered(case: Conjunction, places: Sequence[int]) -> Conjunction:
    numbers = dict(enumerate(places))
    return Conjunction(
        {numbers[j]: interval for j, interval in case.intervals.items()},
        {LinearConstraint(one.form.renumbered(numbers), one.strict): None for one in case.constraints},
    )
