"""The composite action: its steps run for real, as GitHub's runner would start them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from bot.ci.workflow.spec.document import read_action
from tests.flows.command_line import in_git
from tests.flows.test_proof_checks import BROKEN, FIXED, MORE_TESTS, TEST
from tests.flows.test_search import LIMITS, TEST_LIMITS

ROOT = Path(__file__).parents[2]


def committed(folder: Path, files: dict[str, str]) -> str:
    """Write files into a repository and commit them; return the commit."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    if not (folder / ".git").exists():
        in_git(folder, "init", "--quiet")
    in_git(folder, "add", "--all")
    in_git(folder, "commit", "--quiet", "--message", "Change")
    return in_git(folder, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("file", ["action.yml", "repair/action.yml"])
def test_nothing_of_a_stranger_is_pasted_into_a_script(file: str) -> None:
    """Each step is a fixed command; what people write reaches it as a variable, declared here."""
    action = read_action(file, (ROOT / file).read_text())
    assert action.using == "composite"
    script = (ROOT / "scripts" / "action.sh").read_text()
    for step in action.steps:
        assert step.run is not None
        assert "${{" not in step.run
        used = re.findall(r"\$\{?([A-Z_]+)", script)
        assert set(step.env) - {*used, "ACTION", "GH_TOKEN"} == set()
    given = {name for step in action.steps for name in step.env.values()}
    for name in action.inputs:
        assert any(f"inputs.{name}" in str(value) for value in given), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "required", "code", "result"),
    [
        ({"app.py": FIXED, "test_app.py": MORE_TESTS}, "tests, suite", 0, {"proven", "open"}),
        pytest.param({"app.py": FIXED}, "tests", 1, {"not-proven"}, marks=pytest.mark.exhaustive),
    ],
)
async def test_the_change_is_proved(
    tmp_path: Path, changes: dict[str, str], required: str, code: int, result: set[str]
) -> None:
    """The card is the job's summary, and the step fails only for rows that are required."""
    project = tmp_path / "project"
    config = "setup: 'true'\ntest: python3 -m unittest -v\n"
    files = {"app.py": BROKEN, "test_app.py": TEST, ".github/fixpoint.yml": config}
    base = committed(project, files)
    committed(project, changes)
    place = tmp_path / "fixpoint-proof" / "bin"
    place.mkdir(parents=True)
    for name in ("python", "fixpoint"):
        (place / name).symlink_to(Path(sys.executable).parent / name)
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "FIXPOINT_DATA": str(tmp_path / "data"),
        "FIXPOINT_SANDBOX": "bubblewrap",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(output),
        "ACTION": str(ROOT),
        "BASE": base,
        "REPOSITORY": str(project),
        "SETUP": "true\n",
        "TEST": "python3 -m unittest -v",
        "SECONDS_LIMIT": "900",
        "REQUIRED": required,
        "SARIF": str(tmp_path / "proof.sarif"),
        "TITLE": "Fix `clamp`; $(touch hacked)",
        "BODY": 'It says "$(touch hacked)".\n',
    }  # fmt: skip
    script = str(ROOT / "scripts" / "action.sh")
    process = await asyncio.create_subprocess_exec("bash", script, "prove", env=environ)
    assert await process.wait() == code
    told = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert told["result"] in result
    card = json.loads(Path(told["card"]).read_text())
    assert card["base"] == base
    assert "The tests show the change" in summary.read_text()
    assert json.loads(Path(told["sarif"]).read_text())["version"] == "2.1.0"
    assert not list(tmp_path.rglob("hacked"))


GH = """\
#!/bin/sh
echo "$@" >> "$HOME/gh.log"
case "$2" in
  */permission) echo write ;;
  */jobs) echo check ;;
  create) echo https://github.test/acme/app/pull/2 ;;
esac
"""
CI = """\
on: [push]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - run: python3 -m unittest -q
"""
CONFIG = "proposers: [search]\nsearch: {confidence: 0}\n"


async def repaired(tmp_path: Path, **variables: str) -> tuple[dict[str, str], str, Path]:
    """Play the step of the repair on a project whose job fails; return outputs, calls and remote."""
    project, remote = tmp_path / "project", tmp_path / "remote.git"
    files = {"limits.py": LIMITS, "test_limits.py": TEST_LIMITS, ".github/workflows/ci.yml": CI}
    committed(project, {**files, ".github/fixpoint.yml": CONFIG})
    in_git(tmp_path, "clone", "--quiet", "--bare", str(project), str(remote))
    in_git(project, "remote", "add", "origin", str(remote))
    place = tmp_path / "fixpoint-proof" / "bin"
    place.mkdir(parents=True)
    for name in ("python", "fixpoint"):
        (place / name).symlink_to(Path(sys.executable).parent / name)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gh").write_text(GH)
    (tools / "gh").chmod(0o755)
    output = tmp_path / "output"
    event = dict.fromkeys(
        (
            "JOB", "FAILED_RUN", "FAILED_BRANCH", "FAILED_IN", "NUMBER", "PULL_REQUEST", "TITLE",
            "BODY", "COMMENT", "COMMENTED_BY",
        ),
        "",
    )  # fmt: skip
    environ = (
        event
        | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "FIXPOINT_DATA": str(tmp_path / "data"),
            "FIXPOINT_SANDBOX": "bubblewrap",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REPOSITORY": "acme/app",
            "GITHUB_RUN_ID": "7",
            "GH_TOKEN": "secret",
            "PYTHONPATH": str(ROOT),
            "REPOSITORY": str(project),
            "SECONDS_LIMIT": "900",
            "DEFAULT_BRANCH": "main",
        }
        | variables
    )
    script = str(ROOT / "scripts" / "action.sh")
    process = await asyncio.create_subprocess_exec("bash", script, "repair", env=environ)
    assert await process.wait() == 0
    told = dict(line.split("=", 1) for line in output.read_text().splitlines())
    log = tmp_path / "gh.log"
    return told, log.read_text() if log.exists() else "", remote


@pytest.mark.slow
async def test_a_failed_job_becomes_a_pull_request(tmp_path: Path) -> None:
    """The job that failed is run here and repaired; branch and draft say what the server would."""
    told, calls, remote = await repaired(
        tmp_path, FAILED_RUN="5", FAILED_BRANCH="main", FAILED_IN="acme/app"
    )
    assert told == {"result": "fixed", "pull-request": "https://github.test/acme/app/pull/2"}
    assert "+    return low <= value <= high" in in_git(remote, "show", "fixpoint/7")
    assert "pr create --draft --base main --head fixpoint/7" in calls
    assert "**Failed:** " in (tmp_path / "fixpoint-proof" / "body.md").read_text()


@pytest.mark.parametrize(
    "event",
    [
        {"FAILED_RUN": "5", "FAILED_BRANCH": "main", "FAILED_IN": "eve/app"},
        {"COMMENT": "Please /fix it", "COMMENTED_BY": "ada", "NUMBER": "1"},
    ],
)
async def test_what_nobody_may_ask_for_is_skipped(tmp_path: Path, event: dict[str, str]) -> None:
    """A fork's branch isn't run with a token that writes, and talk is no command."""
    told, calls, _ = await repaired(tmp_path, **event)
    assert (told["result"], calls) == ("skipped", "")
