"""z3 and cvc5: encoding, search for points, optimisation; `obligations`: the claims of a certificate as queries."""
