"""ONNX models, read exactly (everything piecewise linear) and written."""

from verimv.networks.formats.onnx_format.reader import model_network, read_onnx

__all__ = ["model_network", "read_onnx"]
