"""Ranges of outputs, from Python: exact, replayed, and by every engine the same."""

import pytest
from hypothesis import given, settings

from tests import oracle
from verimv import Formula, InputError, Layer, Network, Search, output_range, parse
from verimv.core.choices import RANGE_ENGINES
from verimv.exact import Rational, parse_number
from verimv.questions.ranges import certify_output_range

SHIFTED = Network.of([Layer.of([[2, -1], [1, 1]], [0, -1], "relu"), Layer.of([[1, -2]], [0], "identity")], ["u", "v"],
                     box=[("-1", "1"), ("0", "2")])  # fmt: skip


@pytest.mark.parametrize("engine", RANGE_ENGINES)
def test_engines_agree(engine):
    [found] = output_range(SHIFTED, engine=engine)
    assert (found.lower.value, found.upper.value, found.exact) == (-4, 2, True)
    for end in (found.lower, found.upper):
        assert SHIFTED.at([parse_number(end.at[name]) for name in SHIFTED.inputs]) == [end.value]


@given(oracle.expressions(names=("x", "y"), max_leaves=5))
@settings(max_examples=25, deadline=None)
def test_it_is_the_range_of_the_oracle(text):
    parsed = parse(text)
    formula = Formula(parsed.dag, ["x", "y"], parsed.roots)
    [found] = output_range(formula)
    assert (found.lower.value, found.upper.value) == oracle.exact_range(formula, 2)
    assert found.exact


def test_the_search_is_asked_whatever_solvers_there_are():
    for engine in ("search", "both"):
        [found] = output_range(SHIFTED, engine=engine, search=Search(solvers=("z3", "cvc5")))
        assert found.exact


def test_several_outputs_are_named():
    network = Network.of([Layer.of([[1], [-1]], [0, 0], "identity")], outputs=["up", "down"])
    assert {found.output: (found.lower.value, found.upper.value) for found in output_range(network)} == {
        "up": (0, 1),
        "down": (-1, 0),
    }


def test_what_is_proved_can_be_certified():
    certificate = certify_output_range(SHIFTED, output_range(SHIFTED), 60)
    assert certificate is not None
    certificate.check()


def test_out_of_time_is_not_exact():
    [found] = output_range(parse("x ∨ ¬x"), engine="smt", search=Search(seconds=0))
    assert not found.exact
    assert found.lower.bound <= Rational(1, 2) <= found.lower.value


def test_malformed():
    with pytest.raises(InputError, match="unknown engine guess"):
        output_range(parse("x"), engine="guess")
    with pytest.raises(InputError, match="cannot read a network from int"):
        output_range(3)
