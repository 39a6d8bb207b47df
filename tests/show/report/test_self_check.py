"""Pages that check their own proof, in a real Chromium: the right ones are valid, changed ones never are."""

import base64
import functools
import gzip
import hashlib
import io
import json
import random
import re
import shutil
import tarfile
import tempfile
import time
from pathlib import Path

import pytest
import z3

from tests.show.report.browser import CHROMIUM, Browser
from tests.show.report.held import block, block_text, held_files, with_file
from verimv import Layer, Network, kernel, parse, read_mv, write_network
from verimv.certificate.from_simplification import certify_simplification
from verimv.cli import main
from verimv.core.errors import VerimvError
from verimv.exact import parse_number
from verimv.formulas.mvfile import write_mv
from verimv.kernels.judge import check_files
from verimv.kernels.verdicts import verdict
from verimv.show.report.frame import asset
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_directory
from verimv.simplification.simplification import simplify

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")

BY_VERDICT = Path("tests/certificate/by_verdict")
KERNEL = "verimv-kernel.js"
IS_DONE = "!/^(not checked|checking)/.test(document.getElementById('browser-verdict').textContent)"


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Directories with certificates: an extraction, one with a box and scales, a simplification, a gzipped one; the range of a
    network, and the distance of two."""
    folder = tmp_path_factory.mktemp("certified")
    layers = [Layer.of([[1], [-1]], [0, 0]), Layer.of([[1, 1], ["1/3", 0]], [1, 0], "identity")]
    network = Network.of(layers, box=[["-2", "4"]])
    (folder / "boxed.json").write_text("".join(write_network(network)))
    made = {name: folder / name for name in ("hat", "boxed", "simplified")}
    assert main(["extract", "examples/networks/hat.json", "-o", str(made["hat"]), "--quiet"]) == 0
    assert main(["extract", str(folder / "boxed.json"), "--scale-output", "-o", str(made["boxed"]), "--quiet"]) == 0
    made["simplified"].mkdir()
    for name, pieces in certify_simplification(simplify(parse("(x ∧ y) ⊕ (x ∨ y)"))).files().items():
        (made["simplified"] / name).write_bytes(b"".join(pieces))
    nearly = Network.of([layers[0], Layer.of([[1, "7/8"], ["1/3", 0]], [1, 0], "identity")], box=[["-2", "4"]])
    (folder / "nearly.json").write_text("".join(write_network(nearly)))
    made |= {name: folder / name for name in ("range", "distance")}
    assert main(["range", str(folder / "boxed.json"), "--certify", str(made["range"]), "--quiet"]) == 0
    pair = [str(folder / "boxed.json"), str(folder / "nearly.json")]
    assert main(["distance", *pair, "--certify", str(made["distance"]), "--quiet"]) == 0
    hand_made = {"gzipped": "gzipped", "twins": "difference-of-twins", "within": "within-on-a-box"}
    return {**made, **{name: BY_VERDICT / "valid" / case for name, case in hand_made.items()}}


@pytest.fixture(scope="module")
def pages(folders):
    return {name: report_html(of_directory(folder)) for name, folder in folders.items()}


@pytest.fixture
def checked(browser, tmp_path):
    """A function that opens a page at #check and returns the verdict's text."""

    def check(page, name="page.html"):
        (tmp_path / name).write_text(page)
        browser.errors.clear()
        browser.asked.clear()
        browser.navigate(tmp_path / name, "#check")
        browser.wait(IS_DONE)
        return browser.text("#browser-verdict")

    return check


# -- pages that are right -----------------------------------------------------------------------------------------


