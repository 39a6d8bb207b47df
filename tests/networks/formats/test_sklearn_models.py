"""Models of scikit-learn, as objects, in pipelines and as exports of skl2onnx, decide as the library does."""

import warnings

import numpy as np
import pytest

import verimv
from tests.effort import scaled
from verimv.core.errors import InputError, LogitsWarning
from verimv.exact import as_number

sklearn = pytest.importorskip("sklearn")
skl2onnx = pytest.importorskip("skl2onnx")

import pandas  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from sklearn import datasets  # noqa: E402
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.feature_selection import SelectKBest  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

SETS = ("breast_cancer", "wine", "iris", "digits", "diabetes")
FORMS = ("object", "pipeline", "export")


def trained(model, data, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(data, target)


def perceptron(name="wine", **options):
    kind = MLPRegressor if name == "diabetes" else MLPClassifier
    return kind(hidden_layer_sizes=(4,), max_iter=150, random_state=0, **options)


def fitted(name, form):
    """Return a model of a data set, its data, and what verimv reads of it."""
    found = getattr(datasets, f"load_{name}")()
    model = perceptron(name)
    if form != "object":
        columns = ColumnTransformer(
            [("first", MinMaxScaler(), [2, 0]), ("second", "passthrough", [1])], remainder=StandardScaler()
        )
        model = make_pipeline(columns, model)
    target = found.target if name in ("digits", "diabetes") else found.target_names[found.target]
    trained(model, found.data, target)
    if form == "export":
        proto = skl2onnx.to_onnx(model, found.data[:1].astype(np.float32))
        return model, found.data, verimv.load(proto, logits=True, box=verimv.box_of(found.data))
    return model, found.data, verimv.load(model, logits=True, box=verimv.box_of(found.data))


def points_of(network, count, kind=float):
    """Return random points of the box of a network, as the library sees them."""
    low, high = (np.array([float(pair[end]) for pair in network.box]) for end in (0, 1))
    return np.random.default_rng(0).uniform(low, high, (count, len(low))).astype(kind)


def exact_values(network, points):
    return np.array([[float(y) for y in network.at([as_number(x) for x in point])] for point in points])


def check_agreement(model, network, points, error):
    """Compare with the library's values, and its decisions wherever the scores differ by more than an error."""
    values = exact_values(network, points)
    if not hasattr(model, "classes_"):
        assert np.abs(values[:, 0] - model.predict(points)).max() <= error * np.abs(values).max()
        return
    scores = np.hstack([0 * values, values]) if values.shape[1] == 1 else values
    ranked = np.sort(scores, axis=1)
    is_clear = ranked[:, -1] - ranked[:, -2] > error * np.abs(scores).max()
    assert is_clear.mean() > 0.99
    assert (model.classes_[scores.argmax(axis=1)] == model.predict(points))[is_clear].all()
    shares = np.exp(scores - ranked[:, -1:])
    assert np.abs(shares / shares.sum(axis=1, keepdims=True) - model.predict_proba(points)).max() < 100 * error


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SETS)
def test_models_decide_as_the_library_does(name, form):
    model, _, network = fitted(name, form)
    is_export = form == "export"
    points = points_of(network, scaled(200), np.float32 if is_export else float)
    check_agreement(model, network, points, 1e-4 if is_export else 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SETS)
def test_reports_of_models(name, form, tmp_path):
    """Each model, extracted to a report; its network agrees with the library on 2,000 points, its formula with it."""
    model, _, network = fitted(name, form)
    points = points_of(network, 2000, np.float32 if form == "export" else float)
    check_agreement(model, network, points, 1e-4 if form == "export" else 1e-9)
    result = verimv.extract(network, scale_output=True, bounds="linear")
    assert result.check() == ""
    result.save(tmp_path / "out")
    assert "verimv" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert verimv.check_files(tmp_path / "out")
    for point in points[:5]:
        assert result.at(point.tolist()) == network.at(point.tolist())


