"""Assertions for test suites: two networks or formulas are equal; a directory has a valid certificate.

They raise :class:`AssertionError`, with an exact counterexample if there is one. Undecided questions fail, too. With
pytest, both are fixtures (see verimv/pytest_plugin.py).

>>> from verimv.testing import assert_equivalent
>>> assert_equivalent("x ⊙ (x → y)", "x ∧ y")
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from verimv.core.choices import EFFORT
from verimv.kernels.judge import judge_files

if TYPE_CHECKING:
    from verimv.formulas.formula import Formula
    from verimv.networks.network import Network
    from verimv.solvers.verdict import Verdict

__all__ = ["assert_certified", "assert_equivalent"]

#: A path, an expression, a formula, a network, or anything that `verimv.load` takes.
Subject = Any

#: Characters of a subject's name.
_NAME_LENGTH = 60


def assert_equivalent(
    a: Subject,
    b: Subject,
    *,
    tolerance: Any = 0,
    effort: float = EFFORT,
    seconds: float = math.inf,
    box: Any = None,
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    scale_output: bool = False,
    logits: bool = False,
) -> None:
    """Fail unless |a − b| ≤ tolerance is proved on the whole box; show an exact counterexample if there is one.

    `effort` says how much is tried: about so many seconds of work, counted in steps. After `seconds` by the clock the
    question is undecided. `box` is a file, a data frame, or a pair of numbers for each input; `output` and `margin`
    choose outputs of networks, `logits` the scores of classifiers (:func:`verimv.load`), and `scale_output` maps the
    range of each of the first network onto [0,1]. A directory stands for the network that it certifies.
    """
    __tracebackhide__ = True
    from verimv.questions.compared_pair import comparable

    left, right = comparable(a, b, box=box, output=output, margin=margin, scale_output=scale_output, logits=logits)
    _fail_unless_equal(left, right, (_name(a, "left"), _name(b, "right")), tolerance, effort, seconds)


def assert_certified(
    directory: str | os.PathLike[str],
    *,
    network: Subject | None = None,
    tolerance: Any = 0,
    effort: float | None = None,
    seconds: float = math.inf,
    box: Any = None,
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    scale_output: bool = False,
    logits: bool = False,
) -> None:
    """Fail unless the kernels find the certificate valid that `verimv extract` wrote to a directory.

    With `network`, fail also unless that network equals the one in the directory, within the tolerance, on its box: a
    model that was trained again has to be certified again. `output` and `margin` are those of the extraction; `box` is
    another box to compare on. Each kernel may do about `effort` seconds of work, if that is more than files of their
    size may cost. The other options are those of :func:`assert_equivalent`.
    """
    __tracebackhide__ = True
    judgement = judge_files(os.fspath(directory), {}, effort=None if effort is None else int(effort))
    if judgement.status != "valid":
        raise AssertionError(f"{_name(directory, '')} is not certified: {judgement.text}")
    if network is not None:
        from verimv.questions.compared_pair import comparable

        left, right = comparable(
            network, directory, box=box, output=output, margin=margin, scale_output=scale_output, logits=logits
        )
        names = (_name(network, "the network"), _name(directory, ""))
        _fail_unless_equal(left, right, names, tolerance, effort or EFFORT, seconds)


def _fail_unless_equal(
    a: Formula | Network, b: Formula | Network, names: tuple[str, str], tolerance: Any, effort: float, seconds: float
) -> None:
    __tracebackhide__ = True
    from verimv.exact import as_number, format_number
    from verimv.questions.equality import equivalent
    from verimv.solvers.point_search import Search

    allowed = as_number(tolerance)
    verdict = equivalent(a, b, tolerance=allowed, search=Search(seconds=seconds, effort=effort))
    if not verdict.proved:
        within = f" within {format_number(allowed)}" if allowed else ""
        raise AssertionError(_told(verdict, names, within))


def _told(verdict: Verdict, names: tuple[str, str], within: str) -> str:
    """Return the message of a failure: aligned lines for the point and for each value."""
    if verdict.witness is None:
        return f"undecided, so not proved equal: {names[0]} and {names[1]}{within}\n  {verdict.reason}"
    values = dict(verdict.witness.values)
    rows = {"at": ", ".join(f"{name}={number}" for name, number in verdict.witness.point.items())}
    if "output" in values:
        rows["output"] = values["output"]
    rows |= {name: values[side] for name, side in zip(_distinct(names), ("left", "right"), strict=True)}
    width = max(map(len, rows))
    told = [f"  {name.ljust(width)}  {text}" for name, text in rows.items()]
    return "\n".join([f"not equal{within}: {names[0]} and {names[1]}", *told])


def _distinct(names: tuple[str, str]) -> tuple[str, str]:
    return names if names[0] != names[1] else (f"{names[0]} (left)", f"{names[1]} (right)")


def _name(subject: Subject, otherwise: str) -> str:
    if not isinstance(subject, str | os.PathLike):
        return otherwise
    text = os.fspath(subject)
    here = os.getcwd() + os.sep
    text = text[len(here) :] if text.startswith(here) else text
    return text if len(text) <= _NAME_LENGTH else f"{text[: _NAME_LENGTH // 2]}…{text[-_NAME_LENGTH // 2 :]}"
