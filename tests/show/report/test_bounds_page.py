"""Pages about bounds: of a network's outputs, and of the difference of two networks; what they say, also to hostile files."""

import functools
import hashlib
import json
import random
import re

import pytest

from tests.show.report.browser import CHROMIUM, Browser
from tests.show.report.held import held_files, with_file
from tests.show.report.test_page import Page
from tests.show.report.test_self_check import EVIL, IS_DONE, KERNEL, forged
from verimv import Layer, Network, write_network
from verimv.cli import main
from verimv.exact import format_number, parse_number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.kernels.judge import check_files
from verimv.show.report import embedded
from verimv.show.report.frame import asset
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_directory

HEAD = {"format": "verimv-certificate", "version": 1}
#: Two networks that differ in a bias and a weight; neuron 0 of the other one is compared with its twin.
BODY = [
    '["twin",3,0,1,"1"]',
    '["apart",3,0,"low","1/4",["pair"]]',
    '["apart",3,0,"high","1/4",["pair"]]',
    '["bound",5,0,"low","-3/16",["pair","0","1/16","0"]]',
    '["bound",5,0,"high","3/64",["pair","0","-1/16","0"]]',
]


def small(bias, weight, name="x", output="y", box=("0", "1")):
    layers = [Layer.of([[2], [1]], [bias, 0]), Layer.of([[1, weight]], [0], "identity")]
    return Network.of(layers, [name], outputs=[output], box=[box])


def written(folder, body, network, other=None):
    """A directory with a certificate of these lines."""
    folder.mkdir()
    files = {"network": network} if other is None else {"network": network, "other": other}
    data = {name: "".join(write_network(found)).encode() for name, found in files.items()}
    for name, text in data.items():
        (folder / f"{name}.json").write_bytes(text)
    header = {**HEAD, **{f"{name}_sha256": hashlib.sha256(text).hexdigest() for name, text in data.items()}}
    (folder / "certificate.jsonl").write_text("\n".join([json.dumps(header), *body]) + "\n")
    return folder


@pytest.fixture
def pair(tmp_path):
    return written(tmp_path / "pair", BODY, small(-1, -1), small("-3/4", "-9/8"))


@pytest.fixture
def many(tmp_path):
    """300 outputs, bounded by k and −k."""
    weights = [[k] for k in range(1, 301)]
    network = Network.of([Layer.of(weights, [-k for (k,) in weights], "identity")])
    body = [f'["bound",1,{k - 1},"low","{-k}",["leaf"]]' for (k,) in weights]
    body += [f'["bound",1,{k - 1},"high","0",["leaf"]]' for (k,) in weights]
    return written(tmp_path / "many", body, network)


# -- without a browser --------------------------------------------------------------------------------------------


def test_the_page_has_one_source_of_what_is_proved(pair):
    """Names, bounds and shapes are in the page as bytes only; the script reads them from there."""
    subject = of_directory(pair)
    text = report_html(subject)
    page = Page(text)
    assert not re.search(r"3/16|3/64|0\.1875|y − other|≤", page.told)
    assert "not checked yet in this browser" in page.told
    assert "certified when written" in page.told
    assert {"statement", "networks", "inputs", "evidence"} <= set(page.ids)
    assert not {"formula", "layers", "graph", "sizes", "picture"} & set(page.ids)
    held = held_files(text)
    held.pop(KERNEL)
    assert held == {path.name: path.read_bytes() for path in pair.iterdir()}
    assert len(text) < 160_000
    assert text == report_html(subject)


def test_the_evidence_is_counted(pair):
    told = re.sub(r"\s+", " ", Page(report_html(of_directory(pair)).replace("<", " <")).told)
    assert "The certificate has 5 lines after its header, and 4 cases in them." in told
    for count in ("bounds of outputs 2 ", "apart 2 ", "twin 1 ", "pair 4 "):
        assert count in told


def test_a_wrong_line_and_an_assumed_bound(pair, capsys):
    path = pair / "certificate.jsonl"
    text = path.read_text()
    path.write_text(text.replace('"3/64"', '"1/64"'))
    assert main(["report", str(pair)]) == 1
    assert "(invalid, line 6, rule bound: " in capsys.readouterr().out
    told = Page((pair / "report.html").read_text()).told
    assert "invalid certificate" in told
    assert "The certificate has 4 lines after its header before the error, and 3 cases in them." in told
    path.write_text(text.replace(',["pair","0","-1/16","0"]', ""))
    assert main(["report", str(pair)]) == 3
    assert "1 bound assumed without evidence" in Page((pair / "report.html").read_text()).told