def test_an_extraction_checks_itself(browser, checked, pages):
    assert checked(pages["hat"]) == "valid: for every x1 ∈ [0,1], the network's output y1 equals the formula's value."
    assert browser.text("#badge") == "proved in this browser"
    assert browser.text("#lead") == "A network with 1 input and 3 neurons (1–2–1), and an MV formula of 5 shared nodes."
    assert browser.text("#statement").startswith("Proved: for every x1 ∈ [0,1], in exact arithmetic")
    assert browser.text("#formula-text") == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    assert browser.text("#check-kernel-words") == "y1 = formula on [0,1]"
    by = browser.text("#check-by")
    assert by.startswith(
        "By the verified kernel, proved sound in Coq and compiled to JavaScript, in this browser (Chrom"
    )
    assert re.search(r"13 lines in \d+", by)
    assert browser.errors == []
    assert [url for url in browser.asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_box_and_scales(browser, checked, pages, folders):
    told = checked(pages["boxed"])
    assert told == "valid: for every x1 ∈ [−2,4], the network's 2 outputs equal those of the formula, as stated above."
    assert "(the formula's inputs are these, mapped onto [0,1])" in browser.text("#statement")
    for entry in json.loads((folders["boxed"] / "summary.json").read_text())["outputs"]:
        equation = f"{entry['name']} = {entry['scale']} · formula + {entry['offset']}".replace("= 1 · ", "= ")
        assert equation.removesuffix(" + 0").replace("+ -", "− ") in browser.text("#statement")
    assert browser.text("#check-kernel-words").splitlines() == check_files(folders["boxed"])


def test_a_formula_within_an_error(browser, checked, pages, tmp_path):
    told = checked(pages["within"])
    assert told == "valid: for every x1 ∈ [−1,3], the network's output y1 differs by at most 1 from 3 · formula − 1."
    assert browser.text("#lead") == (
        "A network with 1 input and 3 neurons (1–2–1), and, within an error of 1, an MV formula of 5 shared nodes. The "
        "formula equals a network with 3 neurons (1–2–1)."
    )
    assert browser.text("#statement").startswith(
        "Proved: for every x1 ∈ [−1,3] (the formula's inputs are these, mapped"
    )
    assert "y1 = 3 · formula − 1 ± 1" in browser.text("#statement")
    assert "other.json" in browser.text("#layers")
    assert browser.text("#check-kernel-words") == "y1 = 3·formula − 1 ± 1 on its box, mapped onto [0,1]"
    for case, error in (("within", "3/8 (0.375)"), ("within-an-irrational-error", "sqrt(2)/2 (≈0.707107)")):
        (tmp_path / "page.html").write_text(report_html(of_directory(BY_VERDICT / "valid" / case)))
        browser.open(tmp_path / "page.html")
        assert f"y1 = formula ± {error}" in browser.text("#statement"), "before the check"
    told = checked(report_html(of_directory(BY_VERDICT / "valid/within-two-outputs")))
    assert told.endswith("the network's 2 outputs are within the errors stated above of those of the formula.")


def test_a_page_of_a_formula_within_an_error_without_its_files(monkeypatch):
    monkeypatch.setattr("verimv.show.report.embedded.MAX_FILES", 10)
    page = report_html(of_directory(BY_VERDICT / "valid/within-an-irrational-error"))
    assert "y1 = formula ± sqrt(2)/2 (0.707107)" in page
    assert "is, at every point of its box and within the error stated below, an MV formula" in page
    page = report_html(of_directory(BY_VERDICT / "incomplete/within-half-of-the-first-part"))
    assert "It is not proved how far they are apart." in page


def test_two_formulas(browser, checked, pages):
    told = checked(pages["simplified"])
    assert told == "valid: for every point of the unit cube, original.mv and formula.mv have the same value."
    assert browser.text("#lead").startswith("Two formulas; the second is an MV formula of ")


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        *(("valid", 4), ("incomplete", 1), ("invalid", 16)),
        *(pytest.param(kind, step, marks=pytest.mark.slow) for kind, step in (("valid", 1), ("invalid", 8))),
    ],
)
def test_it_agrees_with_the_kernel_in_python(browser, checked, kind, step):
    """Hand-made certificates of every kind: the same verdict, the same statement."""
    seen = 0
    for folder in sorted((BY_VERDICT / kind).iterdir())[::step]:
        try:
            page = report_html(of_directory(folder))
        except VerimvError:  # a certificate that verimv does not show
            continue
        told = checked(page)
        assert re.split("[:,]", told)[0] == kind, (folder.name, told)
        if kind == "valid":
            assert browser.text("#check-kernel-words").splitlines() == check_files(folder), folder.name
        seen += 1
    assert seen > 3


