"""NNet, VNN-LIB, numpy, safetensors and torch are read exactly."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.networks.test_fuzz import safetensors
from tests.oracle import build_network, floats32, grid, network_value, rationals, specs
from verimv.core.errors import InexactWarning, InputError, UnusedWarning
from verimv.exact import as_number
from verimv.networks.formats.json_format import read_box
from verimv.networks.formats.load import load
from verimv.networks.formats.nnet_format import export_nnet, plain, read_nnet
from verimv.networks.formats.onnx_format.model import parse_model
from verimv.networks.formats.onnx_format.model_writer import export_onnx
from verimv.networks.formats.onnx_format.reader import model_network
from verimv.networks.network import Layer, Network

NNET = """// two inputs, normalised
2,2,1,2,
2,2,1,
0,
-1,0,
1,10.,
0.5,5.0,100,
2,-.5e1,10,
1,-1
0.25,0
0.5,
-1,
2,3,
1,
"""


def test_nnet_with_its_normalisation():
    network = read_nnet(NNET)
    assert network.box == ((-1, 1), (0, 10))
    for a, b in [(-1, 0), (1, 10), (Fraction(1, 3), 7)]:
        u, v = (Fraction(a) - Fraction(1, 2)) / 2, (Fraction(b) - 5) / -5
        hidden = [max(0, u - v + Fraction(1, 2)), max(0, u / 4 - 1)]
        assert network(Fraction(a), b) == (2 * hidden[0] + 3 * hidden[1] + 1) * 10 + 100


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2,2,1,2,\n", "2,2,1,\n", "line 2"), ("2,2,1,\n0,", "2,3,1,\n0,", "expected 2 numbers, found 1"), ("2,-.5e1,10", "2,0,10", "range of 0"),
        ("0.25,0\n", "0.25\n", "expected 2 numbers, found 1"), ("0.25,0\n", "0.25,nan\n", "nan"), ("2,3,\n1,\n", "2,3,\n", "the file ends"),
        ("2,3,\n1,\n", "2,3,\n1,\n1,\n", "end of the file"), ("-1,0,\n1,", "2,0,\n1,", "above"), ("2,2,1,2,", "2,2,1,99999999,", "from 1 to"),
    ],
)  # fmt: skip
def test_malformed_nnet(old, new, words):
    assert old in NNET
    with pytest.raises(InputError) as error:
        read_nnet(NNET.replace(old, new, 1), "line 2" if words == "line 2" else "net.nnet")
    assert words in str(error.value)


def box(text, inputs=2):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedWarning)
        return read_box(text, inputs, "p.vnnlib")


def test_assertions_about_outputs_are_not_used_and_the_reader_says_so():
    bounds = "(assert (<= 0 X_0 1))"
    with pytest.warns(UnusedWarning, match=r"verimv verify NETWORK p\.vnnlib"):
        assert read_box(bounds + "(assert (<= Y_0 1))", 1, "p.vnnlib") == ((0, 1),)
    assert read_box(bounds, 1, "p.vnnlib") == ((0, 1),)


def test_vnnlib_boxes():
    text = """; a comment (with brackets
    (declare-const X_0 Real) (declare-const Y_0 Real)
    (assert (<= X_0 0.679857769)) (assert (>= X_0 (- .5)))
    (assert (>= 1e1 X_1)) (assert (and (>= X_1 -1.) (<= X_1 20)))
    (assert (or (and (>= Y_0 1)) (and (<= Y_0 -1))))"""
    assert box(text) == ((Fraction(-1, 2), Fraction(679857769, 10**9)), (-1, 10))


def test_vnnlib_chains_and_fractions():
    """They have the meaning of SMT-LIB."""
    assert box("(assert (<= 0 X_0 (/ 1 2))) (assert (> 3.5 X_1 (- (/ 2 (- 3)))))") == (
        (0, Fraction(1, 2)),
        (Fraction(2, 3), Fraction(7, 2)),
    )
    assert box("(assert (= X_0 (/ 7.5 3) X_0)) (assert (<= 1 Y_0 2)) (assert (<= 0 X_1 1 Y_0))", 2)[0] == (2.5, 2.5)


def test_a_union_of_boxes_is_no_box():
    """Its hull would have points that are not in the property."""
    same = "(assert (or (and (<= X_0 1) (>= X_0 0) (<= Y_0 3)) (and (<= X_0 1) (>= X_0 0)))) (assert (= X_1 7))"
    assert box(same) == ((0, 1), (7, 7))
    with pytest.raises(InputError, match="a union of 2"):
        box(same.replace("X_0 1) (>= X_0 0)))", "X_0 5) (>= X_0 2)))"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(assert (<= X_0 1))", "X_0 has no lower"), ("(assert (<= X_0 1)", "missing"), ("(assert (<= X_0 X_1))", "number"), ("(check-sat))(", "too many"),
        ("(assert (<= X_5 1))(assert (>= X_5 1))", "only 2 inputs"), ("(assert (not (<= X_0 1)))", "X_0 has no upper"),
        ("(assert (<= (+ X_0 X_1) 1))", "one input"), ("(" * 99, "missing"),
        ("(assert (<= X_0 1))(assert (>= X_0 2))(assert (= X_1 0))", "above"),
        ("(assert (<= X_0 (/ 1 0)))", "division by 0"), ("(assert (<= X_0 (/ 1)))", "two operands"),
        ("(assert (<= 0 X_0 X_1))", "compared otherwise"), ("(assert (=> (<= X_0 1) (<= Y_0 1)))", "a union of 2"),
        ("(assert ((<= X_0 1)))", "not supported"), ("(assert ((<= Y_0 1)))", "not supported"), ("(assert ())", "not supported"), ("(assert)", "found 0"),
        ("(assert (<= X_0))", "two operands"), ("(assert X_0)", "expected a condition"), ("(assert 1)", "expected a condition"),
        ("(assert false)", "no point satisfies"), ("(assert (and (<= X_0 1) (or)))", "no point satisfies"),
        ("(assert (<= X_0 -))", "'-' is not supported"), ("(assert (<= X_0 .))", "'.' is not supported"), ("(assert (<= X_0 e5))", "'e5' is not supported"),
        ("(assert (<= X_0 |1|))", "'|1|' is not supported"), ("(assert (<= x_0 1))", "'x_0' is not supported"), ("(assert (<= X_00 1))", "'X_00' is not supported"),
        ("(assert (forall ((a Real)) (<= X_0 1)))", "'forall' is not supported"), ("(assert (let ((a X_0)) (<= b 1)))", "'b' is not supported"),
        ("(assert (<= X_0 \"1\"))", "is not supported"), ("(assert (<= X_0 |1))", "expected an expression"),
        ("(assert (<= X_0 " + "(/ " * 40 + "1e-4000" + " 1e4000)" * 40 + "))", "4300 digits"),
    ],
)  # fmt: skip
def test_malformed_vnnlib(text, words):
    with pytest.raises(InputError) as error:
        box(text)
    assert words in str(error.value)
    assert str(error.value).startswith("p.vnnlib")


BOUNDS = "(assert (<= 0 X_0 1)) (assert (<= 0 X_1 1))"


@pytest.mark.parametrize(
    "text",
    [
        "(set-logic QF_LRA) (set-info :status sat) (set-option :produce-models true)\n" + BOUNDS + "(check-sat) (get-model) (exit)",
        '(set-info :source "a (bracket ; and ""more""")' + BOUNDS, "(set-info :source |several\nlines; (of text|)" + BOUNDS,
        "(declare-const X_0 Real) (declare-fun X_1 () Real) (declare-const |Y_0| Real) (declare-const other Real)" + BOUNDS,
        BOUNDS.replace("X_0", "|X_0|").replace("<=", "|<=|"), BOUNDS + "(assert true) (assert (and))",
        BOUNDS + "(assert (or (<= Y_0 Y_1) (not (>= (+ (* 2 Y_0) 1) -.5e-3))))", BOUNDS + "(echo \"(\") (get-value (X_0)) ; end",
    ],
)  # fmt: skip
def test_vnnlib_commands_that_change_nothing(text):
    assert box(text) == ((0, 1), (0, 1))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("(push -1)", "a number of levels"), ("(pop 1)", "at most 0 levels"), ("(Assert (<= X_0 1/2))", "'Assert' is not supported"),
        ("(ASSERT (<= X_0 1))", "'ASSERT' is not supported"), ("(|assert| (<= X_0 1))", "'|assert|' is not supported"),
        ("(assert (<= X_0 1) (<= X_1 1))", "expected one condition, found 2"), ("(define-fun X_0 () Real 1.0)", "has a meaning already"),
        ("(define-const X_0 Real 1.0)", "has a meaning already"), ("(declare-const X_0 Int)", "declared as Real"),
        ("(declare-fun X_0 (Real) Real)", "declared as Real"), ("(declare-const X_0)", "declared as Real"), ("(declare-const)", "declared as Real"),
        ("(declare-const (X_0) Real)", "declared as Real"), ("(assert-soft (<= X_0 1))", "'assert-soft' is not supported"),
        ("(reset)", "'reset' is not supported"), ("(reset-assertions)", "'reset-assertions' is not supported"), ("(declare-datatypes () ())", "'declare-datatypes'"),
        ("(check-sat-assuming (a))", "'check-sat-assuming' is not supported"), ("(minimize X_0)", "'minimize'"), ("(vnnlib-version <2.0>)", "before everything else"),
        ("(declare-network N)", "before all assertions"), ("()", "is not supported"), ("((assert true))", "is not supported"), ("(check-sat) (assert true)", "after (check-sat)"),
        ("(exit) (assert true)", "after (exit)"), ("(check-sat) (check-sat)", "after (check-sat)"),
    ],
)  # fmt: skip
def test_vnnlib_commands_that_are_refused_by_name(command, words):
    """They change what is asserted, or have no meaning. To ignore them would be unsound."""
    with pytest.raises(InputError) as error:
        box(f'(set-info :source "two\nlines")\n{BOUNDS}\n  {command}')
    assert words in str(error.value)
    assert str(error.value).startswith("p.vnnlib:4: ")


