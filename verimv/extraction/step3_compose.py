"""Step 3 of the paper: compose the units' terms along the layers.

Variables of a unit stand for the units below, so building each layer's terms directly on the nodes of the layer below
is the substitution of the paper, done once per shared node instead of once per occurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verimv.core.errors import Undecided
from verimv.exact import format_count
from verimv.extraction.recorder import Recorder
from verimv.extraction.step1_clip import ClippedNetwork
from verimv.extraction.strategies.compact import Compact
from verimv.extraction.strategies.paper import Group, group_units, sigma_units
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine

#: Tables with more nodes than this (about 2 GB) are not begun.
MAX_NODES = 10_000_000

Progress = Callable[[str, int, int], None]


def table_nodes(clipped: ClippedNetwork, logic: str) -> int:
    """An upper bound on the table entries that :func:`compose` would fill."""
    return sum(
        group.table_size() for layer in [*clipped.layers, clipped.outputs] for group in group_units(layer, logic)
    )


def compose(
    clipped: ClippedNetwork,
    inputs: Sequence[str],
    outputs: Sequence[str],
    logic: str,
    progress: Progress,
    recorder: Recorder,
    *,
    minimise: str | None = None,
) -> Formula:
    """The formula of a clipped network, by the paper's construction; or, to minimise "length" or "size", with
    the compact forms of its units."""
    needed = 0 if minimise else table_nodes(clipped, logic)
    if needed > MAX_NODES:
        advice = "--logic rmv, which needs no common denominator" if logic == "dmv" else "--strategy compact"
        raise Undecided(
            f"the paper's construction needs up to {format_count(needed)} nodes, more than {MAX_NODES:,}: try {advice}"
        )
    dag = Dag()
    atoms = [dag.variable(name) for name in inputs]
    recorder.begin(len(atoms))
    compact = Compact(len(inputs), logic, minimise, recorder) if minimise else None
    total = sum(map(len, clipped.layers)) + len(clipped.outputs) if compact else needed
    done = 0

    def tick(entries: int) -> None:
        """Table entries count where tables are all there is, units otherwise."""
        nonlocal done
        if not compact:
            done += entries
            progress("composing terms", done, total)

    def build(dag: Dag, atoms: Sequence[int], group: Group, forms: Sequence[Affine]) -> list[int] | None:
        nonlocal done
        done += len(forms)
        progress("composing terms", done, total)
        return compact.build(dag, atoms, group, forms) if compact else None

    for layer in [*clipped.layers, clipped.outputs]:
        atoms = sigma_units(dag, atoms, layer, logic, tick, recorder, build if compact else None)
        if compact:
            compact.finish(layer)
    return Formula(dag, inputs, atoms, outputs)