def test_the_button_and_the_keyboard(browser, pages, tmp_path):
    (tmp_path / "page.html").write_text(pages["hat"])
    browser.open(tmp_path / "page.html")
    assert browser.text("#browser-verdict") == "not checked yet in this browser"
    assert browser.text("#badge") == "certified when written"
    assert browser.text("#statement").startswith("Statement: for every x1 ∈ [0,1], in exact arithmetic")
    assert browser.evaluate("document.getElementById('browser-verdict').getAttribute('aria-live')") == "polite"
    browser.evaluate("document.getElementById('check-proof').focus()")
    browser.key("Enter")
    browser.wait(IS_DONE)
    assert browser.text("#browser-verdict").startswith("valid: ")
    browser.wait("document.activeElement.id === 'check-proof'")


def test_the_address_can_change_later(browser, pages, tmp_path):
    (tmp_path / "page.html").write_text(pages["gzipped"])
    browser.open(tmp_path / "page.html")
    browser.evaluate("location.hash = '#check'")
    browser.wait(IS_DONE)
    assert browser.text("#browser-verdict").startswith("valid: ")


def test_the_files_can_be_saved(browser, pages, folders, tmp_path):
    (tmp_path / "page.html").write_text(pages["boxed"])
    browser.open(tmp_path / "page.html")
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.evaluate("document.getElementById('save-files').click()")
    saved = tmp_path / "verimv-files.tar"
    end = time.monotonic() + 60
    while not saved.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with tarfile.open(fileobj=io.BytesIO(saved.read_bytes())) as archive:
        archive.extractall(tmp_path, filter="data")
    assert check_files(tmp_path / "verimv-files") == check_files(folders["boxed"])
    for path in (tmp_path / "verimv-files").iterdir():
        assert path.read_bytes() == (folders["boxed"] / path.name).read_bytes()


# -- pages that were changed --------------------------------------------------------------------------------------


def flipped(data, place):
    """Another byte at a place; a digit becomes another digit."""
    byte = data[place]
    other = 48 + (byte - 47) % 10 if 48 <= byte <= 57 else byte ^ 1
    return data[:place] + bytes([other]) + data[place + 1 :]


def digits_of(data):
    return [i for i, byte in enumerate(data) if 48 <= byte <= 57]


def plain(name, data):
    return gzip.decompress(data) if name.endswith(".gz") else data


def stored(name, data):
    return gzip.compress(data, mtime=0) if name.endswith(".gz") else data


def without_valid(page, name, data):
    """The page with another file, its hash named, if kernel.py does not accept the files; otherwise None."""
    files = {**held_files(page), name: stored(name, data)}
    files.pop(KERNEL)
    return None if python_accepts(files) else with_file(page, name, stored(name, data))


def python_accepts(files):
    texts = {name: data for name, data in files.items() if not name.startswith("certificate")}
    [certificate] = [plain(name, data) for name, data in files.items() if name.startswith("certificate")]
    subjects = {subject: texts[name] for subject, name in kernel.FILES.items() if name in texts}
    return isinstance(verdict(lambda: verified(subjects, certificate)), kernel.Statement)


def verified(subjects, certificate):
    with tempfile.TemporaryDirectory() as folder:
        for subject, data in subjects.items():
            (Path(folder) / kernel.FILES[subject]).write_bytes(data)
        (Path(folder) / "certificate.jsonl").write_bytes(certificate)
        return kernel.check(folder, {})


def forged(page, name, data):
    """The page with another subject, with its hash in the certificate's header and in the table."""
    files = held_files(page)
    [certificate] = [found for found in files if found.startswith("certificate")]
    old, new = hashlib.sha256(files[name]).hexdigest(), hashlib.sha256(data).hexdigest()
    body = plain(certificate, files[certificate]).replace(old.encode(), new.encode())
    changed = {**files, name: data, certificate: stored(certificate, body)}
    changed.pop(KERNEL)
    if python_accepts(changed):
        return None
    return with_file(with_file(page, name, data), certificate, stored(certificate, body))


