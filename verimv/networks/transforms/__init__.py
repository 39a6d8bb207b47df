"""Networks from networks and from formulas: composition, normalisation, choice of outputs, merging of neurons."""
