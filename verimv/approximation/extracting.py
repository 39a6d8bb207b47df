"""`verimv.extract`: the formula of a network, exactly or within an error."""

from __future__ import annotations

import os
from typing import Any

from verimv.approximation.candidates import DENOMINATORS
from verimv.approximation.within import CONSTANT, NothingSimpler, extract_within
from verimv.bounding.results import NetworkBounds
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.certificate.from_extraction import extract as extract_exactly
from verimv.core.errors import InputError, Undecided
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import Algebraic, as_number
from verimv.networks.formats.load import as_network, load
from verimv.networks.network import Network


def extract(
    network: Any,
    *,
    box: Any = None,
    logits: bool = False,
    within: Any = None,
    logic: str = "auto",
    strategy: str = "compact",
    minimise: str = "length",
    bounds: str | NetworkBounds = "auto",
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    clip_output: bool = False,
    scale_output: bool = False,
    workers: Workers = 1,
    progress: Progress = no_progress,
    resume: str | os.PathLike[str] | None = None,
) -> CertifiedExtraction:
    """Return the formula that a network computes on its box, with a certificate.

    `network` is a network, or anything that :func:`verimv.load` takes: a path, a model of scikit-learn or PyTorch.
    `box` and `logits` are those of :func:`verimv.load`.

    `within` is the error that is allowed: a number in the units of the outputs, or a percentage of the proven range of
    each output, such as "5%", or "constant" for the error of a constant. The formula is then the shortest that is found
    with |network − (scale·formula + offset)| ≤ E everywhere, and the certificate proves that
    (:class:`WithinExtraction`); its logic is MV or RMV, and only `minimise`, `output` and `margin` can be chosen. If
    nothing shorter is proved to be that close, the formula is exact, its outputs are scaled, and `summary["exact"]`
    says why. Without `within`, or with 0, it is exact.

    `logic` is "mv", "dmv", "rmv" or "auto", the smallest that fits the weights. `strategy` is "compact" or "paper", and
    `minimise` what the compact one makes small: "length" or "size", or with `within` also "constants", which prefers
    few constants with small denominators. `bounds` is the name of a method, or any proven bounds of the network's
    neurons. `output` is the one output that is wanted, `margin` two outputs whose difference is; `clip_output` applies
    σ, and `scale_output` maps the proven range of every output onto [0,1]. `workers` is a number of local processes for
    the bounds, or the address of a Dask scheduler. `resume` is a file that keeps bounds while they are found: a call
    that was interrupted goes on from there.

    Scaled outputs need some bounds, not the best ones: where the best have no evidence, or more than the kernel
    accepts, simpler bounds are used.
    Raises :class:`OutputLeavesUnitInterval` when an output leaves [0,1], :class:`Undecided` when that is not decided.
    """
    network, told = loaded(network, box, logits), ""
    near: CertifiedExtraction | None = None
    if not is_exact(within):
        refused = {
            "logic": logic != "auto",
            "strategy": strategy != "compact",
            "bounds": bounds != "auto",
            "clip_output": clip_output,
            "resume": resume is not None,
        }
        for name, is_given in refused.items():
            if is_given:
                raise InputError(f"{name.replace('_', '-')} and within exclude each other")
        try:
            near = extract_within(network, within, minimise=minimise, output=output, margin=margin, progress=progress)
            if near.formula.length == 0 or not _is_simple(network):
                return near
            told = "no shorter formula was found"
        except NothingSimpler as reason:
            told = str(reason)
        scale_output = True
        minimise = "length" if minimise == "constants" else minimise
    elif minimise == "constants":
        raise InputError("the constants of an exact formula are given: minimise constants needs within")
    try:
        found = extract_exactly(
            network,
            logic=logic,
            strategy=strategy,
            minimise=minimise,
            bounds=bounds,
            output=output,
            margin=margin,
            clip_output=clip_output,
            scale_output=scale_output,
            workers=workers,
            progress=progress,
            resume=resume,
        )
    except Undecided:
        if near is None:
            raise
        return near
    if near is not None and near.formula.length < found.formula.length:
        return near
    if told:
        found.summary["exact"] = told
    return found


def _is_simple(network: Network) -> bool:
    """Return whether all weights are as simple as those that a search would find: the exact formula may be better."""
    numbers = (x for layer in network.layers for row in layer.rows for x in (row.constant, *(w for _, w in row.terms)))
    return all(not isinstance(x, Algebraic) and x.denominator <= DENOMINATORS[0] for x in numbers)


def loaded(network: Any, box: Any, logits: bool) -> Network:
    """Return a network on its box; a formula is none."""
    return as_network(network) if box is None and not logits else load(network, box=box, logits=logits)


def is_exact(within: Any) -> bool:
    """Return whether no error is allowed; False for what is not a number, which the search for formulas refuses."""
    text = str(within).strip()
    try:
        return within is None or (text != CONSTANT and not text.endswith("%") and as_number(within) == 0)
    except (InputError, ValueError):
        return False
