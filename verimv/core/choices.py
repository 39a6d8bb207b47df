"""Values of options. They are separate from the code that they select, so that `--help` loads no solver."""

from __future__ import annotations

#: How much a question is worth unless people say it: about so many seconds of work.
EFFORT = 60.0
#: The same for a specification: proving it box by box takes longer.
VERIFICATION_EFFORT = 200.0
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
    "verify",
    "certificates",
    "kernel",
    "compact",
    "simplify",
    "growth",
)
FOLDER_BENCHMARKS = ("nets",)
#: Benchmarks with a short run.
QUICK_BENCHMARKS = ("distance", "within", "verify")
#: File suffixes of networks; any other file is read as network JSON.
NETWORK_SUFFIXES = (".onnx", ".nnet", ".npz", ".safetensors")
#: Suffixes of files that hold pickled objects, which are never loaded: loading runs code from the file.
PICKLED_SUFFIXES = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".sav")
