"""Lines of a certificate for evidence about two networks with twins (proofs/FORMAT.md, §7 and §8, *Twins*)."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.prove.twin_layers import TwinPlace, TwinSystem
from verimv.bounding.search.twin_cases import TwinCase, TwinEvidence, TwinSplitCase
from verimv.bounding.situation import Place
from verimv.certificate.lines import Derivation
from verimv.exact import Number, format_number


def twin_lines(evidence: TwinEvidence) -> Derivation:
    """Return lines that name twins, lines for the lemmas, then lines for the differences."""
    system, derivation = evidence.system, Derivation()
    leaf = "pair" if evidence.compared else "leaf"
    for depth, i in sorted(evidence.compared):
        twin = system.twins[depth, i]
        variable = system.variable(("z", depth, twin.index))
        derivation.line("twin", *_place(system, ("y", depth, i)), variable, format_number(twin.factor))
    for lemma in evidence.lemmas:
        which = lemma.place[0]
        rule, case = "apart" if which == "d" else "bound", "leaf" if which == "z" else leaf
        _write(derivation, rule, _place(system, lemma.place), lemma.way, lemma.value, [[case]])
    for proof in evidence.proofs:
        place = (2 * system.depth + 1, proof.output)
        _write(derivation, "bound", place, proof.way, proof.way * proof.value, _words(system, proof.cases, leaf))
    return derivation


def _write(
    derivation: Derivation, rule: str, place: Place, way: int, value: Number, cases: Sequence[list[int | str]]
) -> None:
    derivation.line(rule, *place, "high" if way > 0 else "low", format_number(value), *cases)


def _place(system: TwinSystem, place: TwinPlace) -> Place:
    """Return layer (from 1) and index of a neuron in the certificate: the second network's layers come last."""
    which, depth, index = place
    return (depth + 1 if which == "z" else system.depth + depth + 1), index


def _words(system: TwinSystem, cases: Sequence[TwinCase], leaf: str) -> list[list[int | str]]:
    """Return cases as a certificate writes them."""
    words: list[list[int | str]] = []
    for case in cases:
        if isinstance(case, TwinSplitCase):
            words.append(["split", system.variable(case.place), format_number(case.point)])
        else:
            words.append([leaf, *map(format_number, case.multipliers)])
    return words
