"""Benchmarks against alternatives, side by side in one run; `names` lists them."""
