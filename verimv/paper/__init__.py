"""The paper's baselines and experiments, and benchmarks. Imported by their commands only."""
