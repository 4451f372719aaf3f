"""`fixpoint ci plan` and `fixpoint ci run` on a repository of this machine."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner, Result

from bot.commands.cli import app

WORKFLOW = """\
name: CI
on: push
jobs:
  check:
    runs-on: ubuntu-24.04
    strategy: {matrix: {word: [good, bad]}}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/cache@v4
      - name: Look
        run: |
          echo "looking for ${{ matrix.word }}"
          grep -n ${{ matrix.word }} words.txt
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a git repository with one workflow."""
    folder = tmp_path / "repository"
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "ci.yml").write_text(WORKFLOW, encoding="utf-8")
    (folder / "words.txt").write_text("good\n", encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for arguments in (("init", "-qb", "main"), ("add", "."), (*identity, "commit", "-qm", "x")):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    return folder


def ci(repository: Path, *arguments: str) -> Result:
    """Run a command of `fixpoint ci` on the repository."""
    command, *rest = arguments
    environment = {"FIXPOINT_DATA": str(repository.parent / "data")}
    return CliRunner().invoke(app, ["ci", command, str(repository), *rest], env=environment)


def test_the_current_folder_is_planned(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a path, and with one from where the person is."""
    for path, folder in ((".", repository), (repository.name, repository.parent)):
        monkeypatch.chdir(folder)
        result = ci(Path(path), "plan", "--job", "check (bad)")
        assert result.stdout.startswith("check (bad)  (.github/workflows/ci.yml"), result.output


def test_the_leg_that_runs_here_is_chosen(repository: Path) -> None:
    """Legs that differ by their system alone: the newest Ubuntu is taken, and that is said."""
    file = repository / ".github" / "workflows" / "ci.yml"
    matrix = (
        "{os: [windows-latest, ubuntu-22.04, ubuntu-24.04, ubuntu-24.04-arm], word: [good, bad]}"
    )
    text = WORKFLOW.replace("{word: [good, bad]}", matrix)
    file.write_text(text.replace("ubuntu-24.04\n", "${{ matrix.os }}\n", 1), encoding="utf-8")
    result = ci(repository, "plan", "--matrix", "word=good", "--json")
    assert json.loads(result.stdout)["matrix"] == {"os": "ubuntu-24.04", "word": "good"}
    assert result.stderr == snapshot(
        "fixpoint: 4 matrix legs match; using check (ubuntu-24.04, good) because it can run here. The others: check (windows-latest, good); check (ubuntu-22.04, good); check (ubuntu-24.04-arm, good).\n"
    )
    assert "8 jobs match; choose one" in ci(repository, "plan", "--job", "check").output
    assert (
        "2 jobs match; choose one" in ci(repository, "plan", "--matrix", "os=windows-latest").output
    )


def test_several_jobs_are_listed(repository: Path) -> None:
    """Without a clear choice the plan lists the jobs with the options that choose each."""
    result = ci(repository, "plan")
    assert result.exit_code == 0
    assert result.output == snapshot("""\
2 jobs match; choose one:
  check (good)
      --workflow ci.yml --job check --matrix word=good
  check (bad)
      --workflow ci.yml --job check --matrix word=bad
""")


def test_a_plan_is_printed(repository: Path) -> None:
    """The plan has the steps, what actions come to, the scripts, and what differs from GitHub."""
    result = ci(repository, "plan", "--job", "check (bad)")
    assert result.exit_code == 0
    assert result.output == snapshot("""\
check (bad)  (.github/workflows/ci.yml, job check, on push)

Steps:
  * 1. Run actions/checkout@v4
       The commit is already checked out.
  * 2. Run actions/cache@v4
       Nothing is cached here; everything is built from scratch.
  * 3. Look
       | echo "looking for bad"
       | grep -n bad words.txt

Differences from GitHub's runner:
  - GitHub runs the job on `ubuntu-24.04`; here it runs on the sandbox's Linux, with the programs installed there.
""")


