"""One random certificate from its seed: written, completed where possible, followed again from its beginning."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from tests.certificate.fuzz.author import POINTS, Author, Stopped, added, form_range
from tests.certificate.fuzz.judge import FalseLine, World
from tests.certificate.fuzz.kernel_view import KernelView, header
from tests.certificate.fuzz.meaning import ONE, ZERO
from tests.certificate.fuzz.proposals import PROPOSALS, assumed_bound, forbidden, prove_bound, twin
from tests.certificate.fuzz.subjects import EVERY, SWEPT, WITHIN, formula_text, random_subjects
from tests.certificate.fuzz.two_parts import BETWEEN, AnyJudge, judge_of, part_texts, second_world
from verimv import kernel
from verimv.exact import Number, Rational, ceil, floor, format_number


@dataclass
class Certificate:
    texts: dict[str, str]
    lines: list[list]
    #: what the Python kernel says, and of which line
    verdict: tuple[str, int | None] = ("", None)

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            file = f"{name}.mv" if name in ("original", "formula") else f"{name}.json"
            (directory / file).write_text(text, encoding="utf-8")
        text = "".join(json.dumps(line) + "\n" for line in [header(self.texts), *self.lines])
        (directory / "certificate.jsonl").write_text(text, encoding="ascii")


@dataclass
class Outcome:
    seed: int
    kind: str
    certificates: list[Certificate] = field(default_factory=list)
    accepted: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    #: statements about nodes, neurons and bounds that were tried, each at all points
    checked: int = 0
    points: int = 0
    verdict: str = "refused"
    #: a line that is accepted only after rejected ones
    is_stale: bool = False
    #: what is wrong, if something is; the last certificate shows it
    fault: FalseLine | None = None


def run_any(seed: int) -> Outcome:
    """Write the certificate with this seed, of one part or two, or with sweeps."""
    return run(seed, kind={EVERY - 1: WITHIN, EVERY - 2: SWEPT}.get(seed % EVERY))


def run(seed: int, module: ModuleType = kernel, kind: str | None = None) -> Outcome:
    """Write the certificate with this seed; it is of one part if no kind is given."""
    source = random.Random(seed)
    texts = random_subjects(source, kind)
    outcome = Outcome(seed, " ".join(texts))
    world = World.of(texts, POINTS, source)
    outcome.points = len(world.points)
    authors: list[Author] = []
    try:
        if kind == WITHIN:
            _write_parts(outcome, authors, texts, world, source, module)
        else:
            authors.append(Author(texts, world, source, module, 0.4 if kind == SWEPT else 0.0))
            _write(authors[0])
            _judge_all(outcome, authors[0])
    except module.Rejected as rejected:  # the subjects
        outcome.certificates.append(Certificate(texts, [], (rejected.status, None)))
    except FalseLine as fault:
        outcome.fault = fault
        if not outcome.certificates:
            outcome.certificates.append(_last(authors, texts))
    except Exception as error:  # reported with its certificate: one such sequence must not end a run of thousands
        outcome.fault = Stopped(f"neither accepted nor rejected: {type(error).__name__}: {error}")
        if not outcome.certificates:
            outcome.certificates.append(_last(authors, texts))
    for author in authors:
        outcome.tried += author.tried
        outcome.checked += author.judge.checked
    return outcome


def _last(authors: list[Author], texts: dict[str, str]) -> Certificate:
    """What was being written."""
    return Certificate(authors[-1].texts, authors[-1].lines) if authors else Certificate(texts, [])


def _write_parts(
    outcome: Outcome,
    authors: list[Author],
    texts: dict[str, str],
    world: World,
    source: random.Random,
    module: ModuleType,
) -> None:
    """Both parts are written as certificates of their own, and then judged as one."""
    of_first, of_second = part_texts(texts)
    KernelView(texts, module)  # the subjects, all of them
    authors.append(first := Author(of_first, world, source, module))
    _write(first)
    _, lines = _completed(first)
    authors.append(second := Author(of_second, second_world(world), source, module))
    _write(second)
    completed, more = _completed(second)
    whole = Certificate({**texts, "formula": completed["formula"]}, [*lines, BETWEEN, *more])
    followed = _replay(outcome, world, whole, module)
    outcome.verdict = whole.verdict[0]
    is_divided = followed > len(lines)  # the first part may be incomplete
    outcome.is_stale = followed < len(lines) + is_divided * (1 + len(second.lines))
    outcome.accepted.update(line[0] for line in whole.lines[:followed])
    if second.rejected and second.chance(0.2):
        place, line = source.choice(second.rejected)
        lines_before = [*lines, BETWEEN, *second.lines[:place]]
        _replay(outcome, world, Certificate({**texts}, [*lines_before, line]), module)
    if second.chance(0.5):
        tampered = _tampered(whole, source)
        is_exchanged = tampered.texts["network"] != texts["network"]
        tampered_world = World(world.other, world.network, world.points) if is_exchanged else world
        _replay(outcome, tampered_world, tampered, module)


def _judge_all(outcome: Outcome, author: Author) -> None:
    """The certificate, completed; sometimes the same until a line that was rejected, and one that was tampered with."""
    world, module = author.world, author.view.module
    certificate = Certificate(*_completed(author))
    if certificate.texts is author.texts and author.chance(0.7):  # nothing new: once is enough
        outcome.certificates.append(certificate)
        _finish(certificate, author.view, author.judge)
        followed = len(author.lines)
    else:
        followed = _replay(outcome, world, certificate, module)
    outcome.verdict, outcome.is_stale = certificate.verdict[0], followed < len(author.lines)
    outcome.accepted.update(line[0] for line in certificate.lines[:followed])
    if author.rejected and author.chance(0.15):
        place, line = author.source.choice(author.rejected)
        _replay(outcome, world, Certificate(author.texts, [*author.lines[:place], line]), module)
    if author.chance(0.2):
        _replay(outcome, world, _tampered(certificate, author.source), module)


def _write(author: Author) -> None:
    source = author.source
    proposals, weights = list(PROPOSALS), list(PROPOSALS.values())
    if author.chance(0.7):
        author.constant(source.randint(0, 1))
    for j in range(len(author.world.inputs)):
        author.atom(2 + j)
    if author.chance(0.7 if author.world.other else 0.25):
        for _ in range(source.randint(1, 4)):
            twin(author)
    for _ in range(source.randint(3, 14)):
        if author.world.network and author.chance(0.3):
            author.give_value()
        else:
            source.choices(proposals, weights)[0](author)
        if author.chance(0.7):
            forbidden(author)
    if author.chance(0.03):
        assumed_bound(author)
    if author.chance(0.8):
        for _ in range(15):
            if not author.give_value() and not author.due():
                break


# -- to the end -----------------------------------------------------------------------------------------------------------


def _completed(author: Author) -> tuple[dict[str, str], list[list]]:
    """Subjects whose formulas are what the lines have built, and the lines with those that prove the outputs."""
    if "original" in author.texts:
        return _equal_outputs(author)
    if "formula" in author.texts:
        return (author.texts, author.lines) if author.due() else _mapped_outputs(author)
    for i in range(author.world.layers[-1][1]):
        for side in ("low", "high"):
            if (i, side) not in author.judge.last_bounds and author.chance(0.93):
                prove_bound(author, len(author.world.layers), i, side)
    return author.texts, author.lines


def _equal_outputs(author: Author) -> tuple[dict[str, str], list[list]]:
    source, pairs = author.source, []
    for _ in range(author.texts["formula"].count("= 0")):
        families = [claims for family in author.families.values() for claims in family.values() if len(claims) > 1]
        a, b = source.sample(source.choice(families), 2) if families else (author.any_claim(), author.any_claim())
        pairs.append((a, author.any_claim() if author.chance(0.15) else b))
    columns = zip(*pairs, strict=True)
    texts = {name: _formula(author, claims) for name, claims in zip(("original", "formula"), columns, strict=True)}
    return texts, [*author.lines, *(["equal", k, a, b] for k, (a, b) in enumerate(pairs))]


def _mapped_outputs(author: Author) -> tuple[dict[str, str], list[list]]:
    lines = []
    first, width, name = author.world.layers[-1]
    for k in range(width):
        value = author.view.value(len(author.world.inputs) + first + k)
        low, high = author.narrowed(value, first + k) if name == "identity" else form_range(value)
        offset, scale = _random_map(author, low, high)
        value = {1: low} if low == high else value
        claim = author.built(added((value, 1 / scale), plus=-offset / scale))
        if claim is None or author.builder.names[claim] is None:
            return author.texts, author.lines
        if author.chance(0.07):  # not the map that the claim is made for
            offset, scale = _random_map(author, low, high)
        lines.append(["output", k, claim, format_number(scale), format_number(offset)])
    claims = [line[2] for line in lines]
    if author.chance(0.1):
        claims[-1] = author.any_claim()
    return {**author.texts, "formula": _formula(author, claims)}, [*author.lines, *lines]


def _random_map(author: Author, low: Number, high: Number) -> tuple[Number, Number]:
    """An offset and a scale that map a range into [0,1]; sometimes not quite."""
    maps = [(low, high - low), (high, low - high), (Rational(floor(low)), Rational(ceil(high) - floor(low)))]
    maps += [(low - Rational(1, 2), high - low + 1)]
    if low >= 0 and high <= 1:
        maps += [(ZERO, ONE), (ZERO, ONE), (ONE, -ONE)]
    offset, scale = author.source.choice([(offset, scale) for offset, scale in maps if scale])
    if author.chance(0.85):
        return offset, scale
    return author.source.choice([(offset, scale * Rational(3, 4)), (offset + scale / 8, scale), (offset, scale / 2)])


def _formula(author: Author, claims: Iterable[int]) -> str:
    names = [author.builder.names[c] or "0" for c in claims]
    return formula_text(len(author.world.inputs), author.builder.needed(names), names)


# -- once more ------------------------------------------------------------------------------------------------------------


def _replay(outcome: Outcome, world: World, certificate: Certificate, module: ModuleType) -> int:
    """Follow a certificate from its beginning, and judge it; return how many lines were accepted."""
    outcome.certificates.append(certificate)
    followed, view = 0, None
    try:
        view = KernelView(certificate.texts, module)
        judge = judge_of(world, certificate.texts, view)
        for line in certificate.lines:
            view.follow(line)
            judge.follow(line)
            followed += 1
        _finish(certificate, view, judge)
        outcome.checked += judge.checked
    except module.Rejected as rejected:
        certificate.verdict = rejected.status, followed + 2 if view else None
    return followed


def _finish(certificate: Certificate, view: KernelView, judge: AnyJudge) -> None:
    """The verdict, when all lines were accepted."""
    try:
        numbers = view.finish()
    except view.rejection as rejected:
        certificate.verdict = rejected.status, None
    else:
        certificate.verdict = "valid", None
        judge.finish(numbers)


def _tampered(certificate: Certificate, source: random.Random) -> Certificate:
    """With one line left out, doubled, or put elsewhere; or with another formula."""
    if BETWEEN in certificate.lines and source.random() < 0.5:
        return _other_parts(certificate, source)
    texts, lines, what = dict(certificate.texts), list(certificate.lines), source.randrange(5)
    place = source.randrange(len(lines))
    if "formula" in texts and what > 2:
        texts["formula"] = _misread(texts["formula"], source)
    elif what == 0:
        del lines[place]
    else:
        lines.insert(source.randrange(len(lines)), lines.pop(place) if what == 1 else lines[place])
    return Certificate(texts, lines)


def _other_parts(certificate: Certificate, source: random.Random) -> Certificate:
    """With the parts cut off, exchanged, repeated, or divided elsewhere; or with the networks exchanged."""
    texts, lines = dict(certificate.texts), certificate.lines
    middle, place = lines.index(BETWEEN), source.randrange(len(lines))
    first, second = lines[:middle], lines[middle + 1 :]
    what = source.randrange(6)
    if what == 5:
        texts["network"], texts["other"] = texts["other"], texts["network"]
    changed = [
        first,
        [*first, *second],
        [*second, BETWEEN, *first],
        [*lines, BETWEEN, *second],
        [*lines[:place], BETWEEN, *lines[place:]],
        lines,
    ]
    return Certificate(texts, changed[what])


_PREFIXES = re.compile(r"(¬|[δΔ]\[[^]]*\])((?:¬|[δΔ]\[[^]]*\])+)")


def _misread(text: str, source: random.Random) -> str:
    """A formula with prefixes in another order, another operator, or another output: as a reader might take it."""
    if _PREFIXES.search(text) and source.random() < 0.6:
        return _PREFIXES.sub(r"\2\1", text)
    *head, last = text.rstrip("\n").split("\n")
    if source.random() < 0.5:
        k = source.randrange(2, len(head))
        head[k] = head[k].translate(str.maketrans("⊕⊙", "⊙⊕"))
    else:
        names = [line.split()[0] for line in head[2:-1]] + head[1].split()[1:]
        head[-1] = f"{head[-1].split()[0]} = {source.choice(names or ['1'])}"
    return "\n".join([*head, last]) + "\n"
