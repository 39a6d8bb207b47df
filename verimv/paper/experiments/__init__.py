"""The paper's experiments: what is run, measured and compared with the paper's sentences."""
