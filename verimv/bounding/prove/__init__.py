"""Exact arithmetic: the bound that multipliers prove in a part of the cube, rows proved by cases, linear equations."""
