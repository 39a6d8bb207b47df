"""What a report says: no more than the kernel has found, all of it escaped, read off the certificate as the kernel reads it."""

import base64
import gzip
import hashlib
import json
import re
import shutil
import zlib
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.show.report.held import held_files
from verimv import Layer, Network, extract, kernel, load, parse, write_network
from verimv.certificate.from_simplification import certify_simplification
from verimv.cli import main
from verimv.core.errors import InputError, OutputLeavesUnitInterval
from verimv.exact import Rational, format_number, parse_number
from verimv.networks.affine import Affine
from verimv.networks.ballots import ballot, phrase
from verimv.show.pictures.curves import curves, curves_svg
from verimv.show.report import embedded
from verimv.show.report.layers import Layers
from verimv.show.report.markup import Markup, bytes_text, form_text, joined, tag
from verimv.show.report.page import report_html
from verimv.show.report.reading import Reading
from verimv.show.report.subject import of_directory, of_extraction
from verimv.simplification.simplification import simplify

VALID = sorted(path for path in Path("tests/certificate/by_verdict/valid").iterdir() if (path / "formula.mv").exists())
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


class Page(HTMLParser):
    """A page as a browser sees it: its tags, and its text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.told, self.classes, self.ids, self._open = [], "", [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.classes += (dict(attributes).get("class") or "").split()
        self.ids += filter(None, [dict(attributes).get("id")])
        self._open.append(tag)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self._open):
            self.told += data


def page_of(directory):
    return Page(report_html(of_directory(directory)))


@pytest.fixture
def without_files(monkeypatch):
    """Pages that do not hold their files, as if these were too large: Python writes the statement."""
    monkeypatch.setattr(embedded, "MAX_FILES", 0)


@pytest.fixture
def hat(tmp_path):
    assert main(["extract", "examples/networks/hat.json", "-o", str(tmp_path / "hat")]) == 0
    return tmp_path / "hat"


# -- reading the certificate --------------------------------------------------------------------------------------


def kernel_claims(directory, monkeypatch):
    """The kernel's own claims, as it makes them."""
    made = []

    class Watched(kernel.Checker):
        def begin(self, part):
            made.clear()  # of two parts, the second is about the formula
            super().begin(part)

        def add_claim(self, node, form):
            super().add_claim(node, form)
            made.append((node, self.written(form)))

    with monkeypatch.context() as patched:
        patched.setattr(kernel, "Checker", Watched)
        kernel.check(str(directory), {})
    return made


def spelt(number):
    return kernel.written_number(number)


def same_number(ours, theirs):
    return spelt(kernel.number(format_number(ours))) == spelt(theirs)


@pytest.mark.parametrize("directory", VALID, ids=lambda path: path.name)
def test_claims_are_read_as_the_kernel_reads_them(directory, monkeypatch):
    """Node by node and coefficient by coefficient: nodes correspond one to one."""
    theirs = kernel_claims(directory, monkeypatch)
    subject = of_directory(directory)
    reading = Reading(subject.formula, subject.network).follow(subject.lines_of_formula)
    assert reading.stopped_at is None
    assert len(reading.claims) == len(theirs)
    pairs = {reading.dag.constant(0): 0, reading.dag.constant(1): 1}
    for ours, (node, form) in zip(reading.claims, theirs, strict=True):
        assert pairs.setdefault(ours.node, node) == node
        assert len(ours.form.terms) == len(form.keys() - {1})
        for term, weight in ours.form.terms:
            assert same_number(weight, form[pairs.setdefault(term, next(iter(_missing(pairs, form, term))))])
        assert same_number(ours.form.constant, form.get(1, 0))
    assert len(set(pairs.values())) == len(pairs)


def _missing(pairs, form, term):
    """Of a node that no claim has named yet: the kernel's node that no other node is."""
    return [pairs[term]] if term in pairs else [key for key in form if key > 1 and key not in pairs.values()]


def test_every_rule_of_the_kernel_is_read():
    assert [name for name in kernel.RULES if not hasattr(Reading, f"_rule_{name}")] == ["formula"], "between two parts"