W1, B1 = np.array([[1, 2], [-1, 0.5]], np.float32), np.array([0.25, -1], np.float32)
W2, B2 = np.array([[1, -2]], np.float32), np.array([0.125], np.float32)


def value(x, y):
    hidden = [max(0, x + 2 * y + Fraction(1, 4)), max(0, -x + Fraction(y) / 2 - 1)]
    return hidden[0] - 2 * hidden[1] + Fraction(1, 8)


def check(network):
    for x, y in [(0, 0), (1, 1), (-3, 2), (Fraction(1, 3), 5)]:
        assert network(x, y) == value(x, y)


def test_arrays_and_npz(tmp_path):
    check(load([(W1, B1), (W2, B2)]))
    np.savez(tmp_path / "a.npz", W1=W1, b1=B1, W2=W2, b2=B2)
    np.savez(tmp_path / "b.npz", b2=B2, b1=B1, W2=W2, W1=W1)
    np.savez_compressed(tmp_path / "c.npz", W1, B1, W2, B2)
    for name in "abc":
        check(load(tmp_path / f"{name}.npz"))


def test_pickles_are_never_opened(tmp_path):
    np.savez(tmp_path / "a.npz", W=np.array([{}], dtype=object), b=B1)
    with pytest.raises(InputError, match="expected numbers"):
        load(tmp_path / "a.npz")
    for suffix in (".pt", ".pth", ".pkl"):
        (tmp_path / f"net{suffix}").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
        with pytest.raises(InputError, match="not run"):
            load(tmp_path / f"net{suffix}")


