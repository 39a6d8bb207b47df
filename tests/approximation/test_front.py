"""`verimv.approximate`: the rows of a front, what they prove, and decisions at points."""

import pytest

import verimv
from verimv.approximation.decisions import Decider, Labels, Sample
from verimv.approximation.front import read_tolerances, row_number
from verimv.approximation.front_text import length_text, share
from verimv.approximation.within import extract_within, output_ranges
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.networks.network import Layer, Network


def slope(weight="3", bias="-1"):
    """One ReLU of one input, with values that may leave [0,1]."""
    return Network.of([Layer.of([[weight]], ["0"]), Layer.of([["1"]], [bias], "identity")])


def pair_of_classes():
    """y1 − y2 is x1 − x2."""
    return Network.of([Layer.of([["1", "0"], ["0", "1"]], ["0", "0"]), Layer.of([["1", "0"], ["0", "1"]], ["0", "0"], "identity")])  # fmt: skip


def test_a_front_from_the_exact_formula_to_a_constant():
    network = Network.of(
        [Layer.of([["2"], ["1/20"]], ["0", "0"]), Layer.of([["1", "1"]], ["-1"], "identity")], inputs=["x"]
    )
    front = verimv.approximate(network, "10%,60%,constant")
    assert [row.number for row in front.rows] == list(range(1, len(front.rows) + 1))
    assert front.rows[0].within == "exact"
    assert front.rows[0].proved == 0
    assert front.rows[-1].is_constant
    lengths, errors = [row.length for row in front.rows], [row.proved for row in front.rows]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == len(lengths)
    assert errors == sorted(errors)
    for row in front.rows:
        assert row.extraction.check(kernel="python") == ""
        assert row.attained <= row.proved
        [map_] = row.extraction.clipped.maps
        for i in range(9):  # as far as the row says, at most
            value = map_.undone(row.formula(Rational(i, 8)))
            assert abs(network(Rational(i, 8)) - value) <= row.proved
    assert "60%" in front.dropped or front.rows[-1].within == "60%"
    assert front.pick(1) is front.rows[0].extraction
    assert front.pick("100%") is front.rows[-1].extraction
    assert str(front).splitlines()[1].split()[:2] == ["1", "exact"]
    assert "the formula is 1/2" in str(front)
    assert "kernel.py" in front._repr_html_()
    assert repr(front).count("\n") == 0
    with pytest.raises(InputError, match="no row 9"):
        front.pick(9)


def test_the_bytes_are_those_of_extract_within():
    network = slope()
    [_, row] = verimv.approximate(network, ["60%"]).rows
    assert row.extraction.certificate.subjects == verimv.extract(network, within="60%").certificate.subjects
    assert list(row.extraction.certificate.lines()) == list(verimv.extract(network, within="60%").certificate.lines())


@pytest.mark.parametrize("network", [slope(), slope("1/3", "100"), pair_of_classes()])
def test_a_constant_is_certified(network):
    found = extract_within(network, "constant")
    assert found.formula.length == 0
    assert found.check(kernel="python") == ""
    for (low, high), tolerance in zip(output_ranges(network), found.tolerances, strict=True):
        assert high - low <= 2 * tolerance <= 2 * (high - low)


def test_whole_weights_with_values_outside_the_unit_interval_are_no_formula():
    found = extract_within(slope("3", "-1"), "1%")
    assert found.check(kernel="python") == ""


def test_a_network_that_is_constant_has_one_row():
    front = verimv.approximate(slope("0", "1/3"))
    assert [row.within for row in front.rows] == ["exact"]


def test_decisions_of_several_outputs():
    front = verimv.approximate(
        pair_of_classes(), "constant", data=[[1, 0], ["1/4", "3/4"], ["1/2", "1/2"], [2, 0]], labels=["y1", 1, "0.0", 0]
    )
    sample = front.sample
    assert (len(sample.points), sample.outside, sample.correct, sample.labelled) == (3, 1, 3, 3)
    assert sample.decisions == [0, 1, 0]
    exact, constant = front.rows
    assert (exact.agreement.agree, exact.agreement.safe) == (3, 3)
    assert (constant.agreement.agree, constant.agreement.correct) == (2, 2)
    assert constant.agreement.safe == 0  # a lead of 1 is not more than 2·1/2
    assert constant.agreement.largest == Rational(1, 2)
    assert "twice the error" in str(front)
    assert "1 outside the box is left out" in str(front)
    assert front.to_dict()["data"] == {
        "rows": 3, "outside": 1, "threshold": "0", "labelled": 3, "network_correct": 3
    }  # fmt: skip


def test_what_is_safe_is_strict():
    one, several = Decider(1, Rational(1, 2)), Decider(2)
    assert (one.decision([Rational(1, 2)]), one.decision([Rational(2, 3)])) == (0, 1)
    assert one.clearance([Rational(1, 4)]) == Rational(1, 4)
    assert several.decision([Rational(1), Rational(1)]) == 0
    assert several.clearance([Rational(1), Rational(3)]) == 2
    assert (one.safe_beyond(Rational(1)), several.safe_beyond(Rational(1))) == (1, 2)


def test_labels():
    network = Network.of([Layer.of([["1"], ["2"], ["3"]], ["0", "0", "0"], "identity")], outputs=["a", "b", "c"])
    assert [Labels(network, None, None).expected(label) for label in ("a", 2, "1.0")] == [0, 2, 1]
    about_two = Labels(network, None, ("c", "a"))
    assert [about_two.expected(label) for label in ("a", "b", "c")] == [0, None, 1]
    one = Labels(network, "b", None)
    assert [one.expected(label) for label in (1, "0", "-1", "True")] == [1, 0, 0, 1]
    for labels, label in [(Labels(network, None, None), "d"), (Labels(network, None, None), 3), (one, "yes"), (one, 2)]:
        with pytest.raises(InputError):
            labels.expected(label)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"within": "0"}, "above 0"),
        ({"within": ["1%", "-1%"]}, "above 0"),
        ({"within": "many"}, "expected a number, or a percentage"),
        ({"within": []}, "at least one"),
        ({"minimise": "depth"}, "unknown measure"),
        ({"labels": [1]}, "labels need data"),
        ({"data": [[1, 2]]}, "expected 1 numbers in row 1, found 2"),
        ({"data": [[float("nan")]]}, "finite"),
        ({"data": [[2], [-1]]}, r"no row lies in the box of the network \(2 outside\)"),
        ({"data": [[1]], "labels": [1, 0]}, "a label for each of 1 rows"),
        ({"data": [[1]], "labels": ["maybe"]}, "expected 1 or 0"),
        ({"output": "z"}, "no output"),
    ],
)
def test_what_is_refused(call, told):
    with pytest.raises(InputError, match=told):
        verimv.approximate(slope(), **call)


def test_a_threshold_needs_one_output():
    with pytest.raises(InputError, match="threshold needs one output"):
        verimv.approximate(pair_of_classes(), threshold=0)


def test_small_parts():
    assert read_tolerances("1%, 0.5,1%") == ["1%", "0.5"]
    assert (row_number("3"), row_number(2), row_number("5%"), row_number("0.5")) == (3, 2, None, None)
    assert (length_text(1234), length_text(10**30), length_text(5e4)) == ("1,234", "≈1.00·10^30", "~2^50000")
    assert (share(999, 1000), share(9999, 10000), share(1, 1)) == ("99.9%", "99.9%", "100.0%")
    assert Sample(slope(), [[1]], None, Rational(0)).labelled == 0
