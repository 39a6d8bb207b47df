"""Every example runs and prints what its docstring says; so does every block of the README."""

import ast
import importlib.util
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.sessions import check_python, commands, printed, without_what_varies, workplace

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


#: What an example needs besides verimv.
NEEDED = {"10_scikit_learn": ("sklearn", "pandas"), "11_torch": ("torch", "onnxscript")}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_prints_what_it_says(path):
    for name in NEEDED.get(path.stem, ()):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    expected = textwrap.dedent(docstring.split("Prints:\n")[1]).strip()
    process = subprocess.run(
        [sys.executable, "-X", "utf8", path], capture_output=True, encoding="utf-8", check=True, timeout=600
    )
    assert without_what_varies(process.stdout.strip()) == without_what_varies(expected)


def test_there_are_examples():
    assert len(EXAMPLES) >= 6
    assert [path.name[:2] for path in EXAMPLES] == [f"{i + 1:02}" for i in range(len(EXAMPLES))]


def test_readme_sessions():
    assert len(commands(README)) > 8
    with workplace():
        for command, expected in commands(README):
            assert without_what_varies(printed(command)) == without_what_varies(expected), command


def test_readme_python():
    assert check_python(README) >= 4


def test_readme_first_screen_has_the_two_commands():
    first_screen = "\n".join(README.splitlines()[:45])
    blocks = re.findall(r"```sh\n(.*?)```", first_screen, re.DOTALL)
    assert len(blocks) == 2
    assert "verimv extract examples/networks/hat.json" in blocks[0]
    assert "pytest" in blocks[1]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all("README" in ci and "pip install" in block for block in blocks)