def test_safetensors(tmp_path):
    path = tmp_path / "net.safetensors"
    path.write_bytes(safetensors({"0.weight": W1, "0.bias": B1, "out.weight": W2, "out.bias": B2}))
    check(load(path, architecture=["Linear", "ReLU", {"type": "Linear", "name": "out"}]))
    with pytest.raises(InputError, match=r"net\.json"):
        load(path)
    path.with_suffix(".json").write_text(
        '{"format": "verimv-architecture", "version": 1, "layers": ["Linear", "ReLU", "Dropout", '
        '{"type": "Linear", "name": "out"}]}'
    )
    check(load(path))
    with pytest.raises(InputError, match="Softmax"):
        load(path, architecture=["Linear", "Softmax"])


def written(folder, tensors, layers, shape):
    (folder / "net.safetensors").write_bytes(safetensors(tensors))
    (folder / "net.json").write_text(
        json.dumps({"format": "verimv-architecture", "version": 1, "input": shape, "layers": layers})
    )
    return folder / "net.safetensors"


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutions_have_weights_of_their_own_rank(tmp_path, rank):
    """A matrix would be a convolution without spatial axes."""
    layers, shape = [f"Conv{rank}d", "Flatten"], [1, *[2] * rank]
    for axes in range(6):
        path = written(tmp_path, {"0.weight": np.full([1] * axes, 0.5, np.float32)}, layers, shape)
        if axes == rank + 2:
            assert load(path)(*[4] * 2**rank) == (2,) * 2**rank
        else:
            with pytest.raises(InputError, match=rf"Conv{rank}d: expected weights with {rank + 2} axes, found shape"):
                load(path)


