"""Promises that a network keeps a specification."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verimv.certificate.verification_files import judge_verification, read_verification
from verimv.core.effort import SECOND
from verimv.core.errors import InputError, Undecided
from verimv.exact import format_number, parse_number
from verimv.exact.decimals import readable, rounded_down
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import chosen
from verimv.promises.keeper import Keeper, key_of
from verimv.promises.outcome import PromiseOutcome, point_told, rows_told
from verimv.promises.promise import Promise
from verimv.promises.promised_subjects import existing, model_of, names_a_file, similar
from verimv.questions.subjects import read_as_network
from verimv.questions.verification import Verification, specification_for, verify, with_floats
from verimv.specifications.specification import Specification

#: Outputs of a point that are listed.
_OUTPUTS_TOLD = 8


def verified(promise: Promise, keeper: Keeper, workers: int = 1) -> PromiseOutcome:
    """Decide whether a model keeps a specification: a file or text of VNN-LIB, of verimv's language, or a formula."""
    network = chosen(model_of(promise), promise.output, promise.margin)
    specification = _specification(promise, network)
    notes = list(network.notes) if specification.uses_box else []
    key = key_of([promise.work, specification.text, specification.uses_box, _models(specification)])
    path, record = keeper.kept(key), keeper.record(key) or {}
    if path is not None and _is_certified(path, specification):
        notes += map(str, record.get("notes", []))
        return PromiseOutcome(promise, "proved", "", "certificate", True, path, notes=notes)
    known = _replayed(specification, record)
    found = known or verify(network, specification, effort=promise.work / SECOND, workers=workers)
    if found.holds:
        if found.vacuous:
            notes.append(f"{promise.title}: {found.vacuous}")
            keeper.write(key, {"status": "holds", "notes": notes[-1:]})
        try:
            keeper.keep(key, found.save)
        except Undecided:
            return PromiseOutcome(promise, "proved", evidence="by verimv (search)", notes=notes)
        return PromiseOutcome(promise, "proved", evidence="certificate", certificate=keeper.place(key), notes=notes)
    if known is None:
        keeper.write(key, {"status": found.verdict, "point": found.at and dict(found.at), "reason": _undecided(found)})
    if found.undecided:
        reason = str(record["reason"]) if known else _undecided(found)
        return PromiseOutcome(promise, "undecided", reason, unchanged=known is not None, notes=notes)
    return PromiseOutcome(
        promise,
        "refuted",
        _violated(promise, found),
        "point",
        unchanged=known is not None,
        counterexample=found.at,
        notes=notes,
    )


def _specification(promise: Promise, network: Network) -> Specification:
    others = {name: read_as_network(existing(promise, "networks", file)) for name, file in promise.networks.items()}
    uses_box = promise.box is not None or None
    if names_a_file(promise, promise.target):
        path = Path(existing(promise, "spec", promise.target))
        return specification_for(network, path, others, uses_box)
    try:
        return specification_for(network, promise.target, others, uses_box)
    except InputError as error:
        raise promise.error("spec", f"{error.message}{similar(promise, promise.target)}") from None


def _models(specification: Specification) -> dict[str, str]:
    return {name: "".join(write_network(network)) for name, network in specification.system.networks.items()}


# -- what was kept -----------------------------------------------------------------------------------------------------


def _is_certified(path: str, specification: Specification) -> bool:
    """Return whether a directory has a certificate, which the kernels accept, of these models and this text."""
    if judge_verification(path).status != "valid":
        return False
    found = read_verification(Path(path))[0]
    asked = (specification.text, specification.uses_box, _models(specification))
    return (found.text, found.uses_box, _models(found)) == asked


def _replayed(specification: Specification, record: Mapping[str, Any]) -> Verification | None:
    """Return the verdict that was recorded, if it is "undecided", or "violated" at a point that shows it."""
    if record.get("status") == "undecided":
        return Verification("undecided", specification, (), reason=str(record.get("reason", "")))
    if record.get("status") != "violated":
        return None
    system = specification.system
    try:
        point = [parse_number(record["point"][name]) for name in system.inputs]
    except (InputError, KeyError, TypeError):
        return None
    values = system.values(point)
    for k, case in enumerate(specification.cases):
        if case.contains(values):
            outputs = dict(zip(system.outputs, map(format_number, values[len(point) :]), strict=False))
            return Verification("violated", specification, (), k, dict(record["point"]), outputs)
    return None


# -- words -------------------------------------------------------------------------------------------------------------


def _undecided(found: Verification) -> str:
    margin = "" if found.margin is None else f"; the margin is at least {rounded_down(found.margin)}"
    return f"{found.reason}{margin}; a larger effort may decide it"


def _violated(promise: Promise, found: Verification) -> str:
    specification, values = found.specification, found.values or {}
    rows = {"at": point_told(found.at or {})}
    rows |= {name: readable(parse_number(x)) for name, x in list(values.items())[:_OUTPUTS_TOLD]}
    rows["where"] = " and ".join(specification.words(specification.cases[found.violated_case or 0]))
    if promise.output is None and promise.margin is None and not promise.logits:
        found = with_floats(found, promise.path(promise.file))
    if found.floats is not None:
        said = {True: " (violated, too)", False: " (not violated)", None: ""}[found.float_violated]
        rows["float32"] = ", ".join(f"{name}={x}" for name, x in list(found.floats.items())[:_OUTPUTS_TOLD]) + said
    return "\n".join([f"violated by {promise.file}: {promise.target}", *rows_told(rows)])
