"""The page in a real Chromium: it loads without a complaint, asks for nothing, and what can be clicked works."""

import itertools
import json
import time
from fractions import Fraction

import pytest

from tests.show.report.browser import CHROMIUM, Browser
from verimv import Layer, Network, read_mv, write_network
from verimv.cli import main
from verimv.show.report import embedded, explorer
from verimv.show.report.page import report_html
from verimv.show.report.subject import Check, FormulaSubject, of_directory

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


def extracted(folder, name, *options, network=None):
    path = f"examples/networks/{name}.json"
    if network is not None:
        path = str(folder / f"{name}.json")
        (folder / f"{name}.json").write_text("".join(write_network(network)))
    assert main(["extract", path, "-o", str(folder / name), "--quiet", *options]) == 0
    return folder / name / "report.html"


def two_inputs():
    """max(0, x1 + x2 − 1) + …: a few regions."""
    layers = [Layer.of([[1, 1], [2, -1], [-1, 3]], [-1, 0, -1]), Layer.of([[1, "1/2", "-1/4"]], [0])]
    return Network.of(layers)


def long_numbers():
    """A unit with constants of many digits, two of which have the same first ones."""
    weights = ["12345678/700000001", "12345679/700000001", "98765432/700000001"]
    return Network.of([Layer.of([weights], ["1/3"], "crelu")])


def large_network():
    """Some 2,500 nodes by interval bounds: wide layers of rational weights. (Exact ones would find that it is 0.)"""
    widths = (4, 24, 24, 1)
    layers = []
    for below, above in itertools.pairwise(widths):
        weights = [[f"{(7 * i + 5 * j) % 23 - 11}/{29 + (i + j) % 5}" for j in range(below)] for i in range(above)]
        layers.append(Layer.of(weights, [f"{i % 3 - 1}/7" for i in range(above)]))
    return Network.of(layers)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    return {
        "hat": extracted(folder, "hat"),
        "map": extracted(folder, "map", "--scale-output", network=two_inputs()),
        "long": extracted(folder, "long", network=long_numbers()),
        "large": extracted(folder, "large", "--scale-output", "--bounds", "interval", network=large_network()),
    }


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


@pytest.fixture
def opened(browser, pages):
    def open_page(name):
        browser.errors.clear()
        browser.asked.clear()
        browser.open(pages[name])
        return browser

    yield open_page
    assert browser.errors == []
    assert [url for url in browser.asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["hat", "map", "large"])
@pytest.mark.parametrize("width", [1200, 390])
def test_it_loads_and_fits_the_window(opened, name, width):
    browser = opened(name)
    browser.resize(width, 900)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert browser.count("#graph-canvas .node") > 0
    browser.resize(1200, 900)


def test_a_node_tells_its_subformula_claim_and_rule(opened):
    browser = opened("hat")
    assert browser.text("#graph-details h3") == "⊙  y1"
    assert browser.text("#graph-subformula") == "u1.1 ⊙ ¬u1.2"
    browser.click('#graph-canvas [aria-label$="u1.1"]')
    assert browser.text("#graph-details h3") == "⊕  u1.1"
    assert browser.text("#graph-subformula") == "x1 ⊕ x1"
    assert browser.text("#graph-claim") == "u1.1 = σ(2·x1)"
    assert browser.text("#graph-rule").startswith("plus — ⊕ adds forms")
    assert '["plus",1,1]' in browser.text("#graph-details")


def test_links_between_nodes_and_from_the_layers(opened):
    browser = opened("hat")
    browser.click("#graph-subformula a")
    assert browser.text("#graph-details h3") == "⊕  u1.1"
    browser.click('#layers a[data-node="u1.2"]')
    assert browser.text("#graph-details h3") == "⊙  u1.2"


def test_the_keyboard_reaches_nodes(opened):
    browser = opened("hat")
    browser.evaluate("document.querySelector('#graph-canvas .node').focus()")
    first = browser.evaluate("document.activeElement.dataset.n")
    browser.key("ArrowDown")
    second = browser.evaluate("document.activeElement.dataset.n")
    assert second != first
    browser.key("Enter")
    assert browser.evaluate("document.querySelector('.node.on').dataset.n") == second


def test_copy_buttons(opened):
    browser = opened("hat")
    browser.evaluate("window.copied = []; navigator.clipboard.writeText = async (text) => { copied.push(text); }")
    for name in ("text", "latex", "smtlib"):
        browser.click(f'[data-copy="{name}"]')
        browser.wait(f"document.querySelector('[data-copy={name}]').textContent === 'Copied'")
    text, latex, smtlib = browser.evaluate("copied")
    assert text == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    assert r"\oplus" in latex
    assert "x1" in smtlib
    assert "Real" in smtlib


