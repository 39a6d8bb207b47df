"""`verimv.approximate`: a choice of formulas, from the exact one to a constant, each with its proved error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from verimv.approximation.decisions import Agreement, Decider, Labels, Sample
from verimv.approximation.within import (
    CONSTANT,
    WithinExtraction,
    are_in_unit_interval,
    extract_within,
    output_ranges,
    read_within,
)
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.certificate.from_extraction import extract as extract_exactly
from verimv.core.choices import MEASURES
from verimv.core.display import Headed, html_table
from verimv.core.errors import InputError, Undecided
from verimv.core.progress import Progress, no_progress
from verimv.core.recorded import Recorded
from verimv.exact import ZERO, Algebraic, Number, Rational, as_number, format_number, sign
from verimv.formulas.dag import DIVIDE, SCALE, reachable
from verimv.formulas.formula import Formula
from verimv.networks.formats.load import as_network
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import affine_end, chosen
from verimv.questions.distance import certified_bounds

#: The errors that are asked for: percentages of the range of each output, and that of a constant.
DEFAULT = ("1%", "2%", "5%", "10%", "20%", CONSTANT)
#: Rows that can be asked for.
MOST_ROWS = 100


@dataclass(frozen=True, repr=False)
class FrontRow(Headed):
    """A formula, and how far it is from the network."""

    #: what was asked for: "exact", "5%", "constant", …
    within: str
    extraction: CertifiedExtraction
    #: the largest error of an output, in a certificate that kernel.py accepts; None if it does not (only if exact)
    proved: Number | None
    #: the error at a point
    attained: Number
    #: from 1, in the order of the table
    number: int = 0
    #: decisions at the rows of the data
    agreement: Agreement | None = None
    #: why `proved` is None
    lacking: str = ""

    @property
    def formula(self) -> Formula:
        return self.extraction.formula

    @property
    def length(self) -> int | float:
        """Occurrences of variables; of an astronomical length, the binary logarithm, as a float."""
        return self.extraction.measures.length

    @property
    def is_constant(self) -> bool:
        return self.length == 0

    @cached_property
    def constants(self) -> frozenset[Number]:
        """The different factors of the formula."""
        dag, found = self.formula.dag, set()
        for node in reachable(dag, self.formula.roots)[0]:
            if dag.kinds[node] == SCALE:
                found.add(dag.payload(node))
            elif dag.kinds[node] == DIVIDE:
                found.add(Rational(1, dag.payload(node)))
        return frozenset(found)

    @property
    def denominator(self) -> int | None:
        """The largest denominator of a constant; None if one is irrational."""
        if any(isinstance(x, Algebraic) for x in self.constants):
            return None
        return max((int(x.denominator) for x in self.constants if not isinstance(x, Algebraic)), default=1)

    def size_by(self, measure: str) -> tuple[bool, int | float]:
        """Return what is made small, as numbers that can be compared: logarithms are those of larger lengths."""
        found = self.length if measure == "length" else self.extraction.measures.size
        return isinstance(found, float), found

    def is_within(self, tolerances: Sequence[Number]) -> bool:
        """Return whether the error of each output is proved to be at most its tolerance."""
        if not isinstance(self.extraction, WithinExtraction):
            return self.proved is not None
        proved = certified_bounds(self.extraction.closeness)
        return all(proved[k] <= tolerance for k, tolerance in enumerate(tolerances))

    def data(self) -> dict[str, Any]:
        measures, extraction = self.extraction.measures, self.extraction
        return {
            "number": self.number,
            "within": self.within,
            "proved": None if self.proved is None else format_number(self.proved),
            "attained": format_number(self.attained),
            "length": measures.length_text,
            "size": measures.size,
            "constants": len(self.constants),
            "denominator": self.denominator,
            "formula": self.formula.text() if self.formula.is_short() else None,
            "outputs": extraction.summary["outputs"],
            "errors": extraction.summary.get("within", []),
            **({"lacking": self.lacking} if self.lacking else {}),
            **({} if self.agreement is None else {"data": self.agreement.data()}),
        }

    def _headline(self) -> str:
        error = "not proved" if self.proved is None else f"error at most {format_number(self.proved)}"
        return f"{self.number}, {self.within}: {error}, {self.formula!r}"


@dataclass(frozen=True, repr=False)
class Front(Recorded, Headed):
    """Formulas for one network: each is shorter than all that are closer. The first is exact."""

    #: the network with the outputs that were asked for
    network: Network
    rows: tuple[FrontRow, ...]
    decider: Decider
    #: whether somebody decides by the outputs
    is_deciding: bool
    sample: Sample | None = None
    #: what was asked for and is not shorter than a closer one
    dropped: tuple[str, ...] = ()
    #: what was asked for and not proved, with the reason
    undecided: dict[str, str] = field(default_factory=dict)

    def pick(self, choice: Any) -> CertifiedExtraction:
        """Return a formula with its certificate: that of a row (an integer, from 1), or the shortest within an error
        (such as "5%" or "0.1")."""
        return self.picked(choice).extraction

    def picked(self, choice: Any) -> FrontRow:
        """Return the row of :meth:`pick`."""
        number = row_number(choice)
        if number is not None:
            if not 1 <= number <= len(self.rows):
                raise InputError(f"no row {number}: there are {len(self.rows)}")
            return self.rows[number - 1]
        limits = read_within(choice, self.network)
        found = [row for row in self.rows if row.is_within(limits)]
        if not found:
            raise InputError(f"no row with an error of at most {choice}")
        return found[-1]

    def __str__(self) -> str:
        return self.text()

    def text(self, numbers: str = "auto") -> str:
        """Return what `verimv approximate` prints; `numbers` is "exact", "decimal", "both" or "auto"."""
        from verimv.approximation.front_text import told

        return "\n".join(told(self, numbers))

    def _repr_html_(self) -> str:
        from verimv.approximation.front_text import cells, sentences

        return html_table("formulas near a network", cells(self, "auto")) + "".join(
            f"<p>{line}</p>" for line in map(_escaped, sentences(self, "auto"))
        )

    def _headline(self) -> str:
        count = len(self.rows)
        return f"{count} formula{'s' * (count != 1)} near {self.network!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return what `verimv approximate --json` prints: exact numbers, as text."""
        from verimv.approximation.front_text import promise

        return {
            "outputs": list(self.network.outputs),
            "rows": [row.data() for row in self.rows],
            "dropped": list(self.dropped),
            "undecided": self.undecided,
            "promise": promise(self) if self.is_deciding else None,
            "data": None if self.sample is None else self.sample.data(),
        }


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)


