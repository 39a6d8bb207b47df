"""Network → formula: bounds, then the paper's Steps 1, 2 and 3, in order."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds
from verimv.core.above import above
from verimv.core.choices import LOGICS, MEASURES, STRATEGIES
from verimv.core.display import Headed, cut, html_table
from verimv.core.errors import InputError, OutputLeavesUnitInterval, Undecided, check_type
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import Number, format_number
from verimv.exact.decimals import brief, point_words, short
from verimv.extraction.clipped import ClippedNetwork
from verimv.extraction.events import Listener, no_listener
from verimv.extraction.outside import point_outside_unit_interval
from verimv.extraction.step1_clip import clip_network
from verimv.extraction.step3_compose import compose
from verimv.extraction.strategies.compact import Compact
from verimv.extraction.strategies.paper import Paper, table_nodes
from verimv.extraction.strategies.strategy import Strategy
from verimv.formulas.formula import Formula
from verimv.formulas.measure import Measures
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.networks.transforms.outputs import OutputMap, affine_end, chosen

#: With --logic auto, rational weights go to DMV as long as its splitting needs no more table entries than this.
MAX_AUTO_DMV_NODES = 200_000


@dataclass(frozen=True, repr=False)
class Extraction(Headed):
    """A formula and the network, normalised to the unit cube, that it equals."""

    formula: Formula
    network: Network
    #: the network on its own box, with the outputs that were asked for
    source: Network
    clipped: ClippedNetwork
    measures: Measures
    summary: dict[str, Any]

    def _repr_html_(self) -> str:
        """HTML for notebooks: the formula and its measures."""
        known = self.summary
        rows = [
            ("formula", self.formula._repr_latex_()),
            ("logic", known["logic"]),
            ("size", f"length {cut(known['length'], 40)}, {known['size']:,} nodes, depth {known['depth']:,}"),
            (
                "from",
                f"{known['neurons']:,} neurons by {known['units']:,} clipped units ({known['bounds']} bounds)",
            ),
            (
                "status",
                {"extracted": "extracted, its certificate not checked yet"}.get(known["status"], known["status"]),
            ),
        ]
        return html_table("network → formula", rows)

    def _headline(self) -> str:
        return f"{self.summary['status']}: {self.formula!r}"

    def at(self, point: Mapping[str, Any] | Sequence[Any]) -> list[Number]:
        """Return the values of the formula at a point of the network's box, in the units of the network."""
        values: list[Number] = above("questions.extracted", "extracted_values", self, point)
        return values

    def to_dict(self) -> dict[str, Any]:
        """Return what `verimv extract` writes to summary.json."""
        return self.summary


def extract_uncertified(
    network: Network,
    *,
    logic: str = "auto",
    strategy: str = "compact",
    minimise: str = "length",
    bounds: str | NetworkBounds = "auto",
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    clip_output: bool = False,
    scale_output: bool = False,
    maps: Sequence[OutputMap] | None = None,
    workers: Workers = 1,
    progress: Progress = no_progress,
    listener: Listener = no_listener,
    resume: str | os.PathLike[str] | None = None,
) -> Extraction:
    """Return the formula that a network computes on its box, without a certificate.

    Options are those of :func:`verimv.extract`. `listener` is called with every event of the three steps. `maps` are
    those of scaled outputs, for a network that was made for them.
    """
    _check_options(network, strategy, minimise, clip_output, scale_output)
    network, bounds = _selected(network, bounds, output, margin, clip_output)
    if scale_output and network.layers[-1].activation == "relu":
        network = affine_end(network)
    normalised = to_unit_cube(network)
    kind = "rational" if scale_output and normalised.number_kind == "integer" else normalised.number_kind
    _check_logic(kind, logic)
    seconds: dict[str, float] = {}
    scaled = strategy == "compact" and kind != "integer"  # one unit for each ReLU

    with _timed(seconds, "bounds"):
        progress("bounding neurons", 0, 1)
        proven = (
            neuron_bounds(
                network,
                bounds,
                progress,
                integer_ends=not scaled,
                workers=workers,
                record=None if resume is None else Path(resume),
            )
            if isinstance(bounds, str)
            else bounds
        )
    with _timed(seconds, "clip"):  # Step 1
        progress("clipping neurons", 0, 1)
        clipped = clip_network(normalised, proven, listener, scaled=scaled, map_outputs=scale_output, maps=maps)
        if not scale_output:
            check_outputs(network, clipped, proven)
    with _timed(seconds, "compose"):  # Step 2 decides how units become formulas; Step 3 composes these
        fitting = _choose_logic(kind, clipped, scaled) if logic == "auto" else logic
        units: Strategy = (
            # integer weights need MV logic only, which is part of every other
            Compact(clipped, len(network.inputs), fitting if scaled else "mv", minimise, progress, maps is not None)
            if strategy == "compact"
            else Paper(clipped, fitting, progress)
        )
        formula = compose(clipped, units, network.inputs, network.outputs, listener)
    with _timed(seconds, "measure"):
        measures = formula.measure()
    summary = {
        "status": "extracted",
        "logic": measures.logic,
        "strategy": strategy,
        "bounds": "+".join(proven.methods),
        "length": measures.length_text,
        "size": measures.size,
        "depth": measures.depth,
        "neurons": network.neurons,
        "units": clipped.units,
        "box": [[format_number(low), format_number(high)] for low, high in network.box],
        "outputs": [
            {"name": name, "scale": format_number(scale), "offset": format_number(offset)}
            for name, (scale, offset) in zip(network.outputs, clipped.maps, strict=True)
        ],
        "seconds": {stage: round(spent, 3) for stage, spent in seconds.items()},
        "proofs": [],
        **({"names": dict(network.labels)} if network.labels else {}),
        **({"notes": list(network.notes)} if network.notes else {}),
    }
    return Extraction(formula, normalised, network, clipped, measures, summary)


