"""An explanation in words: the value, the linear form, the units as votes, and how far until something changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verimv.exact import ZERO, Number
from verimv.exact.decimals import brief, readable, rounded_down
from verimv.formulas.printing import quoted
from verimv.networks.ballots import MAX_LISTED, Ballot, ballot, input_words, phrase, telling_digits, vote_number
from verimv.networks.transforms.outputs import OutputMap
from verimv.questions.explanation import OFF, Explanation, Move, OutputAt, UnitAt

#: Outputs, units, terms and changes that are listed.
_OUTPUTS, _UNITS, _TERMS, _CHANGES = 12, 8, 8, 8
#: Significant digits of coefficients and distances.
_DIGITS = 4


def explained(found: Explanation, numbers: str = "auto") -> Iterator[str]:
    """Yield the lines of an explanation."""
    network = found.network
    for output in found.outputs[:_OUTPUTS]:
        name = quoted(network.label(output.name))
        yield f"{name} = {readable(output.value, numbers)}"
        yield from _formula_told(name, output, numbers)
    if len(found.outputs) > _OUTPUTS:
        yield f"… and {len(found.outputs) - _OUTPUTS:,} more outputs"
    if len(found.outputs) > 1:
        yield f"the largest leads by {readable(found.decision.value, numbers)}: {found.decision.name}"
    if found.statement:
        yield ""
        yield "certified:"
        yield from (f"  {line}" for line in found.statement)
    yield ""
    yield "around this point, " + _linear(found, numbers)
    yield ""
    yield from _units_told(found, numbers)
    yield ""
    yield from _changes_told(found, numbers)


def _formula_told(name: str, output: OutputAt, numbers: str) -> Iterator[str]:
    if output.formula is None:
        return
    scale, offset = output.map
    value = readable(output.formula, numbers)
    if output.map == OutputMap():
        yield f"  the formula has the value {value}"
    else:
        sign = "−" if offset < 0 else "+"
        yield (
            f"  the formula has the value {value}; "
            f"{name} = {brief(scale, numbers)}·formula {sign} {brief(abs(offset), numbers)}"
        )
    if (gap := abs(output.map.undone(output.formula) - output.value)) != 0:
        yield f"  the network and the formula are {readable(gap, numbers)} apart here"


def _name(found: Explanation, index: int) -> str:
    return quoted(found.network.label(found.network.inputs[index]))


def _linear(found: Explanation, numbers: str) -> str:
    """Return the decision as a linear function in the inputs' own units, the term with the largest effect first."""
    form = found.decision.form
    widths = [high - low for low, high in found.network.box]
    terms = sorted(form.terms, key=lambda term: -abs(term[1]) * widths[term[0]])
    names = {j: _name(found, j) for j, _ in terms[:_TERMS]}
    text = _sum(form.constant, [(w, names[j]) for j, w in terms[:_TERMS]], numbers)
    more = f" + … ({len(terms) - _TERMS:,} terms with less effect)" if len(terms) > _TERMS else ""
    own = found.network.label(found.decision.name)
    return f"{quoted(own) if len(found.outputs) == 1 else own} = {text}{more}"


def _sum(constant: Number, terms: Sequence[tuple[Number, str]], numbers: str) -> str:
    text = brief(constant, numbers, _DIGITS) if constant or not terms else ""
    for weight, name in terms:
        size = abs(weight)
        factor = "" if size == 1 else f"{brief(size, numbers, _DIGITS)}·"
        sign = (" − " if weight < 0 else " + ") if text else ("−" if weight < 0 else "")
        text += f"{sign}{factor}{name}"
    return text


# -- units --------------------------------------------------------------------------------------------------------


def _units_told(found: Explanation, numbers: str) -> Iterator[str]:
    counts = ", ".join(f"{count:,} {state}" for state, count in found.counts.items() if count)
    total = len(found.units)
    if not total:
        yield "no units: the network is linear"
        return
    yield f"{total:,} unit{'s' * (total > 1)}: {counts}" + (". Those that decide most:" if total > _UNITS else "")
    for unit in sorted(found.units, key=_importance)[:_UNITS]:
        yield from _unit_told(found, unit, numbers)
    if total > _UNITS:
        yield f"  … and {total - _UNITS:,} more units"


def _importance(unit: UnitAt) -> tuple[bool, Number]:
    """Units that are on first, by what they give; then those that are off, by how close they are to the edge."""
    return unit.state == OFF, -unit.argument if unit.state == OFF else -abs(unit.weight * unit.value)


def _unit_told(found: Explanation, unit: UnitAt, numbers: str) -> Iterator[str]:
    network = found.network
    head = f"  {unit.name} {unit.state}"
    if unit.state != OFF:
        head += f", value {vote_number(unit.value, numbers)}"
        if unit.layer < len(network.layers):
            head += f", gives {vote_number(unit.weight * unit.value, numbers)}"
    if unit.layer > 1:
        yield head
        yield f"      {_sides_told(found, unit, numbers)}"
        return
    layer = network.layers[0]
    votes = ballot(layer.rows[unit.number], network.box)
    if votes.threshold >= votes.total or not votes.votes:
        yield f"{head}, everywhere in the box"
        return
    got = unit.argument + votes.threshold
    digits = telling_digits(got, votes.threshold)
    needed = phrase(votes, numbers, layer.activation == "crelu", digits)
    yield f"{head}: has {vote_number(got, numbers, digits)} votes, {needed}"
    yield f"      {_cast_told(found, votes, numbers)}"