def test_long_constants_are_decimals_and_exact_on_demand(opened, pages):
    browser = opened("long")
    rounded = browser.count("#formula-text .rounded")
    assert 0 < rounded < browser.evaluate("document.querySelector('#formula-text').textContent.split('Δ').length - 1")
    first = browser.evaluate(
        "(() => { const one = document.querySelector('.rounded'); return [one.textContent, one.title]; })()"
    )
    assert abs(float(first[0].lstrip("≈")) - float(Fraction(first[1]))) <= 1e-3 * float(Fraction(first[1]))
    browser.click("#exact-numbers")
    assert browser.count("#formula-text .rounded") == 0
    assert f"Δ[{first[1]}]" in browser.text("#formula-text")
    browser.click("#exact-numbers")
    assert browser.count("#formula-text .rounded") == rounded
    browser = opened("hat")
    assert browser.evaluate("document.querySelector('#exact-numbers').hidden")


def test_zoom_pan_and_fit(opened):
    browser = opened("hat")

    def transform():
        return browser.evaluate("document.querySelector('#graph-canvas > g').getAttribute('transform')")

    start = transform()
    browser.click("#graph-in")
    zoomed = transform()
    assert zoomed != start
    x, y = browser.place("#graph-canvas")
    x, y = x - 250, y - 150  # beside the nodes
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", x + 60, y + 20, button="left", buttons=1)
    browser.mouse("mouseReleased", x + 60, y + 20, button="left", clickCount=1)
    moved = transform()
    assert moved != zoomed
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100, modifiers=2)
    browser.wait(f"document.querySelector('#graph-canvas > g').getAttribute('transform') !== {json.dumps(moved)}")
    browser.click("#graph-fit")
    assert transform() == start


def test_a_large_graph_is_shown_in_parts(opened):
    browser = opened("large")
    shown = browser.count("#graph-canvas .node")
    assert 20 < shown < 120
    assert f"{shown} of " in browser.text("#graph-status")
    browser.click("#graph-fit")
    partial = browser.evaluate("document.querySelector('.node.partial').dataset.n")
    browser.click(f'.node[data-n="{partial}"]', times=2)
    assert browser.count("#graph-canvas .node") > shown
    for query, title in (("u1.3", "u1.3"), ("n17", "n17")):
        browser.evaluate(f"document.getElementById('graph-query').value = {query!r}")
        browser.click("#graph-search button")
        assert browser.text("#graph-details h3").endswith(title)
    browser.evaluate("document.getElementById('graph-query').value = 'nothing'")
    browser.click("#graph-search button")
    assert "no node nothing" in browser.text("#graph-status")


def test_a_long_formula_is_shown_on_demand(opened, pages):
    browser = opened("large")
    before = browser.text("#formula-text")
    browser.click("#show-formula")
    browser.wait("document.getElementById('formula-more').hidden")
    after = browser.text("#formula-text")
    assert after.startswith(before)
    assert after.count("\n") > before.count("\n")


def test_what_a_page_cannot_carry_is_left_out(browser, pages, tmp_path, monkeypatch):
    """With limits that a small formula exceeds: the top of the graph, and commands instead of buttons."""
    monkeypatch.setattr(explorer, "MAX_NODES", 80)
    monkeypatch.setattr(embedded, "MAX_FILES", 1_000)
    (tmp_path / "page.html").write_text(report_html(of_directory(pages["large"].parent)))
    browser.errors.clear()
    browser.open(tmp_path / "page.html")
    size = json.loads((pages["large"].parent / "summary.json").read_text())["size"]
    kept = browser.evaluate("document.querySelector('#graph-status').textContent")
    assert f"of {size:,} nodes" in kept
    assert f"{size - 80:,} nodes far below the outputs are left out" in browser.text("#graph")
    assert browser.count("[data-copy]") == 0
    assert browser.count("#show-formula") == 0
    assert "verimv convert DIR/formula.mv --to smtlib" in browser.text("#formula")
    for node in range(0, 80, 7):
        browser.evaluate(f"document.getElementById('graph-query').value = 'n{node}'")
        browser.click("#graph-search button")
        assert browser.count(f'.node.on[data-n="{node}"]') == 1
    assert browser.errors == []


