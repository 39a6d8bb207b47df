"""What plugs into other people's CI, run: the action's own shell steps, the hooks by pre-commit, the example repository.

The example is tried in both states: as it is, and with the retrained model in its place.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import VALID

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "ci"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
#: Questions without a file of promises.
QUESTIONS = {"certificates": "certified", "equal": "model.json spec.mv\nmodel.json certified/network.json\n"}
WORKFLOW = yaml.safe_load((EXAMPLE / ".github" / "workflows" / "verify.yml").read_text(encoding="utf-8"))
COUNTEREXAMPLE = "not equal: at demand=1, window=1: left = 1/64, right = 0, |left − right| = 1/64"


@pytest.fixture
def repository(tmp_path):
    """The example, as a user's own repository."""
    shutil.copytree(EXAMPLE, tmp_path / "repository", ignore=shutil.ignore_patterns("__pycache__", ".verimv"))
    return tmp_path / "repository"


def retrain(repository):
    shutil.copy(repository / "retrained.json", repository / "model.json")


def with_verimv() -> dict[str, str]:
    """An environment in which `verimv` is the one under test."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}


def run(command, directory, **environment):
    return subprocess.run(
        command, cwd=directory, env={**with_verimv(), **environment}, capture_output=True, encoding="utf-8",
        check=False, timeout=900,
    )  # fmt: skip


# -- the action --------------------------------------------------------------------------------------------------------


def verify(repository, **given):
    """Run the last step of the action as GitHub does: its inputs filled in, its script given to bash -eo pipefail."""
    step = ACTION["runs"]["steps"][-1]
    assert step["shell"] == "bash"
    assert set(given) <= set(ACTION["inputs"])
    inputs = {name: given.get(name, entry["default"]) for name, entry in ACTION["inputs"].items()}
    fill = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
    environment = {name: fill.sub(lambda match: inputs[match[1]], text) for name, text in step["env"].items()}
    script = repository.parent / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    summary = repository.parent / "summary.md"
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", script]
    return run(command, repository, **environment, GITHUB_STEP_SUMMARY=str(summary)), summary


def workflow_inputs():
    """What the example's workflow gives to the action: nothing, since there is a verimv.toml."""
    [step] = [step for step in WORKFLOW["jobs"]["verify"]["steps"] if "verimv" in step["uses"]]
    return step.get("with", {})


def test_inputs_reach_no_script_as_text():
    """…but by the environment: whoever names a file must not be able to run it."""
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_the_action_installs_itself():
    step = ACTION["runs"]["steps"][-2]
    assert step["run"] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'


def test_the_action_proves_promises(repository):
    done, summary = verify(repository, **workflow_inputs())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 proved of 4, " in done.stdout
    assert (repository / "verimv-junit" / "promises.xml").is_file()
    assert (repository / ".verimv" / ".gitignore").is_file()
    assert summary.read_text(encoding="utf-8").count("| proved | certificate |") == 4
    retrain(repository)
    done, _ = verify(repository, **workflow_inputs(), promises="verimv.toml", sarif="found.sarif")
    assert done.returncode == 1
    assert "::error file=verimv.toml,line=6,title=valve%3A equal to spec.mv%3A broken::not equal: " in done.stdout
    assert (repository / "found.sarif").is_file()


def test_the_action_asks_both_kinds_of_questions(repository):
    retrain(repository)
    done, _ = verify(repository, promises="verimv.toml", certificates="certified")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "2 questions, 1 failures"


