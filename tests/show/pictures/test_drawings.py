"""What is drawn is the function: exact graphs and regions, well-formed SVG, layouts without overlap."""

import itertools
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from verimv import InputError, Layer, Network, Undecided, load, parse
from verimv.exact import Rational, parse_number
from verimv.show.pictures.axes import exact_ticks, label, round_ticks
from verimv.show.pictures.curves import curves, curves_svg
from verimv.show.pictures.graph import folded, graph_svg, place, top_of
from verimv.show.pictures.layout import spread
from verimv.show.pictures.maps import SCALE, box_of, map_svg, mixed, region_maps, shading
from verimv.show.pictures.svg import element

HAT = parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture):
    return ElementTree.fromstring(picture)


def on_a_box():
    """|x1| on [-2, 4]."""
    layers = [Layer.of([[1], [-1]], [0, 0]), Layer.of([[1, 1]], [0], "identity")]
    return Network.of(layers, box=[[-2, 4]])


def test_a_curve_is_in_the_networks_own_units():
    (curve,) = curves(on_a_box())
    assert (curve.points, curve.values) == ((-2, 0, 4), (2, 0, 4))


def test_the_graph_of_the_hat_marks_its_breakpoint():
    (curve,) = curves(HAT)
    picture = parsed(curves_svg([curve], "x"))
    (mark,) = picture.iter(f"{SVG}circle")
    assert mark[0].text == "y1(1/2) = 1"


def test_names_cannot_break_out_of_a_picture():
    (curve,) = curves(HAT)
    picture = curves_svg([curve._replace(name='</svg><script>"&')], "<x>")
    assert "<script>" not in picture
    assert '</svg><script>"&' in [node.text for node in parsed(picture).iter(f"{SVG}text")]


@given(oracle.expressions(names=("x1", "x2"), max_leaves=7))
def test_cells_fill_the_square_and_carry_the_function(text):
    formula = parse(f"({text}) ⊕ (x1 ⊙ 0) ⊕ (x2 ⊙ 0)")
    (drawn,) = region_maps(formula)
    area = Fraction(0)
    for cell in drawn.cells:
        sides = zip(cell.corners, cell.corners[1:] + cell.corners[:1], strict=True)
        twice = sum(p[0] * q[1] - q[0] * p[1] for p, q in sides)
        assert twice > 0  # counter-clockwise
        area += Fraction(str(twice)) / 2
        for corner in cell.corners:
            value = cell.form(corner)
            assert value == formula.at(dict(zip(formula.inputs, corner, strict=True)))[0]
            assert drawn.low <= value <= drawn.high
    assert area == 1
    parsed(map_svg(drawn, formula.inputs, box_of(formula), "m"))


@pytest.mark.parametrize(
    ("text", "regions", "borders"),
    [("x1 ⊕ x2", 2, 1), ("x1 ∧ x2", 2, 1), ("(x1 ⊕ x2) ⊙ ¬(x1 ⊙ x2)", 2, 1), ("¬(x1 ⊕ x2) ⊕ (x1 ⊕ x2) ⊕ x2", 1, 0)],
)
def test_regions_are_counted_without_seams(text, regions, borders):
    """Cells that bend nowhere against each other are one region, however many they are."""
    (drawn,) = region_maps(parse(text))
    assert (drawn.regions, len(drawn.borders)) == (regions, borders)


def test_shading_meets_the_ends_of_the_scale():
    (drawn,) = region_maps(parse("x1 ⊙ 1 ⊕ (x2 ⊙ 0)"))
    shade = shading(drawn.cells[0].form, drawn, (100.0, 100.0))
    assert (shade.first, shade.last, shade.share) == ((0.0, 0.0), (1.0, 0.0), None)
    assert (mixed(0.0), mixed(1.0)) == (SCALE[0], SCALE[-1])


def test_pictures_of_other_functions_are_refused():
    with pytest.raises(InputError, match="one input, found 2"):
        curves(parse("x1 ⊕ x2"))
    with pytest.raises(InputError, match="two inputs, found 1"):
        region_maps(HAT)
    with pytest.raises(Undecided, match="more than 1 linear regions"):
        region_maps(parse("x1 ⊕ x2"), limit=1)
    with pytest.raises(Undecided, match="no answer in"):
        region_maps(parse("x1 ⊕ x2"), seconds=0)
    for subject in (HAT, load("examples/networks/hat.json")):
        with pytest.raises(Undecided, match="no answer in"):
            curves(subject, seconds=0)