def changes(page, rng):
    """Yield (what was done, changed page) without end; some pages are None, and do not count."""
    files = held_files(page)
    subjects = [name for name in files if name != KERNEL]
    while True:
        name = rng.choice(subjects)
        data = files[name]
        text = plain(name, data)
        place = rng.choice(digits_of(text))
        packed = block_text(page, name)
        at = rng.randrange(20, len(packed) - 12)
        raw = base64.b64decode(packed)
        inside = rng.randrange(10, len(raw) - 8)
        yield f"a digit of {name}", with_file(page, name, stored(name, flipped(text, place)), rehashed=False)
        yield f"a byte of {name}", with_file(page, name, flipped(data, rng.randrange(len(data))), rehashed=False)
        yield f"a digit of {name}, and its hash", without_valid(page, name, flipped(text, place))
        yield f"a line less in {name}, and its hash", without_valid(page, name, without_a_line(text, rng))
        if not name.startswith("certificate"):
            yield f"a digit of {name}, and all hashes", forged(page, name, flipped(text, place))
        else:
            yield "a scale, and the hash", without_valid(page, name, other_scale(text, rng))
        digest = hashlib.sha256(data).hexdigest()
        yield f"the hash of {name}", page.replace(digest, flipped(digest.encode(), rng.randrange(64)).decode())
        yield f"a character of the base64 of {name}", page.replace(packed, packed[:at] + "!" + packed[at + 1 :])
        yield f"the base64 of {name} without an end", page.replace(packed, packed[:at])
        garbled = base64.b64encode(flipped(raw, inside)).decode()
        yield f"the gzip data of {name}", page.replace(packed, garbled)
        yield f"no block {name}", page.replace(block(page, name), "")
        yield f"the block {name} twice", page.replace(block(page, name), block(page, name) * 2)
        other = "other.json" if name != "other.json" else "source.json"
        yield f"{name} by another name", page.replace(f'data-file="{name}"', f'data-file="{other}"')
        yield f"no hash of {name}", page.replace(f'data-hash="{name}"', "")


def without_a_line(text, rng):
    lines = text.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def other_scale(text, rng):
    """A certificate whose last output has another scale or offset, or (of two formulas) another claim."""
    head, _, last = text.rstrip(b"\n").rpartition(b"\n")
    place = rng.choice(digits_of(last)[1:])
    return head + b"\n" + flipped(last, place) + b"\n"


def changed_pages(pages, count, seed):
    rng = random.Random(seed)
    sources = {name: changes(page, rng) for name, page in pages.items()}
    found = []
    while len(found) < count:
        for name, source in sources.items():
            what, page = next(source)
            if page is not None and page != pages[name]:
                found.append((f"{name}: {what}", page))
    return found[:count]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_changed_pages_are_never_valid(browser, checked, pages, seed):
    for what, page in changed_pages(pages, 20, seed):
        told = checked(page)
        verdicts = (
            "invalid|malformed|incomplete" if ", and" in what else "invalid"
        )  # if its hash is named, the kernel's
        assert re.match(f"(?:{verdicts})[:,] ", told), (what, told)
        assert browser.text("#badge") != "proved in this browser", what
        assert not browser.text("#statement").startswith("Proved"), what
    for name, page in pages.items():
        assert checked(page).startswith("valid: "), name


def test_the_line_of_an_error_is_named(checked, pages):
    """Also if the hash of the certificate was not adapted."""
    certificate = held_files(pages["hat"])["certificate.jsonl"]
    wrong = certificate.replace(b'["plus",1,1]', b'["plus",1,2]')
    told = checked(with_file(pages["hat"], "certificate.jsonl", wrong))
    assert told.startswith("invalid, line 4: expected ")
    assert checked(with_file(pages["hat"], "certificate.jsonl", wrong, rehashed=False)) == told


