"""The lines of a certificate as queries for solvers: a check of the rules that is independent of the kernels.

1. :mod:`.collect` follows the lines (:mod:`.follow`) and collects what each line needs in order to be true. Equal
   obligations are one query, for any number of lines.
2. There are three kinds of queries. *Rules* (:mod:`.rules`): the conclusion of a line follows from its conditions, for
   all numbers. *Forms* (:mod:`.linear`): a condition holds for the forms of this line. *Cases* (`case_systems`): no
   point of a linear program is above a bound.
3. :mod:`.proof` asks solvers all queries; :mod:`.emit` writes them as SMT-LIB, for any other solver.

Read the modules in this order: certified (files), rules, linear, variables, coarse (sweeps), case_systems, follow
(lines), collected and collect (all obligations), asking and script (solvers), queries, proof, emit. The readers of the
Python kernel read the files and compare networks, so that both agree about what is malformed; no rule is shared.
Exact arithmetic, not a solver, adds forms, and computes the ranges and slopes in a case; a wrong result would give the
wrong query. It also compares what a line refers to: claims, nodes, neurons.
"""
