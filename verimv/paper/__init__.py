"""The paper's baselines and experiments, and benchmarks; only their commands import them."""
