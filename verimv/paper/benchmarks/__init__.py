"""Benchmarks that compare verimv with alternatives in one run: the function `run` of each module bench_NAME."""
