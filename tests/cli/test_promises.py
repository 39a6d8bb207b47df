"""`verimv ci` as it is typed: the table, the exit code, and what other programs read."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import one_line_error

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "ci"
MODEL = '[models.valve]\nfile = "model.json"\n'


@pytest.fixture
def repository(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLE, tmp_path / "repository", ignore=shutil.ignore_patterns(".verimv", "__pycache__"))
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "repository"


def promise(*promises, head=MODEL):
    Path("verimv.toml").write_text(
        head + "promises = [" + ", ".join(f"{{ {p} }}" for p in promises) + "]\n", encoding="utf-8"
    )


def test_all_is_proved_and_then_only_checked(repository, run):
    code, out, _ = run("ci")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split() == ["model", "promise", "answer", "evidence", "time"]
    assert [line.split()[-4:-2] for line in lines[1:5]] == [["proved", "certificate"]] * 4
    assert lines[6].startswith("4 proved of 4, ")
    code, out, _ = run("ci")
    assert code == 0
    assert out.count("certificate, unchanged") == 4
    assert "4 proved of 4 (4 unchanged, checked again), " in out
    assert run("check", ".verimv", "--quiet")[0] == 0  # what is kept are certificates like any other
    code, out, _ = run("ci", "--fresh")
    assert (code, "unchanged" in out) == (0, False)


def test_a_broken_promise(repository, run):
    shutil.copy("retrained.json", "model.json")
    code, out, _ = run("ci", "--junit", "junit.xml", "--sarif", "found.sarif", "--github")
    assert code == 1
    assert "    at          demand=1, window=1\n    model.json  1/64\n    spec.mv     0\n" in out
    assert "1 proved, 3 broken of 4, " in out
    annotation = "::error file=verimv.toml,line=6,title=valve%3A equal to spec.mv%3A broken::not equal: model.json and spec.mv%0A"
    assert annotation in out
    suite = ElementTree.parse("junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")
    assert suite[0].get("name") == "valve: equal to spec.mv"
    assert suite[0][0].get("message") == "not equal: model.json and spec.mv"
    [sarif] = json.loads(Path("found.sarif").read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in sarif["results"]] == ["refuted"] * 3
    assert {rule["id"] for rule in sarif["tool"]["driver"]["rules"]} >= {"refuted", "undecided"}
    place = sarif["results"][1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "verimv.toml"}, "region": {"startLine": 7}}


def test_the_summary_of_a_job(repository, run, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    promise('equal-to = "demand ∨ window"', 'within = 1, of = "spec.mv"')
    run("ci", "--github")
    text = Path("summary.md").read_text(encoding="utf-8")
    assert "| valve | equal to demand ∨ window | broken | not equal: model.json and demand ∨ window<br>at " in text
    assert "| valve | within 1 of spec.mv | proved | certificate |" in text


def test_json_is_one_object(repository, run):
    shutil.copy("retrained.json", "model.json")
    code, out, err = run("ci", "--json", "--github", "--quiet")
    found = json.loads(out)
    assert (code, found["status"], found["counts"]) == (1, "refuted", {"proved": 1, "refuted": 3})
    first = found["promises"][0]
    assert (first["model"], first["kind"], first["line"], first["counterexample"]) == (
        "valve",
        "equal-to",
        6,
        ["1", "1"],
    )
    assert first["certificate"] is None
    assert Path(found["promises"][2]["certificate"], "certificate.jsonl").exists()
    assert err.count("::error ") == 3


def test_a_model_that_has_vanished_does_not_stop_the_others(repository, run):
    Path("verimv.toml").write_text(
        f'{MODEL}promises = [{{ equal-to = "spec.mv" }}]\n[models.gone]\nfile = "modle.json"\n'
        'promises = [{ equal-to = "spec.mv" }]\n[models.idle]\nfile = "model.json"\n', encoding="utf-8"
    )  # fmt: skip
    code, out, _ = run("ci")
    assert code == 2
    assert "verimv.toml:6: models.gone: file: no such file: 'modle.json'; did you mean model.json?" in out
    assert "1 proved, 1 malformed of 2, " in out
    assert out.endswith("nothing is promised of idle\n")


def test_broken_counts_more_than_malformed_than_undecided(repository, run):
    promise('equal-to = "spec.mv"', 'equal-to = "window"', 'equal-to = "nowhere.onnx"')
    assert run("ci")[0] == 1


def test_only(repository, run):
    assert "1 proved of 1" in run("ci", "--only", "certified by *")[1]
    assert "4 proved of 4" in run("ci", "--only", "valve")[1]
    error = one_line_error(run("ci", "--only", "vale"))
    assert error == "verimv: verimv.toml: --only vale: no such model or promise; did you mean valve?\n"


def test_from_elsewhere(repository, run, monkeypatch, tmp_path):
    """Paths are relative to the file of promises; what is kept is beside it, or where --cache says."""
    monkeypatch.chdir(repository / "tests")
    code, out, _ = run("ci")
    assert (code, out.count("proved")) == (0, 5)
    assert (repository / ".verimv").is_dir()
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("ci", "--file", "repository/verimv.toml", "--cache", "kept", "--workers", "1")
    assert (code, "unchanged" in out) == (0, False)
    assert (tmp_path / "kept" / ".gitignore").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[models.m]\nfle = 1", "verimv: verimv.toml: models.m: unknown key 'fle'; did you mean file?\n"),
        ("models = [", "verimv: verimv.toml: not TOML: "),
        ("", "verimv: verimv.toml: nothing is promised"),
    ],
)
def test_a_file_that_is_wrong(repository, run, text, message):
    Path("verimv.toml").write_text(text)
    assert one_line_error(run("ci")).startswith(message)
    assert not Path(".verimv").exists()
    _, out, err = run("ci", "--github", "--json")
    assert err.startswith("::error file=verimv.toml,")
    assert json.loads(out)["status"] == "malformed"


def test_init(repository, run):
    assert "exists already" in one_line_error(run("ci", "init"))
    Path("verimv.toml").unlink()
    assert "`verimv ci init` writes one" in one_line_error(run("ci"))
    code, out, _ = run("ci", "init")
    assert (code, out.splitlines()[0]) == (0, "written: verimv.toml (models: 2, promises: 3)")
    assert run("ci")[0] == 0
