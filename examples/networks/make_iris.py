"""Trains the network in iris.onnx: 4 measurements of a flower in centimetres → scores of 3 species, 5 ReLUs.

Run it to train again (it needs scikit-learn; weights vary with its version): python examples/networks/make_iris.py
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier

import verimv
from verimv.networks.formats.onnx_format.model_writer import export_onnx

measurements, species = load_iris(return_X_y=True)
model = MLPClassifier((5,), random_state=5, max_iter=4000, alpha=1e-2).fit(measurements, species)
pairs = [(np.float32(w.T), np.float32(b)) for w, b in zip(model.coefs_, model.intercepts_, strict=True)]
(Path(__file__).parent / "iris.onnx").write_bytes(export_onnx(verimv.load(pairs)).data)
print(f"{model.score(measurements, species):.1%} of the 150 flowers are named rightly")
