"""Proven ranges of neurons: `methods` chooses how; `guess` uses floats, `prove` proves, `search` uses both."""
