"""The documentation is true: its commands print what it says, its links lead somewhere, its references are current."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import verimv
from tests.sessions import ROOT, check_python, commands, printed, without_what_varies, workplace
from verimv.cli.commands.completion import commands as known_commands
from verimv.cli.parser import build_parser

DOCS = sorted((ROOT / "docs").glob("*.md"))
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS, ROOT / "examples" / "ci" / "README.md"]
#: Files whose prose is wrapped. docs/cli.md and docs/api.md are generated.
WRAPPED = [
    *(ROOT / f"{page}.md" for page in ("README", "CONTRIBUTING", "CHANGELOG")),
    *(path for path in DOCS if path.name not in ("api.md", "cli.md")),
    *DESIGN,
    *sorted((ROOT / "proofs").rglob("*.md")),
    ROOT / "examples" / "ci" / "README.md",
]
WIDTH = 120
LINKED = sorted({*PAGES, *WRAPPED})
GUIDES = [path for path in DOCS if commands(path.read_text(encoding="utf-8"))]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", GUIDES, ids=name)
def test_sessions(path):
    with workplace():
        for command, expected in commands(path.read_text(encoding="utf-8")):
            assert without_what_varies(printed(command)) == without_what_varies(expected), command


def test_sessions_of_the_ci_example(monkeypatch, tmp_path):
    shutil.copytree(ROOT / "examples" / "ci", tmp_path / "ci", ignore=shutil.ignore_patterns(".verimv"))
    monkeypatch.chdir(tmp_path / "ci")
    found = commands((ROOT / "examples" / "ci" / "README.md").read_text(encoding="utf-8"))
    assert found
    for command, expected in found:
        assert without_what_varies(printed(command)) == without_what_varies(expected), command


def test_there_is_a_guide_for_each_task():
    assert len(GUIDES) >= 8
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert all(f"({path.name})" in index for path in DOCS if path.name != "README.md")


def test_the_index_lists_every_design_page():
    index = (ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8")
    assert len(DESIGN) >= 5
    assert all(f"({path.name})" in index for path in DESIGN if path.name != "README.md")


def prose(text: str) -> list[str]:
    """Lines of Markdown other than code blocks, tables, headings, images, link definitions and lines with URLs."""
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [
        line
        for line in without_code.splitlines()
        if not line.startswith(("    ", "|", "  |", "#", "![")) and not re.search(r"^\[[^]]+\]:|://", line)
    ]


def test_prose_is_told_from_the_rest():
    text = "prose\n```sh\ncode\n```\n| a | b |\n\n    code\n# heading\n[1]: x\nsee http://x\n- item\n  more\n"
    assert prose(text) == ["prose", "", "", "- item", "  more"]


@pytest.mark.parametrize("path", WRAPPED, ids=name)
def test_prose_is_wrapped(path):
    long = [line for line in prose(path.read_text(encoding="utf-8")) if len(line) > WIDTH]
    assert not long, f"{name(path)}: wrap these lines at {WIDTH} characters"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_python_blocks(path):
    check_python(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", LINKED, ids=name)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def made() -> dict[Path, str]:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "docs" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.written()


def test_references_and_pictures_are_what_the_code_says():
    written = made()
    assert len(written) >= 8
    stale = [name(path) for path, text in written.items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "python docs/make.py writes them again"
    assert set((ROOT / "docs" / "pictures").iterdir()) == {p for p in written if p.suffix == ".svg"}


def test_the_reference_has_every_command_and_option():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in known_commands(build_parser()):
        _, _, section = text.partition(f"\n## verimv {command.name}\n")
        section = section.partition("\n## ")[0]
        for flag in (flag for option in command.options for flag in option.flags):
            assert (
                f"`{flag}" in section
                or f"`{flag}" in text.partition("## verimv extract")[0]
                or flag in ("-h", "--help")
            )


def test_the_readme_names_every_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(
        f"verimv {command.name}" in readme or f"`{command.name} " in readme
        for command in known_commands(build_parser())
    )


def test_the_site_builds(tmp_path):
    """`mkdocs build --strict` fails on a page that is not in its list, or on a link that leads nowhere."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    pages = {page.parent.relative_to(tmp_path / "site").as_posix() for page in (tmp_path / "site").rglob("index.html")}
    assert {path.stem for path in DOCS if path.name != "README.md"} | {".", "design"} <= pages
    api = (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    assert 'id="verimvextract"' in api
    listed = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = re.findall(r"[\w/-]+\.md", str(listed))
    assert len(named) == len({*named})
    assert {*named} <= {path.relative_to(ROOT / "docs").as_posix() for path in (*DOCS, *DESIGN)}
    home = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{path.stem}/' in home for path in DOCS if path.name != "README.md")


def test_the_published_address_and_version_are_the_same_everywhere():
    """No placeholders: examples name the repository of pyproject.toml, and the tag of this version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address, tag = project["urls"]["Homepage"], f"v{verimv.__version__}"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", changelog, re.MULTILINE)[1] == verimv.__version__
    hooks = yaml.safe_load((ROOT / "examples/ci/.pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [(hook["repo"], hook["rev"]) for hook in hooks] == [(address, tag)]
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES, *(ROOT / "examples/ci").rglob("*.yml"))]
    uses = [use for text in texts for use in re.findall(r"uses: (\S+/verimv@\S+)", text)]
    assert uses
    assert set(uses) == {f"{address.removeprefix('https://github.com/')}@{tag}"}
    assert not any("OWNER" in text for text in texts)
