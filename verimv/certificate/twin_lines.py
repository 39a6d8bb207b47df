"""Lines of a certificate for evidence about two networks with twins (proofs/FORMAT.md, §7 and §8, *Twins*)."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.prove.twin_layers import TwinSystem
from verimv.bounding.search.twin_cases import TwinCase, TwinEvidence, TwinSplitCase
from verimv.bounding.situation import Place
from verimv.certificate.lines import Derivation
from verimv.exact import Number, format_number


def twin_lines(evidence: TwinEvidence) -> Derivation:
    """Return lines that name twins, lines for the lemmas, then lines for the differences."""
    system, derivation = evidence.system, Derivation()
    first = min(evidence.compared, default=None)
    for k in sorted(evidence.compared):
        twin = system.twins[k]
        derivation.line("twin", *system.places[k], twin.variable, format_number(twin.factor))
    for lemma in evidence.lemmas:
        which, number, index = lemma.place
        rule = "apart" if which == "d" else "bound"
        leaf = "leaf" if first is None or first >= system.layers[number].start else "pair"
        _write(derivation, rule, (number, index), lemma.way, lemma.value, [[leaf]])
    leaf = "leaf" if first is None else "pair"
    for proof in evidence.proofs:
        place = (system.top, proof.output)
        _write(derivation, "bound", place, proof.way, proof.way * proof.value, _words(system, proof.cases, leaf))
    return derivation


def _write(
    derivation: Derivation, rule: str, place: Place, way: int, value: Number, cases: Sequence[list[int | str]]
) -> None:
    derivation.line(rule, *place, "high" if way > 0 else "low", format_number(value), *cases)


def _words(system: TwinSystem, cases: Sequence[TwinCase], leaf: str) -> list[list[int | str]]:
    """Return cases as a certificate writes them."""
    words: list[list[int | str]] = []
    for case in cases:
        if isinstance(case, TwinSplitCase):
            words.append(["split", system.variable(case.place), format_number(case.point)])
        else:
            words.append([leaf, *map(format_number, case.multipliers)])
    return words