def test_nodes_all_over_the_graph_can_be_visited(opened, pages):
    """No node of the large page breaks the view, and each has a claim or lies inside one."""
    browser = opened("large")
    size = json.loads((pages["large"].parent / "summary.json").read_text())["size"]
    script = """(async (size) => {
        const query = document.getElementById("graph-query"), form = document.getElementById("graph-search");
        let visited = 0;
        for (let n = 0; n < size; n += 29) {
            query.value = `n${n}`;
            form.requestSubmit();
            if (!document.querySelector(`.node.on[data-n="${n}"]`)) return `not selected: ${n}`;
            if (document.getElementById("graph-details").textContent.includes("no claim")) return `no claim: ${n}`;
            visited++;
        }
        return visited;
    })"""
    assert browser.evaluate(f"{script}({size})") == len(range(0, size, 29))


def test_the_map_has_its_regions(opened):
    browser = opened("map")
    assert browser.count("#picture linearGradient") > 1
    assert "linear regions" in browser.text("#picture figcaption")


def test_the_theme_switches(opened):
    browser = opened("hat")
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(background)
    browser.click("#theme")
    assert browser.evaluate(background) != light
    browser.click("#theme")
    assert browser.evaluate(background) == light


def test_it_follows_the_system_and_prints(pages):
    with Browser(dark=True) as browser:
        browser.open(pages["hat"])
        assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 31)"
        assert browser.printed().startswith(b"%PDF")
        assert browser.errors == []


def test_hostile_text_runs_nothing(browser, pages, tmp_path):
    """Names of folders and whatever stands in a summary."""
    evil = "</script><script>window.hit=1</script><img src=x onerror='window.hit=1'>"
    folder = pages["hat"].parent
    summary = json.loads((folder / "summary.json").read_text())
    copy = tmp_path / "<img src=x onerror='window.hit=1'>"
    copy.mkdir()
    for name in ("network.json", "formula.mv", "certificate.jsonl"):
        (copy / name).write_bytes((folder / name).read_bytes())
    (copy / "summary.json").write_text(json.dumps({**summary, "strategy": evil, "seconds": {evil: 1}}))
    (tmp_path / "page.html").write_text(report_html(of_directory(copy)))
    browser.errors.clear()
    browser.open(tmp_path / "page.html")
    assert browser.evaluate("window.hit === undefined")
    assert browser.count("img") == 0
    assert browser.text("h1 .title") == copy.name
    assert browser.errors == []


def chain(length):
    """A formula that is one long chain, and the lines of its certificate."""
    names = [f"x{i}" for i in range(7)]
    texts, lines = ["verimv-formula 1", f"inputs {' '.join(names)}", "t0 = x0 ⊕ x1"], []
    lines += [json.dumps(["node", 2 + i]) for i in range(7)] + [json.dumps(["not", 1 + i]) for i in range(7)]
    lines += ['["plus",1,2]', '["atom",15]']
    for i in range(1, length):
        operator, is_negated, literal = ("⊙", "⊕")[i % 3 > 0], i % 2, i % 7
        texts.append(f"t{i} = t{i - 1} {operator} {'¬' * is_negated}x{literal}")
        rule = "plus" if operator == "⊕" else "times"
        lines += [json.dumps([rule, 14 + 2 * i, 1 + literal + 7 * is_negated]), json.dumps(["atom", 15 + 2 * i])]
    return "\n".join([*texts, f"outputs t{length - 1}", ""]), lines


def test_thirty_thousand_nodes_do_not_freeze_it(browser, tmp_path):
    """A formula of that size opens, and answers a click, in a time that a person does not mind."""
    text, lines = chain(30_000)
    formula = read_mv(text)
    known = {"title": "chain", "lines": lines, "check": Check("unchecked")}
    subject = FormulaSubject(**known, formula=formula, text=text, measures=formula.measure(), network=None, source=None)
    assert formula.size > 30_000
    page = report_html(subject)
    assert len(page) < 3_000_000
    (tmp_path / "page.html").write_text(page)
    browser.errors.clear()
    begin = time.monotonic()
    browser.open(tmp_path / "page.html")
    browser.click("#graph-canvas .node")
    assert browser.text("#graph-rule")
    browser.evaluate("document.getElementById('graph-query').value = 'n20000'")
    browser.click("#graph-search button")
    assert browser.text("#graph-details h3").endswith("n20000")
    assert time.monotonic() - begin < 120  # some two seconds on a machine that does nothing else
    assert browser.errors == []
