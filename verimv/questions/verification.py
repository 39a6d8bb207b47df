"""Does a network keep its specification? Every case of the unsafe set is excluded by a proof, or a point is in one.

Cases whose constraints contradict each other come first: they need no search. Then each case gets a little work, so
that violations that are easy to find are found early, and then those that are left share the rest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from verimv.bounding.search.box_conflict import Conflict, ConflictSearch
from verimv.bounding.search.margin_search import FEW_NEURONS, MarginResult, prove_positive
from verimv.bounding.search.output_range import is_of_fair_size
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_conflict, certify_margin
from verimv.certificate.verification_files import CertifiedCase, write_verification
from verimv.core.choices import VERIFICATION_EFFORT
from verimv.core.display import Headed, html_table
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InputError, InternalError, Undecided, check_type
from verimv.core.files import read_text
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import Number, Rational, ceil, format_number
from verimv.kernels.verified import native_program
from verimv.networks.boxes import on_given_box
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.specifications.composition import MarginForm, conditions_of, margin_of
from verimv.specifications.contradiction import contradiction
from verimv.specifications.read_specification import read_specification
from verimv.specifications.specification import Specification, UnsafeCase

Outcome = Literal["holds", "violated", "undecided"]
EXIT_CODES: dict[Outcome, int] = {"holds": 0, "violated": 1, "undecided": 3}

#: Work that every case gets at first.
_FIRST_ROUND = SECOND
#: Work for boxes of inputs before the exact minimum of a small network is looked for.
_FIRST_BOXES = 2 * SECOND
#: If kernel.py needs more seconds than this, only the native verified kernel is asked.
_LONG_CHECK = 60
#: Weights of constraints that are tried, each at least so many times the last.
_WEIGHTS, _HEAVIER = 8, 4


@dataclass(frozen=True)
class CaseResult:
    """What was found about one case: its margin is at least `bound`, which is proved, and `attained` at a point."""

    verdict: Outcome
    form: MarginForm
    bound: Number | None = None
    attained: Number | None = None
    #: the constraints contradict each other whatever the network computes
    is_contradictory: bool = False
    margin_network: Network | None = field(default=None, repr=False)
    evidence: Any = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Verification(Headed):
    """The answer: holds, violated at an exact point, or undecided."""

    verdict: Outcome
    specification: Specification
    cases: tuple[CaseResult, ...]
    #: if it is violated: the case, the point and all outputs there, exactly
    violated_case: int | None = None
    at: Mapping[str, str] | None = None
    values: Mapping[str, str] | None = None
    #: the outputs there by onnxruntime, in floats, and whether they violate the specification, too
    floats: Mapping[str, str] | None = None
    float_violated: bool | None = None
    #: why it is undecided, or why it holds of every network
    reason: str = ""
    vacuous: str = ""
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.verdict == "holds"

    @property
    def violated(self) -> bool:
        return self.verdict == "violated"

    @property
    def undecided(self) -> bool:
        return self.verdict == "undecided"

    def __bool__(self) -> bool:
        """True if it holds, False if it is violated; undecided is neither."""
        if self.undecided:
            raise Undecided(self.reason)
        return self.holds

    @property
    def margin(self) -> Number | None:
        """How far the network is from violating the specification, at least: the least proved bound of a margin. If it
        is violated, the margin at the point; None if nothing is known."""
        if self.violated_case is not None:
            return self.cases[self.violated_case].attained
        bounds = [found.bound for found in self.cases]
        return None if not bounds or None in bounds else min(bound for bound in bounds if bound is not None)

    @cached_property
    def certified(self) -> list[CertifiedCase]:
        """The certificates of all cases, of a specification that holds."""
        if not self.holds:
            raise InputError(f"there is no certificate: the specification is {self.verdict}")
        return [self._certified(k, found) for k, found in enumerate(self.cases)]

    def _certified(self, index: int, found: CaseResult) -> CertifiedCase:
        if found.margin_network is None:
            raise InternalError(f"case {index + 1} has no margin")
        if isinstance(found.evidence, Conflict):
            return CertifiedCase(found.form, self._judged(found.margin_network, found.evidence))
        certificate = certify_margin(found.margin_network, found.evidence)
        if certificate is None:
            raise Undecided(f"the kernel does not accept the evidence of case {index + 1}")
        return CertifiedCase(found.form, certificate)

    def _judged(self, conditions: Network, conflict: Conflict) -> Certificate:
        """Return the certificate of a tree of boxes, if the kernels accept it.

        A large one takes kernel.py minutes: then only the verified kernel is asked, if its native build is at hand.
        """
        certificate = certify_conflict(conditions, conflict)
        alone = conflict.kernel_effort > _LONG_CHECK and native_program() is not None
        judgement = certificate.judge("verified" if alone else None, effort=conflict.kernel_effort)
        if judgement.status != "valid":
            raise InternalError(f"the kernel does not accept the evidence: {judgement.text}")
        return certificate

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the model, the specification and a certificate of every case, for `verimv check`."""
        write_verification(directory, self.specification, self.certified, self.kernel_effort)

    @property
    def kernel_effort(self) -> int:
        """About how many seconds of work a kernel needs for the case that is hardest to check; 0 if that is little."""
        efforts = [found.evidence.kernel_effort for found in self.cases if isinstance(found.evidence, Conflict)]
        return max(efforts, default=0)

    def _headline(self) -> str:
        return self.verdict + (f": {self.reason or self.vacuous}" if self.reason or self.vacuous else "")

    def __str__(self) -> str:
        return self._headline()

    def _repr_html_(self) -> str:
        rows: list[tuple[str, str]] = [*(self.at or {}).items(), *(self.values or {}).items()]
        rows += [("note", text) for text in (self.reason, self.vacuous) if text]
        for k, case in enumerate(self.specification.cases[:8]):
            rows.append((f"case {k + 1}: {self.cases[k].verdict}", ", ".join(self.specification.words(case))))
        return html_table(self.verdict, rows)

    def data(self) -> dict[str, Any]:
        """Return what `verimv verify --json` prints."""
        margin = self.margin
        return {
            "verdict": self.verdict,
            "counterexample": None if self.at is None else list(self.at.values()),
            "at": None if self.at is None else dict(self.at),
            "values": None if self.values is None else dict(self.values),
            "floats": None if self.floats is None else dict(self.floats),
            "violated_in_floats": self.float_violated,
            "violated_case": None if self.violated_case is None else self.violated_case + 1,
            "margin": None if margin is None else format_number(margin),
            "vacuous": self.vacuous,
            "reason": self.reason,
            "cases": [
                {
                    "verdict": found.verdict,
                    "unsafe": self.specification.words(case),
                    "bound": None if found.bound is None else format_number(found.bound),
                }
                for case, found in zip(self.specification.cases, self.cases, strict=True)
            ],
            "left_out": self.specification.left_out,
            "seconds": round(self.seconds, 3),
        }


