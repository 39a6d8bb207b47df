"""The ```console and ```python blocks of Markdown files: run, and compared with what stands there.

    python tests/sessions.py README.md docs/*.md

writes into the files what the commands print now. Times, and versions of solvers, may differ.
"""

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from verimv.cli import main

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


class _Screen(io.StringIO):
    """What both streams show, on a terminal that knows Unicode."""

    encoding = "utf-8"


def sessions(text: str) -> list[list[tuple[str, str]]]:
    """Each command of each block with the output that stands below it."""
    return [
        [(line, output.rstrip("\n")) for line, _, output in (part.partition("\n") for part in parts)]
        for block in _BLOCK.findall(text)
        for parts in [re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    ]


def commands(text: str) -> list[tuple[str, str]]:
    return [command for session in sessions(text) for command in session]


def printed(command: str) -> str:
    """What a command prints, in the current directory."""
    program, *words = shlex.split(command)
    if program == "verimv":
        screen = _Screen()
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            main(words)
        return screen.getvalue().rstrip("\n")
    if program == "cat":
        return "\n".join(Path(word).read_text(encoding="utf-8").rstrip("\n") for word in words)
    if program == "cp":
        shutil.copy(*words)
        return ""
    if command.startswith("python -I -S verimv/kernel.py "):
        done = subprocess.run(
            [sys.executable, "-I", "-S", ROOT / "verimv" / "kernel.py", words[-1]],
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        return done.stdout.rstrip("\n")
    raise ValueError(f"not a command that is run here: {command}")


def without_what_varies(text: str) -> str:
    text = re.sub(r"(z3|cvc5) [0-9][0-9.]*[0-9]", r"\1", text)
    text = re.sub(r'time="[0-9.]+"', 'time=""', text)
    return re.sub(r"\b[0-9]+\.[0-9]+ s\b", "… s", text)


@contextlib.contextmanager
def workplace(examples: Path = ROOT / "examples") -> Iterator[Path]:
    """A directory of its own, in which `examples` is what it is in a checkout."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "examples").symlink_to(examples)
        os.chdir(directory)
        try:
            yield Path(directory)
        finally:
            os.chdir(before)


def check_python(text: str) -> int:
    """Run the ```python blocks that import verimv; an expression with a comment behind it has that value."""
    count = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "import verimv" not in block:
            continue
        names: dict[str, object] = {}
        code = block.replace('"examples/', f'"{ROOT}/examples/')
        for line in ast.parse(code).body:
            source = ast.unparse(line)
            end = code.splitlines()[line.end_lineno - 1]
            if isinstance(line, ast.Expr) and "  # " in end:
                value = eval(source, names)
                assert end.split("  # ")[1] in (repr(value), str(value)), f"{source}: {value!r}"
                count += 1
            else:
                exec(source, names)
    return count


def refreshed(text: str) -> str:
    """The text with what its commands print now."""

    def rewritten(match: re.Match[str]) -> str:
        [session] = sessions(match[0])
        parts = []
        for command, old in session:
            new = printed(command)
            kept = old if without_what_varies(new) == without_what_varies(old) else new
            parts.append(f"$ {command}\n" + (f"{kept}\n" if kept else ""))
        return "```console\n" + "".join(parts) + "```"

    return _BLOCK.sub(rewritten, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        with workplace():
            text = refreshed(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
