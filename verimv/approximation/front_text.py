"""The text of a front: its table, and what follows from the proved errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from verimv.approximation.front import Front, FrontRow
from verimv.exact import ZERO, Number, format_number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.formulas.measure import format_length
from verimv.formulas.printing import quoted

#: Digits of a length that are shown.
_DIGITS = 9


def told(front: Front, numbers: str) -> Iterator[str]:
    """Yield the lines of the table and the sentences below it."""
    table = cells(front, numbers)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        aligned = [row[0].rjust(widths[0]), row[1].ljust(widths[1])]
        aligned += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield "  ".join(aligned).rstrip()
    yield ""
    yield from sentences(front, numbers)


def cells(front: Front, numbers: str) -> list[list[str]]:
    """Return the table, with its heading."""
    heading = ["#", "within", "length", "constants", "denominator", "error at most", "at least"]
    sample = front.sample
    if sample is not None:
        heading += ["agrees", "must agree"] + ["accuracy"] * bool(sample.labelled)
    return [heading, *(_row(front, row, numbers) for row in front.rows)]


def _row(front: Front, row: FrontRow, numbers: str) -> list[str]:
    found = [
        str(row.number),
        row.within,
        length_text(row.length),
        str(len(row.constants)),
        "irrational" if row.denominator is None else f"{row.denominator:,}" if row.denominator < 10**9 else "> 10^9",
        "not proved" if row.proved is None else _number(row.proved, rounded_up, numbers),
        _number(row.attained, rounded_down, numbers),
    ]
    sample, agreement = front.sample, row.agreement
    if sample is None:
        return found
    if agreement is None:
        return found + ["-", "-"] + ["-"] * bool(sample.labelled)
    found += [share(agreement.agree, agreement.rows), share(agreement.safe, agreement.rows)]
    return found + ([share(agreement.correct, agreement.labelled)] if sample.labelled else [])


def length_text(length: int | float) -> str:
    """Return a length in digits, or about how long it is."""
    text = format_length(length)
    if text.startswith("~") or len(text) <= _DIGITS:
        return text if text.startswith("~") else f"{int(text):,}"
    return f"≈{text[0]}.{text[1:3]}·10^{len(text) - 1}"


def share(part: int, whole: int) -> str:
    """Return a percentage, rounded down: 100.0% is all."""
    tenths = part * 1000 // whole
    return f"{tenths // 10}.{tenths % 10}%"


def _number(x: Number, rounding: Callable[[Number], str], numbers: str) -> str:
    exact, decimal = format_number(x), rounding(x)
    if numbers == "exact" or exact == decimal:
        return exact
    return f"{exact} ({decimal})" if numbers == "both" else decimal


def promise(front: Front) -> str:
    """Return what the proved errors say about decisions."""
    network, decider = front.network, front.decider
    if decider.outputs > 1:
        return (
            "a formula has the same largest output wherever that of the network is ahead by more than twice the error"
        )
    name = quoted(network.label(network.outputs[0]))
    limit = format_number(decider.threshold)
    return f"a formula decides as the network ({name} > {limit}) wherever {name} is farther from {limit} than the error"


def sentences(front: Front, numbers: str) -> Iterator[str]:
    """Yield what is below the table."""
    yield "errors hold at every point of the box; each is that of a certificate that kernel.py accepts"
    yield from (f"{row.within}: not proved: {row.lacking}" for row in front.rows if row.lacking)
    if front.is_deciding:
        yield promise(front)
    yield from _data_told(front)
    for row in front.rows:
        if row.is_constant and row.proved is not None and row.within != "exact":
            yield f"a constant is within {_number(row.proved, rounded_up, numbers)}: {_constant_formula(row)}"
    if front.dropped:
        yield f"left out, since not shorter than a closer one: {', '.join(front.dropped)}"
    yield from (f"within {name}: undecided: {reason}" for name, reason in front.undecided.items())


def _constant_formula(row: FrontRow) -> str:
    values = dict.fromkeys(map(format_number, row.formula.at(dict.fromkeys(row.formula.inputs, ZERO))))
    return f"the formula is {' or '.join(values)}"


def _data_told(front: Front) -> Iterator[str]:
    sample = front.sample
    if sample is None:
        return
    count, outside = len(sample.points), sample.outside
    left = f"; {outside:,} outside the box {'is' if outside == 1 else 'are'} left out" if outside else ""
    yield f"data: {count:,} row{'s' * (count != 1)}, all values exact{left}"
    if sample.labelled:
        others = f" of {sample.labelled:,} rows with a label of the margin" if sample.labelled < count else ""
        yield f"the network decides {share(sample.correct, sample.labelled)}{others} as labelled"
