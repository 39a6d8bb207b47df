"""Commands and options. Every `--help` ends with an example that works from a checkout.

The command NAME is run by the module `verimv.cli.commands.NAME`; `--help` loads none of these.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from verimv import __version__, kernel
from verimv.cli.options import (
    add_box,
    add_directory,
    add_kernel,
    add_kernel_effort,
    add_logits,
    add_names,
    add_numbers,
    add_outputs,
    add_scale,
    add_search_effort,
    add_workers,
    count,
    megabytes,
    positive,
    seed,
    workers,
)
from verimv.cli.usage import EXIT_CODES, Commands, Parser
from verimv.core.choices import (
    BENCHMARKS,
    BOUND_ENGINES,
    EXPERIMENTS,
    FOLDER_BENCHMARKS,
    FORMULA_FORMATS,
    LOGICS,
    MEASURES,
    METHODS,
    NETWORK_FORMATS,
    PICTURES,
    QUICK_BENCHMARKS,
    RANGE_ENGINES,
    SHELLS,
    STRATEGIES,
    VERIFICATION_EFFORT,
)

SUBJECT = "a file, an expression, or - for stdin"
NETWORK = "network JSON, .onnx, .nnet, .npz, .safetensors, or - for JSON on stdin"


def build_parser() -> Commands:
    parser = Commands(
        prog="verimv",
        description="Neural networks as equivalent formulas of Łukasiewicz many-valued logic, with proofs.",
    )
    parser.add_argument("--version", action="version", version=f"verimv {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    parser.commands, parser.summaries = subparsers, {}

    def command(
        name: str, summary: str, example: str, budgeted: bool = False, decides: Sequence[str] = (), limit: str = ""
    ) -> argparse.ArgumentParser:
        """Add a command. `decides` names the arguments that its verdict is about, for JUnit."""
        parser.summaries[name] = summary
        sub = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary}{limit}",
            epilog=f"example:\n{example}\n\n{EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(budgeted=budgeted, command=name, decides=decides, junit=None)
        common = sub.add_argument_group("every command")
        common.add_argument("--json", action="store_true", help="print one JSON object")
        common.add_argument("--quiet", action="store_true", help="no progress on stderr")
        common.add_argument("--verbose", action="store_true", help="print each stage and its start time on stderr")
        common.add_argument("--timeout", type=positive, metavar="SECONDS", help="stop (exit 3) after this long")
        common.add_argument("--memory", type=megabytes, metavar="MB", help="stop (exit 3) when more memory is used")
        common.add_argument("--debug", action="store_true", help="show tracebacks")
        if decides:
            common.add_argument("--junit", metavar="FILE", help="write the verdict to FILE as JUnit XML, for CI")
        return sub

    sub = command(
        "extract",
        "convert a network to a formula, with a certificate",
        "  verimv extract examples/networks/hat.json -o hat\n  (x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)",
        decides=("network",),
    )
    sub.add_argument("network", metavar="NETWORK", help=NETWORK)
    add_directory(sub, "write formula, certificate, summary and report to DIR")
    sub.add_argument(
        "--logic",
        choices=LOGICS,
        default="auto",
        help="default: mv for integer weights, else rmv (--strategy paper: dmv for rationals with a small denominator)",
    )
    sub.add_argument(
        "--strategy", choices=STRATEGIES, default="compact", help="how units become terms (default: compact)"
    )
    sub.add_argument(
        "--minimise",
        choices=(*MEASURES, "constants"),
        default="length",
        help="what the strategy compact minimises; with --within also constants: few, with small denominators "
        "(default: length)",
    )
    sub.add_argument(
        "--within",
        metavar="E",
        help="the shortest formula that is found within this proven error, in the units of the outputs or in percent "
        "of the range of each output, such as 5%%, or the word constant (default: 0, exactly the network)",
    )
    sub.add_argument(
        "--bounds",
        choices=METHODS,
        default="auto",
        help="how neurons are bounded (default: the tightest that is quick)",
    )
    add_workers(sub, "bounds")
    sub.add_argument(
        "--resume",
        metavar="FILE",
        help="save bounds to FILE as they are found; the same call continues from there if it was stopped",
    )
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    ends = sub.add_mutually_exclusive_group()
    ends.add_argument("--scale-output", action="store_true", help="map the proven range of every output into [0,1]")
    ends.add_argument(
        "--clip-output", action="store_true", help="clip every output to [0,1]: σ(output) instead of the output"
    )
    sub.add_argument(
        "--votes",
        action="store_true",
        help="also print each unit as a weighted vote in words (default: if the formula is too long)",
    )
    sub.add_argument("--simplify", action="store_true", help="simplify the formula afterwards (about 20 s at most)")
    add_kernel(sub)
    sub.add_argument("--no-check", action="store_true", help="write the certificate without checking it")
    sub.add_argument("--no-report", action="store_true", help="do not write report.html")
    add_numbers(sub)

    sub = command(
        "approximate",
        "a choice of formulas, from the exact one to a constant: how long, and how close, proved",
        "  verimv approximate examples/networks/rational.json --within constant\n"
        "  #  within    length  constants  denominator  error at most  at least\n  …",
    )
    sub.add_argument("network", metavar="NETWORK", help=NETWORK)
    sub.add_argument(
        "--within",
        metavar="E,E,…",
        help="the errors, each in the units of the outputs or in percent of the range of each output, or the "
        "word constant (default: 1%%,2%%,5%%,10%%,20%%,constant)",
    )
    sub.add_argument(
        "--minimise", choices=MEASURES, default="length", help="what the formulas are compared by (default: length)"
    )
    sub.add_argument(
        "--data",
        metavar="FILE.csv",
        help="a table of points: do network and formula decide alike there? Inputs by the names in its header, or all "
        "columns in their order",
    )
    sub.add_argument(
        "--label",
        metavar="NAME",
        help="the column of the right decisions: names or numbers of outputs; for one output 1 or 0",
    )
    sub.add_argument(
        "--threshold", metavar="T", help="one output decides by whether it is above this number (default: 0)"
    )
    sub.add_argument(
        "--pick", metavar="N|E", help="the formula of this row (from 1), or the shortest within this error such as 5%%"
    )
    add_directory(sub, "with --pick: write formula, certificate, summary and report to DIR, as extract does")
    sub.add_argument("--plot", metavar="FILE.svg", help="draw length against proved error")
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    add_kernel(sub)
    sub.add_argument("--no-report", action="store_true", help="do not write report.html")
    add_numbers(sub)
    sub.set_defaults(no_check=False, resume=None, votes=False)

    sub = command(
        "check",
        "check certificates without a solver",
        "  verimv extract examples/networks/hat.json -o hat && verimv check hat\n"
        "  valid (kernel.py and the verified kernel)\n  …",
        decides=("paths",),
    )
    sub.add_argument(
        "paths",
        nargs="+",
        metavar="DIR|CERTIFICATE",
        help="directories that extract wrote (or a file in each), directories of such directories, or certificates",
    )
    for name, file in kernel.FILES.items():
        sub.add_argument(f"--{name}", metavar="FILE", help=f"the {name} that the certificate is about (DIR/{file})")
    add_kernel(sub)
    add_kernel_effort(sub)
    sub.add_argument(
        "--statements", action="store_true", help="with several certificates: print what each proves below its row"
    )
    sub.add_argument(
        "--html", metavar="FILE", help="write verdicts and statements to FILE as a page, with links to reports"
    )
    sub.add_argument(
        "--workers",
        type=workers,
        metavar="N",
        help="with several certificates: processes that check them (default: one for each core)",
    )

    sub = command(
        "report",
        "write an HTML page about a directory that extract or --certify wrote",
        "  verimv extract examples/networks/hat.json -o hat && verimv report hat\n  written to hat/report.html (valid)",
    )
    sub.add_argument("directory", metavar="DIR", help="a directory that extract or --certify wrote")
    sub.add_argument("-o", dest="out", metavar="FILE", help="default: DIR/report.html")
    add_kernel_effort(sub)

    sub = command(
        "plot",
        "draw a graph (one input), a map of linear regions (two inputs), or the shared DAG",
        "  verimv plot examples/networks/hat.json -o hat.svg\n  verimv plot '(x ⊕ y) ⊙ ¬z' -o map.png --at z=1/3",
    )
    sub.add_argument("subject", metavar="F|NETWORK", help=SUBJECT)
    sub.add_argument("-o", dest="out", metavar="OUT", required=True, help="the picture (.svg or .png)")
    sub.add_argument(
        "--kind", choices=PICTURES, default="auto", help="default: function for one input, regions for two, else dag"
    )
    sub.add_argument("--at", metavar="x3=1/2,…", help="fix these inputs at these values")
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    sub.add_argument(
        "--nodes",
        type=count,
        metavar="N",
        help="dag: draw the N nodes nearest to the outputs (default: all, folded by neuron if there are many)",
    )

    sub = command(
        "eval",
        "compute exact values of a formula or network",
        "  verimv eval '(x ⊕ x) ⊙ ¬(x ⊙ x)' --at x=1/3\n  2/3",
    )
    sub.add_argument(
        "subject", metavar="F|NETWORK|DIR", help=f"{SUBJECT}; DIR: what extract wrote, in the network's units"
    )
    sub.add_argument("--at", metavar="x1=1/3,…", help="the point")
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    sub.add_argument(
        "--csv", metavar="FILE", help="a table of points with a header; it is printed with columns for the outputs"
    )
    sub.add_argument(
        "--floats", action="store_true", help="with --csv and an .onnx file: add the values of onnxruntime"
    )
    sub.add_argument(
        "--float-gap",
        action="store_true",
        help="a proven bound on |float32 execution − exact value|, at the points, or in the whole box if none is given",
    )
    add_numbers(sub)

    sub = command(
        "explain",
        "why a network has its value at a point: its units, its linear form, and how far until something changes",
        "  verimv explain examples/networks/hat.json --at x1=1/3\n  y1 = 2/3\n  …",
    )
    sub.add_argument(
        "network",
        metavar="DIR|NETWORK",
        help=f"what extract or --certify wrote, which is checked first; or {NETWORK}",
    )
    sub.add_argument(
        "--at",
        required=True,
        metavar="x1=1/3,…|FILE.csv:ROW|JSON",
        help="the point: name=number,… (names with commas in quotes); a row of a table, counted from 1 below its "
        "header; or JSON, an object or a list",
    )
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    add_numbers(sub)

    sub = command(
        "measure",
        "print length, size, depth, logic and variables of a formula",
        "  verimv measure '(x ⊕ x) ⊙ ¬(x ⊙ x)'\n  length     4\n  …",
    )
    sub.add_argument("formula", metavar="F", help=SUBJECT)

    sub = command(
        "simplify",
        "find an equivalent formula, never longer; each step is a law or proved by a solver",
        "  verimv simplify '(x ∧ y) ⊕ (x ∨ y)'\n  x ⊕ y\n  …",
    )
    sub.add_argument("formula", metavar="F", help=SUBJECT)
    sub.add_argument(
        "-o", dest="out", metavar="OUT", help="write the formula to a file (.mv .txt .asc .tex .py .json .smt2)"
    )
    sub.add_argument("--minimise", choices=MEASURES, default="length", help="what to minimise (default: length)")
    sub.add_argument(
        "--effort",
        type=positive,
        default=20.0,
        metavar="N",
        help="about N seconds of work, counted in steps: the same result on every machine (default: 20)",
    )
    sub.add_argument(
        "--certify", metavar="DIR", help="write both formulas to DIR, with a certificate that they are equal"
    )
    add_numbers(sub)

    sub = command(
        "convert",
        "convert between formats; formula → network is the paper's construction",
        "  verimv convert '(x ⊕ x) ⊙ ¬y' -o network.json\n  verimv convert hat/formula.mv --to latex -o -",
    )
    sub.add_argument("subject", metavar="F|NETWORK", help=SUBJECT)
    sub.add_argument(
        "-o",
        dest="out",
        metavar="OUT",
        required=True,
        help="a file (.mv .txt .asc .tex .py .smt2 .json .onnx .nnet), or - for stdout",
    )
    sub.add_argument(
        "--to",
        choices=(*FORMULA_FORMATS, *NETWORK_FORMATS),
        help="the format, if the name of OUT does not say it",
    )
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    sub.add_argument(
        "--certify",
        metavar="DIR",
        help="formula → network: write both to DIR, with a certificate that they are equal",
    )

    def question(name: str, summary: str, example: str, *decides: str, limit: str = "") -> argparse.ArgumentParser:
        sub = command(name, summary, example, budgeted=True, decides=decides, limit=limit)
        sub.add_argument("--solver", choices=("z3", "cvc5", "all"), default="z3", help="all: both, which must agree")
        sub.add_argument("--emit", metavar="DIR", help="write every query to DIR as SMT-LIB 2")
        return sub

    sub = question(
        "equiv",
        "are two networks or formulas equal everywhere?",
        "  verimv equiv 'x ⊙ (x → y)' 'x ∧ y'\n  equal",
        "a",
        "b",
    )
    sub.add_argument("a", metavar="A", help="a formula or network: a file, an expression, a directory, or - for stdin")
    sub.add_argument("b", metavar="B", help="the other one; a directory stands for the network that it certifies")
    sub.add_argument("--tolerance", metavar="E", default="0", help="equal up to a difference of E (default: 0)")
    add_search_effort(sub)
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    add_scale(sub)
    sub.add_argument(
        "--certify",
        metavar="DIR",
        help="if they are equal, write a certificate to DIR; with a tolerance, for two networks only",
    )
    add_numbers(sub)

    sub = command(
        "distance",
        "how far apart are two networks or formulas? At least, at a point; at most, proved",
        "  verimv distance 'x ∧ ¬x' 'Δ[1/2](x ∧ ¬x)'\n  exactly 1/4 (0.25)\n    at x=1/2",
        budgeted=True,
        decides=("a", "b"),
    )
    sub.add_argument("a", metavar="A", help="a formula or network: a file, an expression, a directory, or - for stdin")
    sub.add_argument("b", metavar="B", help="the other one; a directory stands for the network that it certifies")
    sub.add_argument("--tolerance", metavar="E", help="stop when it is decided whether the distance is at most E")
    sub.add_argument(
        "--within", metavar="R", default="0", help="stop when both ends are this close: 0.1 or 10%% (default: 0)"
    )
    add_search_effort(sub)
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    add_scale(sub)
    sub.add_argument("--certify", metavar="DIR", help="of two networks: write a certificate of upper bounds to DIR")
    add_numbers(sub)

    sub = command(
        "verify",
        "does a network keep a specification? Proved, or violated at an exact point",
        "  verimv verify examples/networks/hat.json 'x1 <= 1/4 -> y1 <= 0.5'\n  holds",
        budgeted=True,
        decides=("network", "specification"),
    )
    sub.add_argument("network", metavar="NETWORK", help=NETWORK)
    sub.add_argument(
        "specification",
        metavar="SPEC",
        help="what must hold: a VNN-LIB file (1.0 or 2.0; it has the unsafe points), a file or text such as "
        "'0.3 <= x1 -> y1 - y2 <= 0.5 and not y1 = 0', or a formula over inputs and outputs that must be 1 everywhere",
    )
    sub.add_argument(
        "--network",
        dest="networks",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="another network that a VNN-LIB 2.0 file declares (may be given several times)",
    )
    add_box(sub)
    add_logits(sub)
    add_names(sub)
    sub.add_argument(
        "-o",
        "--certify",
        dest="certify",
        metavar="DIR",
        help="if it holds, write a certificate of every case to DIR, for verimv check",
    )
    add_search_effort(sub, VERIFICATION_EFFORT)
    add_workers(sub, "the search")
    add_numbers(sub)

    sub = question(
        "prove",
        "do solvers prove every line of a certificate?",
        "  verimv extract examples/networks/hat.json -o hat && verimv prove hat --solver all",
        "directory",
        limit=" (undecided after 600 s, or --timeout)",
    )
    sub.add_argument("directory", metavar="DIR", help="a directory with a certificate, as extract writes it")
    sub.add_argument(
        "--mode",
        choices=("layered", "monolithic"),
        default="layered",
        help="small obligations from the lines of the certificate, or one query whether network and formula are equal",
    )
    add_workers(sub, "obligations")

    sub = question("valid", "is a formula 1 everywhere?", "  verimv valid 'x ⊕ ¬x'\n  valid", "formula")
    sub.add_argument("formula", metavar="F", help=SUBJECT)
    add_search_effort(sub)

    sub = question("sat", "is a formula 1 somewhere?", "  verimv sat 'x ↔ ¬x'", "formula")
    sub.add_argument("formula", metavar="F", help=SUBJECT)
    add_search_effort(sub)

    sub = question(
        "entails",
        "wherever F is 1, is G 1?",
        "  verimv entails 'x ⊙ (x → y)' y\n  entailed",
        "premise",
        "conclusion",
    )
    sub.add_argument("premise", metavar="F", help=SUBJECT)
    sub.add_argument("conclusion", metavar="G", help="a file or an expression")
    add_search_effort(sub)

    sub = question(
        "range",
        "exact minimum and maximum of every output, with points",
        "  verimv range 'x ∨ ¬x'\n  minimum 1/2 at x=1/2\n  maximum 1 at x=0",
    )
    sub.add_argument("subject", metavar="F|NETWORK", help=SUBJECT)
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    sub.add_argument("--scale-output", action="store_true", help="of outputs whose proven range is mapped onto [0,1]")
    add_names(sub)
    sub.add_argument(
        "--engine",
        choices=RANGE_ENGINES,
        default="auto",
        help="verimv's own search, a solver, or both, which must agree (default: search, then a solver if it fails)",
    )
    add_search_effort(sub)
    sub.add_argument("--certify", metavar="DIR", help="of a network: write a certificate of the proved bounds to DIR")
    add_workers(sub, "the search")
    add_numbers(sub)

    sub = command(
        "bounds",
        "proven range of every neuron before activation",
        "  verimv bounds examples/networks/hat.json\n  1:0  [0, 2]  exact\n  …",
        budgeted=True,
    )
    sub.add_argument("network", metavar="NETWORK", help=NETWORK)
    sub.add_argument("--method", choices=METHODS, default="auto", help="default: the tightest that is quick")
    sub.add_argument("--neuron", metavar="L:I", help="only this neuron (layers from 1, neurons from 0)")
    add_box(sub)
    add_logits(sub)
    add_outputs(sub)
    add_names(sub)
    sub.add_argument(
        "--engine",
        choices=BOUND_ENGINES,
        default="search",
        help="for exact bounds: verimv's own search, a solver, or both, which must agree (default: search)",
    )
    add_workers(sub, "the search")
    sub.add_argument("--solver", choices=("z3", "cvc5"), default="z3", help="the solver of --engine smt")
    sub.add_argument(
        "--seconds-per-bound",
        type=positive,
        default=5.0,
        metavar="S",
        help="effort for each end of a range: about S seconds of work, counted in steps (default: 5)",
    )
    add_numbers(sub)

    sub = command(
        "ci",
        "prove every promise about the models of a repository: verimv.toml, or [tool.verimv] in pyproject.toml",
        "  verimv ci --file examples/ci/verimv.toml --cache kept\n  model  promise  …\n  …\n  4 proved of 4, 0.4 s",
        decides=("file",),
    )
    sub.add_argument(
        "action",
        nargs="?",
        choices=("init",),
        metavar="init",
        help="write a first verimv.toml from the models and certificates that are found",
    )
    sub.add_argument(
        "--file", metavar="FILE", help="the file of promises (default: the nearest here or in a directory above)"
    )
    sub.add_argument(
        "--only", action="append", metavar="NAME", help="only this model or promise, or those like 'valve*'; repeatable"
    )
    sub.add_argument("--fresh", action="store_true", help="prove everything again, whatever was found before")
    sub.add_argument(
        "--cache",
        metavar="DIR",
        help="where certificates are kept for the next run, to be checked again (default: .verimv beside the file)",
    )
    sub.add_argument("--sarif", metavar="FILE", help="write what is not proved to FILE as SARIF, for code scanning")
    sub.add_argument(
        "--github", action="store_true", help="print annotations for GitHub Actions, and write the summary of the job"
    )
    sub.add_argument(
        "--workers", type=workers, metavar="N", help="promises proved at a time (default: one for each core)"
    )

    sub = command(
        "reproduce",
        "run the paper's experiments: numbers, figures, and which of its claims hold",
        "  verimv reproduce all --runs 20 -o figures",
    )
    sub.add_argument(
        "figure", choices=(*EXPERIMENTS, "all"), metavar="FIGURE", help=f"one of: {', '.join(EXPERIMENTS)}, all"
    )
    sub.add_argument("--runs", type=count, default=500, metavar="N", help="random runs for each point (default: 500)")
    sub.add_argument("--seed", type=seed, default=1, metavar="S", help="an integer ≥ 0 (default: 1)")
    sub.add_argument(
        "-o",
        dest="directory",
        metavar="DIR",
        help="write numbers and figures to DIR; the same call continues from there if it was stopped",
    )

    sub = command(
        "bench",
        "run benchmarks: ratios and growth within one run on this machine",
        "  verimv bench extract\n  verimv bench verify --nets acasxu --expected verdicts.csv",
    )
    sub.add_argument(
        "name",
        nargs="?",
        choices=(*BENCHMARKS, *FOLDER_BENCHMARKS),
        metavar="NAME",
        help=f"one of: {', '.join(BENCHMARKS)} (default: all of these), or {', '.join(FOLDER_BENCHMARKS)}",
    )
    sub.add_argument("folder", nargs="?", metavar="FOLDER", help="nets: the folder with the networks")
    sub.add_argument("-o", dest="directory", metavar="DIR", help="write the numbers to DIR/NAME.json")
    sub.add_argument("--quick", action="store_true", help=f"a few small cases only: {', '.join(QUICK_BENCHMARKS)}")
    sub.add_argument(
        "--nets",
        metavar="DIR",
        help="verify: the networks and VNN-LIB files of DIR, as its instances.csv lists them, or each network with the "
        "files of its name and those of no network (default: small networks that are made)",
    )
    sub.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="verify: instances with PATTERN in their name, such as '1_5*prop_1' (may be given several times)",
    )
    sub.add_argument(
        "--expected",
        metavar="FILE",
        help="verify: known verdicts, in lines NETWORK,PROPERTY,VERDICT (holds or unsat, violated or sat)",
    )
    sub.add_argument(
        "--effort",
        type=positive,
        metavar="S",
        help=f"verify: about S seconds of work for each instance, counted in steps (default: {VERIFICATION_EFFORT:g})",
    )
    sub.add_argument("--seconds", type=positive, metavar="S", help="verify: give up on an instance after S seconds")
    sub.add_argument(
        "--all-kernels",
        action="store_true",
        default=None,
        help="verify: ask kernel.py also where it takes longer than a minute",
    )
    sub.add_argument(
        "--marabou-seconds",
        type=positive,
        metavar="S",
        help="verify: seconds for Marabou, if it is installed, for each instance that verimv decides in as many "
        "(default: 60)",
    )
    sub.add_argument("--certificates", metavar="DIR", help="verify: keep the certificates in DIR")

    sub = command(
        "completion",
        "print a script with which a shell completes commands and options",
        "  source <(verimv completion bash)      # also in ~/.bashrc\n  verimv completion fish | source",
    )
    sub.add_argument("shell", choices=SHELLS, help="the shell")
    return parser
