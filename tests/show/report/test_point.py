"""Try a point: the page computes exactly what the network computes, draws slices, and fits a narrow window."""

import itertools
import json
import random

import pytest

from tests.show.report.browser import CHROMIUM, Browser
from verimv import Layer, Network, load, write_network
from verimv.cli import main
from verimv.exact import format_number, parse_number

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


def random_numbers(source, count, roots):
    kinds = ["-1/3", "2", "1/128", "0", "-7/5", "123456789/1048576", *roots]
    return [source.choice(kinds) for _ in range(count)]


def network(seed, widths, roots=(), box=None):
    source = random.Random(seed)
    layers = [
        Layer.of(
            [random_numbers(source, below, roots) for _ in range(above)],
            random_numbers(source, above, roots),
            source.choice(["relu", "crelu"]) if above != widths[-1] else "identity",
        )
        for below, above in itertools.pairwise(widths)
    ]
    return Network.of(layers, box=box)


NETWORKS = {
    "rational": network(1, (3, 4, 3, 2), box=[["-2", "5/3"], ["0", "1"], ["1/7", "10"]]),
    "roots": network(2, (2, 3, 1), roots=("sqrt(2)/2", "1/3-sqrt(6)", "sqrt(3)")),
    "many": network(3, (30, 3, 2, 1)),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("points")
    for name, subject in NETWORKS.items():
        (folder / f"{name}.json").write_text("".join(write_network(subject)), encoding="utf-8")
        names = [f"a rather long name, number {i}" for i in range(len(subject.inputs))]
        (folder / f"{name}.names.json").write_text(json.dumps(names), encoding="utf-8")
        words = ["extract", folder / f"{name}.json", "--scale-output", "--bounds", "interval", "-o", folder / name]
        assert main([*map(str, words), "--quiet", "--names", str(folder / f"{name}.names.json")]) == 0
    return folder


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


def typed(browser, point):
    """The exact outputs after a point is typed into the page."""
    for name, number in point.items():
        browser.evaluate(
            f"""(() => {{ const input = document.querySelector('[data-input="{name}"]');
            input.value = {number!r}; input.dispatchEvent(new Event("input")); }})()"""
        )
    script = "[...document.querySelectorAll('#point-values .value')].map((value) => value.dataset.exact).join(' ')"
    return browser.evaluate(script).split(" ")


@pytest.mark.parametrize("name", NETWORKS)
def test_values_are_those_of_the_network(browser, reports, name):
    browser.errors.clear()
    browser.open(reports / name / "report.html")
    subject, source = NETWORKS[name], random.Random(name)
    browser.evaluate("document.getElementById('point-more').click()")
    inputs = load(reports / name / "network.json").inputs
    for _ in range(4):
        point = {x: source.choice(["0", "1", "1/3", "0.25", "5e-1", ".875", "1e-3"]) for x in inputs}
        expected = subject.at([parse_number(f"0{number}" if number[0] == "." else number) for number in point.values()])
        assert [parse_number(text) for text in typed(browser, point)] == expected
    assert [format_number(x) for x in expected] == typed(browser, {})
    assert browser.errors == []


def test_slices_and_what_is_outside(browser, reports):
    browser.open(reports / "many" / "report.html")
    browser.wait("document.querySelectorAll('#slices figure').length === 6")
    captions = browser.evaluate("document.getElementById('slices').textContent")
    assert "a rather long name, number" in captions
    assert browser.evaluate("document.querySelectorAll('#point-inputs input[type=text]').length") == 12
    assert browser.evaluate("document.getElementById('point-outside').hidden") is True
    shown = browser.evaluate("document.querySelector('[data-input]').dataset.input")
    typed(browser, {shown: "3/2"})
    assert browser.evaluate("document.getElementById('point-outside').hidden") is False
    before = typed(browser, {shown: "1/2"})
    assert typed(browser, {shown: "nonsense"}) == before
    assert (
        browser.evaluate(f"""document.querySelector('[data-input="{shown}"]').getAttribute("aria-invalid")""") == "true"
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_nothing_is_clipped_in_a_narrow_window(browser, reports, name):
    browser.resize(400, 900)
    browser.open(reports / name / "report.html")
    browser.wait("document.querySelectorAll('#slices figure').length > 0")
    wide = """[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1
        && !e.closest("svg, .scroll, pre, .explorer, #graph-details")).map((e) => e.outerHTML.slice(0, 80))"""
    assert browser.evaluate(wide) == []
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth") is True
    browser.resize(1200, 900)
