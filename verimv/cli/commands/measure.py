"""`verimv measure`: length, size, depth, logic and variables of a formula."""

from __future__ import annotations

import argparse

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import abbreviated
from verimv.questions.subjects import read_formula


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading the formula")
    formula = read_formula(arguments.formula)
    report("measuring")
    measures = formula.measure()
    data = {
        "length": measures.length_text,
        "size": measures.size,
        "depth": measures.depth,
        "logic": measures.logic,
        "variables": list(formula.inputs),
        "outputs": list(formula.outputs),
        "operators": measures.operators,
    }
    length = data["length"] if len(measures.length_text) <= 60 else abbreviated(measures.length_text)
    counts = ", ".join(f"{count:,} {name}" for name, count in measures.operators.items())
    text = "\n".join(
        [
            f"length     {length}",
            f"size       {measures.size:,} nodes ({counts})",
            f"depth      {measures.depth:,}",
            f"logic      {measures.logic}",
            f"variables  {' '.join(formula.inputs)}",
            f"outputs    {' '.join(formula.outputs)}",
        ]
    )
    return Result(data, text)
