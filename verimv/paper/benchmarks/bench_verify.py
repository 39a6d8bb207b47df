"""Do networks keep their properties? Verdicts, their certificates, what kernels need for these; and Marabou beside."""

from __future__ import annotations

import gzip
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from verimv.bounding.guess.floats import FloatNetwork
from verimv.bounding.search.box_conflict import Conflict
from verimv.certificate.verification_files import judge_verification
from verimv.core.choices import VERIFICATION_EFFORT
from verimv.core.effort import Deadline
from verimv.core.errors import Undecided, VerimvError
from verimv.core.progress import Progress
from verimv.kernels.judge import PYTHON, VERIFIED, Judgement
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.paper.benchmarks import marabou
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_properties import Instance, chosen, instances_of, made_instances, with_published
from verimv.paper.benchmarks.measured import cpu_timed
from verimv.questions.verification import Verification, verify
from verimv.specifications.composition import MarginForm, conditions_of
from verimv.specifications.specification import Specification

#: Networks that are made without a folder, and in a quick run.
NETWORKS, QUICK_NETWORKS = 4, 1
#: Seconds for Marabou, which is asked about what verimv decides in as many.
MARABOU_SECONDS = 60.0

_HEADER = (
    "instance", "expected", "verdict", "s", "CPU s", "boxes", "leaves", "certificate, gz bytes", "directory, bytes",
    "kernel.py s", "verified s", "Marabou", "Marabou s",
)  # fmt: skip
_SUMMARY_HEADER = (
    "instances", "decided", "holds", "certified", "violated", "expected", "wrong", "by Marabou", "it disagrees",
)  # fmt: skip
_NOTHING = "–"
_LEAF = b'["leaf"]'


@dataclass(frozen=True)
class _Limits:
    effort: float
    seconds: float
    marabou: float
    all_kernels: bool


@dataclass(frozen=True)
class _Row:
    instance: Instance
    #: holds, violated, undecided, or why there is no answer
    verdict: str
    cells: tuple[str, ...] = (_NOTHING,) * 8
    is_certified: bool = False
    by_marabou: str = _NOTHING
    marabou_seconds: str = _NOTHING

    def told(self) -> tuple[str, ...]:
        known = self.instance.expected or _NOTHING
        return (self.instance.name, known, self.verdict, *self.cells, self.by_marabou, self.marabou_seconds)


def run(
    progress: Progress,
    quick: bool = False,
    *,
    nets: str | None = None,
    only: Sequence[str] = (),
    expected: str | None = None,
    effort: float = VERIFICATION_EFFORT,
    seconds: float = math.inf,
    all_kernels: bool = False,
    marabou_seconds: float = MARABOU_SECONDS,
    certificates: str | None = None,
) -> Benchmark:
    """Verify the properties of a folder of networks, or of networks made here.

    kernel.py is asked where it needs a minute at most, or always (`all_kernels`). `certificates` is a directory where
    these are kept.
    """
    made = made_instances(QUICK_NETWORKS if quick else NETWORKS)
    instances = list(made) if nets is None else instances_of(Path(nets))
    instances = instances if expected is None else with_published(instances, Path(expected))
    instances = chosen(instances, only) if only else instances
    limits = _Limits(effort, seconds, marabou_seconds, all_kernels)
    rows: list[_Row] = []
    with tempfile.TemporaryDirectory() if certificates is None else nullcontext(certificates) as directory:
        for number, instance in enumerate(instances):
            counts = _counts(rows)
            so_far = f"{counts['decided']} decided, {counts['certified']} certified, {counts['wrong']} wrong so far"
            progress(f"{instance.name}: {so_far}", number, len(instances))
            rows.append(_row(instance, Path(directory) / instance.name.replace(" ", "__"), limits))
    asked = (
        f"Marabou: {limits.marabou:g} s for what verimv decides in as many" if marabou.is_installed() else "no Marabou"
    )
    title = f"properties, effort {effort:g}; {asked}"
    counts = _counts(rows)
    summary = Table("in short", _SUMMARY_HEADER, [tuple(str(counts[name]) for name in _SUMMARY_HEADER)])
    return Benchmark([Table(title, _HEADER, [row.told() for row in rows]), summary])


