"""`verimv.extract`: the formula of a network, exactly or within an error."""

from __future__ import annotations

import os
from typing import Any

from verimv.approximation.within import CONSTANT, NothingSimpler, extract_within
from verimv.bounding.results import NetworkBounds
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.certificate.from_extraction import extract as extract_exactly
from verimv.core.errors import InputError
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import as_number
from verimv.networks.network import Network


def extract(
    network: Network,
    *,
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

    `within` is the error that is allowed: a number in the units of the outputs, or a percentage of the proven range of
    each output, such as "5%", or "constant" for the error of a constant. The formula is then the shortest that is found
    with |network − (scale·formula + offset)| ≤ E everywhere, and the certificate proves that
    (:class:`WithinExtraction`); its logic is MV or RMV, and only `minimise`, `output` and `margin` can be chosen. If
    nothing simpler is proved to be that close, the formula is exact, its outputs are scaled, and `summary["exact"]`
    says why. Without `within`, or with 0, it is exact.

    `logic` is "mv", "dmv", "rmv" or "auto", the smallest that fits the weights. `strategy` is "compact" or "paper", and
    `minimise` ("length" or "size") what the compact one makes small. `bounds` is the name of a method, or any proven
    bounds of the network's neurons. `output` is the one output that is wanted, `margin` two outputs whose difference
    is; `clip_output` applies σ, and `scale_output` maps the proven range of every output onto [0,1]. `workers` is a
    number of local processes for the bounds, or the address of a Dask scheduler. `resume` is a file that keeps bounds
    while they are found: a call that was interrupted goes on from there.

    Scaled outputs need some bounds, not the best ones: where the best have no evidence, or more than the kernel
    accepts, simpler bounds are used.
    Raises :class:`OutputLeavesUnitInterval` when an output leaves [0,1], :class:`Undecided` when that is not decided.
    """
    told = ""
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
            return extract_within(network, within, minimise=minimise, output=output, margin=margin, progress=progress)
        except NothingSimpler as reason:
            told, scale_output = str(reason), True
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
    if told:
        found.summary["exact"] = told
    return found


def is_exact(within: Any) -> bool:
    """Return whether no error is allowed; False for what is not a number, which the search for formulas refuses."""
    text = str(within).strip()
    try:
        return within is None or (text != CONSTANT and not text.endswith("%") and as_number(within) == 0)
    except (InputError, ValueError):
        return False
