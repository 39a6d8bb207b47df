"""Proven ranges of neurons: `methods` chooses how; `guess` uses floats, `prove` exact numbers, `search` both."""
