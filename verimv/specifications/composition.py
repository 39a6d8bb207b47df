"""A network and a case of its specification as one network, whose only output is the margin of the case.

The case is impossible if its margin is positive at every point of its box; or not negative, where zero is enough. Each
constraint is t ≤ 0 or t < 0. At a point of the case every t is ≤ 0, and the strict ones are < 0. So

- with no strict constraint, the margin is max t, and must be positive. This is exact: the case is impossible if and
  only if the margin is positive everywhere;
- with strict constraints s only, it is max s, and must not be negative. This is exact, too;
- with both, max(s, t) would not do: where it is 0, the case may be possible (x ≤ 0 and x − 1 < 0 at 0) or not (x ≤ 0
  and −x < 0 at 0). The margin is max s + w·ρ(max t) for some w > 0, and must not be negative. For every w this is
  sound: in the case, max s < 0 and ρ(max t) = 0. It is exact for a large enough w, since all this is piecewise linear;
- with a threshold t0 > 0, it is σ(Σ ρ(t) / t0) over all constraints, strict or not, and must be positive: then some
  constraint is violated. This is not exact, but boxes of inputs are closed far more easily by it
  (docs/design/evidence.md);
- with multipliers, it is the sum of the constraints times these, for constraints that contradict each other whatever
  the network computes. The sum is < 0 in the case if a strict constraint has a multiplier, and otherwise ≤ 0.

Strict bounds of single inputs are first left out, which makes the case larger (`closed`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from verimv.core.errors import InputError
from verimv.exact import ONE, Number, format_number, parse_number, sign
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine, combination
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.compose import stack
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.margins import Tower, conditions_network, margin_network
from verimv.networks.transforms.truth_value import with_truth_value
from verimv.specifications.conditions import LinearConstraint
from verimv.specifications.specification import System, UnsafeCase


@dataclass(frozen=True)
class MarginForm:
    """How the margin of a case is made from its constraints. Every choice is sound."""

    #: whether ends of the box that do not belong to the case are taken to it
    closed: bool = True
    #: the weight w of the constraints that are not strict, if there are both
    weight: Number = ONE
    #: multipliers of the constraints, for those that contradict each other
    multipliers: tuple[Number, ...] | None = None
    #: the sum of positive constraints that makes a truth value 1
    threshold: Number | None = None

    def constraints(self, case: UnsafeCase) -> tuple[LinearConstraint, ...]:
        return case.constraints if self.closed else (*case.constraints, *case.open_ends)

    def allows_zero(self, case: UnsafeCase) -> bool:
        """Return whether the case is impossible also where its margin is 0."""
        constraints = self.constraints(case)
        if self.threshold is not None:
            return False
        if self.multipliers is None:
            return any(one.strict for one in constraints)
        return any(one.strict and factor for one, factor in zip(constraints, self.multipliers, strict=True))

    def excludes(self, case: UnsafeCase, low: Number) -> bool:
        """Return whether a case is impossible if its margin is at least `low` everywhere."""
        return low > 0 or (low == 0 and self.allows_zero(case))

    def data(self) -> dict[str, object]:
        """Return the form for JSON."""
        if self.threshold is not None:
            return {"closed": self.closed, "threshold": format_number(self.threshold)}
        if self.multipliers is not None:
            return {"closed": self.closed, "multipliers": [format_number(x) for x in self.multipliers]}
        return {"closed": self.closed, "weight": format_number(self.weight)}


def margin_of(system: System, case: UnsafeCase, form: MarginForm) -> Network:
    """Return the network on the box of a case whose output is the margin of the case."""
    constraints = form.constraints(case)
    if not constraints:
        raise InputError("a case without constraints has no margin: every point of its box is in it")
    if system.formula is not None and (form.threshold is not None or form.multipliers is not None):
        raise InputError("the margin of a formula has no threshold and no multipliers")
    network, numbers = _side_by_side(system, case)
    forms = [one.form.renumbered(numbers) for one in constraints]
    if form.threshold is not None:
        return with_truth_value(conditions_network(network, forms), form.threshold)
    if form.multipliers is not None:
        return margin_network(network, [_combined(forms, form.multipliers)])
    if system.formula is not None:
        [value] = forms
        return _with_formula(system.formula, network, value)
    strict = [one for one, constraint in zip(forms, constraints, strict=True) if constraint.strict]
    others = [one for one, constraint in zip(forms, constraints, strict=True) if not constraint.strict]
    return margin_network(network, strict, others, form.weight) if strict else margin_network(network, others)


def conditions_of(system: System, case: UnsafeCase, form: MarginForm) -> Network:
    """Return the network on the box of a case that has an output for each constraint: what must be ≤ 0, or < 0."""
    network, numbers = _side_by_side(system, case)
    return conditions_network(network, [one.form.renumbered(numbers) for one in form.constraints(case)])


def _combined(forms: list[Affine], multipliers: tuple[Number, ...]) -> Affine:
    if len(multipliers) != len(forms) or any(sign(x) < 0 for x in multipliers):
        raise InputError(f"expected {len(forms)} multipliers that are not negative, found {len(multipliers)}")
    return combination(zip(multipliers, forms, strict=True))


def _side_by_side(system: System, case: UnsafeCase) -> tuple[Network, dict[int, int]]:
    """Return the networks as one on the box of a case, where equal inputs are one; and new numbers of all values."""
    kept = [j for j, first in enumerate(case.same) if j == first]
    place = {j: kept.index(first) for j, first in enumerate(case.same)}
    inputs = tuple(system.inputs[j] for j in kept)
    box = tuple(case.box[j] for j in kept)
    parts, start = [], 0
    for network in system.networks.values():
        own = [Affine.variable(place[start + j]) for j in range(len(network.inputs))]
        first = network.layers[0]
        rows = tuple(row.substitute(own) for row in first.rows)
        layers = (Layer(rows, len(kept), first.activation), *network.layers[1:])
        parts.append(replace(network, layers=layers, inputs=inputs, box=box, labels={}))
        start += len(network.inputs)
    rest = range(start, start + len(system.outputs) + (0 if system.formula is None else len(system.formula.outputs)))
    numbers = {**place, **{j: j - start + len(kept) for j in rest}}
    return (parts[0] if len(parts) == 1 else stack(parts)), numbers


def _with_formula(formula: Formula, network: Network, form: Affine) -> Network:
    """Return the margin of a value of a formula, which is applied to σ of the inputs and outputs that it uses."""
    count = len(network.inputs) + len(network.outputs)
    [(index, _)] = form.terms
    formula = formula.output(formula.outputs[index - count])
    names = (*network.inputs, *network.outputs)
    used = [names.index(name) for name in formula.inputs]
    tower = Tower(network, used)
    arguments = [tower.over(Affine.variable(j)) for j in used] or [Affine(())]
    [value] = tower.add_network(to_network(formula), arguments)
    return tower.finished(form.substitute({index: value}))


def read_form(data: object) -> MarginForm:
    """Read a form as :meth:`MarginForm.data` writes it."""
    if isinstance(data, dict) and isinstance(data.get("closed"), bool):
        if data.keys() == {"closed", "weight"} and isinstance(data["weight"], str):
            weight = parse_number(data["weight"])
            if sign(weight) > 0:
                return MarginForm(data["closed"], weight)
        given = data.get("multipliers")
        texts = given if isinstance(given, list) and all(isinstance(x, str) for x in given) else None
        if data.keys() == {"closed", "multipliers"} and texts is not None:
            return MarginForm(data["closed"], ONE, tuple(map(parse_number, texts)))
        if data.keys() == {"closed", "threshold"} and isinstance(data["threshold"], str):
            threshold = parse_number(data["threshold"])
            if sign(threshold) > 0:
                return MarginForm(data["closed"], threshold=threshold)
    raise InputError('expected a margin such as {"closed": true, "weight": "1"}')