def test_a_plan_as_json(repository: Path) -> None:
    """The JSON has the commands as they would run."""
    result = ci(repository, "plan", "--matrix", "word=good", "--json")
    plan = json.loads(result.stdout)
    assert (plan["name"], plan["matrix"], plan["runs_on"]) == (
        "check (good)",
        {"word": "good"},
        ["ubuntu-24.04"],
    )
    assert plan["steps"][2]["script"].endswith("grep -n good words.txt\n")
    assert plan["environment"]["GITHUB_REF"] == "refs/heads/main"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("plan", "--job", "gone"), "There is no job `gone`. Available jobs: check."),
        (
            ("plan", "--workflow", "no.yml"),
            "There is no workflow no.yml. Available workflows: .github",
        ),
        (("plan", "--matrix", "word"), "--matrix word: use KEY=VALUE."),
        (("plan", "--job", "check", "--matrix", "word=x"), "There is no job `check` with that"),
        (("run",), "2 jobs match; choose one:"),
        (
            ("run", "--matrix", "word=good", "--step", "no"),
            "There is no step 'no'. Available steps:",
        ),
        (("run", "--matrix", "word=good", "--as-of", "x"), "--as-of x: use a date such as"),
    ],
)
def test_bad_choices_are_said(repository: Path, arguments: tuple[str, ...], sentence: str) -> None:
    """What does not lead to one job ends with exit code 2 and a sentence that helps."""
    result = ci(repository, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_no_workflow_at_all(tmp_path: Path) -> None:
    """A repository without workflows is said to have none."""
    result = ci(tmp_path, "plan")
    assert (result.exit_code, "There is no workflow" in result.stderr) == (2, True)


def test_a_plan_that_grows_without_end_is_refused(repository: Path) -> None:
    """Half a line of expressions, whose value is small each time."""
    tenfold = "{0}" * 10
    step = (
        f"      - run: echo ${{{{ format('{tenfold}', format('{tenfold}', '{'x' * 1000}')) }}}}\n"
    )
    workflow = repository / ".github" / "workflows" / "ci.yml"
    workflow.write_text(WORKFLOW + step * 400, encoding="utf-8")
    result = ci(repository, "plan", "--matrix", "word=good")
    assert (result.exit_code, result.stderr) == snapshot(
        (
            2,
            "fixpoint: The workflow of `check (good)` can't be planned. Its jobs, steps and values add up to more than 16 MiB.\n",
        )
    )


def test_a_passing_job(repository: Path) -> None:
    """A job that passes ends with exit code 0."""
    result = ci(repository, "run", "--matrix", "word=good", "--sandbox", "bubblewrap")
    assert result.exit_code == 0, result.output
    assert "ok 3/3 Look" in result.output
    assert result.output.endswith("The job passes here.\n")


def test_a_workflow_that_github_refuses(repository: Path) -> None:
    """It is planned and run, the line and the reason are named, and it is not said to pass."""
    file = repository / ".github" / "workflows" / "ci.yml"
    file.write_text(WORKFLOW.replace("      - name: Look", "      - nam: Look"), encoding="utf-8")
    why = "line 10: GitHub refuses this workflow: `nam` is not a valid key here."
    assert why in ci(repository, "plan", "--matrix", "word=good").output
    result = ci(repository, "run", "--matrix", "word=good", "--sandbox", "bubblewrap")
    assert result.exit_code == 3, result.output
    assert "passes here" not in result.output
    assert why in result.output.splitlines()[-1]


def test_an_action_that_github_refuses(repository: Path) -> None:
    """The same for an action of the repository, whatever it runs with."""
    folder = repository / ".github" / "tidy"
    folder.mkdir()
    action = folder / "action.yml"
    action.write_text("runs:\n  using: composite\n  steps:\n  - run: echo tidy\n", encoding="utf-8")
    file = repository / ".github" / "workflows" / "ci.yml"
    file.write_text(f"{WORKFLOW}      - uses: ./.github/tidy\n", encoding="utf-8")
    why = ".github/tidy/action.yml, line 4: GitHub refuses this action: `shell` is missing."
    assert why in ci(repository, "plan", "--matrix", "word=good").output
    result = ci(repository, "run", "--matrix", "word=good", "--sandbox", "bubblewrap")
    assert result.exit_code == 3, result.output
    assert why in result.output.splitlines()[-1]
    action.write_text("runs: {using: node20, man: a.js}\n", encoding="utf-8")
    why = "line 1: GitHub refuses this action: `man` is not a valid key here."
    assert why in ci(repository, "plan", "--matrix", "word=good").output


def test_variables_that_an_expression_makes(repository: Path) -> None:
    """A mapping that is an expression, and a key with one, are variables as on GitHub."""
    file = repository / ".github" / "workflows" / "ci.yml"
    env = """\
    env: ${{ fromJSON('{"FIRST":"1"}') }}
    steps:
      - run: test "$FIRST$SECOND$THIRD" = 123
        env: {"${{ 'SECOND' }}": 2, "${{ insert }}": "${{ fromJSON('{\\"THIRD\\": 3}') }}"}
"""
    file.write_text(WORKFLOW.partition("    steps:")[0] + env, encoding="utf-8")
    result = ci(repository, "run", "--matrix", "word=good", "--sandbox", "bubblewrap")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "The job passes here.")


