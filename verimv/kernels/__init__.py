"""Verdicts of the two kernels, `verimv/kernel.py` and the program proved in Coq, and of both together (`judge`).

`verimv-kernel.js` is the second one, compiled to JavaScript, for V8 and for pages that check their own proof.
"""