@pytest.mark.parametrize("weight", [np.float32(1), np.ones(2, np.float32), np.ones((1, 1, 1), np.float32)])
def test_linear_layers_have_matrices(tmp_path, weight):
    with pytest.raises(InputError, match="Linear: expected a matrix"):
        load(written(tmp_path, {"0.weight": np.asarray(weight)}, ["Linear"], None))


def test_slopes_of_channels(tmp_path):
    """torch has one for each entry of the second axis; ONNX would use the last axis."""
    slopes = {"0.weight": np.array([0.5, 0.25], np.float32)}
    assert load(written(tmp_path, slopes, ["PReLU"], [2, 2]))(-4, -8, -4, -8) == (-2, -4, -1, -2)
    assert load(written(tmp_path, slopes, ["PReLU"], [2]))(-4, -8) == (-2, -2)
    assert load(written(tmp_path, {"1.weight": slopes["0.weight"]}, ["Flatten", "PReLU"], [2, 1]))(-4, -8) == (-2, -2)
    one = {"0.weight": np.array([0.5], np.float32)}
    assert load(written(tmp_path, one, ["PReLU"], [2, 2]))(-4, -8, 4, 8) == (-2, -4, 4, 8)
    with pytest.raises(InputError, match="do not fit together"):
        load(written(tmp_path, slopes, ["PReLU"], [3, 2]))


def test_torch_modules():
    torch = pytest.importorskip("torch")
    linear = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)]
    with torch.no_grad():
        for layer, w, b in zip(linear, (W1, W2), (B1, B2), strict=True):
            layer.weight.copy_(torch.from_numpy(w))
            layer.bias.copy_(torch.from_numpy(b))
    check(load(torch.nn.Sequential(linear[0], torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(0.5)), linear[1])))