def test_the_action_passes_on_the_example(repository):
    done, summary = verify(repository, **QUESTIONS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "3 questions, 0 failures"
    assert "certified: valid" in done.stdout
    assert sorted(path.name for path in (repository / "verimv-junit").iterdir()) == ["1.xml", "2.xml", "3.xml"]
    assert summary.read_text(encoding="utf-8").count("\n| model.json = ") == 2


def test_the_action_fails_on_a_wrong_retraining(repository):
    retrain(repository)
    done, summary = verify(repository, **QUESTIONS)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "3 questions, 2 failures"
    told = f"{COUNTEREXAMPLE}%0Athe largest difference is exactly 0.015625\n"
    assert f"::error title=verimv equiv::model.json = spec.mv: {told}" in done.stdout
    assert COUNTEREXAMPLE.replace("|", r"\|") in summary.read_text(encoding="utf-8")
    assert 'type="refuted"' in (repository / "verimv-junit" / "2.xml").read_text(encoding="utf-8")


def test_the_action_takes_formulas_and_tolerances(repository):
    assert verify(repository, equal="model.json demand ∧ ¬window")[0].returncode == 0
    retrain(repository)
    assert verify(repository, equal="model.json demand ∧ ¬window", tolerance="1/64")[0].returncode == 0
    assert verify(repository, equal="model.json demand ∧ ¬window", tolerance="1/65")[0].returncode == 1


def test_the_action_refuses_to_verify_nothing(repository):
    done, _ = verify(repository, equal="\n")
    assert done.returncode == 2
    assert "nothing to verify" in done.stdout
    (repository / "verimv.toml").unlink()
    done, _ = verify(repository)
    assert done.returncode == 2
    assert "::error title=verimv ci::no verimv.toml here or above" in done.stderr


def test_the_action_fails_on_a_changed_certificate(repository):
    formula = repository / "certified" / "formula.mv"
    formula.write_text(formula.read_text(encoding="utf-8").replace("⊙", "⊕", 1), encoding="utf-8")
    done, _ = verify(repository, certificates="certified")
    assert done.returncode == 1
    assert "::error title=verimv check::certified: invalid" in done.stdout


# -- pytest ------------------------------------------------------------------------------------------------------------


def test_the_example_in_both_states(repository):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    assert run(command, repository).returncode == 0
    retrain(repository)
    done = run(command, repository)
    assert done.returncode == 1
    assert "2 failed" in done.stdout
    shown = (EXAMPLE / "README.md").read_text(encoding="utf-8").split("```text\n")[2].split("```")[0]
    assert shown in done.stdout


# -- pre-commit --------------------------------------------------------------------------------------------------------


def test_the_hooks_of_the_example_exist():
    config = yaml.safe_load((EXAMPLE / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    [entry] = config["repos"]
    assert {hook["id"] for hook in entry["hooks"]} <= set(HOOKS)


def test_hook_check(repository):
    """The entry with the files that the hook's pattern picks, as pre-commit would call it."""
    hook = HOOKS["verimv-check"]
    files = [path.relative_to(repository) for path in repository.rglob("*") if path.is_file()]
    chosen = [file for file in files if re.search(hook["files"], file.as_posix())]
    assert {file.name for file in chosen} == {"network.json", "formula.mv", "certificate.jsonl"}
    done = run([*hook["entry"].split(), *chosen], repository)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, VALID)
    (repository / "certified" / "network.json").write_bytes((repository / "retrained.json").read_bytes())
    done = run([*hook["entry"].split(), *chosen], repository)
    assert done.returncode == 1
    assert "network.json" in done.stdout or "network" in done.stdout


def test_hook_ci(repository):
    hook = HOOKS["verimv-ci"]
    assert hook["pass_filenames"] is False
    assert all(
        re.search(hook["files"], f"a/{name}") for name in ("verimv.toml", "m.onnx", "certificate.jsonl.gz", "s.vnnlib")
    )
    assert not re.search(hook["files"], "a/code.py")
    assert run(hook["entry"].split(), repository).returncode == 0
    retrain(repository)
    done = run(hook["entry"].split(), repository)
    assert (done.returncode, "3 broken" in done.stdout) == (1, True)


def test_hook_equiv(repository):
    words = [*HOOKS["verimv-equiv"]["entry"].split(), "model.json", "spec.mv"]
    assert HOOKS["verimv-equiv"]["pass_filenames"] is False
    assert run(words, repository).returncode == 0
    retrain(repository)
    assert COUNTEREXAMPLE in run(words, repository).stdout


@pytest.mark.slow
def test_pre_commit_installs_and_runs_the_hooks(repository, tmp_path):
    """pre-commit itself, on a clone: it builds an environment with verimv in it, which takes a minute."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
    hooks = tmp_path / "hooks"
    assert run(["git", "clone", "-q", ROOT, hooks], tmp_path).returncode == 0
    for name in (".pre-commit-hooks.yaml", "pyproject.toml"):  # as they are here, committed or not
        shutil.copy(ROOT / name, hooks)
    shutil.copytree(ROOT / "verimv", hooks / "verimv", dirs_exist_ok=True)
    run([*git, "commit", "-qam", "as it is"], hooks)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "example"]):
        assert run([*git, *command], repository).returncode == 0
    try_repo = [sys.executable, "-m", "pre_commit", "try-repo", hooks, "verimv-check", "--all-files", "--verbose"]
    home = str(tmp_path / "home")
    done = run(try_repo, repository, PRE_COMMIT_HOME=home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout
    formula = repository / "certified" / "formula.mv"
    formula.write_text(formula.read_text(encoding="utf-8").replace("⊙", "⊕", 1), encoding="utf-8")
    run([*git, "commit", "-qam", "changed"], repository)
    done = run(try_repo, repository, PRE_COMMIT_HOME=home)
    assert done.returncode == 1
    assert "invalid" in done.stdout
