"""Values of options. They are separate from the code that they select, so that `--help` loads no solver."""

from __future__ import annotations

#: Logics of a formula.
LOGICS = ("auto", "mv", "dmv", "rmv")
#: How units become terms.
STRATEGIES = ("paper", "compact")
#: What simplification minimises.
MEASURES = ("length", "size")
#: Methods that bound neurons, from fastest to tightest.
TIGHTENING = ("interval", "linear", "lp", "exact")
METHODS = ("auto", *TIGHTENING)
#: How numbers are shown; the default is "auto".
NUMBERS = ("exact", "decimal", "both")
#: Formats in which `convert` writes formulas and networks.
FORMULA_FORMATS = ("mv", "text", "ascii", "latex", "sympy", "smtlib", "network")
NETWORK_FORMATS = ("onnx", "nnet")
#: What `plot` draws.
PICTURES = ("auto", "function", "regions", "dag")
#: Shells for which `completion` writes scripts.
SHELLS = ("bash", "zsh", "fish")
#: The paper's experiments.
EXPERIMENTS = ("lengths", "random", "breakpoints", "compositions", "multivariate")
#: Checkers of a certificate: kernel.py, the program proved in Coq, or both.
KERNELS = ("python", "verified", "both")
#: Engines that compute exact ranges of outputs, and exact bounds of neurons.
RANGE_ENGINES = ("auto", "search", "smt", "both")
BOUND_ENGINES = ("search", "smt", "both")
#: Benchmarks, and those that need a folder of networks. Each is the module bench_NAME of verimv/paper/benchmarks.
BENCHMARKS = (
    "start",
    "extract",
    "prove",
    "bounds",
    "distance",
    "within",
    "certificates",
    "kernel",
    "compact",
    "simplify",
    "growth",
)
FOLDER_BENCHMARKS = ("nets",)
#: Benchmarks with a short run.
QUICK_BENCHMARKS = ("within",)
#: File suffixes of networks; any other file is read as network JSON.
NETWORK_SUFFIXES = (".onnx", ".nnet", ".npz", ".safetensors")