def test_every_node_of_an_extraction_has_a_claim_or_lies_inside_one():
    for name in ("hat", "three_inputs", "rational", "square_root"):
        for strategy in ("paper", "compact"):
            extraction = extract(load(f"examples/networks/{name}.json"), strategy=strategy)
            reading = Reading(extraction.formula, extraction.network).follow(extraction.derivation.lines)
            named = {claim.node for claim in reading.claims}
            assert all(node in named or node in reading.inside for node in range(reading.size))


def test_an_unknown_rule_ends_the_reading():
    extraction = extract(load("examples/networks/hat.json"))
    lines = [*extraction.derivation.lines[:2], '["novel",1,2]', *extraction.derivation.lines[2:]]
    reading = Reading(extraction.formula, extraction.network).follow(lines)
    assert (reading.stopped_at, len(reading.claims), reading.lines) == ("novel", 2, 3)


@given(oracle.specs(oracle.integers, max_inputs=2, max_layers=3))
@settings(max_examples=30)
def test_units_are_what_their_layers_say(spec):
    """Every unit's vote, followed from the inputs up, gives the node's own value at each point of a grid."""
    try:
        extraction = extract(oracle.build_network(spec))
    except OutputLeavesUnitInterval:
        return
    reading = Reading(extraction.formula, extraction.network).follow(extraction.derivation.lines)
    layers = Layers(reading, extraction.network, extraction.formula.outputs)
    for point in oracle.grid(len(extraction.network.inputs), 4):
        values = dict(zip(extraction.network.inputs, point, strict=True))
        for view in layers.views:
            for unit in view.units:
                total = sum(
                    Fraction(str(vote.weight)) * (1 - value if vote.negated else value)
                    for vote in unit.ballot.votes
                    for value in [values[layers.names[vote.node]]]
                )
                voted = min(1, max(0, total - Fraction(str(unit.ballot.threshold))))
                values[unit.name] = voted
                if len(unit.definition) == 1:  # the definition says the same
                    written = parse(unit.definition[0][1])
                    at = {name: parse_number(str(values[name])) for name in written.inputs}
                    assert Fraction(str(written.at(at)[0])) == voted


@given(oracle.specs(oracle.rationals, max_inputs=3, max_layers=3))
@settings(max_examples=40)
def test_every_extraction_has_a_page(spec):
    """Constant, dead, merged neurons; one to three inputs; outputs that are inputs: whatever comes."""
    extraction = extract(oracle.build_network(spec), scale_output=True)
    lacking = extraction.check()
    text = report_html(of_extraction(extraction, "random", {}, lacking, True))
    data = json.loads(gzip.decompress(base64.b64decode(re.search(r'id="graph-data">([^<]*)<', text)[1])))
    size = len(data["kinds"])
    assert size == extraction.formula.size == len(data["left"]) == len(data["right"])
    assert all(0 <= int(node) < size for node in (*data["claims"], *data["names"], *data["inside"]))
    assert ("equals, exactly and at every point" in Page(text).told) == (not lacking)
    for left, right, kind in zip(data["left"], data["right"], data["kinds"], strict=True):
        assert (left >= 0) == (kind > "2")
        assert (right >= 0) == (kind in "04567")


# -- votes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "constant", "words"),
    [
        ([1, 1, 1], 0, "any of"),
        ([1, 1, 1], -2, "all of"),
        ([1, 1, 1], -1, "at least 2 of"),
        ([1, -1, -1], 0, "all of"),
        ([2, 1], -1, "at least 2 of 3 votes"),
        ([1], 0, "the same as"),
        ([-1], 1, "the same as"),
        ([], "1/3", "always 1/3"),
        ([1, 1], -2, "always 0"),
        ([1, 1], 1, "always 1"),
        (["1/2", "1/2"], "-1/4", "on when more than 1/4 of 1 votes"),
        (["1/2"], "1/4", "always on: 1/4, plus the votes (1/2 in all)"),
    ],
)
def test_votes_in_words(weights, constant, words):
    form = Affine(enumerate(parse_number(str(w)) for w in weights), parse_number(str(constant)))
    assert phrase(ballot(form)) == words


