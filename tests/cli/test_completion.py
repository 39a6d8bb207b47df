"""Completion, by the shells themselves; zsh and fish where they are installed."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from verimv.cli.commands.completion import commands
from verimv.cli.parser import build_parser
from verimv.core.choices import METHODS, SHELLS

COMMANDS = {command.name: command for command in commands(build_parser())}


def script(run, shell, tmp_path):
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    path = tmp_path / f"completion.{shell}"
    path.write_text(out, encoding="utf-8")
    return path


@pytest.fixture
def bash(run, tmp_path):
    path = script(run, "bash", tmp_path)

    def complete(*words: str) -> list[str]:
        code = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _verimv; '
            'for word in "${COMPREPLY[@]}"; do echo "$word"; done'
        )
        done = subprocess.run(
            ["bash", "-uc", code, "bash", path, "verimv", *words], capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.split()

    return complete


def test_bash_completes_commands(bash):
    assert bash("") == [*COMMANDS, "--help", "--version"]
    assert bash("ext") == ["extract"]
    assert bash("--v") == ["--version"]


def test_bash_completes_options(bash):
    assert set(bash("extract", "--")) >= {"--logic", "--json", "--help", "--scale-output"}
    assert bash("extract", "net.json", "--sim") == ["--simplify"]
    assert bash("check", "--sim") == []


def test_bash_completes_the_words_of_options_and_arguments(bash):
    assert bash("bounds", "--method", "") == list(METHODS)
    assert bash("extract", "--logic", "d") == ["dmv"]
    assert bash("reproduce", "b") == ["breakpoints"]
    assert bash("completion", "") == list(SHELLS)


def test_bash_leaves_files_to_bash(bash):
    assert bash("extract", "") == []
    assert bash("extract", "-o", "") == []


def test_every_option_of_the_parser_is_known():
    assert COMMANDS["extract"].help == "convert a network to a formula, with a certificate"
    assert "--junit" in [flag for option in COMMANDS["check"].options for flag in option.flags]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(run, tmp_path):
    """In a real zsh on a pseudo-terminal, where completion is what a tab does."""
    path = script(run, "zsh", tmp_path)
    (tmp_path / ".zshrc").write_text(
        f"autoload -Uz compinit; compinit -u -D; source {path}; bindkey -e\n"
        f'verimv() {{ print -r -- "$@" > {tmp_path}/typed }}\nprecmd() {{ touch {tmp_path}/ready }}\n'
    )
    terminal, inside = pty.openpty()
    environment = {"ZDOTDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "xterm"}
    shell = subprocess.Popen(["zsh", "-i"], stdin=inside, stdout=inside, stderr=inside, env=environment)
    try:
        wait_for(tmp_path / "ready", terminal)
        os.write(terminal, b"verimv extr\t--log\td\t\n")
        wait_for(tmp_path / "typed", terminal)
        assert (tmp_path / "typed").read_text().split() == ["extract", "--logic", "dmv"]
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
        os.close(inside)


def wait_for(path, terminal):
    """Until a file has been written; what the terminal shows is read on the way, or the shell would wait for us."""
    end = time.monotonic() + 300
    while not (path.exists() and (path.name == "ready" or path.stat().st_size)):
        assert time.monotonic() < end, f"no {path.name}"
        if select.select([terminal], [], [], 0.1)[0]:
            os.read(terminal, 4096)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(run, tmp_path):
    path = script(run, "fish", tmp_path)

    def complete(line: str) -> list[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {path}; complete -C '{line}'"],
            capture_output=True, encoding="utf-8", check=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

    assert complete("verimv ex") == ["extract"]
    assert set(complete("verimv bounds --method ")) == set(METHODS)
    assert "--scale-output" in complete("verimv extract --sc")
