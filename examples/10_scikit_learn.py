"""A classifier of scikit-learn, with its scaler: what it computes, as a formula, and that both decide alike.

Needs scikit-learn and pandas. Prints:

    inputs: sepal length (cm), sepal width (cm), petal length (cm), petal width (cm)
    outputs: setosa, versicolor, virginica
    StandardScaler: computed exactly from the stored numbers; scikit-learn rounds after each step
    the outputs are the values before softmax: the largest is that of the predicted class
    certified: y = formula, for all flowers in the box of the data
    the network decides 150 of 150 flowers as scikit-learn does
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import verimv

flowers = load_iris(as_frame=True)
model = make_pipeline(StandardScaler(), MLPClassifier((3,), max_iter=3000, random_state=1))
model.fit(flowers.data, flowers.target_names[flowers.target])

network = verimv.load(model, logits=True, box=flowers.data)
print("inputs:", ", ".join(map(network.label, network.inputs)))
print("outputs:", ", ".join(map(network.label, network.outputs)))
print("\n".join(network.notes))

result = verimv.extract(network, margin=("virginica", "versicolor"), scale_output=True)
with tempfile.TemporaryDirectory() as folder:
    result.save(Path(folder) / "iris")  # with a report for the browser: iris/report.html
print(f"{result.summary['status']}: y = formula, for all flowers in the box of the data")

alike = 0
for flower, species in zip(flowers.data.to_numpy(), model.predict(flowers.data), strict=True):
    scores = network.at(flower)
    alike += network.label(network.outputs[scores.index(max(scores))]) == species
print(f"the network decides {alike} of {len(flowers.data)} flowers as scikit-learn does")
