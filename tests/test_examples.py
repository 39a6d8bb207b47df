"""Every example runs and prints what its docstring says; so does every block of the README."""

import ast
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from verimv.cli import main

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_prints_what_it_says(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    expected = textwrap.dedent(docstring.split("Prints:\n")[1]).strip()
    process = subprocess.run(
        [sys.executable, "-X", "utf8", path], capture_output=True, encoding="utf-8", check=True, timeout=120
    )
    assert process.stdout.strip() == expected


def test_there_are_examples():
    assert len(EXAMPLES) >= 6
    assert [path.name[:2] for path in EXAMPLES] == [f"{i + 1:02}" for i in range(len(EXAMPLES))]


def console_commands() -> list[tuple[str, str]]:
    """Each command of the ```console blocks with the output that stands below it."""
    commands = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, output = command.split("\n", 1)
            commands.append((line, output.rstrip("\n")))
    return commands


def without_versions(text: str) -> str:
    return re.sub(r"(z3|cvc5) [0-9][0-9.]*[0-9]", r"\1", text).rstrip("\n")


def test_readme_sessions(capsys, monkeypatch, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(console_commands()) > 8
    for command, expected in console_commands():
        program, *words = shlex.split(command)
        if program == "cat":
            assert Path(words[0]).read_text(encoding="utf-8").rstrip("\n") == expected
            continue
        assert program == "verimv"
        main(words)
        captured = capsys.readouterr()
        assert without_versions(captured.out + captured.err) == without_versions(expected)


def test_readme_python(capsys):
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        names: dict[str, object] = {"__file__": str(ROOT / "README.md")}
        code = block.replace('"examples/', f'"{ROOT}/examples/')
        for line in ast.parse(code).body:
            source = ast.unparse(line)
            end = code.splitlines()[line.end_lineno - 1]
            if isinstance(line, ast.Expr) and "  # " in end:
                assert (
                    repr(eval(source, names)) == end.split("  # ")[1]
                    or str(eval(source, names)) == end.split("  # ")[1]
                )
            else:
                exec(source, names)


def test_readme_first_screen_has_the_two_commands():
    first_screen = "\n".join(README.splitlines()[:45])
    blocks = re.findall(r"```sh\n(.*?)```", first_screen, re.DOTALL)
    assert len(blocks) == 2
    assert "verimv extract examples/networks/hat.json" in blocks[0]
    assert "pytest" in blocks[1]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all("README" in ci and "pip install" in block for block in blocks)
