"""Proven ranges of neurons: `methods` chooses, `guess` uses floats, `prove` exact numbers, `search` both."""
