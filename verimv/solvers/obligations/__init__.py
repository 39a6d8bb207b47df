"""What a certificate claims, line by line, for solvers to prove: a judge of the rules that is no kernel.

1. :mod:`.collect` follows the lines (:mod:`.follow`) and writes down what each needs in order to be true. Equal
   obligations are one query, however many lines they serve.
2. There are three kinds of queries. *Rules* (:mod:`.rules`): what a line concludes follows from its conditions, for
   all numbers. *Forms* (:mod:`.linear`): a condition holds for the forms of this line. *Cases* (`case_systems`): no
   point of a linear program is above a bound.
3. :mod:`.proof` asks solvers about all of them; :mod:`.emit` writes them as SMT-LIB, for any other solver.

To be read in this order: certified (files), rules, linear, case_systems, follow (lines), collected and collect (all
obligations), asking and script (solvers), queries, proof, emit. Files are read, and networks compared, by the Python
kernel's readers, so that both agree about what is malformed; no rule is shared.
Exact arithmetic, not a solver, adds up forms, and works out the ranges and slopes in a case; a wrong result would be
the wrong query. It also compares what a line refers to: claims, nodes, neurons.
"""