def _check_options(network: Network, strategy: str, minimise: str, clip_output: bool, scale_output: bool) -> None:
    check_type(network, Network, hint=" (verimv.load makes one)")
    if strategy not in STRATEGIES:
        raise InputError(f"unknown strategy {strategy}: choose one of {', '.join(STRATEGIES)}")
    if minimise not in MEASURES:
        raise InputError(f"unknown measure {minimise}: choose one of {', '.join(MEASURES)}")
    if clip_output and scale_output:
        raise InputError("an output is clipped or scaled, not both")


def _selected(
    network: Network,
    bounds: str | NetworkBounds,
    output: str | int | None,
    margin: tuple[str | int, str | int] | None,
    clip_output: bool,
) -> tuple[Network, str | NetworkBounds]:
    """Return the network with the outputs that are wanted, and the bounds that still apply to it."""
    if not isinstance(bounds, str):
        bounds.check_fits(network)
        last = len(network.layers) - 1
        if output is not None:
            bounds = bounds.select(last, network.output_index(output))
        elif margin is not None:
            bounds = NetworkBounds(bounds.layers[:last])
    return chosen(network, output, margin, clip_output), bounds


def check_outputs(network: Network, clipped: ClippedNetwork, bounds: NetworkBounds) -> None:
    """Prove that every output stays in [0,1], where σ changes nothing; otherwise say why not (Theorem 3.2)."""
    activation = network.layers[-1].activation
    if activation == "crelu":
        return
    for index, (low, high) in enumerate(clipped.output_ranges):
        if high <= 1 and (low >= 0 or activation == "relu"):
            continue
        name = network.outputs[index]
        witness = _attained_outside(network, bounds, index) or point_outside_unit_interval(network, index)
        if witness is not None:
            point = dict(zip(network.inputs, map(format_number, witness[0]), strict=True))
            told = point_words(dict(zip(network.inputs, witness[0], strict=True))), short(witness[1])
            raise OutputLeavesUnitInterval(name, point, format_number(witness[1]), told)
        raise Undecided(
            f"output {name} is only known to lie in [{brief(low)}, {brief(high)}]: "
            "the bounds cannot tell whether it stays in [0,1] (--scale-output maps it there)"
        )


def _attained_outside(network: Network, bounds: NetworkBounds, index: int) -> Any:
    bound = bounds.get(len(network.layers) - 1, index)
    for point in (bound.lower_at, bound.upper_at) if bound else ():
        if point is not None:
            value = network.at(point)[index]
            if value < 0 or value > 1:
                return point, value
    return None


def _check_logic(kind: str, logic: str) -> None:
    if logic not in LOGICS:
        raise InputError(f"unknown logic {logic}: choose one of {', '.join(LOGICS)}")
    if (logic == "mv" and kind != "integer") or (logic == "dmv" and kind == "algebraic"):
        fitting = "dmv or rmv" if kind == "rational" else "rmv"
        raise InputError(f"the weights are {kind}, which {logic.upper()} logic cannot express; use --logic {fitting}")


def _choose_logic(kind: str, clipped: ClippedNetwork, scaled: bool) -> str:
    """Return the smallest logic that fits the weights, unless its formula would be far too large."""
    if scaled:
        return "rmv"  # a share is one node there, and one for each of its bits in DMV
    if kind == "rational":
        return "dmv" if table_nodes(clipped, "dmv") <= MAX_AUTO_DMV_NODES else "rmv"
    return "mv" if kind == "integer" else "rmv"


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start