@given(oracle.expressions(names=("x1", "x2"), max_leaves=12))
def test_nodes_do_not_overlap_and_edges_meet_them(text):
    formula = parse(text)
    drawn = top_of(formula)
    placed = place(formula, drawn)
    assert not drawn.cut
    rows = {}
    for node, (x, rank) in placed.places.items():
        rows.setdefault(rank, []).append(x)
        for operand in formula.dag.operands(node):
            way = placed.edges[node, operand]
            assert (way[0], way[-1]) == (placed.places[node], placed.places[operand])
            assert [rank for _, rank in way] == list(range(rank, placed.places[operand][1] - 1, -1))
    for row in rows.values():
        assert all(b - a >= 28 for a, b in itertools.pairwise(sorted(row)))
    picture = parsed(graph_svg(formula))
    assert len(list(picture.iter(f"{SVG}rect"))) == formula.size


def test_a_large_formula_is_cut_at_the_limit():
    formula = parse(" ⊕ ".join(f"(x{i} ⊙ x{i + 1})" for i in range(300)))
    drawn = top_of(formula, 50)
    assert len(drawn.nodes) <= 50
    assert drawn.cut
    assert "operands left out" in graph_svg(formula, 50)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(1, 20)), min_size=1, max_size=8))
def test_spread_keeps_order_and_room(items):
    wanted, widths = [want for want, _ in items], dict(enumerate(width for _, width in items))
    x = spread(range(len(items)), wanted, widths)
    for i, j in itertools.pairwise(range(len(items))):
        assert x[j] - x[i] >= (widths[i] + widths[j]) / 2 - 1e-6
    if all(b - a >= (widths[i] + widths[i + 1]) / 2 for i, (a, b) in enumerate(itertools.pairwise(wanted))):
        assert all(abs(x[i] - want) < 1e-6 for i, want in enumerate(wanted))


def test_labels_say_when_they_are_rounded():
    assert label(Rational(-3, 4)) == "−3/4"
    assert label(Rational(123456789, 1000000007)) == "≈0.1235"
    assert label(parse_number("sqrt(2)/2")) == "sqrt(2)/2"
    assert label(Rational(-(10**400))) == "≈−1e400"
    assert label(Rational(1, 10**400)) == "≈1e−400"


def test_ticks():
    assert [tick.text for tick in round_ticks(0, 1)] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert [tick.text for tick in round_ticks(-3, 5)] == ["−2", "0", "2", "4"]
    assert len(round_ticks(2, 2)) == 1
    assert exact_ticks([Rational(0), Rational(1, 1000), Rational(1)], 400, 24) is None
    assert [tick.text for tick in exact_ticks([Rational(0), Rational(1, 3), Rational(1)], 400, 24)] == ["0", "1/3", "1"]


def test_attributes_are_escaped():
    assert element("a", {"title": '"<'}) == '<a title="&quot;&lt;"/>'


def test_folding_keeps_what_is_shared():
    formula = parse("((x ⊕ y) ⊙ ¬z) ⊕ ((x ⊕ y) ⊙ z ⊙ x)")
    drawn = folded(formula)
    labels = [drawn.label(formula.dag, node) for node in drawn.nodes]
    assert sorted(labels) == ["5 nodes", "x", "y", "z", "⊕"], "x ⊕ y is used twice"
    [root] = formula.roots
    assert {drawn.label(formula.dag, node) for node in drawn.operands(formula.dag, root)} == {"x", "z", "⊕"}


def test_a_map_has_the_line_where_a_margin_is_zero():
    network = Network.of([Layer.of([[2, 1], [1, 1]], [-1, -1]), Layer.of([[1, -1]], ["-1/4"], "identity")])
    [found] = region_maps(network)
    assert found.zeros
    assert all(network.at(point) == [0] for side in found.zeros for point in side)
    assert 'class="zero"' in map_svg(found, network.inputs, box_of(network), "m")
    [whole] = region_maps(parse("x ⊕ y"))
    assert not whole.zeros, "0 is its least value"