def row_number(choice: Any) -> int | None:
    """Return the number of a row, if the choice is one: an integer. Raises for what is neither that nor an error."""
    text = str(choice).strip()
    if isinstance(choice, int) or (text.isascii() and text.isdigit()):
        number = int(text)
        if number < 1:
            raise InputError(f"no row {number}: they are counted from 1")
        return number
    _check_error("pick", text)
    return None


def _check_error(option: str, text: str) -> None:
    """Raise if a text is no error above 0, before any work is done."""
    try:
        is_positive = sign(as_number(text.removesuffix("%").strip())) > 0
    except (InputError, ValueError):
        raise InputError(f"--{option} {text}: expected a number, or a percentage such as 5%") from None
    if not is_positive:
        raise InputError(f"--{option} {text}: expected an error above 0")


def read_tolerances(within: Any) -> list[str]:
    """Return the errors that are asked for, as texts: a list, or one text with commas."""
    if within is None:
        return list(DEFAULT)
    items = within.split(",") if isinstance(within, str) else within if isinstance(within, Sequence) else [within]
    texts = list(dict.fromkeys(str(item).strip() for item in items))
    if not texts:
        raise InputError("--within: expected at least one error")
    if len(texts) > MOST_ROWS:
        raise InputError(f"--within: expected at most {MOST_ROWS} errors, found {len(texts)}")
    for text in texts:
        if text != CONSTANT:
            _check_error("within", text)
    return texts