def test_a_job_of_which_a_part_can_not_be_run(repository: Path) -> None:
    """It is not said to pass as a whole."""
    file = repository / ".github" / "workflows" / "ci.yml"
    file.write_text(WORKFLOW.replace("actions/cache@v4", "nobody/deploys@v1"), encoding="utf-8")
    result = ci(repository, "run", "--matrix", "word=good", "--sandbox", "bubblewrap")
    assert result.exit_code == 3, result.output
    assert "passes here" not in result.output
    assert result.output.endswith("What step 2 would do can't be run here.\n")


def test_a_failing_job(repository: Path) -> None:
    """A job that fails ends with exit code 1; its step and the end of its output are shown."""
    result = ci(repository, "run", "--matrix", "word=bad", "--sandbox", "bubblewrap")
    assert result.exit_code == 1, result.output
    assert "The job fails at step 3: Look. Exit code 1." in result.output
    assert "  | looking for bad" in result.output


def test_the_failing_step_runs_offline(repository: Path) -> None:
    """With the failing step named, what is before it prepares; the report is one JSON object."""
    result = ci(
        repository, "run", "--matrix", "word=bad", "--step", "Look",
        "--sandbox", "bubblewrap", "--json",
    )  # fmt: skip
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    assert (report["passed"], report["failed_step"]) == (False, 3)
    assert [step["outcome"] for step in report["steps"]] == ["success", "success", "failure"]


