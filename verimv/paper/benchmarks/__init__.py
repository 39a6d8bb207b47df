"""Benchmarks against alternatives, side by side in one run. Each is the function `run` of a module bench_NAME."""
