"""Exact arithmetic: what multipliers prove in a part of the cube, exact points, evidence."""