def test_torch_modules_of_every_known_layer():
    """Compare with torch's floats, also for layers with state and options."""
    torch = pytest.importorskip("torch")
    nn = torch.nn
    torch.manual_seed(1)
    image = nn.Sequential(
        nn.Conv2d(2, 3, (2, 3), stride=(1, 2), padding=(1, 0)), nn.BatchNorm2d(3), nn.LeakyReLU(0.125), nn.MaxPool2d(2, 1, ceil_mode=True),
        nn.Conv2d(3, 3, 1, groups=3, bias=False), nn.ReLU6(), nn.Dropout2d(0.5), nn.AvgPool2d(2, stride=1, padding=1), nn.PReLU(3), nn.Flatten(),
        nn.Sequential(nn.Linear(3 * 5 * 3, 4), nn.Identity(), nn.BatchNorm1d(4), nn.Hardtanh(-0.5, 2.0)), nn.Linear(4, 3), nn.Hardsigmoid(),
    )  # fmt: skip
    line = nn.Sequential(
        nn.Conv1d(1, 2, 3, dilation=2), nn.BatchNorm1d(2, affine=False), nn.ReLU(), nn.MaxPool1d(2), nn.AvgPool1d(2, count_include_pad=False)
    )  # fmt: skip
    for module, shape in ((image, [2, 4, 7]), (line, [1, 12])):
        for part in module.modules():
            if isinstance(part, nn.BatchNorm1d | nn.BatchNorm2d):
                part.running_mean.uniform_(-0.5, 0.5)
                part.running_var.uniform_(0.5, 2)
        module.eval()
        with pytest.warns(InexactWarning, match="BatchNormalization"):
            network = load(module, shape=shape)
        for _ in range(3):
            point = torch.rand([1, *shape]) * 4 - 2
            with torch.no_grad():
                wanted = module(point).numpy().ravel()
            found = network.at([as_number(x) for x in point.numpy().ravel()])
            assert np.allclose([float(y) for y in found], wanted, rtol=1e-5, atol=1e-6)


def test_torch_modules_that_are_not_read():
    torch = pytest.importorskip("torch")

    class Mine(torch.nn.Module):
        def forward(self, x):
            raise AssertionError("is not to be run")

    hooked = torch.nn.Sequential(torch.nn.Linear(2, 1))
    hooked.register_forward_hook(lambda *_: None)
    for module, words in ((Mine(), "its code is not run"), (hooked, "hooks"), (torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Sigmoid()), "Sigmoid")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            load(module)


class _Tensor:
    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.array


class _Module:
    """The part of torch.nn.Module that verimv uses."""

    def __init__(self, *children, **arrays):
        self._children, self._arrays = children, arrays

    def children(self):
        return iter(self._children)

    def named_modules(self):
        return iter([])

    def state_dict(self):
        return {name: _Tensor(array) for name, array in self._arrays.items()}


def layer(kind, *children, **arrays):
    options = {name: value for name, value in arrays.items() if not isinstance(value, np.ndarray)}
    place = "mine" if kind == "MyNet" else "torch.nn.modules"
    module = type(kind, (_Module,), {"__module__": place})(
        *children, **{n: a for n, a in arrays.items() if n not in options}
    )
    vars(module).update(options)
    return module


def test_modules_by_the_names_of_their_classes():
    check(
        load(
            layer("Sequential", layer("Linear", weight=W1, bias=B1), layer("ReLU"), layer("Linear", weight=W2, bias=B2))
        )
    )
    with pytest.raises(InputError, match="its code is not run"):
        load(layer("MyNet", layer("ReLU")))
    with pytest.raises(InputError, match="Sigmoid"):
        load(layer("Sequential", layer("Linear", weight=W1, bias=B1), layer("Sigmoid")))
    image = layer(
        "Sequential",
        layer("Conv2d", weight=np.ones((1, 1, 2, 2), np.float32), stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1),
        layer("BatchNorm2d", running_mean=np.float32([1]), running_var=np.float32([4]), eps=0.0),
        layer("MaxPool2d", kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False),
        layer("Flatten", start_dim=1, end_dim=-1),
        layer("Hardtanh", min_val=-1.0, max_val=2.0),
    )  # fmt: skip
    hard = load(layer("Sequential", layer("Linear", weight=np.eye(1, dtype=np.float32)), layer("Hardsigmoid")))
    assert [hard(x) for x in (-4, -1, Fraction(1, 7), 4)] == [0, Fraction(1, 3), Fraction(11, 21), 1]
    with pytest.raises(InputError, match="shape"):
        load(image)
    network = load(image, shape=[1, 3, 3])
    assert network(*range(9)) == 2
    assert network(*[Fraction(x, 16) for x in range(9)]) == Fraction(1, 4)


