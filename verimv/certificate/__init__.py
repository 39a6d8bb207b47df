"""Certificates are written here and checked by `verimv/kernel.py`, which imports nothing of this package."""
