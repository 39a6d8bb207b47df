"""Display in notebooks: valid and escaped HTML, of bounded size."""

import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import verimv
from verimv.core.display import MAX_ROWS, html_table
from verimv.paper.experiments.families import deep_sawtooth, random_network
from verimv.solvers.verdict import Witness

HAT = verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")


def cells(html: str) -> list[list[str]]:
    """Read the table as a browser would; parsing it as XML too shows that every tag is closed."""
    ElementTree.fromstring(html)
    rows: list[list[str]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag == "tr":
                rows.append([])
            elif tag in ("td", "th"):
                rows[-1].append("")

        def handle_data(self, data):
            if rows:
                rows[-1][-1] += data

    Reader().feed(html)
    return rows


def test_a_short_formula_is_written_out():
    latex = r"\left(x \oplus x\right) \odot \lnot \left(x \odot x\right)"
    assert HAT._repr_latex_() == rf"$\displaystyle {latex}$"
    assert HAT.latex() == latex


def test_a_longer_one_is_definitions():
    formula = verimv.extract(deep_sawtooth(5)).formula
    shown = formula._repr_latex_()
    assert shown == f"$${formula.latex()}$$"
    assert shown.count("&=") == 5


def test_many_definitions_are_cut_with_their_sizes():
    formula = verimv.extract(deep_sawtooth(60)).formula
    lines = formula._repr_latex_().splitlines()
    assert len(lines) == MAX_ROWS + 4  # and begin, vdots, sizes, end
    assert lines[-4].startswith(r"\vdots")
    assert lines[-3].startswith("y_{1} &=")
    assert f"({formula.size} nodes, length }}{4**60}" in lines[-2]


def test_a_tree_of_astronomic_length_is_its_sizes():
    steps = "".join(f"t{i} = t{i - 1} ⊙ ¬(t{i - 1} ⊕ t{i - 1})\n" for i in range(1, 3_001))
    formula = verimv.read_mv(f"verimv-formula 1\ninputs t0\n{steps}outputs t3000\n")
    begin = time.perf_counter()
    shown = formula._repr_latex_()
    assert time.perf_counter() - begin < 120
    assert len(shown) < 200
    assert "9,001 nodes" in shown.replace("{,}", ",")


def test_long_numbers_do_not_make_it_long():
    formula = verimv.parse(" ⊕ ".join(f"Δ[1/{10**400 + i}]x{i}" for i in range(1, 100)))
    assert formula.is_short()
    assert len(formula._repr_latex_()) < 10_000
    formula = verimv.parse(" ⊕ ".join(f"Δ[1/{10**4200 + i}]x{i}" for i in range(6)))
    assert len(formula._repr_latex_()) < 200


def test_representations_are_one_line():
    assert repr(verimv.to_network(HAT)) == "<Network x → y1: 3 neurons>"
    assert repr(verimv.equivalent(HAT, verimv.parse("x"))).startswith("<Verdict refuted at x=")
    assert repr(verimv.extract(random_network((4, 30, 1), 1), scale_output=True)).count("\n") == 0


def test_networks():
    rows = cells(verimv.to_network(HAT)._repr_html_())
    assert rows[0] == ["box", "the unit cube"]
    assert rows[1][:2] == ["layer 1", "2 × relu"]
    wide = random_network((40, 3, 1), 1)
    assert len(wide._repr_html_()) < 2_000


def test_many_rows_are_counted():
    rows = cells(html_table("t", [(str(i), "x") for i in range(MAX_ROWS + 5)]))
    assert len(rows) == MAX_ROWS + 1
    assert rows[-1] == ["… and 5 more"]


def test_verdicts():
    refuted = verimv.equivalent(HAT, verimv.parse("x"))
    assert "<strong>refuted" in refuted._repr_html_()
    assert [row[0] for row in cells(refuted._repr_html_())] == ["x", "left", "right", "verimv (points)"]
    proved = cells(verimv.valid(verimv.parse("x → x"))._repr_html_())
    assert proved


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b", "\"quoted\" 'twice'", "x" * 10_000])
def test_everything_is_escaped_and_cut(text):
    verdict = verimv.Verdict("undecided", reason=text)
    html = verdict._repr_html_()
    assert "<script>" not in html
    assert len(html) < 1_000
    [[label, shown]] = cells(html)
    assert label == "reason"
    assert text.startswith(shown.rstrip("…"))
    witness = verimv.Verdict("refuted", Witness({"x": text}, {"value": text}))
    assert len(cells(witness._repr_html_())) == 2


def test_extractions_and_simplifications():
    result = verimv.extract(verimv.to_network(HAT))
    rows = dict(cells(result._repr_html_()))
    assert rows["formula"] == result.formula._repr_latex_()
    assert rows["status"] == "extracted, its certificate not checked yet"
    assert result.check() == ""
    assert dict(cells(result._repr_html_()))["status"] == "certified"
    simplified = dict(cells(verimv.simplify(verimv.parse("(x ∧ y) ⊕ (x ∨ y)"), work=5_000_000)._repr_html_()))
    assert simplified["formula"] == r"$\displaystyle x \oplus y$"
    assert simplified["after"] == "length 2, 3 nodes"
