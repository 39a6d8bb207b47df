"""The hyperplane method in any dimension: f = min over I of max over J of σ(p), p the affine pieces of f (eq. (8)).

For a linear region R with f = p there, let J hold p and pieces q ≤ p on R such that max J ≥ f everywhere; then
max J = f on R, and the minimum over all regions is f. In one dimension such pieces always exist: where f rises above
the line of p, some piece on the way is steeper, so it lies below p on R and reaches f. In several dimensions a region
may have to be cut first, along q = p for a piece q: once the pieces keep their order on a region, a segment from there
to any point has such a piece on its way (Ovchinnikov 2002).

"all" has a set J for every region, with all pieces that lie below p on R, as in textbooks. "few" has only the pieces
that J needs, each chosen at a point where max J is still below f, and a new J only for a region that no other J serves.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.core.errors import InputError, InternalError
from verimv.exact import Algebraic, is_integer
from verimv.formulas.dag import Dag, join, meet
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.paper.baselines.truncated import Truncated, choose_logic
from verimv.pieces.piecewise import Piecewise, names_of
from verimv.pieces.regions import Point, Polytope, Region, linear_regions

CHOICES = ("all", "few")

#: A set J; its first piece is that of the region for which it was made.
Alternatives = tuple[Affine, ...]
#: A region, and f on it.
Place = tuple[Polytope, Affine]


def hyperplane(
    subject: Formula | Network | Piecewise,
    variable: str = "x",
    *,
    choice: str = "all",
    sigma: str = "quadratic",
    logic: str = "auto",
) -> Formula:
    """Return a formula of the function of a formula or network, or of a function of one variable.

    `choice` is one of :data:`CHOICES`; `sigma` says how σ(p) is built: see :mod:`verimv.paper.baselines.truncated`.
    """
    if choice not in CHOICES:
        raise InputError(f"unknown choice {choice}: choose one of {', '.join(CHOICES)}")
    if isinstance(subject, Piecewise):
        regions = interval_regions(subject)
    elif len(subject.outputs) != 1:
        raise InputError(f"expected one output, found {len(subject.outputs)}")
    else:
        regions = linear_regions(subject)
    names = names_of(subject, variable)
    check_unit_interval(regions)
    chosen = choose_logic(_number_kind(regions), logic)
    dag = Dag()
    truncated = Truncated(dag, names.inputs, chosen, sigma)
    root = -1
    for alternatives in lattice(regions, few=choice == "few"):
        highest = _joined(dag, [truncated.node(form) for form in alternatives])
        root = highest if root < 0 else meet(dag, root, highest)
    return Formula(dag, names.inputs, [root], names.outputs)


def interval_regions(function: Piecewise) -> list[Region]:
    """Return the pieces of a function of one variable as regions."""
    return [Region(Polytope(((piece.left,), (piece.right,)), (1, 2), 2), (piece.form,)) for piece in function.pieces()]


def lattice(regions: Sequence[Region], *, few: bool) -> list[Alternatives]:
    """Return the different sets J over which the minimum is taken, without those that contain another."""
    forms = list(dict.fromkeys(region.outputs[0] for region in regions))
    others = [(region.polytope, region.outputs[0]) for region in regions if region.outputs[0] != Affine(())]
    found: dict[frozenset[Affine], Alternatives] = {}
    pending = [(region.polytope, region.outputs[0]) for region in reversed(regions)]
    while pending:
        polytope, form = pending.pop()
        if few and any(_serves(polytope, form, chosen) for chosen in found.values()):
            continue
        below = [other for other in forms if other != form and polytope.at_most(other, form)]
        chosen, witness = _reaching(form, below, others) if few else _checked((form, *below), others)
        if witness is None:
            found[frozenset(chosen)] = chosen
        else:
            pending += _cut(polytope, form, forms, witness)
    return [found[key] for key in found if not any(other < key for other in found)]


def _serves(polytope: Polytope, form: Affine, alternatives: Alternatives) -> bool:
    """Whether a set made for another region has the maximum `form` on this one, too."""
    return form in alternatives and all(polytope.at_most(other, form) for other in alternatives)


def _reaching(form: Affine, below: Sequence[Affine], others: Sequence[Place]) -> tuple[Alternatives, Point | None]:
    """Return a few pieces that together with `form` reach f everywhere; or a point at which none reaches f."""
    chosen = [form]
    for place in others:
        while (witness := _short_of(place, chosen)) is not None:
            highest = max(below, key=lambda other: other(witness), default=form)
            if highest(witness) < place[1](witness):
                return (), witness
            chosen.append(highest)
    return tuple(chosen), None


def _checked(chosen: Alternatives, others: Sequence[Place]) -> tuple[Alternatives, Point | None]:
    """Return all chosen pieces, and a point at which none reaches f, if there is one."""
    witnesses = (_short_of(place, chosen) for place in others)
    return chosen, next((witness for witness in witnesses if witness is not None), None)


def _short_of(place: Place, chosen: Sequence[Affine]) -> Point | None:
    """Return a point of the region at which every chosen form is below the region's own, if there is one."""
    rest, value = place
    if value in chosen:
        return None
    for form in chosen:
        above = rest.cut(value + (-form))[1]
        if above is None:
            return None
        rest = above
    return rest.centre


def _cut(polytope: Polytope, form: Affine, forms: Sequence[Affine], witness: Point) -> list[Place]:
    """Cut the region along q = form, for the piece q that crosses the region and is highest at the point."""
    for other in sorted(forms, key=lambda other: other(witness), reverse=True):
        low, high = polytope.cut(other + (-form))
        if low is not None and high is not None:
            return [(low, form), (high, form)]
    raise InternalError("a region with ordered pieces has no alternatives: the function is not continuous")


def _joined(dag: Dag, nodes: Sequence[int]) -> int:
    """Return the ∨ of all nodes. The second operand of ∨ is written twice, so it is the short one."""
    result = nodes[0]
    for node in nodes[1:]:
        result = join(dag, result, node)
    return result


def check_unit_interval(regions: Sequence[Region]) -> None:
    for polytope, (form,) in regions:
        if any(not 0 <= form(vertex) <= 1 for vertex in polytope.vertices):
            raise InputError("expected a function with values in [0,1]: formulas have no other values")


def _number_kind(regions: Sequence[Region]) -> str:
    numbers = [x for region in regions for form in region.outputs for x in (form.constant, *(w for _, w in form.terms))]
    if any(isinstance(number, Algebraic) for number in numbers):
        return "algebraic"
    return "integer" if all(map(is_integer, numbers)) else "rational"
