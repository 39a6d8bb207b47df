"""Questions about networks and formulas: one function for each, which also decides how the answer is found."""
