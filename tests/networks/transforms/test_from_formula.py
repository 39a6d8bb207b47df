from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import expressions, formula_values, grid
from verimv.exact import as_number
from verimv.formulas.formula import parse
from verimv.formulas.mvfile import read_mv
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network


def shape(network: Network) -> list[int]:
    return [len(layer.rows) for layer in network.layers]


@given(st.sampled_from(["mv", "dmv", "rmv"]).flatmap(lambda logic: st.tuples(st.just(logic), expressions(logic=logic))))
def test_network_equals_formula(logic_and_text):
    logic, text = logic_and_text
    formula = parse(text)
    network = to_network(formula)
    assert {layer.activation for layer in network.layers[:-1]} <= {"relu"}
    if logic == "mv":
        assert network.number_kind == "integer"
    for point in grid(len(formula.inputs), 3) if formula.inputs else [()]:
        expected = formula_values(formula, dict(zip(formula.inputs, point, strict=True)))
        assert network.at([as_number(x) for x in point] or [as_number(0)]) == expected


def test_the_papers_network_with_no_more_neurons():
    """Φ^τ for τ = (x⊕x)⊙¬y has 3 + 1 neurons; ρ(−y) is provably 0, so 2 + 1 suffice."""
    network = to_network(parse("(x ⊕ x) ⊙ ¬y"))
    assert shape(network) == [2, 1, 1]
    first, second, _ = network.layers
    assert [(row.dense(2), row.constant) for row in first.rows] == [([-2, 0], 1), ([0, 1], 0)]
    assert (second.rows[0].dense(2), second.rows[0].constant) == ([-1, -1], 1)
    assert network.number_kind == "integer"


def test_no_neuron_that_can_be_avoided():
    assert shape(to_network(parse("x"))) == [1]
    assert shape(to_network(parse("¬x"))) == [1]
    assert shape(to_network(parse("x ⊕ ¬x"))) == [1], "constantly 1"
    assert shape(to_network(parse("x ⊙ ¬x"))) == [1], "constantly 0"
    assert shape(to_network(parse("δ[2]x ⊕ δ[2]y"))) == [1], "never saturates"
    assert shape(to_network(parse("x ⊕ y"))) == [1, 1]
    assert shape(to_network(parse("(x ⊙ y) ⊕ (x ⊙ y)"))) == [1, 1, 1], "equal neurons are one neuron"
    assert shape(to_network(parse("1"))) == [1]


def test_chains_are_one_neuron():
    assert shape(to_network(parse("x ⊕ y ⊕ z"))) == [1, 1]
    assert shape(to_network(parse("x ⊙ y ⊙ z ⊙ x"))) == [1, 1]
    assert shape(to_network(parse("1000·x"))) == [1, 1]
    assert shape(to_network(parse("¬(x ⊕ y) ⊙ z"))) == [1, 1]
    wide = to_network(parse(" ⊕ ".join(f"x{i}" for i in range(1000))))
    assert sum(shape(wide)) < 4000


def test_several_outputs_and_unused_inputs():
    formula = read_mv("verimv-formula 1\ninputs x y unused\na = x ⊕ y\nb = a ⊙ ¬x\noutputs a b x\n")
    network = to_network(formula)
    assert (network.inputs, network.outputs) == (("x", "y", "unused"), ("a", "b", "x_out"))
    for point in grid(3, 2):
        expected = formula_values(formula, dict(zip(formula.inputs, point, strict=True)))
        assert network.at([as_number(x) for x in point]) == expected