def test_a_version_that_a_manager_keeps_is_used(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest of those that fit the workflow's wish; what is not there is said."""
    versions = tmp_path / "nvm" / "versions" / "node"
    for version in ("v18.9.0", "v18.20.1", "v180.0.0"):
        node = versions / version / "bin" / "node"
        node.parent.mkdir(parents=True)
        node.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        node.chmod(0o755)
    monkeypatch.setenv("NVM_DIR", str(tmp_path / "nvm"))
    steps = "".join(
        f"      - uses: actions/setup-node@v4\n        with: {{node-version: '{version}'}}\n"
        for version in ("18.x", "7")
    )
    workflow = f"on: push\njobs:\n  node:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    last = "      - run: test $(node --version) = v18.20.1\n"
    path = repository / ".github" / "workflows" / "ci.yml"
    path.write_text(workflow + last, encoding="utf-8")
    result = ci(repository, "run", "--sandbox", "bubblewrap", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["passed"]) == (0, True), result.output
    assert told["notes"] == snapshot(["node 7 is not available here: 18.20.1 is used."])


MADE = """\
name: CI
on: push
jobs:
  words:
    runs-on: ubuntu-24.04
    outputs: {all: "${{ steps.read.outputs.words }}"}
    steps:
      - uses: actions/checkout@v4
      - run: cat words.txt | tr -d '\\n' | sed 's/.*/words=["&", "bad"]/' > $RUNNER_TEMP/made
      - {id: read, run: 'cat $RUNNER_TEMP/made >> "$GITHUB_OUTPUT"'}
      - run: exit 3
  check:
    needs: words
    runs-on: ubuntu-24.04
    strategy: {matrix: {word: "${{ fromJSON(needs.words.outputs.all) }}"}}
    steps:
      - uses: actions/checkout@v4
      - run: grep -n ${{ matrix.word }} words.txt
"""


@pytest.mark.slow
def test_a_job_runs_for_the_matrix_that_it_makes(repository: Path) -> None:
    """Up to the step that says it; then the legs are known, and one of them is to be chosen."""
    file = repository / ".github" / "workflows" / "ci.yml"
    file.write_text(MADE, encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(repository), *identity, "commit", "-qam", "x"], check=True)
    result = ci(repository, "run", "--job", "check")
    assert result.exit_code == 2, result.output
    assert re.sub(r" \(\d+\.\d s\)", "", result.output) == snapshot("""\
words (.github/workflows/ci.yml, job words) runs first: its outputs make the matrix.
  ... 1/4 Run actions/checkout@v4
  ok 1/4 Run actions/checkout@v4
  ... 2/4 Run cat words.txt | tr -d '\\n' | sed 's/.*/words=["&", "bad"]/' > $RUNNER_TEMP/made
  ok 2/4 Run cat words.txt | tr -d '\\n' | sed 's/.*/words=["&", "bad"]/' > $RUNNER_TEMP/made
  ... 3/4 Run cat $RUNNER_TEMP/made >> "$GITHUB_OUTPUT"
  ok 3/4 Run cat $RUNNER_TEMP/made >> "$GITHUB_OUTPUT"
fixpoint: 2 jobs match; choose one:
  check (good)
      --workflow ci.yml --job check --matrix word=good
  check (bad)
      --workflow ci.yml --job check --matrix word=bad
""")
    chosen = ci(repository, "run", "--job", "check (good)")
    assert (chosen.exit_code, chosen.output.splitlines()[-1]) == (0, "The job passes here.")
    assert ci(repository, "run", "--job", "check", "--matrix", "word=bad").exit_code == 1
    (repository / "words.txt").unlink()
    subprocess.run(["git", "-C", str(repository), *identity, "commit", "-qam", "y"], check=True)
    left_open = ci(repository, "run", "--job", "check")
    assert "The matrix is built at run time from `needs.words.outputs.all`" in left_open.output


TAKES = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: mkdir -p dist/deep && tr a-z A-Z <words.txt >dist/deep/loud.txt
      - {uses: actions/upload-artifact@v4, with: {name: loud, path: dist}}
      - run: exit 7
  check:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - {uses: actions/download-artifact@v5, id: it, with: {name: loud, path: got}}
      - run: grep GOOD "${{ steps.it.outputs.download-path }}/deep/loud.txt"
      - {uses: actions/download-artifact@v5, with: {name: absent}}
"""


def test_a_job_gets_what_another_uploads(repository: Path) -> None:
    """That job runs first, up to the upload; what no job makes is said."""
    (repository / ".github" / "workflows" / "ci.yml").write_text(TAKES, encoding="utf-8")
    (repository / "words.txt").write_text("good\n", encoding="utf-8")
    result = ci(repository, "run", "--job", "check")
    assert result.exit_code == 0, result.output
    said = re.sub(r" \([^()]* s\)$", "", result.output, flags=re.MULTILINE).splitlines()
    assert [line for line in said if not line.startswith(("  ...", "The commands"))] == snapshot(
        [
            "build (.github/workflows/ci.yml, job build) runs first: it uploads artifacts that are needed.",
            "  ok 1/4 Run actions/checkout@v4",
            "  ok 2/4 Run mkdir -p dist/deep && tr a-z A-Z <words.txt >dist/deep/loud.txt",
            "  ok 3/4 Run actions/upload-artifact@v4",
            "check (.github/workflows/ci.yml, job check)",
            "  note: GitHub runs the job on `ubuntu-latest`; here it runs on the sandbox's Linux, with the programs installed there.",
            "  ok 1/4 Run actions/checkout@v4",
            "  ok 2/4 Run actions/download-artifact@v5",
            '  ok 3/4 Run grep GOOD "/workspace/got/deep/loud.txt"',
            "  ok 4/4 Run actions/download-artifact@v5",
            "  note: The artifact absent of an earlier job is not available here.",
            "The job passes here.",
        ]
    )
