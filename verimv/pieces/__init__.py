"""Exact piecewise linear functions: breakpoints in one dimension, linear regions in any."""