def verify(
    network: Network | str | os.PathLike[str],
    specification: Specification | str | os.PathLike[str],
    *,
    networks: Mapping[str, Network] | None = None,
    box: Any = None,
    effort: float = VERIFICATION_EFFORT,
    deadline: Deadline = NEVER,
    workers: Workers = 1,
    progress: Progress = no_progress,
) -> Verification:
    """Return whether a network keeps a specification: a file or text of VNN-LIB, of verimv's language, or a formula.

    `networks` are further networks of a VNN-LIB 2.0 file, by name. `box` is the range of the inputs, instead of the
    network's; with VNN-LIB, in addition to the bounds of the file. `effort` is about so many seconds of work.
    """
    began = time.perf_counter()
    path = None
    if isinstance(network, str | os.PathLike):
        from verimv.networks.formats.load import load  # with the libraries of the format

        path, network = network, load(network)
    check_type(network, Network)
    if not isinstance(specification, Specification):
        network = network if box is None else on_given_box(network, box)
        specification = specification_for(network, specification, networks, box is not None)
    found = _Cases(specification, effort, deadline, workers, progress).decided()
    found = replace(found, seconds=time.perf_counter() - began)
    return found if path is None else with_floats(found, path)


def specification_for(
    network: Network,
    given: str | os.PathLike[str],
    networks: Mapping[str, Network] | None = None,
    uses_box: bool | None = None,
) -> Specification:
    """Read a specification from a file, or a text; see :func:`read_specification`."""
    text, source = _text(given)
    return read_specification(text, network, networks, source=source, uses_box=uses_box)


def _text(given: str | os.PathLike[str]) -> tuple[str, str | None]:
    if isinstance(given, os.PathLike):
        return read_text(given), os.fspath(given)
    try:
        is_file = given.endswith((".vnnlib", ".mv", ".txt", ".spec")) or ("\n" not in given and Path(given).is_file())
    except (OSError, ValueError):  # too long, or not a name
        is_file = False
    return (read_text(given), given) if is_file else (given, None)