@pytest.fixture
def named(tmp_path):
    """An extraction with full names, whose second input is hostile."""
    names = tmp_path / "names.txt"
    names.write_text(f"mean radius\n{EVIL.replace(chr(34), '')}\n", encoding="utf-8")
    network = Network.of([Layer.of([["12345/70000001", "-1/3"]], ["1/3"], "crelu")], box=[(0, "7/10"), (-1, 1)])
    (tmp_path / "net.json").write_text("".join(write_network(network)), encoding="utf-8")
    assert main(["extract", str(tmp_path / "net.json"), "--names", str(names), "-o", str(tmp_path / "named")]) == 0
    return tmp_path / "named"


def test_votes_have_full_names_and_own_units(named):
    for page in (page_of(named), Page((named / "report.html").read_text(encoding="utf-8"))):
        assert "high mean radius (0 to 0.7)" in page.told
        assert "low </script><script>alert(1)" in page.told
        assert "always on: " in page.told or "on when more than " in page.told
        assert "Names (not part of the proof)" in page.told
        assert "0 to 0.7" in page.told
        assert "rounded" in page.classes
    assert "img" not in page.tags


def test_a_page_without_files_rounds_long_constants(named, without_files):
    text = report_html(of_directory(named))
    assert re.search(r'Δ\[<span class="rounded" title="[0-9]+/[0-9]+">≈[0-9.e-]+</span>\]', text)


# -- what the page claims -----------------------------------------------------------------------------------------


def test_a_certified_extraction(hat, without_files):
    page = page_of(hat)
    assert "certified when written" in page.told
    assert "Checked by kernel.py and the verified kernel when this page was written: valid." in page.told
    assert "not checked here: the files (772 bytes) are too large for this page. Use verimv check DIR" in page.told
    assert "equals, exactly and at every point of its box, an MV formula of length 4 (5 shared nodes)" in page.told
    assert "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)" in page.told
    assert "8 claims on 13 lines" in page.told
    assert json.loads((hat / "summary.json").read_text())["formula_sha256"] in page.told
    assert {"badge", "good"} <= set(page.classes)


def test_the_page_stands_alone(hat):
    text = (hat / "report.html").read_text()
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text)
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_page_has_one_source_of_what_is_proved(hat):
    """Formula, statement and scales are in the page as bytes only; the script reads them from there."""
    text = report_html(of_directory(hat))
    page = Page(text[: text.index('<section id="layers"')])  # what follows are illustrations
    assert "equals" not in page.told
    assert "⊕" not in page.told
    assert "y1" not in page.told
    assert "not checked yet in this browser" in page.told
    assert json.loads((hat / "summary.json").read_text())["formula_sha256"] in page.told
    held = held_files((hat / "report.html").read_text())
    assert held.pop("verimv-kernel.js") == (Path(kernel.__file__).parent / "kernels/verimv-kernel.js").read_bytes()
    assert held == {name: (hat / name).read_bytes() for name in ("network.json", "formula.mv", "certificate.jsonl")}


def test_only_the_script_of_the_page_runs(hat):
    """Its hash is in the policy, so that nothing else could, even if it got into the page."""
    text = (hat / "report.html").read_text()
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; worker-src blob:; img-src data:"
    )
    assert "innerHTML" not in script
    assert "eval(" not in script


def test_pages_are_small_and_the_same_each_time(hat):
    subject = of_directory(hat)
    text = report_html(subject)
    assert len(text.encode()) < 225_000
    assert text == report_html(subject)


def test_too_large_files_are_left_out(hat, monkeypatch):
    """As soon as the limit is reached: the sum of the compressed sizes counts."""
    sizes = [len(_gzip(hat / name)) for name in ("network.json", "formula.mv", "certificate.jsonl")]
    monkeypatch.setattr(embedded, "MAX_FILES", sum(sizes))
    assert held_files(report_html(of_directory(hat)))
    monkeypatch.setattr(embedded, "MAX_FILES", sum(sizes) - 1)
    text = report_html(of_directory(hat))
    assert not held_files(text)
    assert "check-proof" not in Page(text).ids
    assert "browser-verdict" in Page(text).ids
    assert "verimv convert DIR/formula.mv --to latex -o -" in Page(text).told