def test_a_harmless_change_is_still_a_change(checked, pages):
    """A comment or a space changes no proof, but the page names another file."""
    certificate = held_files(pages["hat"])["certificate.jsonl"]
    page = with_file(pages["hat"], "certificate.jsonl", certificate.replace(b'["atom",7]', b'["atom", 7]'), False)
    told = checked(page)
    assert told.startswith("invalid: certificate.jsonl in this page does not match the SHA-256 named below")
    assert "(the kernel says of the changed files: valid)" in told


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("this is not JavaScript (", "invalid: the kernel in this page does not run: "),
        ("throw new Error('no');", "invalid: the kernel in this page does not run: "),
        ("globalThis.other = 1;", "invalid: the kernel in this page is not one: it defines no function verimvKernel"),
        ("globalThis.verimvKernel = () => 'yes';", "invalid: the kernel in this page gives no verdict"),
        ("globalThis.verimvKernel = () => 'valid';", "invalid: the kernel in this page gives no verdict"),
        ("globalThis.verimvKernel = () => 'valid\\ny2 = formula on [0,1]';", "invalid: the kernel's statement does not match"),
        ("globalThis.verimvKernel = () => { throw new RangeError('out of memory'); };", "incomplete: the kernel broke off: out of memory"),
        ("globalThis.verimvKernel = () => { setTimeout(() => { throw new Error('late'); }); };", "invalid: the kernel in this page gives no verdict"),
        ("/*", "invalid: the kernel in this page does not run: "),
        ("globalThis.verimvKernel = () => new Function('return 1')();", "incomplete: the kernel broke off: "),
    ],
)  # fmt: skip
def test_other_kernels(checked, pages, source, told):
    """A kernel that does not work is not hidden; and one whose hash is not named is not run at all."""
    assert checked(with_file(pages["hat"], KERNEL, source.encode())).startswith(told)
    other = with_file(pages["hat"], KERNEL, source.encode(), rehashed=False)
    told = "invalid: the kernel in this page is not the one that its script names"
    assert checked(other).startswith(told)
    hashes = [hashlib.sha256(kernel).hexdigest() for kernel in (held_files(pages["hat"])[KERNEL], source.encode())]
    in_the_table = re.sub(f">{hashes[0]}<", f">{hashes[1]}<", other)
    assert in_the_table != other
    assert checked(in_the_table).startswith(told)


@pytest.mark.parametrize("place", ["lead", "statement", "formula-text", "browser-verdict"])
def test_a_decoy_takes_nothing(checked, pages, place):
    """A hidden element before the real one would get what the script writes, and other text would stay visible."""
    page = pages["hat"].replace("<body>", f'<body><div hidden><p id="{place}"></p></div>')
    assert page != pages["hat"]
    assert not checked(page).startswith("valid")


def test_a_certificate_that_browsers_do_not_unpack(checked, folders, tmp_path):
    """…but kernels do: the page does not say invalid."""
    data = (folders["hat"] / "certificate.jsonl").read_bytes()
    shutil.copytree(folders["hat"], tmp_path / "packed")
    (tmp_path / "packed" / "certificate.jsonl").unlink()
    (tmp_path / "packed" / "certificate.jsonl.gz").write_bytes(gzip.compress(data[:99]) + gzip.compress(data[99:]))
    told = checked(report_html(of_directory(tmp_path / "packed")))
    assert told.startswith("incomplete: this browser cannot unpack the certificate in order to show it")


def test_progress_and_stopping(browser, pages, tmp_path):
    endless = b"globalThis.verimvKernel = (files, progress) => { progress(5); for (;;) {} };"
    (tmp_path / "page.html").write_text(with_file(pages["hat"], KERNEL, endless))
    browser.navigate(tmp_path / "page.html", "#check")
    browser.wait("document.getElementById('check-count').textContent.startsWith('5 of 13 lines, ')")
    assert browser.text("#browser-verdict") == "checking …"
    assert abs(browser.evaluate("document.getElementById('check-bar').value") - 5 / 13) < 1e-6
    browser.evaluate("document.getElementById('check-stop').click()")
    browser.wait(IS_DONE)
    assert browser.text("#browser-verdict") == "incomplete: the check was stopped"
    assert browser.evaluate("document.getElementById('check-progress').hidden")


