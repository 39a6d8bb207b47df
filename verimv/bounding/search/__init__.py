"""Branch and bound with floats that guess and exact proofs: one bound, whole networks, pairs, rows over formulas."""
