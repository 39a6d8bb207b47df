"""The other methods in the paper's comparison: Schauder hats, hyperplanes, shallow networks."""
