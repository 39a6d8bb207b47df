"""Trains the network in breast_cancer.onnx: 10 measurements of cell nuclei → a score, positive if benign, by 4 ReLUs.

Two thirds of the 569 cases train it; the others are in breast_cancer_test.csv. The inputs have their own units, and
breast_cancer_box.json has their ranges. Run it to train again (it needs scikit-learn; weights vary with its version):
python examples/networks/make_breast_cancer.py
"""

import csv
import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.neural_network import MLPClassifier

import verimv
from verimv.networks.formats.onnx_format.model_writer import export_onnx

FOLDER = Path(__file__).parent

found = load_breast_cancer()
data, names = found.data[:, :10], [str(name) for name in found.feature_names[:10]]
low, high = data.min(axis=0), data.max(axis=0)
is_test = np.arange(len(data)) % 3 == 2
model = MLPClassifier((4,), random_state=1, max_iter=3000, alpha=0.05)
model.fit(((data - low) / (high - low))[~is_test], found.target[~is_test])
weights = [w.T for w in model.coefs_]
biases = list(model.intercepts_)
biases[0] = biases[0] - weights[0] @ (low / (high - low))
weights[0] = weights[0] / (high - low)
pairs = [(np.float32(w), np.float32(b)) for w, b in zip(weights, biases, strict=True)]
(FOLDER / "breast_cancer.onnx").write_bytes(export_onnx(verimv.load(pairs)).data)
box = [[f"{a:g}", f"{b:g}"] for a, b in zip(low, high, strict=True)]
(FOLDER / "breast_cancer_box.json").write_text(json.dumps(box) + "\n", encoding="utf-8")
(FOLDER / "breast_cancer_names.txt").write_text("\n".join([*names, "benign"]) + "\n", encoding="utf-8")
with open(FOLDER / "breast_cancer_test.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*names, "is benign"])
    writer.writerows(
        [[f"{x:g}" for x in row] + [int(t)] for row, t in zip(data[is_test], found.target[is_test], strict=True)]
    )
scaled = ((data - low) / (high - low))[is_test]
print(f"{model.score(scaled, found.target[is_test]):.1%} of the {is_test.sum()} other cases are classified rightly")