def test_what_is_changed_after_loading_counts(browser, pages, tmp_path):
    """The page reads its files anew for each check, and shows what it has read."""
    (tmp_path / "page.html").write_text(pages["hat"])
    browser.navigate(tmp_path / "page.html", "#check")
    browser.wait(IS_DONE)
    assert browser.text("#statement").startswith("Proved")
    browser.evaluate("document.querySelector('[data-file=\"network.json\"]').textContent = 'AAAA'")
    browser.evaluate("document.getElementById('check-proof').click()")
    browser.wait(IS_DONE)
    assert browser.text("#browser-verdict").startswith("invalid: network.json in this page is damaged")
    assert browser.text("#statement").startswith("Statement")


# -- hostile text -------------------------------------------------------------------------------------------------

EVIL = [
    "</script><script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    "\"><svg onload=window.hit=1>",
    "a\u2028b\u2029c\u202ed",
    "javascript:window.hit=1",
    "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("evil", EVIL, ids=range(len(EVIL)))
def test_hostile_names_are_text(browser, checked, pages, evil):
    files = held_files(pages["hat"])
    network = json.loads(files["network.json"])
    named = json.dumps({**network, "inputs": [evil], "outputs": [evil]}, ensure_ascii=False).encode()
    formula = files["formula.mv"].replace(b"inputs x1", f"inputs {evil}".encode())
    boxed = json.dumps({**network, "box": [[evil, evil]]}, ensure_ascii=False).encode()
    certificate = files["certificate.jsonl"].replace(b'"1","0"]', json.dumps(evil).encode() + b',"0"]')
    page = pages["hat"]
    for changed in (
        with_file(page, "network.json", named),
        with_file(page, "formula.mv", formula),
        with_file(page, "network.json", boxed),
        with_file(page, "certificate.jsonl", certificate),
        page.replace('data-hash="network.json"', f'data-hash="{evil.replace(chr(34), "&quot;")}"'),
        page.replace('data-file="network.json"', f'data-file="{evil.replace(chr(34), "&quot;")}"'),
    ):
        told = checked(changed)
        assert re.match("invalid|malformed", told), told
        assert browser.evaluate("window.hit === undefined")
        assert browser.count("img") == 0
        assert browser.count("script") == page.count("<script")
        assert browser.errors == []
        browser.resize(390, 800)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), evil
        browser.resize(1200, 900)


