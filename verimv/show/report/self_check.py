"""The check of the proof in the reader's browser: its place in the page, what it covers, and what has to be trusted."""

from __future__ import annotations

from verimv.show.report.embedded import KERNEL, Embedded
from verimv.show.report.markup import Markup, bytes_text, joined, table, tag
from verimv.show.report.subject import Subject

_COMMANDS = (
    "verimv check DIR",
    "python -I -S verimv/kernel.py DIR",
    "verimv prove DIR --solver all",
    "verimv check DIR --kernel verified",
)


def check_section(subject: Subject, held: Embedded | None, covered: str) -> Markup:
    """Return the place for the browser's verdict, which the script fills in; `covered` is what else it fills in."""
    written = tag("p", _when_written(subject), class_="hint", id="check-before")
    if held is None:
        return joined(
            tag("div", tag("p", _not_here(subject), id="browser-verdict"), written, class_="check open", id="check")
        )
    buttons = tag(
        "div",
        tag("button", "Check this proof here", type="button", id="check-proof", class_="main"),
        class_="buttons",
    )
    progress = tag(
        "div",
        tag("progress", id="check-bar", max="1", value="0", aria_label="Lines of the certificate that were followed"),
        tag("span", id="check-count"),
        tag("button", "Stop", type="button", id="check-stop"),
        id="check-progress",
        class_="progress",
        hidden=True,
    )
    words = tag(
        "details",
        tag("summary", "In the kernel's words"),
        tag("pre", tag("code", id="check-kernel-words")),
        id="check-words",
        hidden=True,
    )
    verdict = tag("p", "not checked yet in this browser", id="browser-verdict", role="status", aria_live="polite")
    by = tag("p", id="check-by", class_="hint")
    card = tag("div", verdict, progress, by, words, buttons, written, class_="check", id="check")
    told = f"The check covers the files of this page, and what is read from them: {covered}"
    return joined(card, tag("p", told, class_="hint"))


def _when_written(subject: Subject) -> str:
    check = subject.check
    if check.status == "unchecked":
        return "Not checked when this page was written."
    kernels = " and ".join(answer.name for answer in check.answers) or "kernel.py"
    return f"Checked by {kernels} when this page was written: {check.reason or check.status}."


def _not_here(subject: Subject) -> str:
    size = bytes_text(sum(file.size for file in subject.files.values()))
    why = f"the files ({size}) are too large for this page" if subject.files else "this page does not hold the files"
    return f"not checked here: {why}. Use verimv check DIR, or the other commands below"


def trust_section(subject: Subject, held: Embedded | None) -> Markup:
    exact = "The network is the one in network.json, with exact numbers; programs that use floating point round."
    network = "" if subject.network is None else f" {exact}"
    here = (
        "For the check in this page: the verified kernel (a checker that is proved sound in Coq, extracted to OCaml "
        "and compiled to JavaScript), the script of this page, and your browser. Whoever can edit this page can edit "
        "its script and its kernel, too. So check a page from a stranger with your own verimv: save its files, then "
    )
    saved = [
        tag("p", here, tag("code", "tar -xf verimv-files.tar"), " and ", tag("code", "verimv check verimv-files"), "."),
        tag("div", tag("button", "Save the files", type="button", id="save-files"), class_="buttons"),
    ]
    return tag(
        "details",
        tag("summary", "What has to be trusted, and how to check again"),
        *(saved if held is not None else ()),
        tag(
            "p",
            "For the commands: the kernel (verimv/kernel.py: one file of standard-library Python, no solver, no "
            f"floating point), the proofs of its rules in proofs/, and Python. Not the rest of verimv.{network}",
        ),
        tag("pre", tag("code", "\n".join(_COMMANDS))),
        tag(
            "p",
            "The third command asks solvers. The last one runs the kernel that is proved sound in Coq.",
            class_="hint",
        ),
    )


def files_section(subject: Subject, held: Embedded | None) -> Markup:
    """Return the files and their hashes; the script compares the files of the page with these."""
    files = held.files if held is not None else subject.files
    if not files:
        return Markup("")
    rows = [
        (name, bytes_text(file.size), tag("code", file.sha256, class_="hash", data_hash=name))
        for name, file in files.items()
    ]
    note = (
        f"The check compares the files of this page with these hashes. {KERNEL} is the verified kernel; "
        "proofs/verified/README.md says how it is built."
    )
    return tag(
        "details",
        tag("summary", "Files and their SHA-256 hashes"),
        table(("file", "size", "SHA-256"), rows, "files"),
        tag("p", note, class_="hint") if held is not None else "",
    )
