"""The words that options take, apart from what they name: a command line can list them without loading any engine."""

from __future__ import annotations

#: What a formula may be written in.
LOGICS = ("auto", "mv", "dmv", "rmv")
#: How units become terms.
STRATEGIES = ("paper", "compact")
#: What can be made small.
MEASURES = ("length", "size")
#: How neurons are bounded, from quick to tight.
TIGHTENING = ("interval", "linear", "lp", "exact")
METHODS = ("auto", *TIGHTENING)
#: What `convert` writes formulas, and networks, as.
FORMULA_FORMATS = ("mv", "text", "ascii", "latex", "sympy", "smtlib", "network")
NETWORK_FORMATS = ("onnx", "nnet")
#: What `plot` draws.
PICTURES = ("auto", "function", "regions", "dag")
#: What `completion` writes scripts for.
SHELLS = ("bash", "zsh", "fish")
#: The paper's experiments.
EXPERIMENTS = ("lengths", "random", "breakpoints", "compositions", "multivariate")
#: Who checks a certificate: kernel.py, the program proved in Coq, or both.
KERNELS = ("python", "verified", "both")
#: Who finds exact ranges of outputs, and exact bounds of neurons.
RANGE_ENGINES = ("auto", "search", "smt", "both")
BOUND_ENGINES = ("search", "smt", "both")
#: Benchmarks, and those over a folder of the user's: each is run by the module bench_NAME of verimv/paper/benchmarks.
BENCHMARKS = ("start", "extract", "prove", "bounds", "certificates", "kernel", "compact", "simplify", "growth")
FOLDER_BENCHMARKS = ("nets",)
#: Endings of files that are networks; anything else is read as network JSON.
NETWORK_SUFFIXES = (".onnx", ".nnet", ".npz", ".safetensors")
