"""Specifications: what must hold of a network, read from VNN-LIB, verimv's own language or a formula."""