@given(specs(floats32))
def test_files_of_floats_are_exact(spec):
    """ONNX keeps float32 weights, and NNet keeps all dyadic ones."""
    network = build_network(spec)
    onnx, nnet = export_onnx(network), export_nnet(network)
    assert onnx.rounded == nnet.rounded == 0
    for copy in (model_network(parse_model(onnx.data)), read_nnet(nnet.data.decode()), plain(network)):
        assert copy.box == network.box
        for point in grid(len(network.inputs), 2)[:20]:
            assert copy.at([as_number(x) for x in point]) == network_value(spec, list(point))


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
def test_nothing_is_stored_that_is_not_used(activation):
    """onnxruntime warns about unused constants."""
    graph = parse_model(export_onnx(Network.of([Layer.of([[1, 2]], [0], activation)])).data).graph
    assert {tensor.name for tensor in graph.initializer} == {name for node in graph.node for name in node.input} - {"input", "argument1"}  # fmt: skip


@given(specs(rationals), st.integers(0, 3))
def test_files_of_other_numbers_are_near(spec, index):
    network = build_network(spec)
    for copy in (model_network(parse_model(export_onnx(network).data)), read_nnet(export_nnet(network).data.decode())):
        point = [as_number(Fraction(index, 3)) for _ in network.inputs]
        assert abs(copy.at(point)[0] - network.at(point)[0]) < Fraction(1, 10**9)


def test_what_is_rounded_is_counted():
    network = Network.of([Layer.of([["1/3", "0.5"]], ["sqrt(2)"], "identity")])
    assert (export_onnx(network).rounded, export_nnet(network).rounded) == (2, 2)
    with pytest.raises(InputError, match="too large"):
        export_onnx(Network.of([Layer.of([["1e400"]], ["0"], "identity")]))


def test_json_is_still_the_default(tmp_path):
    (tmp_path / "net.json").write_text('{"format": "verimv-network", "version": 1, "layers": []}')
    with pytest.raises(InputError, match="at least one layer"):
        load(tmp_path / "net.json")
    with pytest.raises(InputError, match="cannot read a network from int"):
        load(3)


@pytest.mark.parametrize(
    "layers",
    [
        "Linear", [], [3], [{"type": 3}], [{"type": "Conv2d", "groups": "x"}], [{"type": "MaxPool2d", "kernel_size": 1 << 70}],
        ["Linear", {"type": "LeakyReLU", "negative_slope": "steep"}], ["Linear", {"type": "Hardtanh", "min_val": []}],
        ["Linear", {"type": "MaxPool1d"}], ["Linear", {"type": "Flatten", "start_dim": 0}], ["Linear", "Linear"],
        [{"type": "Conv2d", "name": "0", "padding": "same"}], ["ReLU"], ["BatchNorm1d"],
    ],
)  # fmt: skip
def test_bad_architectures(tmp_path, layers):
    path = tmp_path / "net.safetensors"
    path.write_bytes(safetensors({"0.weight": W1, "0.bias": B1}))
    with pytest.raises(InputError) as error:
        load(path, architecture=layers)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    "text", ["", "[", "{}", '{"format": "verimv-architecture", "version": 1, "input": [' + "9" * 5000 + "]}"]
)
def test_bad_architecture_files(tmp_path, text):
    path = tmp_path / "net.safetensors"
    path.write_bytes(safetensors({"0.weight": W1, "0.bias": B1}))
    path.with_suffix(".json").write_text(text)
    with pytest.raises(InputError):
        load(path)
