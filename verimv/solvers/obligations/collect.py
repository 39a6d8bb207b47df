"""Collect the obligations of a certificate from its files."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from verimv import kernel
from verimv.core.effort import NEVER, Deadline
from verimv.core.progress import Progress, no_progress
from verimv.exact import ONE, Number, format_number
from verimv.exact.algebraic import Algebraic
from verimv.networks.affine import Affine
from verimv.solvers.obligations.case_systems import IncompleteCases
from verimv.solvers.obligations.certified import (
    CertifiedLayer,
    box_map,
    difference,
    over_unit_cube,
    read_lines,
    read_raw,
    share,
)
from verimv.solvers.obligations.collected import Obligations
from verimv.solvers.obligations.follow import Conclusions, Unfounded

#: Lines between two reports of progress.
_REPORTED = 5_000


@dataclass(frozen=True)
class Task:
    """The obligations of a certificate, and what it proves if they hold."""

    obligations: Obligations
    #: the rule of each line
    rules: Mapping[int, str]
    #: the names of the inputs, which are the first nodes and variables
    inputs: Sequence[str]
    #: what is proved, a line for each output
    statement: Sequence[str]
    #: why the certificate is incomplete even if all obligations hold
    missing: str = ""
    #: an error in the certificate that was found without a solver
    wrong: str = ""


def collect(
    lines: Iterator[bytes],
    contents: Callable[[str], bytes],
    at_hand: Collection[str],
    progress: Progress = no_progress,
    deadline: Deadline = NEVER,
) -> Task:
    """Return the obligations of a certificate. Raises :class:`verimv.kernel.Rejected` if it is malformed, or if its
    files are not those that it names; :class:`~verimv.core.workers.child.OutOfBudget` if the deadline has passed."""
    with _in_line(1):
        header = kernel.read_header(kernel.decoded_line(next(lines, b"")))
    texts, size = kernel.read_subjects(header, contents, at_hand)
    subjects = kernel.start(texts, size, size)
    checker = subjects.checker
    obligations = Obligations()
    derivation = Conclusions(checker.nodes, _layers(texts, obligations), checker.goals, obligations)
    second = checker.second  # the part that is still to come
    errors: list[tuple[Number, Number]] = []  # bounds, from the first of two parts
    inputs = checker.nodes.inputs
    rules: dict[int, str] = {}
    try:
        for line in read_lines(lines):
            deadline.check()
            rules[line.number] = line.rule
            if line.rule == "formula":
                if second is None:
                    raise Unfounded("expected a line formula between two parts only")
                errors, missing = derivation.finish()
                if missing:
                    return Task(obligations, rules, inputs, (), f"line {line.number}, rule formula: {missing}")
                layers = _layers({"network": texts["other"]}, obligations)
                obligations.line = line.number
                obligations.rule("within", len(errors))
                derivation = Conclusions(second.nodes, layers, second.goals, obligations)
                second = None
                continue
            with _in_line(line.number, line.rule):
                derivation.follow(line)
            if line.number % _REPORTED == 0:
                progress("collecting obligations", line.number, 0)
    except (Unfounded, IncompleteCases) as error:
        return Task(obligations, rules, inputs, (), wrong=f"line {line.number}, rule {line.rule}: {error}")
    proved, missing = derivation.finish()
    if second is not None and not missing:
        missing = "there is no line formula, and no second part"
    numbers, sizes = ([(_of_kernel(a), _of_kernel(b)) for a, b in pairs] for pairs in (proved, errors))
    statement = [] if missing else kernel.statement(subjects, numbers, sizes).lines
    return Task(obligations, rules, inputs, statement, missing)


@contextmanager
def _in_line(number: int, rule: str | None = None) -> Iterator[None]:
    """Add this line to rejections that are raised inside."""
    try:
        yield
    except kernel.Rejected as rejected:
        rejected.line, rejected.rule = number, rule
        raise


def _layers(texts: Mapping[str, str], obligations: Obligations) -> list[CertifiedLayer]:
    """Return the layers of one or two networks over the unit cube. Rows of a source and multiples of neurons are
    obligations of line 1; the rest is exact arithmetic."""
    if "network" not in texts:
        return []
    obligations.line = 1
    raw = read_raw(texts["network"])
    layers = over_unit_cube(raw, len(raw.box))
    if "source" in texts:
        source = read_raw(texts["source"])
        for mapped, (_, rows) in zip(layers[:1], source.layers[:1], strict=True):
            for argument, row in zip(mapped.arguments, rows, strict=True):
                obligations.always_zero(_minus(row.substitute(box_map(source)), argument), "a row over the mapped box")
        for (_, rows), (_, others) in zip(raw.layers[1:], source.layers[1:], strict=True):
            for row, other in zip(rows, others, strict=True):
                obligations.always_zero(_minus(row, other), "a row of the source")
    if "other" in texts:
        other_raw = read_raw(texts["other"])
        last = layers[-1]
        pair = difference(layers, over_unit_cube(other_raw, last.first + len(last.arguments)))
        layers, multiples = share(pair)
        arguments = {k: form for layer in layers for k, form in enumerate(layer.arguments, start=layer.first)}
        for multiple in multiples:
            if multiple.activation != "identity":  # without activation, multiples need no rule
                obligations.rule(f"multiple {multiple.activation}")
            if multiple.activation == "relu":
                obligations.never_positive(Affine((), -multiple.factor), "a factor that is not negative")
            elif multiple.activation == "crelu":
                obligations.always_zero(Affine((), multiple.factor - ONE), "the factor 1")
            ratio = arguments[multiple.neuron] + arguments[multiple.original].scaled(-multiple.factor)
            obligations.always_zero(ratio, f"a neuron that is {multiple.factor} times another")
    return layers


def _minus(a: Affine, b: Affine) -> Affine:
    return a + b.scaled(-ONE)


def _of_kernel(x: Number) -> kernel.Number:
    """Convert a number of verimv to one of the kernel, to print it as the kernel does."""
    if isinstance(x, Algebraic):
        return kernel.number(format_number(x))
    return Fraction(int(x.numerator), int(x.denominator))


def collect_files(
    path: str | os.PathLike[str],
    progress: Progress = no_progress,
    deadline: Deadline = NEVER,
) -> Task:
    """Return the obligations of a directory that verimv wrote."""
    certificate, files = kernel.files_of(path, {})

    def contents(subject: str) -> bytes:
        if subject not in files:
            raise kernel.Rejected("malformed", "readable files", f"no {kernel.FILES[subject]}")
        return kernel.contents_of(files[subject])

    try:
        return collect(kernel.lines_of(certificate), contents, files, progress, deadline)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise kernel.Rejected("malformed", "gzipped text", error) from None
