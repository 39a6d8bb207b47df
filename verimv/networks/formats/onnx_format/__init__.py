"""ONNX models: read exactly (`reader`; everything piecewise linear), and written (`model_writer`)."""
