"""Calls from Python with the wrong kind of thing: TypeError, in one line that says what was expected."""

import pytest

import verimv

NETWORK = verimv.Network.of([verimv.Layer.of([[1]], [0], "crelu")])
FORMULA = verimv.parse("x1")
EITHER = "expected Formula or Network, found str"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: verimv.extract("net.onnx"), "expected Network, found str (verimv.load makes one)"),
        (lambda: verimv.extract(FORMULA), "expected Network, found Formula (verimv.load makes one)"),
        (lambda: verimv.equivalent(NETWORK, "x1"), EITHER),
        (lambda: verimv.equivalent("x1", FORMULA), EITHER),
        (lambda: verimv.valid("x1"), EITHER),
        (lambda: verimv.satisfiable("x1"), EITHER),
        (lambda: verimv.entails("x1", FORMULA), EITHER),
        (lambda: verimv.entails(FORMULA, "x1"), EITHER),
        (lambda: verimv.parse(None), "expected str, found NoneType"),
        (lambda: verimv.variable(1), "expected str, found int"),
        (lambda: verimv.read_mv(b""), "expected str, found bytes"),
        (lambda: verimv.read_network(b"{}"), "expected str, found bytes"),
        (lambda: verimv.to_network(NETWORK), "expected Formula, found Network"),
        (lambda: verimv.simplify("x"), "expected Formula, found str"),
        (lambda: verimv.certify(FORMULA, FORMULA), "expected Network, found Formula"),
        (lambda: verimv.certify(NETWORK, "x1"), "expected Formula, found str"),
        (lambda: verimv.certify_formulas(FORMULA, NETWORK), "expected Formula, found Network"),
        (lambda: verimv.certify_range(FORMULA, [(0, 1)]), "expected Network, found Formula"),
        (lambda: verimv.certify_difference(NETWORK, FORMULA), "expected Network, found Formula"),
        (lambda: verimv.compose(NETWORK, FORMULA), "expected Network, found Formula"),
        (lambda: verimv.concatenate("x", NETWORK), "expected Network, found str"),
        (lambda: verimv.stack([NETWORK, None]), "expected Network, found NoneType"),
    ],
)
def test_wrong_types(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message
