"""A network of PyTorch, as a module and as an ONNX file: both are read exactly, and are the same function.

Needs torch and onnxscript. Prints:

    module: x1, x2 → y1, y2: 4 neurons
    the outputs are the values before Softmax: the largest is that of the predicted class
    file: equal to the module
    y1 − y2 is in [-2, 2] wherever both inputs are in [0,1]
    certified: 4 neurons as a formula
"""

import contextlib
import io
import tempfile
import warnings
from pathlib import Path

import torch
from torch import nn

import verimv

model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2), nn.Softmax(dim=1)).eval()
with torch.no_grad():  # the larger of two inputs wins; a trained network has less round numbers
    model[0].weight[:] = torch.tensor([[1, 0], [-1, 0], [0, 1], [0, -1]])
    model[0].bias[:] = 0
    model[2].weight[:] = torch.tensor([[1, -1, -1, 1], [-1, 1, 1, -1]])
    model[2].bias[:] = 0

network = verimv.load(model, logits=True)
print("module:", f"{', '.join(network.inputs)} → {', '.join(network.outputs)}: {network.neurons} neurons")
print(network.notes[0])

with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
    warnings.simplefilter("ignore")
    path = Path(folder) / "model.onnx"
    torch.onnx.export(model, (torch.zeros(1, 2),), path, dynamo=True)
    exported = verimv.load(path, logits=True)
print("file:", "equal to the module" if verimv.equivalent(exported, network) else "different")

result = verimv.extract(network, margin=("y1", "y2"), scale_output=True)
[found] = verimv.output_range(result.source)
print(f"y1 − y2 is in [{found.lower.value}, {found.upper.value}] wherever both inputs are in [0,1]")
result.check()
print(f"{result.summary['status']}: {network.neurons} neurons as a formula")
