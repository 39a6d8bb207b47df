"""Operators that are not supported, and what to do about them."""

from __future__ import annotations

from verimv.exact import shown

_CURVED = "it is not piecewise linear"
_LOGITS = "at the end of a classifier, --logits (logits=True) takes the values before it"

_ADVICE = {
    "Softmax": f"{_LOGITS} (it does not change the ranking)",
    "LogSoftmax": f"{_LOGITS} (it does not change the ranking)",
    "Hardmax": f"{_LOGITS} (it does not change the ranking)",
    "Sigmoid": f"{_LOGITS} (it does not change the order); inside, train with HardSigmoid or Relu",
    "Tanh": f"{_LOGITS} (it does not change the order); inside, train with HardTanh (Clip) or Relu",
    "ArgMax": f"{_LOGITS}; --margin is the difference of two outputs",
    "ArgMin": "leave it out, and look at the difference of two outputs with --margin",
    "HardSwish": "x·HardSigmoid(x) is quadratic in between; train with Relu or HardSigmoid",
    "ThresholdedRelu": "it is discontinuous, and formulas are continuous",
    "Sign": "it is discontinuous, and formulas are continuous",
    **dict.fromkeys(
        ("ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv", "QLinearMatMul"),
        "it rounds values that depend on the input; quantise the weights only (DequantizeLinear of stored integers)",
    ),
    "Where": "write the choice with Min, Max or Relu",
}
_CURVES = {
    "Celu", "Cos", "Elu", "Erf", "Exp", "Gelu", "GRU", "InstanceNormalization", "LayerNormalization", "Log",
    "LogSoftmax", "LRN", "LSTM", "Mish", "Pow", "Reciprocal", "ReduceL2", "RNN", "Selu", "Sigmoid", "Sin", "Softmax",
    "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh",
}  # fmt: skip


def reason_against(operator: str, domain: str) -> str:
    """Return one line: the operator, why it is not supported, and what to do."""
    if domain == "ai.onnx.ml" and operator in ("ZipMap", "Binarizer", "LabelEncoder"):
        return f"operator {shown(operator)} is not supported: it makes labels; {_LOGITS}"
    if domain not in ("", "ai.onnx"):
        return f"operator {shown(operator)} of domain {shown(domain)} is not supported: use standard operators only"
    why = f": {_CURVED}" if operator in _CURVES else ""
    advice = _ADVICE.get(operator)
    if advice is None and why:
        advice = "train with Relu, LeakyRelu, Clip or HardSigmoid in its place"
    return f"operator {shown(operator)} is not supported{why}" + (f"; {advice}" if advice else "")
