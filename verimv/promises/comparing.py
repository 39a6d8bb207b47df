"""Promises about two networks, or about a network and a formula: equal, within a tolerance, certified."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.certificate.from_pair import network_and_formula_texts
from verimv.certificate.from_ranges import pair_texts
from verimv.core.effort import SECOND
from verimv.core.errors import InputError
from verimv.core.files import write_directory
from verimv.exact import ZERO, Number, format_number, parse_number
from verimv.exact.decimals import readable, rounded_down
from verimv.formulas.formula import Formula
from verimv.formulas.mvfile import write_mv
from verimv.kernels.judge import Judgement, judge_files
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.promises.keeper import Keeper, key_of
from verimv.promises.outcome import PromiseOutcome, point_told, rows_told
from verimv.promises.promise import Promise
from verimv.promises.promised_subjects import promised_pair
from verimv.questions.equality import answer_equality, certify_answer
from verimv.solvers.decide import difference_question
from verimv.solvers.functions import aligned, by_position
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict


@dataclass(frozen=True)
class _Comparison:
    """|a − b| ≤ tolerance everywhere."""

    a: Network
    b: Formula | Network
    tolerance: Number

    def certifiable(self) -> tuple[Network, Formula | Network] | None:
        """Return what a certificate is about, which with a tolerance is two networks; None if there can be none."""
        if isinstance(self.b, Network):
            return self.a, self.b
        if not set(self.b.inputs) <= set(self.a.inputs):  # compared by position
            return None
        if not self.tolerance:
            return self.a, self.b
        widened = Formula(self.b.dag, self.a.inputs, self.b.roots, self.b.outputs)
        return to_unit_cube(self.a), to_network(widened)

    def texts(self) -> dict[str, str]:
        """Return the subjects of the certificate; if there can be none, the formula."""
        aligned(self.a, self.b)  # raises an error if they cannot be compared
        pair = self.certifiable()
        if pair is None:
            return {"formula": "".join(write_mv(self.b))} if isinstance(self.b, Formula) else {}
        a, b = pair
        return pair_texts(a, b) if isinstance(b, Network) else network_and_formula_texts(a, b)

    def is_certified(self, directory: str, texts: dict[str, str]) -> bool:
        """Return whether a directory has a certificate of these subjects that the kernels accept, and that states what
        is asked."""
        try:
            found = {name: Path(directory, kernel.FILES[name]).read_bytes() for name in texts}
        except OSError:
            return False
        if any(found[name] != text.encode() for name, text in texts.items()):
            return False
        judgement = judge_files(directory, {})
        return judgement.status == "valid" and self._is_stated_by(judgement)

    def _is_stated_by(self, judgement: Judgement) -> bool:
        ranges = judgement.data().get("ranges")
        if ranges is not None:
            ends = [parse_number(end) for pair in ranges.values() for end in pair]
            return all(-self.tolerance <= end <= self.tolerance for end in ends)
        lines = zip(self.a.outputs, judgement.statement, strict=True)
        return all(line.startswith(f"{name} = formula on ") for name, line in lines)

    def replayed(self, point: Any) -> Verdict | None:
        """Return the verdict for a point that was kept, given as text by input; None if it shows no difference."""
        question, witness = difference_question(self.a, self.b, self.tolerance)
        function = aligned(self.a, self.b)[0]
        try:
            numbers = [parse_number(point[name]) for name in function.inputs]
        except (InputError, KeyError, TypeError):
            return None
        ends = list(zip(numbers, function.box, strict=True))
        if not all(low <= x <= high for x, (low, high) in ends):
            return None
        inside = tuple((x - low) / (high - low) if high > low else ZERO for x, (low, high) in ends)
        return Verdict("refuted", witness(inside)) if question.holds(inside) else None


def compared(promise: Promise, keeper: Keeper, workers: int = 1) -> PromiseOutcome:
    """Decide whether a model is equal to something, within a tolerance."""
    a, b, tolerance = promised_pair(promise)
    comparison = _Comparison(a, b, tolerance)
    texts = comparison.texts()
    key = key_of([promise.work, format_number(tolerance), "".join(write_network(a)), texts])
    notes = _notes(promise, a, b)
    if (known := _known(promise, comparison, texts, keeper, key)) is not None:
        return replace(known, notes=notes)
    effort = promise.work / SECOND
    answer = answer_equality(a, b, tolerance, Search(effort=effort, workers=workers))
    verdict = answer.verdict
    if not verdict.proved:
        point = None if verdict.witness is None else dict(verdict.witness.point)
        keeper.write(key, {"status": verdict.status, "point": point, "reason": verdict.reason})
        return replace(_failed(promise, verdict, tolerance), notes=notes)
    certificate = None
    if (pair := comparison.certifiable()) is not None:
        certificate = certify_answer(*pair, answer, tolerance, math.inf, effort)
    if certificate is None:
        solvers = ", ".join(_solver(item) for item in verdict.evidence if item["answer"] != "unknown")
        return PromiseOutcome(promise, "proved", evidence=f"by {solvers}", notes=notes)
    keeper.keep(key, lambda path: write_directory(path, certificate.files()))
    return PromiseOutcome(promise, "proved", evidence="certificate", certificate=keeper.place(key), notes=notes)


def _known(
    promise: Promise, comparison: _Comparison, texts: dict[str, str], keeper: Keeper, key: str
) -> PromiseOutcome | None:
    """Return the outcome of an earlier run, if it can be confirmed."""
    path = keeper.kept(key)
    if path is not None and comparison.is_certified(path, texts):
        return PromiseOutcome(promise, "proved", evidence="certificate", unchanged=True, certificate=keeper.place(key))
    record = keeper.record(key) or {}
    verdict = None
    if record.get("status") == "refuted":
        verdict = comparison.replayed(record.get("point"))
    elif record.get("status") == "undecided":
        verdict = Verdict("undecided", None, str(record.get("reason", "")))
    return None if verdict is None else replace(_failed(promise, verdict, comparison.tolerance), unchanged=True)


def _solver(item: Any) -> str:
    return " ".join(str(item[key]) for key in ("solver", "version") if key in item)


def _notes(promise: Promise, a: Network, b: Formula | Network) -> list[str]:
    """Return what a user should know: what was assumed about the model, and inputs that are compared by position,
    unless that is clear since the file gives the names."""
    pairs = list(by_position(a, b).items())
    if not pairs or promise.names is not None:
        return list(a.notes)
    told = [f"{x} as {y}" for x, y in pairs[:4]] + ["…"] * (len(pairs) > 4)
    return [*a.notes, f"no input has the same name on both sides: compared by position ({', '.join(told)})"]


def _failed(promise: Promise, verdict: Verdict, tolerance: Number) -> PromiseOutcome:
    if verdict.witness is None:
        return PromiseOutcome(promise, "undecided", f"{verdict.reason}; a larger effort may decide it")
    values = dict(verdict.witness.values)
    within = f" within {promise.tolerance}" if tolerance else ""
    rows = {"at": point_told(verdict.witness.point)}
    if "output" in values:
        rows["output"] = values["output"]
    left, right = parse_number(values["left"]), parse_number(values["right"])
    ours, theirs = promise.file, promise.target
    if ours == theirs:
        ours, theirs = f"{ours} (model)", f"{theirs} ({promise.kind})"
    rows |= {ours: readable(left), theirs: readable(right), "difference": rounded_down(abs(left - right))}
    reason = "\n".join([f"not equal{within}: {promise.file} and {promise.target}", *rows_told(rows)])
    return PromiseOutcome(promise, "refuted", reason, "point", counterexample=verdict.witness.point)