def _gzip(path):
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    return compressor.compress(path.read_bytes()) + compressor.flush()


@pytest.mark.parametrize("options", [["--no-check"], []])
def test_a_page_claims_what_was_checked(tmp_path, options, without_files):
    main(["extract", "examples/networks/hat.json", "-o", str(tmp_path / "out"), *options])
    page = Page((tmp_path / "out/report.html").read_text())
    assert ("Not checked when this page was written" in page.told) == bool(options)
    assert ("equals, exactly and at every point" in page.told) != bool(options)


def test_a_wrong_certificate_is_shown_as_such(hat, capsys, without_files):
    path = hat / "certificate.jsonl"
    lines = path.read_text().splitlines()
    lines[3] = '["times",1,1]'  # instead of plus
    path.write_text("\n".join(lines) + "\n")
    assert main(["report", str(hat)]) == 1
    assert "(invalid, line " in capsys.readouterr().out
    page = Page((hat / "report.html").read_text())
    assert {"badge", "bad"} <= set(page.classes)
    assert "The certificate does not prove that they are equal" in page.told
    assert "certified" not in page.told.replace("not certified", "")


def test_other_files_than_those_certified(hat):
    (hat / "formula.mv").write_text("verimv-formula 1\ninputs x1\ny1 = ¬x1\noutputs y1\n")
    assert main(["report", str(hat)]) == 1
    page = Page((hat / "report.html").read_text())
    assert "invalid certificate" in page.told
    assert "No times are recorded" in page.told  # the summary is about another formula


def test_an_assumed_bound_leaves_it_open(hat, capsys):
    path = hat / "certificate.jsonl"
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, '["bound",2,0,"high","1"]', *lines]) + "\n")
    assert main(["report", str(hat), "--json"]) == 3
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["verdict"] == "incomplete"
    page = Page((hat / "report.html").read_text())
    assert "not certified" in page.told
    assert "1 bound assumed without evidence" in page.told
    assert "equals, exactly and at every point" not in page.told


def test_files_that_the_certificate_does_not_name_are_refused(hat):
    """A box that nobody has checked must not appear beside what is proved."""
    network = json.loads((hat / "network.json").read_text())
    (hat / "source.json").write_text(json.dumps(network | {"box": [["-7", "7"]]}))
    with pytest.raises(InputError, match="names the source beside it"):
        page_of(hat)


def test_names_of_units_are_nobody_elses(tmp_path):
    layers = [Layer.of([[2, 0], [0, 2]], [-1, 0]), Layer.of([[1, -1]], [0], "crelu")]
    network = Network.of(layers, ["u1", "x"], outputs=["u1.1"])
    extraction = extract(network)
    reading = Reading(extraction.formula, extraction.network).follow(extraction.derivation.lines)
    names = Layers(reading, extraction.network, extraction.formula.outputs).names
    assert len(set(names.values())) == len(names)
    assert {"u1", "x", "u1.1", "uu1.1"} <= set(names.values())


