"""Which protected paths trusted text asks to change."""

from __future__ import annotations

import pytest

from bot.model import Severity
from bot.repair.guards import on_request, path_findings
from bot.repair.guards.requested import (
    as_command,
    is_requested,
    kept_on_request,
    requested_paths,
)

CI = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    "text",
    [
        f"Update {CI} to test Python 3.12 too.",
        f"The crash comes and goes.\n\n- add a job to `{CI}`",
        "Please switch ci.yml to the newer runner",
        "Change the CI workflow so that it caches",
        "Add a step to the release workflow.",
        "update the workflow",
        "Bump what the workflow files use",
        "adapt our workflow, please",
        "Rewrite the CI configuration",
        as_command(CI),
        f"repair the workflow file {CI}",
    ],
)
def test_the_workflow_is_asked_for(text: str) -> None:
    """By its path, by its name, or as what it is."""
    assert is_requested(CI, requested_paths(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It should say right.",
        f"{CI} fails with this commit.",
        f"Fix the crash that {CI} shows",
        as_command("the failing workflow"),
        as_command(f"what fails in {CI}"),
        f"Update the parser. Do not change {CI}.",
        f"Update the parser without {CI}",
        f"> Update {CI}, the bot said\n\nWhat now?",
        f"```\nupdate {CI}\n```\nThis is printed.",
        f"    update {CI}\n",
        "Update the workflow engine",
        "Update release.yml",
        "Change .. and / and . and */*",
    ],
)
def test_the_workflow_is_not_asked_for(text: str) -> None:
    """A mention, a quotation, a denial and the wish for green checks ask for the code."""
    assert not is_requested(CI, requested_paths(text))


@pytest.mark.parametrize("path", [".github/fixpoint.yml", ".git/config", ".git/hooks/pre-commit"])
def test_nobody_can_ask_for_these(path: str) -> None:
    """The rules by which patches are judged are not theirs to change."""
    assert not is_requested(path, requested_paths(f"Change {path} and the CI workflow"))


def test_what_is_kept_was_protected_and_asked_for() -> None:
    """Nothing else needs the words; tests have rules of their own."""
    files = ("src/app.py", "src/auth/login.py", "ruff.toml", "tests/conftest.py", "mypy.ini")
    asked = requested_paths("Update src/app.py, src/auth/login.py, ruff.toml and conftest.py.")
    assert kept_on_request(files, ("src/auth/",), asked) == ("src/auth/login.py", "ruff.toml")
    found = on_request(files, ("src/auth/",), asked)
    assert {(finding.rule, finding.severity) for finding in found} == {
        ("protected-requested", Severity.NEEDS_PERSON)
    }
    refused = path_findings(files, allowed=(), protected=("src/auth/",), requested=asked)
    assert refused == ()
    assert path_findings(files, allowed=(), protected=("src/auth/",)) != ()
