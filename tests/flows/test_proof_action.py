"""The composite action: its steps run for real, as GitHub's runner would start them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from bot.ci.workflow.spec.document import read_action
from tests.flows.command_line import in_git
from tests.flows.test_proof_checks import BROKEN, FIXED, MORE_TESTS, TEST

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


def test_nothing_of_a_stranger_is_pasted_into_a_script() -> None:
    """Each step is a fixed command; what people write reaches it as a variable, declared here."""
    action = read_action("action.yml", (ROOT / "action.yml").read_text())
    assert action.using == "composite"
    script = (ROOT / "scripts" / "action.sh").read_text()
    for step in action.steps:
        assert step.run is not None
        assert "${{" not in step.run
        assert all(f"${name}" in script or name == "ACTION" for name in step.env)
    given = {name for step in action.steps for name in step.env.values()}
    for name in action.inputs:
        assert any(f"inputs.{name}" in str(value) for value in given), name


@pytest.mark.parametrize(
    ("changes", "required", "code", "result"),
    [
        ({"app.py": FIXED, "test_app.py": MORE_TESTS}, "tests, suite", 0, {"proven", "open"}),
        ({"app.py": FIXED}, "tests", 1, {"not-proven"}),
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
