"""What people ask of networks and formulas: one function each, with all policy of how the answer is found."""