def _counts(rows: Sequence[_Row]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        decided, known = row.verdict in ("holds", "violated"), row.instance.expected is not None
        found["instances"] += 1
        found["decided"] += decided
        found["certified"] += row.is_certified
        found["expected"] += known
        found["wrong"] += decided and known and row.verdict != row.instance.expected
        found["by Marabou"] += row.by_marabou != _NOTHING
        found["it disagrees"] += row.by_marabou not in (_NOTHING, row.verdict)
        if decided:
            found[row.verdict] += 1
    return found


def _row(instance: Instance, directory: Path, limits: _Limits) -> _Row:
    """Verify one property. One that cannot be read, or whose certificate is not accepted, does not end the run."""
    began = time.perf_counter()
    try:
        network = instance.loaded()
        found, cpu = cpu_timed(
            lambda: verify(
                network, instance.specification, effort=limits.effort, deadline=Deadline(limits.seconds),
                workers=os.cpu_count() or 1,
            )
        )  # fmt: skip
        seconds = time.perf_counter() - began
    except Undecided:  # at the deadline
        return _Row(instance, "undecided", (f"{time.perf_counter() - began:.1f}", *(_NOTHING,) * 7))
    except VerimvError as error:
        return _Row(instance, f"refused: {error}")
    spent = (f"{seconds:.1f}", f"{cpu:.1f}")
    try:
        certified = _certified(found, directory, limits.all_kernels) if found.holds else (_NOTHING,) * 6
    except VerimvError as error:
        return _Row(instance, found.verdict, (*spent, *(_NOTHING,) * 2, f"none: {error}", *(_NOTHING,) * 3))
    by_marabou, needed = _NOTHING, 0.0
    is_easy = not found.undecided and seconds <= limits.marabou
    if is_easy and marabou.is_installed():
        began = time.perf_counter()
        by_marabou = _by_marabou(found.specification, limits.marabou)
        needed = time.perf_counter() - began
    return _Row(
        instance, found.verdict, (*spent, *certified), found.holds, by_marabou, f"{needed:.1f}" if needed else _NOTHING
    )


def _certified(found: Verification, directory: Path, all_kernels: bool) -> tuple[str, ...]:
    """Write the certificates; return boxes, leaves, sizes, and the seconds of both kernels."""
    found.save(directory)
    boxes = leaves = packed = 0
    for k, case in enumerate(found.cases, start=1):
        text = _certificate(directory / f"case-{k}")
        packed += len(gzip.compress(text, mtime=0))
        tree = case.evidence.statistics if isinstance(case.evidence, Conflict) else None
        boxes += tree.bounded if tree else 0
        leaves += tree.leaves if tree else text.count(_LEAF)
    judged: list[Judgement | None] = [case.certificate.judgement for case in found.certified]
    if all_kernels:
        judgement = judge_verification(str(directory), effort=found.kernel_effort or None)
        if (error := judgement.error()) is not None:
            raise error
        judged = [judgement]
    written = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    sizes = [f"{x:,}" for x in (boxes, leaves, packed, written)]
    return (*sizes, *(_seconds(judged, name) for name in (PYTHON, VERIFIED)))


def _certificate(directory: Path) -> bytes:
    [path] = directory.glob("certificate.*")
    text = path.read_bytes()
    return gzip.decompress(text) if path.suffix == ".gz" else text


def _seconds(judged: Sequence[Judgement | None], name: str) -> str:
    """Return how long a kernel took for all certificates; nothing if there is one that it did not judge."""
    own = [a for one in judged if one is not None for a in one.answers if a.name == name and not a.gave_up]
    return f"{sum(answer.seconds for answer in own):.1f}" if own and len(own) == len(judged) else _NOTHING


def _by_marabou(specification: Specification, seconds: float) -> str:
    """Return Marabou's verdict, found in floating point, with < taken for ≤."""
    deadline, form = Deadline(seconds), MarginForm()
    if specification.system.formula is not None:
        return _NOTHING
    excluded = 0
    for case in specification.cases:
        if not case.constraints:
            return "violated"
        unit = to_unit_cube(conditions_of(specification.system, case, form))
        reached = marabou.none_is_positive(FloatNetwork(unit, {}), deadline.left) if deadline.left else None
        if reached:
            return "violated"
        excluded += reached is False
    return "holds" if excluded == len(specification.cases) else _NOTHING
