"""The page about bounds: of the outputs of a network, or of the differences of the outputs of two networks.

The script writes what is stated, from the very files that it checks (assets/bounds.js). Only the account of the
evidence is written here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from verimv.exact import format_number
from verimv.networks.network import Network
from verimv.show.report.earlier_checks import earlier_checks
from verimv.show.report.embedded import Embedded, packed_json
from verimv.show.report.frame import Content, Section
from verimv.show.report.markup import Markup, counted, joined, table, tag
from verimv.show.report.self_check import check_section, files_section, trust_section
from verimv.show.report.subject import BoundsSubject

_SCRIPTS = ("numbers.js", "bounds_tables.js", "bounds.js")
_FOOTER = "ReLU is max(0, t), the clipped ReLU is min(1, max(0, t)). Decimals after ≈ are rounded to the safe side."
_COVERED = (
    "the sentence at the top, the statement with its bars, the networks and the inputs. The account of the evidence is "
    "verimv's illustration."
)


def bounds_content(subject: BoundsSubject, held: Embedded | None) -> Content:
    verdict = joined(
        tag("div", id="statement"),
        check_section(subject, held, _COVERED),
        earlier_checks(subject, counted(len(subject.lines) + 1, "line")),
        trust_section(subject, held),
        files_section(subject, held),
    )
    networks = "Network" if subject.other is None else "Networks"
    sections = [
        Section("verdict", "Verdict", "Verdict", verdict),
        Section("shapes", networks, networks, tag("div", id="networks")),
        Section("box", "Inputs", "Inputs", tag("div", id="inputs")),
        Section("evidence", "Evidence", "Evidence", evidence_section(subject)),
    ]
    data = Markup("") if held else packed_json("bounds-data", _facts(subject))
    return Content(tag("p", id="lead", class_="lead"), sections, _SCRIPTS, _FOOTER, data)


def _facts(subject: BoundsSubject) -> dict[str, Any]:
    """Return what the script would read from the files, for a page that does not hold them."""
    lines = [json.loads(line) for line in subject.lines if line.startswith('["bound"')]
    bounds = [[index, side, value] for _, layer, index, side, value, *_ in lines if layer == subject.last_layer]
    return {"networks": [_described(network) for network in subject.networks], "bounds": bounds}


def _described(network: Network) -> dict[str, Any]:
    return {
        "inputs": network.inputs,
        "outputs": network.outputs,
        "box": [[format_number(low), format_number(high)] for low, high in network.box],
        "layers": [[len(layer.rows), layer.activation] for layer in network.layers],
    }


# -- evidence ---------------------------------------------------------------------------------------------------

#: Kinds of cases (proofs/FORMAT.md, §8), and what each does.
_CASES = {
    "split": "two cases: a neuron is on one side of a point, or on the other",
    "lemma": "a bound of another neuron, proved first and then used",
    "sweep": "bounds of all neurons, found by the checker itself",
    "leaf": "closed by multipliers, which bound each neuron by a line",
    "pair": "closed by multipliers, which compare neurons with their twins",
}
_OUTPUTS, _NEURONS = "bounds of outputs", "bounds of other neurons"
#: Kinds of lines, and what each says.
_LINES = {
    _OUTPUTS: "what is stated above",
    _NEURONS: "used by later lines",
    "apart": "bounds of how far a neuron is from its twin",
    "twin": "a neuron is compared with another one, its twin",
}


def evidence_section(subject: BoundsSubject) -> Markup:
    """Return how many lines and cases of which kind the certificate has."""
    lines: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    assumed = 0
    for rule, *arguments in map(json.loads, subject.lines):
        lines[_kind(subject, rule, arguments)] += 1
        if rule in ("bound", "apart"):
            found = arguments[4:]
            cases.update(str(case[0]) for case in found)
            assumed += not found
    told = "" if subject.check.status != "invalid" else " before the error"
    summary = f"The certificate has {counted(len(subject.lines), 'line')} after its header{told}, and "
    summary += f"{counted(cases.total(), 'case')} in them."
    return joined(
        tag("p", summary),
        tag("p", f"{counted(assumed, 'bound')} assumed without evidence.", class_="note open") if assumed else "",
        _counts(("lines", "number", "meaning"), lines, _LINES, "a step that other lines use"),
        _counts(("cases", "number", "meaning"), cases, _CASES, "") if cases else "",
    )


def _kind(subject: BoundsSubject, rule: str, arguments: Sequence[Any]) -> str:
    if rule != "bound":
        return rule
    return _OUTPUTS if arguments[0] == subject.last_layer else _NEURONS


def _counts(head: tuple[str, ...], counts: Counter[str], meanings: dict[str, str], other: str) -> Markup:
    kinds = [kind for kind in meanings if kind in counts] + [kind for kind in counts if kind not in meanings]
    return table(head, [(kind, f"{counts[kind]:,}", meanings.get(kind, other)) for kind in kinds], "evidence")
