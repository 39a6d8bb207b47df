"""Promises that are not proved, where reviewers see them: annotations of GitHub, and SARIF for code scanning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verimv import __version__
from verimv.core.errors import InputError
from verimv.promises.outcome import PromiseOutcome

_RULES = {
    "refuted": "A promise is broken: there is an exact point that shows it, or a certificate is invalid.",
    "undecided": "A promise is neither proved nor refuted with the effort that it has.",
    "malformed": "A promise cannot be decided: a file is missing or malformed.",
    "bug": "verimv failed.",
}


def github_lines(outcomes: Sequence[PromiseOutcome]) -> list[str]:
    """Return a workflow command of GitHub Actions for each promise that is not proved."""
    return [
        _command(
            outcome.reason,
            file=_uri(outcome.promise.source),
            line=str(outcome.promise.line),
            title=f"{outcome.promise.full_name}: {outcome.word}",
        )
        for outcome in outcomes
        if outcome.status != "proved"
    ]


def github_error(error: InputError) -> str:
    """Return a workflow command for a file of promises that cannot be read."""
    place = {} if error.source is None else {"file": _uri(error.source)}
    line = {} if error.line is None else {"line": str(error.line)}
    return _command(error.message, **place, **line, title="verimv ci")


def _command(message: str, **properties: str) -> str:
    told = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    return f"::error {told}::{_escaped(message)}"


def github_summary(outcomes: Sequence[PromiseOutcome], summary: str) -> str:
    """Return a table in Markdown for the summary of a job."""
    rows = ["| model | promise | answer | evidence |", "|---|---|---|---|"]
    for outcome in outcomes:
        told = outcome.evidence if outcome.status == "proved" else outcome.reason
        cells = (outcome.promise.model, outcome.promise.title, outcome.word, told)
        rows.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join([*rows, "", summary, ""])


def sarif(outcomes: Sequence[PromiseOutcome]) -> str:
    """Return SARIF 2.1.0 with a result for each promise that is not proved."""
    found: list[dict[str, Any]] = [
        {
            "ruleId": outcome.status,
            "level": "error",
            "message": {"text": f"{outcome.promise.full_name}: {outcome.word}\n{outcome.reason}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(outcome.promise.source)},
                        "region": {"startLine": outcome.promise.line},
                    }
                }
            ],
            "partialFingerprints": {"promise/v1": outcome.promise.full_name},
        }
        for outcome in outcomes
        if outcome.status != "proved"
    ]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "verimv", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _uri(path: str) -> str:
    return path.replace("\\", "/")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")