def approximate(
    network: Any,
    within: Any = None,
    *,
    data: Sequence[Sequence[Any]] | None = None,
    labels: Sequence[Any] | None = None,
    threshold: Any = None,
    minimise: str = "length",
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    progress: Progress = no_progress,
) -> Front:
    """Return a choice of formulas: the exact one, and for each error the shortest that is found and proved within it.

    `within` are the errors, as :func:`verimv.extract` takes them: a list, or a text such as "1%,5%,constant". The
    default is 1%, 2%, 5%, 10%, 20% and that of a constant. Every error is that of a certificate which kernel.py has
    accepted. Formulas that are not shorter than a closer one are left out.

    `data` are points, a row of numbers for each, in the order of the inputs; the front then tells how often formula and
    network decide alike. For one output the decision is whether it is above the `threshold` (default: 0), for several
    which is the largest. `labels` are the right decisions: names or numbers of outputs; for one output 1 or 0.
    `output`, `margin` and `minimise` are those of :func:`verimv.extract`.
    """
    network = as_network(network)
    if minimise not in MEASURES:
        raise InputError(f"unknown measure {minimise}: choose one of {', '.join(MEASURES)}")
    asked, limit = read_tolerances(within), as_number(0 if threshold is None else threshold)
    source = affine_end(chosen(network, output, margin, False))
    if threshold is not None and len(source.outputs) > 1:
        raise InputError("a threshold needs one output: choose it with --output or --margin")
    if labels is not None and data is None:
        raise InputError("labels need data")
    sample = None
    if data is not None:
        meaning = Labels(network, output, margin)
        expected = None if labels is None else [meaning.expected(label) for label in labels]
        sample = Sample(source, data, expected, limit, progress)
    found = _Found(source, minimise, progress)
    found.search(asked, lambda scaled: extract_exactly(
        network, output=output, margin=margin, minimise=minimise, scale_output=scaled, progress=progress))  # fmt: skip
    kept = found.kept()
    if not kept:
        raise Undecided("no formula was proved: " + "; ".join(found.undecided.values()))
    rows = tuple(replace(row, number=number) for number, row in enumerate(kept, start=1))
    if sample is not None:
        rows = tuple(replace(row, agreement=_agreement(sample, row, progress)) for row in rows)
    is_deciding = len(source.outputs) > 1 or margin is not None or threshold is not None or data is not None
    return Front(
        source, rows, Decider(len(source.outputs), limit), is_deciding, sample, tuple(found.dropped), found.undecided
    )


def _agreement(sample: Sample, row: FrontRow, progress: Progress) -> Agreement | None:
    if not isinstance(row.extraction, WithinExtraction):
        return sample.of_equal() if row.proved is not None else None
    return None if row.proved is None else sample.of_formula(row.extraction, row.proved, progress)


class _Found:
    """Rows of a front, from the closest to the farthest."""

    def __init__(self, network: Network, minimise: str, progress: Progress) -> None:
        self.network, self.minimise, self._progress = network, minimise, progress
        self.rows: list[FrontRow] = []
        self.dropped: list[str] = []
        self.undecided: dict[str, str] = {}

    def search(self, asked: Sequence[str], exactly: Any) -> None:
        """Search from small errors to large ones; when a constant will do, larger ones need no search."""
        self._progress("bounding outputs", 0, 1)
        try:
            self._add_exact(exactly(not are_in_unit_interval(self.network)))
        except Undecided as error:
            self.undecided["exact"] = str(error)
        for name in self._from_small_to_large(asked):
            if self.rows and self.rows[-1].is_constant:
                self.dropped.append(name)
                continue
            self._add(name)

    def _from_small_to_large(self, asked: Sequence[str]) -> list[str]:
        if all(low == high for low, high in output_ranges(self.network)):
            return []  # the exact formula is a constant
        return sorted(asked, key=lambda name: max(read_within(name, self.network)))

    def _add_exact(self, extraction: CertifiedExtraction) -> None:
        lacking = extraction.lacking(self._told("exact"))
        self.rows.append(FrontRow("exact", extraction, None if lacking else ZERO, ZERO, lacking=lacking))

    def _add(self, name: str) -> None:
        told = self._told(f"within {name}")
        try:
            extraction = extract_within(self.network, name, minimise=self.minimise, progress=told)
        except Undecided as error:
            self.undecided[name] = str(error)
            return
        lacking = extraction.lacking(told)
        if lacking:
            self.undecided[name] = lacking
            return
        proved = max(certified_bounds(extraction.closeness)[k] for k in range(len(self.network.outputs)))
        self.rows.append(FrontRow(name, extraction, proved, extraction.distance.attained))

    def _told(self, name: str) -> Progress:
        def progress(stage: str, done: int, total: int) -> None:
            self._progress(f"{name}: {stage}", done, total)

        return progress

    def kept(self) -> list[FrontRow]:
        """Return the rows that are shorter than all closer ones."""
        kept: list[FrontRow] = []
        for row in sorted(self.rows, key=lambda row: ZERO if row.proved is None else row.proved):
            if kept and row.size_by(self.minimise) >= kept[-1].size_by(self.minimise):
                self.dropped.append(row.within)
            else:
                kept.append(row)
        return kept
