"""A page about a stack of certificates: a row for each, with its verdict and what it proves. It loads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Template

from verimv.show.report.markup import Markup, bytes_text, counted, joined, tag

#: Lines of a statement that are shown unfolded.
_OPEN_LINES = 3


@dataclass(frozen=True)
class StackRow:
    """One certificate. `report` is the address of its report, which checks the proof in the browser."""

    name: str
    verdict: str
    kernels: str
    size: int | None
    seconds: float
    statement: Sequence[str] = ()
    notes: Sequence[str] = ()
    report: str | None = None


_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<title>$title · verimv</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --good: light-dark(#157a45, #6fd39b); --bad: light-dark(#b3261e, #ff8a80);
  --open: light-dark(#8a5a00, #f0b95a); --dim: light-dark(#59636e, #9aa4af); --line: light-dark(#d9dee4, #303841); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
p, .dim { color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--dim); font-weight: normal; }
tbody th { font-weight: 600; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.number:last-child { padding-right: 0; }
.details td { border-top: 0; padding-top: 0; }
@media (max-width: 40rem) { th, td { padding-right: .5rem; } body { font-size: 14px; } }
.verdict { font-weight: 600; color: var(--open); }
.valid { color: var(--good); }
.invalid, .malformed, .bug { color: var(--bad); }
pre { font-size: .85rem; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$told</p>
<div class="scroll">$table</div>
</body>
</html>
""")


def stack_html(rows: Sequence[StackRow], summary: str) -> str:
    """Return the page. `summary` says how many certificates have which verdict."""
    told = (
        "What each certificate proves, and by which kernels: kernel.py, and one that is proved sound in Coq. A linked "
        "name opens the report, which checks the proof once more, in your browser."
    )
    names = (("certificate", None), ("verdict", None), ("kernels", None), ("size", "number"), ("time", "number"))
    head = tag("thead", tag("tr", *(tag("th", name, scope="col", class_=kind) for name, kind in names)))
    body = tag("tbody", *(part for row in rows for part in _row(row)))
    return _PAGE.substitute(title=joined(summary), told=joined(told), table=tag("table", head, body))


def _row(row: StackRow) -> Iterator[Markup]:
    """Yield the row of a certificate, and one with what there is to say about it."""
    name = row.name if row.report is None else tag("a", row.name, href=row.report)
    verdict = tag("span", row.verdict, class_=f"verdict {row.verdict}")
    size = "–" if row.size is None else bytes_text(row.size)
    cells = [tag("td", verdict), tag("td", row.kernels)]
    cells += [tag("td", size, class_="number"), tag("td", f"{row.seconds:.1f} s", class_="number")]
    yield tag("tr", tag("th", name, scope="row"), *cells)
    if details := list(_details(row)):
        yield tag("tr", tag("td", *details, colspan=1 + len(cells)), class_="details")


def _details(row: StackRow) -> Iterator[Markup]:
    """Yield why a certificate fails, and what it proves; a long statement is folded."""
    if row.notes:
        yield tag("pre", "\n".join(row.notes))
    if row.statement:
        lines = tag("pre", "\n".join(row.statement))
        is_short = len(row.statement) <= _OPEN_LINES
        yield lines if is_short else tag("details", tag("summary", counted(len(row.statement), "line")), lines)