def _cast_told(found: Explanation, votes: Ballot, numbers: str) -> str:
    """Return the votes that inputs cast, those that count most first, and of how much each could give."""
    network = found.network
    cast = {vote: vote.weight * vote.literal(found.point[vote.node], network.box[vote.node]) for vote in votes.votes}
    order = sorted(votes.votes, key=lambda vote: -cast[vote])
    told = [
        f"{input_words(network.label(network.inputs[vote.node]), network.box[vote.node], vote.negated, numbers)} "
        f"{vote_number(cast[vote], numbers)} of {vote_number(vote.weight, numbers)}"
        for vote in order[:MAX_LISTED]
    ]
    if rest := order[MAX_LISTED:]:
        given = vote_number(sum((cast[vote] for vote in rest), ZERO), numbers)
        whole = vote_number(sum((vote.weight for vote in rest), ZERO), numbers)
        told.append(f"and {len(rest):,} smaller one{'s' * (len(rest) > 1)}, together {given} of {whole}")
    return ", ".join(told)


def _sides_told(found: Explanation, unit: UnitAt, numbers: str) -> str:
    """Return which units below are for a unit and which against it, those that count most first."""
    row = found.network.layers[unit.layer - 1].rows[unit.number]
    values = found.values[unit.layer - 2]
    given = sorted(((j, w * values[j]) for j, w in row.terms if values[j]), key=lambda pair: -abs(pair[1]))
    sides = []
    for side, way in (("for it", 1), ("against it", -1)):
        votes = [(f"{unit.layer - 1}:{j}", abs(x)) for j, x in given if x * way > 0]
        told = [f"{name} {vote_number(x, numbers)}" for name, x in votes[:MAX_LISTED]]
        if rest := votes[MAX_LISTED:]:
            together = vote_number(sum((x for _, x in rest), ZERO), numbers)
            told.append(f"and {len(rest):,} smaller one{'s' * (len(rest) > 1)}, together {together}")
        if row.constant * way > 0:
            told.append(f"the bias {vote_number(abs(row.constant), numbers)}")
        if told:
            sides.append(f"{side}: {', '.join(told)}")
    return "; ".join(sides) or "no unit below is on"


# -- changes ------------------------------------------------------------------------------------------------------


def _changes_told(found: Explanation, numbers: str) -> Iterator[str]:
    changes = sorted((move for move in found.moves if move.unit is not None), key=found.share)
    if changes:
        yield "how far until a unit changes its state, if a single input moves:"
        yield from (f"  {_change(found, move, numbers)}" for move in changes[:_CHANGES])
        if len(changes) > _CHANGES:
            yield f"  … and {len(changes) - _CHANGES:,} more, which are farther"
    elif found.radius is not None:
        yield "no unit changes its state if a single input moves, as far as the box goes"
    if found.radius is not None:
        share = brief(found.radius, numbers) if numbers == "exact" else f"{rounded_down(found.radius * 100)} %"
        yield f"nothing changes while every input moves by less than {share} of its range"
    zeros = sorted((move for move in found.moves if move.decided is not None), key=lambda move: move.decided or 0)
    own = quoted(found.network.label(found.decision.name)) if len(found.outputs) == 1 else found.decision.name
    before = "before a unit changes" if changes else "if a single input moves in the box"
    if zeros:
        yield f"{before}, {own} reaches 0:"
        yield from (
            f"  {_moved(found, move, move.decided, numbers)}" for move in zeros[:_CHANGES] if move.decided is not None
        )
    else:
        yield f"{before}, {own} does not reach 0"


def _change(found: Explanation, move: Move, numbers: str) -> str:
    name = move.unit.name if move.unit is not None else ""
    words = {"off": "turns off", "full": "becomes full", "rising": "starts to rise"}
    if move.unit is not None and move.unit.state == "full":
        words = {"rising": "is full no longer"}
    return f"{_moved(found, move, move.distance, numbers)}: {name} {words[move.becomes]}"


def _moved(found: Explanation, move: Move, distance: Number, numbers: str) -> str:
    low, high = found.network.box[move.input]
    end = brief(found.point[move.input] + move.way * distance, numbers, _DIGITS)
    share = _percent(distance / (high - low), numbers)
    verb = "up" if move.way > 0 else "down"
    return f"{_name(found, move.input)} {verb} by {brief(distance, numbers, _DIGITS)}, to {end} ({share} of its range)"


def _percent(share: Number, numbers: str) -> str:
    return brief(share, numbers) if numbers == "exact" else f"{brief(share * 100, 'decimal', 3)} %"