WINE = datasets.load_wine()
TRANSFORMERS = {
    "standard": StandardScaler(),
    "standard without mean": StandardScaler(with_mean=False),
    "standard without scale": StandardScaler(with_std=False),
    "min max, clipped": MinMaxScaler((-1, 2), clip=True),
    "max abs": MaxAbsScaler(),
    "robust": RobustScaler(),
    "robust without centre": RobustScaler(with_centering=False),
    "nothing": "passthrough",
    "identity": FunctionTransformer(),
    "some columns": SelectKBest(k=5),
    "no missing numbers": SimpleImputer(),
    "projection": PCA(4),
    "pipeline": Pipeline([("a", RobustScaler()), ("b", SelectKBest(k=6))]),
    "weighted columns": ColumnTransformer(
        [("a", StandardScaler(), slice(3, 6)), ("b", "drop", [0]), ("c", "passthrough", [12, 1]), ("d", MaxAbsScaler(), [])],
        remainder="drop", transformer_weights={"a": 0.5, "c": 3},
    ),
    "columns by a mask": ColumnTransformer([("a", MinMaxScaler(), np.arange(13) % 2 == 0)], remainder="passthrough"),
    "union, the first is dropped": FeatureUnion([("a", "drop"), ("b", PCA(2))]),
    "union": FeatureUnion([("a", MinMaxScaler()), ("b", PCA(2)), ("c", "drop")], transformer_weights={"b": 0.25}),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers_become_part_of_the_network(name):
    model = trained(make_pipeline(TRANSFORMERS[name], perceptron()), WINE.data, WINE.target)
    network = verimv.load(model, logits=True, box=verimv.box_of(WINE.data))
    check_agreement(model, network, points_of(network, 40), 1e-9)


def test_searches_and_transformed_targets():
    data, target = datasets.load_diabetes(return_X_y=True)
    for scaler in (StandardScaler(), MinMaxScaler(), RobustScaler(), MaxAbsScaler()):
        inner = TransformedTargetRegressor(make_pipeline(StandardScaler(), perceptron("diabetes")), transformer=scaler)
        network = verimv.load(trained(inner, data, target), box=verimv.box_of(data))
        check_agreement(inner, network, points_of(network, 20), 1e-9)
    search = trained(GridSearchCV(perceptron("diabetes"), {"alpha": [0.1]}, cv=2), data, target)
    network = verimv.load(search)
    check_agreement(search, network, points_of(network, 20), 1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: make_pipeline(OneHotEncoder(sparse_output=False), perceptron()), "OneHotEncoder is not supported (known: "),
        (lambda: make_pipeline(PCA(3, whiten=True), perceptron()), "train without it"),
        (lambda: make_pipeline(FunctionTransformer(np.log1p), perceptron()), "FunctionTransformer is not supported"),
        (lambda: make_pipeline(SimpleImputer(missing_values=0), perceptron()), "missing_values=nan"),
        (lambda: make_pipeline(StandardScaler(), LogisticRegression()), "expected scikit-learn's MLPClassifier or MLPRegressor"),
        (lambda: perceptron(activation="tanh"), "train with activation='relu'"),
    ],
)  # fmt: skip
def test_what_no_network_computes_is_refused(make, words):
    with pytest.raises(InputError) as error:
        verimv.load(trained(make(), WINE.data, WINE.target), logits=True)
    assert words in str(error.value)


@pytest.mark.parametrize("model", [perceptron(), make_pipeline(StandardScaler(), perceptron())])
def test_a_model_must_be_fitted(model):
    with pytest.raises(InputError, match="not fitted"):
        verimv.load(model)


def test_code_of_others_is_not_run():
    class Scaler(StandardScaler):
        pass

    model = trained(make_pipeline(Scaler(), perceptron()), WINE.data, WINE.target)
    with pytest.raises(InputError, match="Scaler is not supported"):
        verimv.load(model, logits=True)


def test_names_of_a_data_frame_and_of_classes():
    found = datasets.load_iris(as_frame=True)
    names, classes = list(found.data.columns), list(found.target_names)
    columns = ColumnTransformer([("scaled", StandardScaler(), names[2:])], remainder="passthrough")
    model = trained(make_pipeline(columns, perceptron()), found.data, found.target_names[found.target])
    network = verimv.load(model, logits=True, box=found.data[names[::-1]])  # columns are found by name
    assert [network.label(name) for name in network.inputs] == names
    assert network.inputs[0] == "sepal_length_cm"
    assert [network.label(name) for name in network.outputs] == classes
    assert network.box == verimv.box_of(found.data)
    assert "StandardScaler: computed exactly" in network.notes[0]
    result = verimv.extract(network, output="virginica", scale_output=True)
    assert result.summary["names"]["petal_width_cm"] == "petal width (cm)"
    assert result.summary["notes"] == list(network.notes)
    points = found.data.iloc[::10]
    assert (model.predict(points) == model.classes_[exact_values(network, points.to_numpy()).argmax(axis=1)]).all()


def test_scores_are_told_unless_they_are_asked_for():
    model = trained(perceptron(), WINE.data, WINE.target == 1)
    with pytest.warns(LogitsWarning, match="before the logistic function: positive where the model predicts True"):
        network = verimv.load(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert verimv.load(model, logits=True).notes == network.notes
    assert network.outputs == ("True",)
    regressor = trained(perceptron("diabetes"), WINE.data, WINE.target)
    assert verimv.load(regressor).notes == ("no box is given: every input is assumed to be in [0,1]",)
    several = trained(perceptron(), WINE.data, np.eye(3, dtype=int)[WINE.target])
    network = verimv.load(several, logits=True)
    assert [network.label(name) for name in network.outputs] == ["class 0", "class 1", "class 2"]
    points = points_of(verimv.load(several, logits=True, box=verimv.box_of(WINE.data)), 50)
    assert ((exact_values(network, points) > 0) == several.predict(points)).all()


def test_exports_by_the_reference_implementation():
    """The values of the scores, by onnx's own evaluation of the export up to them."""
    model = trained(
        make_pipeline(SimpleImputer(), MinMaxScaler(clip=True), StandardScaler(), perceptron()), WINE.data, WINE.target
    )
    frame = pandas.DataFrame(WINE.data[:1].astype(np.float32), columns=WINE.feature_names)
    for example in (WINE.data[:1].astype(np.float32), frame):
        proto = skl2onnx.to_onnx(model, example, options={"zipmap": False})
        network = verimv.load(proto, logits=True)
        if example is frame:  # an input for each column
            assert list(network.inputs) == [name.replace("/", "_") for name in WINE.feature_names]
        [softmax] = [node for node in proto.graph.node if node.op_type == "Softmax"]
        evaluator = ReferenceEvaluator(proto)
        for point in WINE.data[::20].astype(np.float32):
            names = evaluator.input_names
            feed = (
                {names[0]: point[None]}
                if len(names) == 1
                else {n: x.reshape(1, 1) for n, x in zip(names, point, strict=True)}
            )
            expected = evaluator.run([softmax.input[0]], feed)[0].ravel()
            assert np.allclose(exact_values(network, [point])[0], expected, rtol=1e-4, atol=1e-4)