class _Cases:
    """The cases of a specification, and what is known about each."""

    def __init__(
        self, specification: Specification, effort: float, deadline: Deadline, workers: Workers, progress: Progress
    ) -> None:
        self.specification, self.system = specification, specification.system
        self.meter = Meter(int(effort * SECOND), deadline)
        self.deadline, self.workers, self.progress = deadline, workers, progress
        self.found = [CaseResult("undecided", MarginForm())] * len(specification.cases)

    def decided(self) -> Verification:
        for k in self._rounds():
            point = self._decide(k)
            if point is not None:
                return self._violated(k, point)
        return self._result()

    def _rounds(self) -> Iterator[int]:
        """Yield cases in the order in which work is done on them, as long as they are undecided."""
        count = len(self.found)
        for k, case in enumerate(self.specification.cases):
            multipliers = contradiction(case)
            if multipliers is not None:
                form = MarginForm(closed=not case.open_ends, multipliers=multipliers)
                self.found[k] = replace(self.found[k], form=form, is_contradictory=True)
        self.share = min(_FIRST_ROUND, self.meter.left // max(count, 1) // 2)
        for share_left in (False, True):
            open_cases = [k for k, found in enumerate(self.found) if found.verdict == "undecided"]
            for done, k in enumerate(open_cases):
                if not self.deadline.left:
                    return
                if share_left:
                    self.share = self.meter.left // (len(open_cases) - done)
                told = "proving" if share_left else "looking at"
                self.progress(f"{told} the cases", done, len(open_cases))
                yield k

    def _decide(self, k: int) -> tuple[Number, ...] | None:
        """Work on a case; return a point that is in it, if one is found."""
        case, form = self.specification.cases[k], self.found[k].form
        if not form.constraints(case):
            form = replace(form, closed=False)
        if not form.constraints(case):
            return tuple((low + high) / 2 for low, high in case.box)
        meter = Meter(max(self.share, 1), self.deadline)
        try:
            return self._searched(k, form, meter)
        except Undecided:  # the time is over
            return None
        finally:
            self.meter.left -= meter.spent

    def _searched(self, k: int, form: MarginForm, meter: Meter) -> tuple[Number, ...] | None:
        """Halve boxes, which is best for larger networks; for a small one, look for its exact minimum; halve more."""
        if form.multipliers is not None or self.system.formula is not None:
            return self._search_margin(k, form, meter)
        neurons = sum(len(layer.rows) for network in self.system.networks.values() for layer in network.layers[:-1])
        is_small = neurons <= FEW_NEURONS
        point = self._search_boxes(k, form, meter, min(_FIRST_BOXES, meter.left // 4) if is_small else meter.left)
        if point is None and self.found[k].verdict == "undecided":
            point = self._search_margin(k, form, meter)
        if point is None and self.found[k].verdict == "undecided" and is_small:
            point = self._search_boxes(k, form, meter, meter.left)
        return point

    def _search_margin(self, k: int, form: MarginForm, meter: Meter) -> tuple[Number, ...] | None:
        """Bound the margin of a case, in forms that fit better and better; return a point of the case, if found."""
        case = self.specification.cases[k]
        for _ in range(_WEIGHTS):
            margin = margin_of(self.system, case, form)
            strict = not form.allows_zero(case)
            result = prove_positive(margin, strict, meter, self.deadline, self.progress, self.workers)
            self._keep(k, form, margin, result)
            if result.verdict != "violated":
                break
            point = _whole_point(case, result.point)
            values = self.system.values(point)
            if case.contains(values):
                self.found[k] = replace(self.found[k], verdict="violated", attained=result.value)
                return point
            form = _refined(case, form, values)
            self.found[k] = replace(self.found[k], form=form)
            if meter.is_used_up:
                break
        return None

    def _search_boxes(self, k: int, form: MarginForm, meter: Meter, work: int) -> tuple[Number, ...] | None:
        """Halve boxes of inputs until one constraint is clearly violated in each; return a point of it, if found."""
        case = self.specification.cases[k]
        conditions = conditions_of(self.system, case, form)
        unit = to_unit_cube(conditions)
        if unit.number_kind == "algebraic" or not is_of_fair_size(unit):
            return None
        part = Meter(work, self.deadline)
        search = ConflictSearch(unit, part, self.workers, partial(self.progress, "closing boxes"))
        if not search.is_usable:
            return None
        try:
            conflict = search.run()
        finally:
            meter.left -= part.spent
        if conflict.verdict == "holds":
            found = replace(form, threshold=conflict.threshold)
            self.found[k] = CaseResult(
                "holds", found, conflict.bound, conflict.value, margin_network=conditions, evidence=conflict
            )
            return None
        bounds = [x for x in (self.found[k].bound, conflict.bound) if x is not None]
        self.found[k] = replace(self.found[k], bound=max(bounds), attained=conflict.value)
        point = tuple(low + (high - low) * u for u, (low, high) in zip(conflict.point, conditions.box, strict=True))
        whole = _whole_point(case, point)
        if conflict.verdict == "violated" and case.contains(self.system.values(whole)):
            self.found[k] = replace(self.found[k], verdict="violated")
            return whole
        return None

    def _keep(self, k: int, form: MarginForm, margin: Network, result: MarginResult) -> None:
        before = self.found[k]
        bounds = [x for x in (before.bound, result.bound) if x is not None]
        verdict: Outcome = "holds" if result.verdict == "holds" else "undecided"
        self.found[k] = CaseResult(
            verdict, form, max(bounds, default=None), result.value, before.is_contradictory, margin, result.evidence
        )

    def _violated(self, k: int, point: tuple[Number, ...]) -> Verification:
        system = self.system
        values = system.values(point)
        if not self.specification.cases[k].contains(values):
            raise InternalError("the point that was found does not violate the specification")
        inputs = len(system.inputs)
        named = {name: format_number(x) for name, x in zip((*system.inputs, *system.outputs), values, strict=False)}
        at, outputs = dict(list(named.items())[:inputs]), dict(list(named.items())[inputs:])
        return Verification("violated", self.specification, tuple(self.found), k, at, outputs)

    def _result(self) -> Verification:
        undecided = sum(found.verdict == "undecided" for found in self.found)
        if undecided:
            ended = "the effort is used up" if self.deadline.left else "the time is up"
            reason = f"{ended}: {undecided:,} of {len(self.found):,} cases left" if len(self.found) > 1 else ended
            return Verification("undecided", self.specification, tuple(self.found), reason=reason)
        return Verification("holds", self.specification, tuple(self.found), vacuous=self._vacuous())

    def _vacuous(self) -> str:
        """Return why the specification holds of every network; empty if it does not."""
        if not self.found:
            return "no input satisfies its conditions, so it holds of every network"
        if all(found.is_contradictory for found in self.found):
            return "its conditions contradict each other, so it holds of every network"
        return ""


def _whole_point(case: UnsafeCase, point: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return a point of all inputs for one of those that are not the same as earlier ones."""
    kept = [j for j, first in enumerate(case.same) if j == first]
    return tuple(point[kept.index(first)] for first in case.same)


def _refined(case: UnsafeCase, form: MarginForm, values: list[Number]) -> MarginForm:
    """Return a form of the margin that is not negative at a point outside of the case."""
    if form.closed and not all(one.is_met(values) for one in case.open_ends):
        return replace(form, closed=False)
    constraints = form.constraints(case)
    strict = max((one.form(values) for one in constraints if one.strict), default=Rational(0))
    others = max((one.form(values) for one in constraints if not one.strict), default=Rational(0))
    enough = ceil(-2 * strict / others) if others > 0 else 0
    return replace(form, weight=Rational(max(enough, ceil(form.weight) * _HEAVIER)))


def with_floats(found: Verification, path: str | os.PathLike[str]) -> Verification:
    """Add what onnxruntime computes at the point, of an ONNX model, if it is installed."""
    if found.at is None or found.violated_case is None or not str(path).lower().endswith(".onnx"):
        return found
    if len(found.specification.system.networks) > 1:
        return found
    from verimv.exact import parse_number
    from verimv.networks.formats.onnx_format.runtime import RuntimeModel

    system = found.specification.system
    point = [parse_number(x) for x in found.at.values()]
    try:
        outputs = RuntimeModel(path).at([float(x) for x in point])
    except InputError:  # not installed, or it cannot run the model
        return found
    if len(outputs) != len(system.outputs):
        return found
    case = found.specification.cases[found.violated_case]
    values = [*point, *(Rational(*y.as_integer_ratio()) for y in outputs)]
    floats = dict(zip(system.outputs, map(repr, outputs), strict=True))
    violated = None if system.formula is not None else all(one.is_met(values) for one in case.constraints)
    return replace(found, floats=floats, float_violated=violated)
