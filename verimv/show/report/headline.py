"""The top of a page about a formula: what was extracted, what is proved and how, and the files; and its times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verimv.exact import Number, format_number
from verimv.exact.decimals import rounded_up
from verimv.formulas.measure import Measures
from verimv.networks.network import Network
from verimv.show.pictures.axes import label
from verimv.show.report.earlier_checks import earlier_checks, recorded_seconds, seconds_text
from verimv.show.report.embedded import Embedded
from verimv.show.report.markup import Markup, counted, joined, table, tag
from verimv.show.report.reading import Reading
from verimv.show.report.self_check import check_section, files_section, trust_section
from verimv.show.report.subject import FormulaSubject

ARTICLES = {"mv": "an MV", "dmv": "a DMV (Rational Łukasiewicz)", "rmv": "an RMV (Riesz)"}

_MEANING_OF_ERRORS = (
    "± E means: at every point, the network's output and the value from the formula differ by at most E."
)
#: Characters of an error that is written exactly, beside its decimal.
_LONGEST = 24
#: Inputs of a box, and maps of outputs, that are listed.
_TOLD = 12
_COVERED = (
    "the sentence at the top, the statement, the formula and its copies. Layers, picture, bounds, graph, sizes and "
    "times are verimv's illustrations."
)


def lead(subject: FormulaSubject, measures: Measures, reading: Reading) -> Markup:
    """Return a sentence that claims no more than the kernel has found."""
    size = f"{ARTICLES[measures.logic]} formula of length {short_length(measures.length_text)}"
    size += f" ({counted(measures.size, 'shared node')})"
    if subject.source is None:
        told = {
            "valid": "Two formulas have the same value at every point of the unit cube. The second is",
            "incomplete": "It is not proved that the two formulas are equal. The second is",
            "unchecked": "It was not checked that the two formulas are equal. The second is",
            "invalid": "The certificate does not prove that the two formulas are equal. The second is",
        }[subject.check.status]
        return tag("p", f"{told} {size}.", class_="lead")
    network = f"A network with {_shape(subject.source)}"
    if subject.is_approximate:
        return tag("p", _approximate(subject, network, size, reading), class_="lead")
    told = {
        "valid": f"{network} equals, exactly and at every point of its box, {size}{_mapped(subject.source, reading)}.",
        "incomplete": f"{network}, and {size}. It is not proved that they are equal everywhere.",
        "unchecked": f"{network}, and {size}. The certificate that they are equal was not checked.",
        "invalid": f"{network}, and {size}. The certificate does not prove that they are equal.",
    }[subject.check.status]
    return tag("p", told, class_="lead")


def _approximate(subject: FormulaSubject, network: str, size: str, reading: Reading) -> str:
    """Return the sentence for a formula within an error of a network."""
    mapped = "" if subject.source is None else _mapped(subject.source, reading)
    return {
        "valid": f"{network} is, at every point of its box and within the error stated below, {size}{mapped}.",
        "incomplete": f"{network}, and {size}. It is not proved how far they are apart.",
        "unchecked": f"{network}, and {size}. The certificate of how far they are apart was not checked.",
        "invalid": f"{network}, and {size}. The certificate does not prove how far they are apart.",
    }[subject.check.status]


def _mapped(network: Network, reading: Reading) -> str:
    what = ["inputs"] * (not network.is_on_unit_cube()) + ["outputs"] * has_maps(reading)
    return f"; its {' and '.join(what)} are mapped onto [0,1] as stated below" if what else ""


def has_maps(reading: Reading) -> bool:
    return any(scale != 1 or offset != 0 for _, scale, offset in reading.outputs)


def short_length(digits: str) -> str:
    if digits.startswith("~") or len(digits) > 24:
        return digits if digits.startswith("~") else f"≈10^{len(digits) - 1}"
    return f"{int(digits):,}"


def _shape(network: Network) -> str:
    widths = "–".join(str(width) for width in (len(network.inputs), *(len(layer.rows) for layer in network.layers)))
    return f"{counted(len(network.inputs), 'input')}, {counted(network.neurons, 'neuron')} ({widths})"


def statement_place(subject: FormulaSubject, reading: Reading, held: Embedded | None) -> Markup:
    """Return the exact statement, or its place, which the script fills in when the proof is checked."""
    return tag("div", id="statement") if held else _statement(subject, reading)


def verdict_section(subject: FormulaSubject, reading: Reading, held: Embedded | None) -> Markup:
    told = [subject.summary.get(name) for name in ("notes", "warnings")]
    followed = f"{counted(len(reading.claims), 'claim')} on {counted(len(subject.lines) + 1, 'line')}"
    return joined(
        check_section(subject, held, _COVERED),
        earlier_checks(subject, followed),
        *(tag("p", str(text), class_="note open") for texts in told if isinstance(texts, list) for text in texts),
        trust_section(subject, held),
        files_section(subject, held),
    )


def _statement(subject: FormulaSubject, reading: Reading) -> Markup:
    """Return the exact statement, whether or not it is proved."""
    if subject.source is None:
        return tag("p", "Statement: original.mv and formula.mv have the same outputs at every point of the unit cube.")
    network = subject.source
    mapped = "" if network.is_on_unit_cube() else " (the formula's inputs are these, mapped onto [0,1])"
    errors = subject.errors
    maps = [
        f"{name} = {_scaled(scale)}formula{_added(offset)}" + (f" ± {_at_most(errors[k])}" if k in errors else "")
        for k, (name, (_, scale, offset)) in enumerate(zip(network.outputs, reading.outputs, strict=False))
    ]
    maps += [f"{name}: the certificate does not reach this output" for name in network.outputs[len(maps) :]]
    return joined(
        tag("p", "Statement: for every ", _box(network), f"{mapped}, in exact arithmetic over the real numbers,"),
        tag("p", *_lines(maps), class_="formula"),
        tag("p", _MEANING_OF_ERRORS) if subject.is_approximate else "",
    )


def _at_most(error: Number) -> str:
    """Return an error with its decimal, which is rounded up."""
    exact, decimal = format_number(error), rounded_up(error)
    if exact == decimal:
        return exact
    return f"{exact} ({decimal})" if len(exact) <= _LONGEST else f"{decimal} (rounded up)"


def _scaled(scale: Number) -> str:
    return "" if scale == 1 else f"{label(scale, 40)} · "


def _added(offset: Number) -> str:
    return "" if not offset else f" {'−' if offset < 0 else '+'} {label(abs(offset), 40)}"


def _box(network: Network) -> str:
    names, box = network.inputs, network.box
    if len(names) > 3 and len(set(box)) == 1:
        return f"{names[0]}, {names[1]}, …, {names[-1]} ∈ {_interval(*box[0])}"
    return _listed([f"{name} ∈ {_interval(*ends)}" for name, ends in zip(names, box, strict=True)])


def _interval(low: Number, high: Number) -> str:
    return f"[{label(low, 16)}, {label(high, 16)}]"


def _lines(texts: list[str]) -> Iterator[Markup]:
    shown = texts[:_TOLD] if len(texts) <= _TOLD else [*texts[:_TOLD], f"… ({len(texts) - _TOLD} more)"]
    yield from (tag("span", text, class_="line") for text in shown)


def _listed(texts: list[str]) -> str:
    more = f", … ({len(texts) - _TOLD} more)" if len(texts) > _TOLD else ""
    return ", ".join(texts[:_TOLD]) + more


def timings_section(summary: Mapping[str, Any]) -> Markup:
    seconds = summary.get("seconds")
    read = {stage: recorded_seconds(spent) for stage, spent in (seconds.items() if isinstance(seconds, dict) else ())}
    stages = {str(stage): spent for stage, spent in read.items() if spent is not None}
    if not stages:
        return tag("p", "No times are recorded: the directory has no summary.json about these files.", class_="empty")
    longest = max(*stages.values(), 0.001)
    rows = [
        (
            _STAGES.get(stage, stage),
            seconds_text(spent),
            tag("span", class_="bar", style=f"width:{100 * spent / longest:.1f}%"),
        )
        for stage, spent in stages.items()
    ]
    total = ("total", seconds_text(sum(stages.values())), "")
    return table(("stage", "time", ""), [*rows, total], "timings")


_STAGES = {
    "bounds": "bounding neurons",
    "clip": "Step 1: clipping",
    "compose": "Steps 2 and 3: formula",
    "measure": "measuring",
    "check": "checking (kernels)",
    "report": "writing the report",
}


def exactly_text(subject: FormulaSubject) -> Markup:
    """Return what the exact formula is like, beside a short one within an error, and how to get it."""
    length, size = (str(subject.summary.get(name, "")) for name in ("exact_length", "exact_size"))
    told = "The network has an exact formula, too"
    if length.isdecimal() and size.isdecimal():
        told += f": of length {short_length(length)} ({counted(int(size), 'shared node')}), while the short one has "
        told += f"length {short_length(subject.measures.length_text)}"
    hint = tag("code", "verimv extract network.json --scale-output")
    return tag("p", f"{told}. With the network.json of this page's directory, ", hint, " writes it and its proof.")


def settings_text(summary: Mapping[str, Any]) -> str:
    told = [f"{key}: {summary[key]}" for key in ("strategy", "bounds") if isinstance(summary.get(key), str)]
    simplified = summary.get("simplified")
    if isinstance(simplified, dict):
        before = simplified.get("before")
        kept = simplified.get("kept")
        if isinstance(before, dict):
            told.append(f"simplified from length {before.get('length')}, {before.get('size')} nodes")
        elif kept is not None:
            told.append(f"not simplified: {kept}")
    return "; ".join(told)
