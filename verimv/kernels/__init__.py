"""Verdicts of the two kernels, `verimv/kernel.py` and the program proved in Coq, as values and errors."""
