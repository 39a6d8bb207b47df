"""Fitted models of scikit-learn: MLPClassifier and MLPRegressor, alone or at the end of a Pipeline.

Scalers and selections of columns before the perceptron become part of its first layer. The network is the exact
function of the stored numbers: StandardScaler is (x − mean_)/scale_, MinMaxScaler x·scale_ + min_, RobustScaler
(x − center_)/scale_, MaxAbsScaler x/scale_, each over the rationals. scikit-learn computes the same and rounds every
step to a float. Objects are read through their attributes; scikit-learn need not be imported.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from verimv.core.errors import InputError, LogitsWarning
from verimv.exact import ONE, ZERO, Number, as_number
from verimv.networks.affine import Affine
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.formats.scores import as_scores
from verimv.networks.names import named
from verimv.networks.network import Network
from verimv.networks.transforms.circuit import Circuit

_SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
_PERCEPTRONS = ("MLPClassifier", "MLPRegressor")
_WRAPPERS = ("Pipeline", "TransformedTargetRegressor", *_SEARCHES)
_SELECTIONS = "sklearn.feature_selection."
_BEFORE = {"logistic": "the logistic function", "softmax": "softmax"}


def is_model(subject: Any) -> bool:
    """Return whether this is a perceptron or something of scikit-learn that contains a model."""
    return _is_perceptron(subject) or _kind(subject) in (*_WRAPPERS, *_PERCEPTRONS)


def from_model(model: Any, logits: bool = False) -> Network:
    """Return the network of a fitted model. For a classifier, its outputs are the values before the last activation:
    the score of each class, or of the second class over the first. Without `logits` a warning says so."""
    prepared, perceptron, finished = _parts(model)
    inner = _activation(perceptron)
    pairs = [(np.asarray(w).T, b) for w, b in zip(perceptron.coefs_, perceptron.intercepts_, strict=True)]
    if prepared or finished:
        network = _folded(prepared, pairs, inner == "relu", finished)
    else:
        activations: list[Any] = [inner] * (len(pairs) - 1) + ["identity"]
        network = from_arrays(pairs, activations)
    names = getattr(model, "feature_names_in_", None)  # of a model that was fitted with a data frame
    network = named(network, [] if names is None else [str(name) for name in names])
    if kinds := list(dict.fromkeys(_kind(step) for step in _all_steps([*prepared, *finished]))):
        note = f"{', '.join(kinds)}: computed exactly from the stored numbers; scikit-learn rounds after each step"
        network = replace(network, notes=(*network.notes, note))
    if perceptron.out_activation_ != "identity":
        network = as_scores(network, _BEFORE[perceptron.out_activation_], getattr(perceptron, "classes_", ()))
        if not logits:
            told = f"{network.notes[-1]} (load with logits=True if that is what you want)"
            warnings.warn(told, LogitsWarning, stacklevel=4)
    return network


def _kind(step: Any) -> str:
    """Return the name of a class of scikit-learn; empty for others, whose methods may do anything."""
    return type(step).__name__ if type(step).__module__.startswith("sklearn.") else ""


def _is_perceptron(subject: Any) -> bool:
    """Return whether this is a fitted MLPRegressor or MLPClassifier, or has its attributes."""
    return all(hasattr(subject, name) for name in ("coefs_", "intercepts_", "activation", "out_activation_"))


def _activation(perceptron: Any) -> str:
    if perceptron.activation not in ("relu", "identity"):
        raise InputError(f"activation {perceptron.activation!r} is not piecewise linear; train with activation='relu'")
    if perceptron.out_activation_ not in ("identity", *_BEFORE):
        raise InputError(f"unknown output activation {perceptron.out_activation_!r}")
    return str(perceptron.activation)


def _parts(model: Any) -> tuple[list[Any], Any, list[Any]]:
    """Return the transformers of the inputs, the perceptron, and the transformers of the targets."""
    prepared: list[Any] = []
    finished: list[Any] = []
    while not _is_perceptron(model):
        kind = _kind(model)
        if kind == "Pipeline":
            *steps, (_, model) = model.steps
            prepared += [step for _, step in steps]
        elif kind in _SEARCHES:
            model = _fitted(model, "best_estimator_")
        elif kind == "TransformedTargetRegressor":
            finished.append(_fitted(model, "transformer_"))
            model = _fitted(model, "regressor_")
        elif kind in _PERCEPTRONS:
            raise InputError(f"the {kind} is not fitted: call fit first")
        else:
            raise InputError(
                f"the model at the end is {type(model).__name__}; expected scikit-learn's MLPClassifier or MLPRegressor"
            )
    return prepared, model, finished


def _fitted(step: Any, name: str) -> Any:
    if not hasattr(step, name):
        raise InputError(f"the {type(step).__name__} is not fitted: call fit first")
    return getattr(step, name)


def _all_steps(steps: Sequence[Any]) -> Iterator[Any]:
    """Yield transformers that compute something, also those inside others."""
    for step in steps:
        inside = {"Pipeline": "steps", "ColumnTransformer": "transformers_", "FeatureUnion": "transformer_list"}
        if (name := inside.get(_kind(step))) is not None:
            yield from _all_steps([entry[1] for entry in getattr(step, name)])
        elif not _is_empty(step) and _kind(step) != "FunctionTransformer":
            yield step


def _is_empty(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step in ("passthrough", "drop"))


def _folded(
    prepared: Sequence[Any], pairs: Sequence[tuple[Any, Any]], rectified: bool, finished: Sequence[Any]
) -> Network:
    """Return the network of transformers, layers, and inverse transformers of the targets."""
    width = _width(prepared)
    circuit = Circuit(pairs[0][0].shape[1] if width is None else width)
    forms = [Affine.variable(j) for j in range(circuit.inputs)]
    for step in prepared:
        forms = _transformed(circuit, step, forms)
    for depth, (weights, bias) in enumerate(pairs):
        if weights.shape[1] != len(forms):
            raise InputError(f"the steps before give {len(forms)} columns; the perceptron expects {weights.shape[1]}")
        forms = [
            circuit.combination(list(zip(map(as_number, row), forms, strict=True)), as_number(constant))
            for row, constant in zip(weights, bias, strict=True)
        ]
        if rectified and depth + 1 < len(pairs):
            forms = [circuit.relu(form) for form in forms]
    for step in reversed(finished):
        forms = [
            form.shifted(-offset).scaled(1 / factor)
            for form, (factor, offset) in zip(forms, _scaling(step, len(forms)), strict=True)
        ]
    return Network.of(circuit.layers(forms))


def _width(steps: Sequence[Any]) -> int | None:
    """Return the number of columns before some steps, as the first step says that knows it."""
    for step in steps:
        if (found := getattr(step, "n_features_in_", None)) is not None:
            return int(found)
        if _kind(step) == "FeatureUnion":  # all of its parts have the same columns
            return _width([inner for _, inner in step.transformer_list])
    return None


def _transformed(circuit: Circuit, step: Any, forms: list[Affine]) -> list[Affine]:
    """Return the columns that a transformer makes of these."""
    kind = _kind(step)
    if _is_empty(step):
        return forms if step != "drop" else []
    if kind == "Pipeline":
        for _, inner in step.steps:
            forms = _transformed(circuit, inner, forms)
        return forms
    if kind == "ColumnTransformer":
        return _by_columns(circuit, step, forms)
    if kind == "FeatureUnion":
        parts = [(name, inner, forms) for name, inner in step.transformer_list]
        return _joined(circuit, parts, step.transformer_weights)
    if type(step).__module__.startswith(_SELECTIONS) and hasattr(step, "get_support"):
        return [form for form, is_kept in zip(forms, step.get_support(), strict=True) if is_kept]
    if kind == "SimpleImputer":
        return _imputed(step, forms)
    if kind == "PCA":
        return _projected(circuit, step, forms)
    if kind == "FunctionTransformer" and step.func is None:
        return forms
    scaling = _scaling(step, len(forms))
    scaled = [form.scaled(factor).shifted(offset) for form, (factor, offset) in zip(forms, scaling, strict=True)]
    if getattr(step, "clip", False):
        low, high = map(as_number, getattr(step, "feature_range", (-1, 1)))
        return [circuit.clamp(form, low, high) for form in scaled]
    return scaled


def _by_columns(circuit: Circuit, step: Any, forms: list[Affine]) -> list[Affine]:
    places = _fitted(step, "_transformer_to_input_indices")
    parts = [(name, inner, [forms[j] for j in places[name]]) for name, inner, _ in step.transformers_]
    return _joined(circuit, [part for part in parts if part[2]], step.transformer_weights)


def _joined(
    circuit: Circuit, parts: Sequence[tuple[str, Any, list[Affine]]], weights: dict[str, float] | None
) -> list[Affine]:
    """Return the columns of several transformers side by side."""
    joined: list[Affine] = []
    for name, inner, forms in parts:
        weight = as_number((weights or {}).get(name, 1))
        joined += [form.scaled(weight) for form in _transformed(circuit, inner, forms)]
    return joined


def _imputed(step: Any, forms: list[Affine]) -> list[Affine]:
    """Return the same columns: no number is missing at a point of the box."""
    statistics = np.asarray(_fitted(step, "statistics_"))
    is_missing_nan = isinstance(step.missing_values, float) and math.isnan(step.missing_values)
    if not is_missing_nan or step.add_indicator or statistics.dtype.kind != "f" or np.isnan(statistics).any():
        raise InputError("SimpleImputer: expected missing_values=nan, no indicator, and values in every column")
    return forms


def _projected(circuit: Circuit, step: Any, forms: list[Affine]) -> list[Affine]:
    if step.whiten:
        raise InputError("PCA with whiten=True divides by square roots, which scikit-learn rounds: train without it")
    centred = [form.shifted(-as_number(mean)) for form, mean in zip(forms, _fitted(step, "mean_"), strict=True)]
    return [
        circuit.combination([(as_number(w), form) for w, form in zip(row, centred, strict=True)])
        for row in step.components_
    ]


def _column(step: Any, name: str, count: int, default: Number) -> list[Number]:
    """Return a fitted number for each column; the default where the option that needs it is off."""
    found = _fitted(step, name)
    return [default] * count if found is None else [as_number(x) for x in np.asarray(found).ravel()]


def _divided(centre: str = "", is_centred: str = "") -> Callable[[Any, int], list[tuple[Number, Number]]]:
    """Return the scaling (x − centre)/scale_, where an option says whether it is centred."""

    def scaling(step: Any, count: int) -> list[tuple[Number, Number]]:
        scales = _column(step, "scale_", count, ONE)
        is_moved = centre and getattr(step, is_centred)  # mean_ is stored even if it is not used
        centres = _column(step, centre, count, ZERO) if is_moved else [ZERO] * count
        return [(1 / scale, -middle / scale) for scale, middle in zip(scales, centres, strict=True)]

    return scaling


def _multiplied(step: Any, count: int) -> list[tuple[Number, Number]]:
    return list(zip(_column(step, "scale_", count, ONE), _column(step, "min_", count, ZERO), strict=True))


_SCALERS = {
    "MaxAbsScaler": _divided(),
    "MinMaxScaler": _multiplied,
    "RobustScaler": _divided("center_", "with_centering"),
    "StandardScaler": _divided("mean_", "with_mean"),
}


def _scaling(step: Any, count: int) -> list[tuple[Number, Number]]:
    """Return factor and offset for each column of a scaler."""
    scaler = _SCALERS.get(_kind(step))
    if scaler is None:
        known = ", ".join(
            sorted([*_SCALERS, "ColumnTransformer", "FeatureUnion", "PCA", "SimpleImputer", "selections of features"])
        )
        raise InputError(
            f"{type(step).__name__} is not supported (known: {known}); apply it to the data, not in the model"
        )
    found = scaler(step, count)
    if len(found) != count:
        raise InputError(f"{_kind(step)} of {len(found)} columns for {count}")
    return found
