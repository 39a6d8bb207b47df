"""Points on the command line, such as x1=1/3,x2=0.5."""

from __future__ import annotations

from collections.abc import Iterable

from verimv.core.errors import InputError
from verimv.exact import Number, parse_number, shown


def given_point(inputs: Iterable[str], text: str) -> dict[str, Number]:
    """Return the values that --at gives, for some inputs or all."""
    point: dict[str, Number] = {}
    for item in filter(None, text.split(",")):
        name, equals, number = item.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--at: expected name=number, found {shown(item)}")
        if name not in inputs or name in point:
            problem = (
                "is given twice" if name in point else f"is not an input: the inputs are {', '.join(inputs) or 'none'}"
            )
            raise InputError(f"--at: {name} {problem}")
        point[name] = parse_number(number.strip())
    return point


def whole_point(inputs: Iterable[str], text: str) -> dict[str, Number]:
    point = given_point(inputs, text)
    missing = [name for name in inputs if name not in point]
    if missing:
        raise InputError(f"no value for {', '.join(missing)}: give it with --at {missing[0]}=1/2")
    return point
