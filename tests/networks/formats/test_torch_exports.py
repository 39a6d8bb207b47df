"""PyTorch: a module and both of its exports to ONNX are the same network, and decide as torch does on 2,000 points."""

import warnings

import numpy as np
import pytest

import verimv
from verimv.core.errors import InputError
from verimv.exact import as_number

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

POINTS = 2000


def trained():
    """Return a classifier of points: is one inside a ring?"""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 4), torch.nn.LeakyReLU(0.125),
        torch.nn.Linear(4, 3), torch.nn.Softmax(dim=1),
    )  # fmt: skip
    points = torch.rand(300, 3)
    target = (points.sum(1) * 2).long().clamp(0, 2)
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(60):
        optimiser.zero_grad()
        torch.nn.functional.nll_loss(torch.log(model(points)), target).backward()
        optimiser.step()
    return model.eval()


def exported(model, path, dynamo):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own
        torch.onnx.export(model, (torch.zeros(1, 3),), path, dynamo=dynamo, verbose=False)
    return verimv.load(path, logits=True)


@pytest.mark.slow
def test_a_module_and_both_exports(tmp_path):
    model = trained()
    network = verimv.load(model, logits=True)
    with pytest.raises(InputError, match="logits=True"):
        verimv.load(model)
    points = torch.rand(POINTS, 3)
    with torch.no_grad():
        decided = model(points).argmax(1).numpy()
    scores = np.array([[float(y) for y in network.at([as_number(x) for x in point.tolist()])] for point in points])
    ranked = np.sort(scores, axis=1)
    is_clear = ranked[:, -1] - ranked[:, -2] > 1e-5
    assert is_clear.mean() > 0.99
    assert (scores.argmax(axis=1) == decided)[is_clear].all()
    for dynamo in (False, True):
        assert exported(model, tmp_path / f"{dynamo}.onnx", dynamo) == network
    result = verimv.extract(tmp_path / "True.onnx", logits=True, output=0, scale_output=True)
    result.save(tmp_path / "out")
    assert result.summary["status"] == "certified"
    assert (tmp_path / "out" / "report.html").exists()
