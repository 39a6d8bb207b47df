"""Step 2: how a clipped unit becomes a formula, by the paper's lemmas or in the compact way."""
