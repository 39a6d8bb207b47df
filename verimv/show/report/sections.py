"""The other sections of a page about a formula: formula, layers, pictures, bounds, sizes, graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verimv.bounding.interval import interval_bounds
from verimv.core.errors import Undecided
from verimv.exact import Number
from verimv.exact.decimals import rounded
from verimv.formulas.formula import Formula
from verimv.formulas.measure import Measures
from verimv.networks.ballots import Ballot, Vote, input_words, phrase, vote_number
from verimv.networks.names import recorded
from verimv.networks.network import Network
from verimv.show.pictures.axes import as_float, label
from verimv.show.pictures.curves import MAX_CURVES, curves, curves_svg
from verimv.show.pictures.maps import RegionMap, box_of, map_svg, region_maps
from verimv.show.pictures.range_bars import MAX_BARS, Ranges, chart_width, ranges_svg
from verimv.show.report.embedded import json_block
from verimv.show.report.frame import asset
from verimv.show.report.headline import short_length
from verimv.show.report.layers import Layers, LayerView, Unit
from verimv.show.report.markup import Markup, counted, exact_number, form_text, joined, table, tag, with_decimals
from verimv.show.report.reading import Reading
from verimv.show.report.subject import FormulaSubject

#: Lines of a formula that are shown at first.
MAX_LINES = 40
#: Regions and maps that are drawn.
PICTURE_REGIONS, PICTURE_MAPS = 3_000, 4
#: Votes that are listed one by one.
MAX_VOTES = 8
#: Characters of a number in a tooltip.
_EXACT = 400
#: Characters of a definition that is shown unfolded.
_SHORT = 160
#: Units of a layer that is unfolded at first.
_OPEN_UNITS = 8


#: Where the sections about layers are not about the network itself.
_OF_THE_OTHER = (
    "This is the network of other.json, which equals the formula; network.json is near to it, as stated above."
)

#: Formats in which the page writes a formula for copying, and those of `verimv convert`.
_FORMATS = {"text": "text", "latex": "LaTeX", "smtlib": "SMT-LIB"}


def formula_section(text: str | None) -> Markup:
    """Return the place of the formula, which the script fills in from formula.mv; or the text, if there is no file."""
    if text is None:
        buttons = [
            tag("button", f"Copy {name}", type="button", class_="copy", data_copy=identifier)
            for identifier, name in _FORMATS.items()
        ]
        buttons.append(tag("button", "Show exact numbers", type="button", id="exact-numbers", hidden=True))
        more = tag("button", "show all", type="button", id="show-formula")
        return joined(
            tag("div", *buttons, class_="buttons"),
            _preformatted(""),
            tag("p", tag("span", id="formula-count"), more, id="formula-more", class_="more", hidden=True),
        )
    lines = text.split("\n")
    shown = [_preformatted("\n".join(lines[:MAX_LINES]))]
    if len(lines) > MAX_LINES:
        more_text = counted(len(lines) - MAX_LINES, "more line")
        shown.append(tag("p", f"{more_text}: formula.mv has them.", class_="more"))
    commands = [f"verimv convert DIR/formula.mv --to {identifier} -o -" for identifier in _FORMATS]
    hint = tag("p", "This page does not hold formula.mv. These commands write it in other formats:", class_="hint")
    return joined(*shown, hint, tag("pre", tag("code", "\n".join(commands))))


def _preformatted(text: str) -> Markup:
    return tag("pre", tag("code", with_decimals(text), id="formula-text"), class_="formula", tabindex="0")


# -- layers -----------------------------------------------------------------------------------------------------


#: Names of a table that is unfolded at first.
_OPEN_NAMES = 12


def _decimal(x: Number) -> Markup:
    return exact_number(x, rounded(x, 4).replace("-", "−"))


def names_table(network: Network | None, labels: Mapping[str, str]) -> Markup:
    """Return the full names of inputs and outputs, and the ranges of the inputs, if there are such names."""
    if network is None or not any(name in labels for name in (*network.inputs, *network.outputs)):
        return Markup("")
    rows: list[tuple[str, ...]] = [
        (name, labels.get(name, name), joined(_decimal(low), " to ", _decimal(high)))
        for name, (low, high) in zip(network.inputs, network.box, strict=True)
    ]
    rows += [(name, labels.get(name, name), "output") for name in network.outputs]
    head = tag("summary", "Names (not part of the proof)")
    return tag(
        "details", head, table(("in the formula", "name", "range"), rows, "names"), open=len(rows) <= _OPEN_NAMES
    )


def layers_section(layers: Layers | None, subject: FormulaSubject) -> Markup:
    if layers is None or not any(view.units or view.values for view in layers.views):
        why = "there is no network" if subject.network is None else "it is invalid or ends too early"
        return tag("p", f"Layers are read from the certificate, but {why}.", class_="empty")
    intro = (
        "Each neuron is a sum of clipped units σ(t) = min(1, max(0, t)). Each unit is a vote over the units below: it "
        "is 0 up to the threshold, 1 from one vote above it, and linear in between."
    )
    before = isinstance(subject.summary.get("simplified"), dict) and "before" in subject.summary["simplified"]
    note = tag("p", "These are the units before simplification.", class_="hint") if before else ""
    names = layers.names
    if subject.is_approximate:
        note = joined(tag("p", _OF_THE_OTHER, class_="hint"), note)
    words = _Words(layers, subject)
    called = names_table(subject.source or subject.network, recorded(subject.summary))
    return joined(tag("p", intro), note, called, *(_layer(view, names, words) for view in layers.views))


class _Words:
    """Votes in words: "high NAME (1 to 6.9)" for inputs, with full names and own units; "not u1.2" for units."""

    def __init__(self, layers: Layers, subject: FormulaSubject) -> None:
        self._names = layers.names
        self._inputs = {node: j for j, node in enumerate(layers.reading.inputs)}
        network, labels = subject.source or subject.network, recorded(subject.summary)
        self._labels = [labels.get(name, name) for name in network.inputs] if network is not None else []
        self._box = network.box if network is not None else ()

    def __call__(self, vote: Vote) -> str:
        if (j := self._inputs.get(vote.node)) is not None and j < len(self._labels):
            return input_words(self._labels[j], self._box[j], vote.negated)
        return ("not " if vote.negated else "") + self._names.get(vote.node, f"n{vote.node}")


def _layer(view: LayerView, names: dict[int, str], words: _Words) -> Markup:
    units = counted(len(view.units) + view.more, "unit")
    head = f"Layer {view.number}: {counted(view.neurons, 'neuron')}, {units}, {counted(view.nodes, 'new node')}"
    more = (
        tag("p", f"{counted(view.more, 'more unit')}: the graph below has them all.", class_="hint")
        if view.more > 0
        else ""
    )
    values = _values(view) if view.values else ""
    body = [tag("div", *(_unit(unit, names, words) for unit in view.units), class_="units"), more, values]
    return tag("details", tag("summary", head), *body, open=len(view.units) <= _OPEN_UNITS, class_="layer")


def _unit(unit: Unit, names: dict[int, str], words: _Words) -> Markup:
    title = tag("h4", tag("a", unit.name, href="#graph", data_node=unit.name), class_="name")
    lines = [
        tag("div", tag("span", f"{name or unit.name} = ", class_="dim"), with_decimals(text))
        for name, text in unit.definition
    ]
    definition = tag("div", *lines, class_="definition") if lines else Markup("")
    if sum(len(text) for _, text in unit.definition) > _SHORT:
        definition = tag("details", tag("summary", "As a formula"), definition)
    told, exact = form_text(unit.form, names), form_text(unit.form, names, digits=_EXACT)
    claim = tag("p", f"= σ({told})", class_="claim", title=exact if exact != told else None)
    return tag("article", title, _ballot(unit.ballot, words), claim, definition, class_="unit")


def _ballot(ballot: Ballot, words: _Words) -> Markup:
    heaviest = max((vote.weight for vote in ballot.votes), default=1)
    rows = []
    for vote in ballot.votes[:MAX_VOTES]:
        width = f"width:{100 * float(vote.weight / heaviest):.1f}%"
        bar = tag("span", tag("span", class_="bar against" if vote.negated else "bar", style=width), class_="track")
        weight = exact_number(vote.weight, vote_number(vote.weight))
        rows.append(tag("li", tag("span", words(vote), class_="who"), bar, tag("span", weight, class_="weight")))
    if len(ballot.votes) > MAX_VOTES:
        rest = ballot.votes[MAX_VOTES:]
        together = sum((vote.weight for vote in rest[1:]), rest[0].weight)
        told = exact_number(together, vote_number(together))
        rows.append(tag("li", f"and {counted(len(rest), 'smaller one')}, together ", told, class_="dim"))
    return joined(tag("p", phrase(ballot), class_="phrase"), tag("ul", *rows, class_="votes"))


def _values(view: LayerView) -> Markup:
    symbol = "ρ" if view.activation == "relu" else "σ"
    rows = [(f"neuron {i}", f"{symbol}({argument})", f"= {value}") for i, (argument, value) in enumerate(view.values)]
    more = f" (the first {len(view.values)})" if view.neurons > len(view.values) else ""
    body = table(("", "", ""), rows, "values")
    return tag("details", tag("summary", f"Neurons by units{more}"), body)


# -- a point ----------------------------------------------------------------------------------------------------


def point_section(subject: FormulaSubject, is_held: bool) -> Markup:
    """Return a calculator of exact outputs, which the script fills in from the network that the page holds."""
    network, labels = subject.source, recorded(subject.summary)
    if network is None or not is_held:
        at = ",".join(f"{name}=…" for name in (network.inputs if network else ())[:3])
        hint = tag("p", "The network is too large for this page. This command computes its outputs:", class_="hint")
        return joined(hint, tag("pre", tag("code", f"verimv eval DIR --at {at}")))
    return joined(Markup(asset("point.html")), json_block("point-names", labels) if labels else "")


# -- pictures ---------------------------------------------------------------------------------------------------


def picture_section(subject: FormulaSubject) -> Markup:
    """Return a picture of the function in its own units, if it has one or two inputs."""
    drawn: Formula | Network = subject.source or subject.formula
    if not drawn.inputs:
        return tag("p", "A formula without inputs is a number: there is no picture.", class_="empty")
    if len(drawn.inputs) not in (1, 2):
        above = "; slices are drawn above" if subject.source is not None else ""
        why = f"A function of {len(drawn.inputs)} inputs has no picture{above}. To see a map, fix all but two of them:"
        at = ",".join(f"{name}=1/2" for name in drawn.inputs[2:5]) + (",…" if len(drawn.inputs) > 5 else "")
        name = "network.json" if subject.network is not None else "formula.mv"
        command = f"verimv plot DIR/{name} -o map.svg --at {at}"
        return joined(tag("p", why, class_="empty"), tag("pre", tag("code", command)))
    try:
        return _curves(drawn, subject.patience) if len(drawn.inputs) == 1 else _maps(drawn, subject.patience)
    except Undecided as error:
        told = f"Not drawn: {error} (verimv plot has higher limits)."
        return tag("p", told, class_="empty")


def _whose(drawn: Formula | Network) -> str:
    return "The network's function, exactly" if isinstance(drawn, Network) else "The formula's function, exactly"


def _curves(drawn: Formula | Network, seconds: float) -> Markup:
    found = curves(drawn, seconds)
    told = [f"{curve.name}: {counted(len(curve.points) - 1, 'linear piece')}" for curve in found[:MAX_CURVES]]
    more = f" (the first {MAX_CURVES} of {len(found)} outputs)" if len(found) > MAX_CURVES else ""
    caption = f"{_whose(drawn)}{more}. {'; '.join(told)}; breakpoints are marked."
    figure = Markup(curves_svg(found, drawn.inputs[0], 720, 380))
    rows = [
        (
            curve.name,
            ", ".join(f"{label(x, 14)} ↦ {label(y, 14)}" for x, y in zip(curve.points, curve.values, strict=True)),
        )
        for curve in found[:MAX_CURVES]
        if len(curve.points) <= 40
    ]
    points = tag("details", tag("summary", "Ends and breakpoints"), table(("", ""), rows)) if rows else ""
    return joined(tag("figure", figure, tag("figcaption", caption)), points)


def _maps(drawn: Formula | Network, seconds: float) -> Markup:
    found = region_maps(drawn, PICTURE_REGIONS, seconds)
    figures = [_map(drawn, region_map, i) for i, region_map in enumerate(found[:PICTURE_MAPS])]
    more = len(found) - len(figures)
    note = tag("p", f"{counted(more, 'more output')} not drawn.", class_="hint") if more else ""
    return joined(tag("div", *figures, class_="maps"), note)


def _map(drawn: Formula | Network, region_map: RegionMap, number: int) -> Markup:
    picture = Markup(map_svg(region_map, drawn.inputs, box_of(drawn), f"map{number}", 400))
    low, high = label(region_map.low, 16), label(region_map.high, 16)
    caption = (
        f"{_whose(drawn)}: {region_map.name} has {counted(region_map.regions, 'linear region')} (white lines), and "
        f"values from {low} to {high}."
    )
    return tag("figure", picture, tag("figcaption", caption))


# -- bounds -----------------------------------------------------------------------------------------------------


def bounds_section(subject: FormulaSubject, reading: Reading) -> Markup:
    if subject.network is None or not reading.neurons:
        return tag("p", "Bounds are read from the certificate of a network, but there is none.", class_="empty")
    intervals = interval_bounds(subject.network).layers
    figures = []
    for number, layer in enumerate(subject.network.layers, start=1):
        used = [reading.used_range(number, i) for i in range(len(layer.rows))]
        bars = [
            Ranges((bound.lower, bound.upper), pair)
            for bound, pair in zip(intervals[number - 1], used, strict=True)
            if pair is not None
        ]
        if bars and len(bars) == len(layer.rows):
            more = f", the first {MAX_BARS} drawn" if len(bars) > MAX_BARS else ""
            caption = f"Layer {number}: {counted(len(bars), 'neuron')}{more}. {_shares(bars)}"
            style = f"max-width:{chart_width(len(bars)):.0f}px"
            figures.append(tag("figure", Markup(ranges_svg(bars, number)), tag("figcaption", caption), style=style))
    intro = (
        "The range of every neuron before its activation. Light: by interval arithmetic. Dark: proved and used by the "
        "certificate. Narrower ranges need fewer units."
    )
    other = tag("p", _OF_THE_OTHER, class_="hint") if subject.is_approximate else ""
    return joined(tag("p", intro), other, _bounds_told(reading), tag("div", *figures, class_="ranges"))


def _bounds_told(reading: Reading) -> Markup:
    proved = sum(bool(bound.cases) for bound in reading.bounds.values())
    told = f"{counted(proved, 'bound')} with evidence in the certificate" if proved else "No evidence was needed"
    if reading.assumed:
        return tag("p", f"{counted(reading.assumed, 'bound')} assumed without evidence.", class_="note open")
    return tag(
        "p", f"{told}; {'the others' if proved else 'all'} follow from interval arithmetic over units.", class_="hint"
    )


def _shares(bars: Sequence[Ranges]) -> str:
    loose = sum(as_float(high - low) for (low, high), _ in bars)
    tight = sum(as_float(high - low) for _, (low, high) in bars)
    return f"Together, the ranges used are {tight / loose:.0%} as wide as the intervals." if loose else ""


# -- sizes and graph --------------------------------------------------------------------------------------------


def sizes_section(measures: Measures, layers: Layers | None, settings: str) -> Markup:
    operators = ", ".join(_operator(name, count) for name, count in measures.operators.items())
    length = short_length(measures.length_text)
    rows = [
        ("length", length, "occurrences of variables in the written-out formula"),
        ("nodes", f"{measures.size:,}", f"distinct subformulas in the shared graph: {operators}"),
        ("depth", f"{measures.depth:,}", "operators on the longest path"),
    ]
    parts = [table(("measure", "value", "meaning"), rows, "sizes")]
    if layers is not None and len(layers.views) > 1:
        per_layer = [
            (f"layer {view.number}", f"{view.neurons:,}", f"{len(view.units) + view.more:,}", f"{view.nodes:,}")
            for view in layers.views
        ]
        parts.append(table(("", "neurons", "units", "new nodes"), per_layer, "sizes numbers"))
    if settings:
        parts.append(tag("p", settings, class_="hint"))
    return joined(*parts)


def _operator(name: str, count: int) -> str:
    if name == "variable":
        return counted(count, name)
    return f"the constant {name}" if name in ("0", "1") else f"{count:,} {name}"


def left_out_note(left_out: int) -> Markup:
    if not left_out:
        return Markup("")
    told = f"{counted(left_out, 'node')} far below the outputs are left out of this page; formula.mv has them all."
    return tag("p", told, class_="note open")


def unread_note(reading: Reading) -> Markup:
    if reading.stopped_at is None:
        return Markup("")
    told = f"Claims are shown only up to line {reading.lines}: the rule {reading.stopped_at} after it is unknown."
    return tag("p", told, class_="note open")