@pytest.mark.parametrize("command", ["range", "distance", "equiv", "equiv of a formula", "simplify", "convert"])
def test_every_certificate_gets_a_report(tmp_path, capsys, command):
    a, b, out = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "out"
    a.write_text("".join(write_network(small(-1, -1))))
    b.write_text("".join(write_network(small("-3/4", "-9/8"))))
    hat = "examples/networks/hat.json"
    arguments = {
        "range": ["range", a],
        "distance": ["distance", a, b],
        "equiv": ["equiv", a, b, "--tolerance", "1/2"],
        "equiv of a formula": ["equiv", hat, "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"],
        "simplify": ["simplify", "(x ∧ y) ⊕ (x ∨ y)"],
        "convert": ["convert", "x ∨ y", "-o", tmp_path / "c.json"],
    }[command]
    assert main([*map(str, arguments), "--certify", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told.get("report", str(out / "report.html")) == str(out / "report.html")
    held = held_files((out / "report.html").read_text())
    held.pop(KERNEL)
    assert held == {path.name: path.read_bytes() for path in out.iterdir() if path.name != "report.html"}
    check_files(out)
    assert main([*map(str, arguments), "--certify", str(out)]) == 0  # once more, in place of the old files


# -- in a browser -------------------------------------------------------------------------------------------------

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


@pytest.fixture
def checked(browser, tmp_path):
    """A function that opens a page at #check and returns the verdict's text."""

    def check(page):
        (tmp_path / "page.html").write_text(page)
        browser.errors.clear()
        browser.asked.clear()
        browser.navigate(tmp_path / "page.html", "#check")
        browser.wait(IS_DONE)
        return browser.text("#browser-verdict")

    return check


@in_a_browser
def test_two_networks(browser, checked, pair):
    told = checked(report_html(of_directory(pair)))
    assert told == "valid: for every x ∈ [0,1], the two networks differ by at most 3/16 (0.1875)."
    assert browser.text("#badge") == "proved in this browser"
    assert browser.text("#lead") == (
        "Two networks with the same input, each with 3 neurons (1–2–1): bounds of the difference of their outputs on the "
        "unit cube."
    )
    assert browser.text("#statement").startswith("Proved: for every x ∈ [0,1], in exact arithmetic")
    assert browser.text("#statement .formula") == "−3/16 ≤ y − other y ≤ 3/64"
    assert browser.text("#statement > p:last-child") == (
        "That is, the two networks differ by at most 3/16 (0.1875), at every point of the box."
    )
    assert browser.text("#check-kernel-words").splitlines() == check_files(pair)
    assert re.search(r"6 lines in \d+", browser.text("#check-by"))
    assert browser.evaluate("document.querySelector('.bounds tbody svg').getAttribute('aria-label')") == (
        "from −0.1875 to 0.046875"
    )
    assert browser.count(".bounds tbody .zero") == 1
    assert browser.text("#networks").count("2 neurons, ReLU") == 2
    assert browser.text("#inputs") == "inputfromtox01"
    assert browser.errors == []
    assert [url for url in browser.asked if not url.startswith(("file:", "data:", "blob:"))] == []


@in_a_browser
def test_one_network_with_a_box(browser, checked, tmp_path):
    body = ['["bound",2,0,"low","-7/3",["leaf"]]', '["bound",2,0,"high","1000000/3",["leaf"]]']
    folder = written(tmp_path / "one", body, small(-1, "-1/3", box=("-1/3", "2")))
    told = checked(report_html(of_directory(folder)))
    assert told == (
        "valid: for every x ∈ [−1/3,2], the network's output y is at least −7/3 (≈−2.33334) and at most 1000000/3 "
        "(≈333334)."
    )
    assert browser.text("#lead") == "A network with 1 input and 3 neurons (1–2–1): bounds of its output on its box."
    assert browser.text("#check-kernel-words") == "-7/3 ≤ y ≤ 1000000/3 on its box"


@in_a_browser
def test_equal_networks_and_square_roots(browser, checked):
    valid = "tests/certificate/by_verdict/valid"
    told = checked(report_html(of_directory(f"{valid}/difference-of-twins")))
    assert told == "valid: for every x1 ∈ [0,1], the two networks are equal."
    checked(report_html(of_directory(f"{valid}/range-with-irrational-ends")))
    assert "sqrt" in browser.text("#statement")


@in_a_browser
def test_the_activation_of_the_last_layer_counts(browser, tmp_path):
    """Before the check, too, the page states what the kernel will print."""
    body = ['["bound",1,0,"low","-1",["leaf"]]', '["bound",1,0,"high","5",["leaf"]]']
    for activation, told in (("relu", "0 ≤ y1 ≤ 5"), ("crelu", "0 ≤ y1 ≤ 1"), ("identity", "−1 ≤ y1 ≤ 5")):
        network = Network.of([Layer.of([[6]], [-1], activation)])
        folder = written(tmp_path / activation, body, network)
        (tmp_path / "page.html").write_text(report_html(of_directory(folder)))
        browser.open(tmp_path / "page.html")
        assert browser.text("#statement .formula") == told
        assert check_files(folder) == [told.replace("−", "-") + " on [0,1]"]


@in_a_browser
def test_many_outputs(browser, checked, many):
    told = checked(report_html(of_directory(many)))
    assert told == "valid: for every x1 ∈ [0,1], the network's 300 outputs lie within the bounds stated above."
    assert browser.count(".bounds tbody tr") == 200
    assert "… and 100 more rows" in browser.text("#statement")
    assert len(browser.text("#check-kernel-words").splitlines()) == 300
    for width in (390, 1200):
        browser.resize(width, 900)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_a_browser
def test_files_too_large_for_the_page(browser, pair, tmp_path, monkeypatch):
    """The page shows what Python has read, and how to check it."""
    monkeypatch.setattr(embedded, "MAX_FILES", 0)
    (tmp_path / "page.html").write_text(report_html(of_directory(pair)))
    browser.errors.clear()
    browser.open(tmp_path / "page.html")
    assert browser.text("#statement").startswith("Statement: ")
    assert browser.text("#statement .formula") == "−3/16 ≤ y − other y ≤ 3/64"
    assert browser.text("#browser-verdict").startswith("not checked here: the files (")
    assert browser.count("#check-proof") == 0
    assert browser.errors == []


# -- pages that were changed --------------------------------------------------------------------------------------


@in_a_browser
def test_a_changed_digit_is_invalid(browser, checked, pair):
    """In either network, with or without its hash; a wrong line of the certificate is named."""
    page = report_html(of_directory(pair))
    files = held_files(page)
    for name, old, new in (("network.json", b'"-1"', b'"-2"'), ("other.json", b'"-3/4"', b'"-1/4"')):
        data = files[name].replace(old, new)
        assert data != files[name]
        assert checked(with_file(page, name, data)).startswith("invalid: ")
        assert checked(with_file(page, name, data, rehashed=False)).startswith("invalid: ")
        assert re.match(r"invalid, line \d", checked(forged(page, name, data)))
    wrong = files["certificate.jsonl"].replace(b'"3/64"', b'"2/64"')
    assert checked(with_file(page, "certificate.jsonl", wrong)).startswith("invalid, line 6: ")
    assert checked(with_file(page, "certificate.jsonl", wrong, rehashed=False)).startswith("invalid, line 6: ")
    assert browser.text("#statement").startswith("Statement: ")
    weaker = files["certificate.jsonl"].replace(b'"3/64"', b'"9/64"')
    assert checked(with_file(page, "certificate.jsonl", weaker, rehashed=False)).startswith(
        "invalid: certificate.jsonl"
    )


@in_a_browser
def test_files_of_another_kind_do_not_belong_here(checked, pair):
    page = report_html(of_directory(pair))
    for name in ("formula.mv", "source.json", "original.mv"):
        other = page.replace('data-file="other.json"', f'data-file="{name}"')
        assert (
            checked(other)
            == f"invalid: this page holds an unknown file, {json.dumps(name) if name[0] == '.' else name}"
        )


@in_a_browser
@pytest.mark.parametrize(
    "statement",
    [
        "-3/16 ≤ z − other z ≤ 3/64 on [0,1]",
        "-3/16 ≤ y ≤ 3/64 on [0,1]",
        "-3/16 ≤ y − other y ≤ 3/64 on its box",
        "-3/16 ≤ y − other y ≤ 3/64 on [0,1]²",
        "-3/16 ≤ y − other y ≤ <b>0</b> on [0,1]",
        "-3/16 ≤ y − other y ≤ 0 ≤ 3/64 on [0,1]",
        "-3/16 ≤ y − other y ≤ 3/64 on [0,1]\\n-3/16 ≤ y − other y ≤ 3/64 on [0,1]",
        "y = formula on [0,1]",
    ],
)
def test_a_kernel_that_says_something_else(checked, pair, statement):
    source = f"globalThis.verimvKernel = () => 'valid\\n{statement}';"
    told = checked(with_file(report_html(of_directory(pair)), KERNEL, source.encode()))
    assert told == "invalid: the kernel's statement does not match the outputs shown here"


@in_a_browser
@pytest.mark.parametrize("place", ["lead", "statement", "networks", "inputs", "browser-verdict"])
def test_a_decoy_takes_nothing(checked, pair, place):
    page = report_html(of_directory(pair))
    decoy = page.replace("<body>", f'<body><div hidden><p id="{place}"></p></div>')
    assert not checked(decoy).startswith("valid")


@in_a_browser
@pytest.mark.parametrize(
    "evil", [*EVIL, "‮right to left", "a ≤ b on [0,1]", "y − other y", '"\\'], ids=range(len(EVIL) + 4)
)
def test_hostile_names_are_text(browser, checked, pair, tmp_path, evil):
    """For the kernel, any text can be the name of an input or an output: a page is valid, and runs nothing."""
    single = ['["bound",2,0,"low","-9",["leaf"]]', '["bound",2,0,"high","9",["leaf"]]']
    one = written(tmp_path / "one", single, small(-1, -1))
    for directory in (pair, one):
        page = named(report_html(of_directory(directory)), evil)
        assert checked(page).startswith("valid: for every "), browser.text("#browser-verdict")
        assert browser.evaluate("window.hit === undefined")
        assert browser.count("img") == 0
        assert browser.count("script") == page.count("<script")
        assert "\u202e" not in browser.evaluate("document.body.textContent")
        assert browser.errors == []
        for width in (390, 1200):
            browser.resize(width, 800)
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), evil


@in_a_browser
@pytest.mark.parametrize("evil", ["<img src=x onerror='window.hit=1'>", "‮1", "1" * 5000, "1/0", "sqrt(-1)", ""])
def test_hostile_numbers_are_text(browser, checked, pair, evil):
    page = report_html(of_directory(pair))
    files = held_files(page)
    text = json.dumps(evil, ensure_ascii=True).encode()
    box = json.dumps({**json.loads(files["network.json"]), "box": [[evil, evil]]}).encode()
    for changed in (
        with_file(page, "certificate.jsonl", files["certificate.jsonl"].replace(b'"3/64"', text)),
        with_file(page, "network.json", box),
        with_file(page, "other.json", files["other.json"].replace(b'"relu"', text)),
    ):
        assert not checked(changed).startswith("valid")
        assert browser.evaluate("window.hit === undefined")
        assert browser.count("img") == 0
        assert "\u202e" not in browser.evaluate("document.body.textContent")
        assert browser.errors == []


def named(page, name):
    """The page with other names of inputs and outputs, and all hashes."""
    files = held_files(page)
    certificate = files["certificate.jsonl"]
    for file in files.keys() & {"network.json", "other.json"}:
        network = json.loads(files[file]) | {"inputs": [name], "outputs": [name]}
        data = json.dumps(network, ensure_ascii=False).encode()
        certificate = certificate.replace(*(hashlib.sha256(x).hexdigest().encode() for x in (files[file], data)))
        page = with_file(page, file, data)
    return with_file(page, "certificate.jsonl", certificate)


# -- numbers ------------------------------------------------------------------------------------------------------


@functools.cache
def library():
    return asset("numbers.js")


def evaluated(browser, expression):
    return browser.evaluate(f"(() => {{ {library()} return {expression}; }})()")


def some_numbers():
    rng = random.Random(7)
    numbers = ["0", "-3/16", "1/3", "-1/3", "sqrt(2)", "-1/2+1/2*sqrt(5)", "3-2*sqrt(2)", "-1393/985+sqrt(2)", "1/1024"]
    for _ in range(60):
        top, bottom = rng.randrange(-(10 ** rng.randrange(1, 30)), 10**12), rng.randrange(1, 10 ** rng.randrange(1, 30))
        numbers.append(format_number(parse_number(f"{top}/{bottom}")))
    return numbers


@in_a_browser
def test_decimals_are_rounded_to_the_safe_side(browser):
    """As in Python."""
    numbers = some_numbers()
    found = evaluated(browser, f"{json.dumps(numbers)}.map((x) => [decimalOf(x, false), decimalOf(x, true)])")
    for text, ends in zip(numbers, found, strict=True):
        exact = parse_number(text)
        low, high = (parse_number(_plain(end)) for end in ends)
        assert low <= exact <= high, text
        assert [low, high] == [parse_number(_plain(end)) for end in (rounded_down(exact), rounded_up(exact))], text
        assert ends[0].startswith("≈") == (low != exact)


def _plain(decimal):
    """A decimal as an exact number."""
    head, _, power = re.sub("≈", "", decimal).replace("−", "-").replace("·10^", "e").partition("e")
    digits, _, places = head.partition(".")
    exponent = int(power or 0) - len(places)
    return f"{digits}{places}{'0' * exponent}" if exponent >= 0 else f"{digits}{places}/1{'0' * -exponent}"


@in_a_browser
def test_numbers_are_compared_exactly(browser):
    numbers = some_numbers()
    ordered = evaluated(browser, f"{json.dumps(numbers)}.sort(compared)")
    assert [parse_number(text) for text in ordered] == sorted(map(parse_number, numbers))
    sizes = evaluated(browser, f"{json.dumps(numbers)}.map(sizeOf)")
    assert [parse_number(text) for text in sizes] == [abs(parse_number(text)) for text in numbers]
    for text in ("", "+1", "1--2", "1/0", "a long number", "1e5", "0x1", " 1", "sqrt(2)*3", "1*2"):
        assert evaluated(browser, f"termsOf({json.dumps(text)})") is None
