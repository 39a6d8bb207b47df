"""z3 and cvc5: encoding, search for points, optimisation; `obligations`: the lines of a certificate as queries."""
