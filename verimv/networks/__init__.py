"""Exact networks: the model (`network`, `affine`, `program`), `transforms` between networks, file `formats`."""
