"""The other methods that the paper compares: Schauder hats, hyperplanes, shallow networks."""
