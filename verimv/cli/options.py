"""Options that several commands have, and parsers of option values."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from verimv.core.errors import InputError

if TYPE_CHECKING:
    from verimv.exact import Number

from verimv.core.choices import EFFORT, KERNELS, NUMBERS


def add_box(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--box",
        metavar="FILE",
        help='box instead of the network\'s own: JSON [["low", "high"], …] with a pair per input, a VNN-LIB file, or a '
        "table with the ranges of its columns: data.csv, or data.csv:1%%-99%% for percentiles",
    )


def add_logits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--logits",
        action="store_true",
        help="of a classifier: the values before its last Softmax, Sigmoid or ArgMax, which decide alike",
    )


def add_directory(parser: argparse.ArgumentParser, purpose: str) -> None:
    parser.add_argument("-o", dest="directory", metavar="DIR", help=purpose)
    parser.add_argument(
        "--force", action="store_true", help="write to DIR even if it has files that verimv did not write"
    )


def add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--output", metavar="NAME|INDEX", help="only this output (index from 0)")
    group.add_argument("--margin", nargs=2, metavar=("A", "B"), help="only the difference A − B of two outputs")


def add_scale(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale-output",
        action="store_true",
        help="of two networks: in units of the proven range of every output of A, so that 0.01 is one percent of it",
    )


def add_names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--names",
        metavar="FILE",
        help="names of the inputs, then perhaps of the outputs; spaces are allowed: one per line, the header of a CSV "
        'file, a JSON list, or {"inputs": […], "outputs": […]}',
    )


def add_numbers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--numbers",
        choices=NUMBERS,
        default="auto",
        help="how numbers are shown: exactly, as decimals (≈ if rounded), or both (default: both for long ones, in "
        "formulas and tables decimals for long ones); files and JSON are always exact",
    )


def add_search_effort(parser: argparse.ArgumentParser, default: float = EFFORT) -> None:
    parser.add_argument(
        "--effort",
        type=positive,
        default=default,
        metavar="S",
        help=f"how much is tried: about S seconds of work, counted in steps, so that the answer is the same on every "
        f"run (default: {default:g})",
    )


def add_kernel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kernel",
        choices=KERNELS,
        help="who checks: kernel.py, the kernel proved sound in Coq, or both, which must agree "
        "(default: both if the verified one is at hand)",
    )


def add_kernel_effort(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--effort",
        type=count,
        metavar="SECONDS",
        help="let each kernel do about SECONDS seconds of work, counted in steps, for a certificate that is short but "
        "takes long to check (default: in proportion to the size of the files)",
    )


def add_workers(parser: argparse.ArgumentParser, purpose: str) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--workers", type=workers, default=1, metavar="N", help=f"processes for {purpose} (default: 1)")
    group.add_argument(
        "--scheduler",
        dest="workers",
        default=argparse.SUPPRESS,
        metavar="ADDRESS",
        help="a Dask cluster instead of local processes, such as tcp://host:8786 (needs verimv[dask])",
    )


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e8:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, found {text!r}")
    return value


def workers(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 256):
        raise argparse.ArgumentTypeError(f"expected a number of processes from 1 to 256, found {text!r}")
    return int(text)


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"expected an integer from 1 to 1000000, found {text!r}")
    return int(text)


def seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"expected an integer ≥ 0 with at most 18 digits, found {text!r}")
    return int(text)


def megabytes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 30):
        raise argparse.ArgumentTypeError(f"expected a positive number of megabytes, found {text!r}")
    return int(text)


def number_option(name: str, text: str) -> Number:
    """Return the value of an option that is an exact number ≥ 0, or a percentage."""
    from verimv.exact import parse_number, sign  # `--help` needs no numbers

    percent = text.endswith("%")
    try:
        value = parse_number(text.removesuffix("%"))
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None
    if sign(value) < 0:
        raise InputError(f"{name}: expected a number ≥ 0, found {text}")
    return value / 100 if percent else value


def signed_option(name: str, text: str) -> Number:
    """Return the value of an option that is an exact number of either sign."""
    from verimv.exact import parse_number

    try:
        return parse_number(text)
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None