def test_no_directory_and_no_certificate(tmp_path, hat, capsys):
    assert main(["report", str(tmp_path / "none")]) == 2
    (hat / "certificate.jsonl").write_text("not JSON\n")
    assert main(["report", str(hat)]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_extract_without_a_report(tmp_path):
    out = tmp_path / "out"
    assert main(["extract", "examples/networks/hat.json", "-o", str(out), "--no-report"]) == 0
    assert not (out / "report.html").exists()
    assert main(["extract", "examples/networks/hat.json", "-o", str(out)]) == 0
    assert (out / "report.html").exists()
    assert "report" in json.loads((out / "summary.json").read_text())["seconds"]


def test_two_formulas(tmp_path, without_files):
    certificate = certify_simplification(simplify(parse("(x ∧ y) ⊕ (x ∨ y)")))
    for name, pieces in certificate.files().items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    page = page_of(tmp_path)
    assert "Two formulas have the same value at every point" in page.told
    assert "there is no network" in page.told


def test_a_box_and_maps_of_outputs(tmp_path, without_files):
    layers = [Layer.of([[1], [-1]], [0, 0]), Layer.of([[1, 1]], [1], "identity")]
    network = tmp_path / "network.json"
    network.write_text("".join(write_network(Network.of(layers, box=[["-2", "4"]]))))
    assert main(["extract", str(network), "--scale-output", "-o", str(tmp_path / "out")]) == 0
    told = Page((tmp_path / "out/report.html").read_text()).told
    assert "x1 ∈ [−2, 4] (the formula's inputs are these, mapped onto [0,1])" in told
    summary = json.loads((tmp_path / "out/summary.json").read_text())["outputs"][0]
    assert f"y1 = {summary['scale']} · formula + {summary['offset']}" in told


@pytest.mark.parametrize("weight", ["1" + "0" * 400, "1/1" + "0" * 400, "-1" + "0" * 150])
def test_numbers_out_of_all_reason(weight):
    """An extraction must not fail for its report."""
    network = Network.of([Layer.of([[weight, 1], ["-1", weight]], [0, "1"]), Layer.of([[1, 1]], [weight], "identity")])
    extraction = extract(network, scale_output=True)
    text = report_html(of_extraction(extraction, "far", {}, extraction.check(), True))
    assert "equals, exactly and at every point" in Page(text).told
    assert not re.search(r'="-?(?:nan|inf)', text)
    one = Network.of([Layer.of([[weight]], [0], "identity")])
    curves_svg(curves(one), "x1")


def test_simplified_extractions_say_so(tmp_path):
    out = tmp_path / "out"
    arguments = ["extract", "examples/networks/three_inputs.json", "--strategy", "paper", "--simplify", "-o", str(out)]
    assert main(arguments) == 0
    told = Page((out / "report.html").read_text()).told
    assert "These are the units before simplification" in told
    assert "simplified from length" in told


def test_hostile_names_and_summaries_stay_text(hat, tmp_path):
    """A directory, a file name and a summary may say anything; the page shows it and runs none of it."""
    summary = json.loads((hat / "summary.json").read_text())
    summary |= {"strategy": EVIL, "seconds": {EVIL: 1.0, "x": EVIL}, "bounds": [EVIL]}
    summary["warnings"] = [f"warned: {EVIL}", 3]
    summary["seconds"]["long"] = 10**400
    summary["proofs"] = [{"claim": EVIL, "verdict": EVIL, "solver": EVIL, "seconds": EVIL, "queries": EVIL}, EVIL, 3]
    (hat / "summary.json").write_text(json.dumps(summary))
    folder = shutil.move(hat, tmp_path / "<img src=x onerror=alert(1)>&quot;")
    text = report_html(of_directory(folder))
    page = Page(text)
    assert EVIL in page.told
    assert f"warned: {EVIL}" in page.told
    assert "img" not in page.tags
    assert page.tags.count("script") == Page((Path(folder) / "report.html").read_text()).tags.count("script")
    assert "<img src=x onerror=alert(1)>&quot;" in page.told


# -- markup -------------------------------------------------------------------------------------------------------


def test_markup_is_safe_by_default():
    assert tag("p", "<b>", class_="x", data_node='"', hidden=True, open=False) == (
        '<p class="x" data-node="&quot;" hidden>&lt;b&gt;</p>'
    )
    assert joined(tag("b", "&"), "&") == "<b>&amp;</b>&amp;"
    assert isinstance(joined("x"), Markup)
    assert tag("br") == "<br>"


def test_numbers_for_people():
    assert [bytes_text(n) for n in (1, 999, 12_345, 2_500_000)] == ["1 byte", "999 bytes", "12.3 kB", "2.5 MB"]
    form = Affine([(0, Rational(2)), (1, Rational(-1)), (2, Rational(1, 3))], Rational(-1, 2))
    assert form_text(form, {0: "a", 1: "b"}) == "2·a + 1/3·n2 − b − 1/2"
    assert form_text(form, {0: "a"}, 1) == "2·a + … (2 more terms) − 1/2"
    assert form_text(Affine(()), {}) == "0"
