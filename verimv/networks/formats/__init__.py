"""File formats of networks, and other libraries' networks: JSON, ONNX, NNet, numpy, PyTorch, scikit-learn."""