def test_long_names_and_comments_are_valid(browser, checked, tmp_path):
    """A name of any length is allowed, and so are comments: with characters that turn text around, for example."""
    name = "x" * 300
    network = Network.of([Layer.of([[2], [2]], [0, -1]), Layer.of([[1, -2]], [0])], [name], outputs=["y" * 300])
    (tmp_path / "long.json").write_text("".join(write_network(network)))
    assert main(["extract", str(tmp_path / "long.json"), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    path = tmp_path / "out/formula.mv"
    old = path.read_bytes()
    new = old.replace(b"\n", "\n# <img src=x onerror=window.hit=1> \u202e evil\n".encode(), 1)
    path.write_bytes(new)
    certificate = tmp_path / "out/certificate.jsonl"
    hashes = [hashlib.sha256(data).hexdigest().encode() for data in (old, new)]
    certificate.write_bytes(certificate.read_bytes().replace(*hashes))
    told = checked(report_html(of_directory(tmp_path / "out")))
    assert told.startswith("valid: for every ")
    assert "\\u{202e} evil" in browser.text("#formula-text")
    assert "\u202e" not in browser.evaluate("document.body.textContent")
    assert browser.evaluate("window.hit === undefined")
    browser.resize(390, 800)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    browser.resize(1200, 900)


# -- what the page writes -----------------------------------------------------------------------------------------

FORMULAS = [
    "x1",
    "¬¬x1 ⊕ 0",
    "(x1 ⊕ x2) ⊙ ¬(x1 ⊙ x2)",
    "x1 ⊕ (x2 ⊕ x3)",
    "x1 ⊙ (x2 ⊕ x3) ⊙ x4",
    "¬(x ∧ y) → δ[3](x ∨ y)",
    "Δ[1/2]x1 ⊕ Δ[sqrt(2)/2](x1 ⊙ ¬x2)",
    "Δ[1-sqrt(2)/2]x ⊕ Δ[3*sqrt(5)/10]y",
    "5·(a ⊙ let) ↔ b'",
]


@functools.cache
def library():
    """The functions of the page, without the page."""
    return "\n".join(map(asset, ("common.js", "sha256.js", "files.js", "words.js", "texts.js")))


def written(browser, formula, text=None):
    script = f"""(() => {{ {library()}
        const text = {json.dumps(text or mv(formula))}, formula = readFormula(text);
        return {{ shown: shownText(text, formula), latex: latexText(formula), smtlib: smtlibText(formula), nodes: countNodes(formula) }};
    }})()"""
    return browser.evaluate(script)


def mv(formula):
    return "".join(write_mv(formula))


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_as_text_and_smtlib(browser, text):
    """What the page writes means the same as the file, and SMT-LIB proves it."""
    formula = read_mv(mv(parse(text)))
    found = written(browser, formula)
    assert found["nodes"] == formula.size
    again = parse(found["shown"])
    for k in range(5):
        point = {name: parse_number(f"{(7 * k + 3 * i) % 11}/11") for i, name in enumerate(formula.inputs)}
        assert again.at({name: point[name] for name in again.inputs}) == formula.at(point)
        if "sqrt" in text:
            continue
        solver = z3.Solver()
        solver.add(z3.parse_smt2_string(found["smtlib"]))
        [output] = formula.outputs
        for name, value in point.items():
            solver.add(z3.Real(name) == z3.RealVal(str(value)))
        solver.add(z3.Real(output) != z3.RealVal(str(formula.at(point)[0])))
        assert solver.check() == z3.unsat
    if "sqrt" in text:
        solver = z3.Solver()
        solver.add(z3.parse_smt2_string(found["smtlib"]))
        assert solver.check() == z3.sat


def test_latex(browser):
    formula = read_mv(mv(parse("Δ[3*sqrt(2)/5]x1 ⊙ ¬(x2 ⊕ my_input)")))
    assert written(browser, formula)["latex"] == (
        r"\Delta_{\frac{3\sqrt{2}}{5}} x_{1} \odot \lnot \left(x_{2} \oplus \mathrm{my\_input}\right)"
    )


def test_long_formulas_are_written_as_definitions(browser):
    """As the file has them: 2^12 occurrences of x are not written out."""
    lines = ["verimv-formula 1", "inputs x", "t0 = x ⊕ 1"]
    lines += [f"t{i} = t{i - 1} ⊙ ¬t{i - 1}" for i in range(1, 13)]
    text = "\n".join([*lines, "outputs t12", ""])
    found = written(browser, read_mv(text), text)
    assert found["shown"] == text
    assert found["latex"].startswith("\\begin{aligned}\nt_{0} &= x \\oplus 1 \\\\\nt_{1} &= t_{0} \\odot \\lnot t_{0} ")
    assert found["nodes"] == read_mv(text).size


def test_hashes(browser):
    for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 100_003):
        data = bytes((7 * i + i // 251) % 256 for i in range(size))
        script = f"(() => {{ {library()} return sha256(Uint8Array.from({{length: {size}}}, (_, i) => 7 * i + Math.floor(i / 251))); }})()"
        assert browser.evaluate(script) == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("12", "12"),
        ("-1/3", "−1/3"),
        ("123456789012345678901234567890", "≈1.235·10^29"),
        ("1/300000000000000000000000000000", "≈3.333·10^−30"),
        ("100000000000000000000000000000/30000000000000000000000000000", "≈3.333"),
        ("-999999999999999999999999999999/1", "−≈1·10^30"),
    ],
)
def test_long_numbers_are_rounded(browser, number, told):
    assert browser.evaluate(f"(() => {{ {library()} return shortened({json.dumps(number)}); }})()") == told
