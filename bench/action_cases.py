"""Real failures of GitHub Actions: which job and step failed, and the log that GitHub would have.

What a case's own commands print stands for GitHub's log, in the words and with the paths of its
runner. They run outside of Fixpoint, in an environment of their own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.case import run_git
from bench.processes import Failed, without_settings
from bot.ci.workflow.plan.jobs import JobLeg, workflow_jobs
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep, plan_job
from bot.ecosystems.tree import DirectoryTree

_LONGEST = 1800.0
"""Seconds for the commands of one case."""

_QUIET = {"NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CI": "true"}


@dataclass(frozen=True, slots=True)
class ActionCase:
    """One entry of the file of cases.

    Attributes:
        id: Unique.
        repo: `owner/name` of the project.
        fetch: `owner/name` of the clone that has the commit.
        sha: The commit whose job failed.
        gold: Its repair by the project: a branch of the clone, or "".
        workflow: Path of the file whose job failed.
        python: Version for its commands.
        exclude_newer: When it failed; packages of later are not used.
        setup: Commands that install what the checks need.
        checks: Step and script, in order; the last ones may not have been reached.
        failed: The step that failed, as the case calls it.
    """

    id: str
    repo: str
    fetch: str
    sha: str
    gold: str
    workflow: str
    python: str
    exclude_newer: str
    setup: tuple[str, ...]
    checks: tuple[tuple[str, str], ...]
    failed: str

    @property
    def name(self) -> str:
        """The repository's name without its owner, as a runner's folders have it."""
        return self.repo.partition("/")[2]

    @property
    def moment(self) -> datetime:
        """When it failed."""
        return datetime.fromisoformat(self.exclude_newer)


def load_action_cases(file: Path) -> list[ActionCase]:
    """Return the cases of a file, in its order."""
    return [_case(entry) for entry in json.loads(file.read_text("utf-8"))]


def _case(entry: Mapping[str, Any]) -> ActionCase:
    return ActionCase(
        id=entry["id"],
        repo=entry["repo"],
        fetch=entry["fetch"],
        sha=entry["sha_fail"],
        gold=entry["gold_branch"] or "",
        workflow=entry["workflow"],
        python=entry["python"],
        exclude_newer=entry["exclude_newer"],
        setup=tuple(entry["setup"]),
        checks=tuple((step, script) for step, script in entry["checks"]),
        failed=entry["fail_observed"]["step"],
    )


def check_out(source: Path, commit: str, folder: Path) -> Path:
    """Make `folder` a work tree of a commit of a clone; return it.

    Raises:
        subprocess.CalledProcessError: When the clone lacks the commit.
    """
    shared = ("clone", "--quiet", "--shared", "--no-checkout")
    run_git(folder.parent, *shared, str(source), str(folder))
    run_git(folder, "checkout", "--quiet", commit)
    return folder


@dataclass(frozen=True, slots=True)
class FailedJob:
    """The job of a workflow, and its step that failed."""

    plan: JobPlan
    step: PlannedStep

    def log(self, case: ActionCase, said: str) -> bytes:
        """Return the job's log as GitHub's runner writes it, one second a line at most."""
        command = self.step.step.command
        script = command.script if command is not None and self.step.step.check else ""
        title = script.strip().splitlines()[0] if script else self.step.step.title[4:]
        lines = [
            "Current runner version: '2.311.0'",
            "##[group]Runner Image",
            "Image: ubuntu-22.04",
            "##[endgroup]",
            f"##[group]Run {title}",
            *(f"\x1b[36;1m{line}\x1b[0m" for line in script.splitlines()),
            "shell: /usr/bin/bash -e {0}",
            "##[endgroup]",
            *said.splitlines(),
            "##[error]Process completed with exit code 1.",
        ]
        at = case.moment.strftime("%Y-%m-%dT%H:%M:%S.0000000Z")
        return "\n".join(f"{at} {line}" for line in lines).encode()


def find_failed_job(case: ActionCase, folder: Path, failed: str) -> FailedJob:
    """Return the job and step of the workflow that stand behind a failed check of a case.

    Args:
        case: The case.
        folder: Its work tree.
        failed: The line of its checks that failed.

    Raises:
        Failed: When the workflow has no such step.
    """
    tree = DirectoryTree(folder)
    legs = workflow_jobs(tree, case.workflow).jobs
    found = [
        FailedJob(plan, step)
        for leg in legs
        if (plan := plan_job(tree, leg)) and (step := _step_of(plan, case, failed))
    ]
    if not found:
        raise Failed(f"{case.id}: no step of {case.workflow} is {case.failed!r}.")
    return max(found, key=lambda job: _likeness(job.plan.target, case))


def _step_of(plan: JobPlan, case: ActionCase, failed: str) -> PlannedStep | None:
    job, _, inside = case.failed.rpartition(": ")
    if job and plan.target.job.id != job:
        return None
    name = re.sub(r" \(\w+\)$", "", inside)
    for planned in plan.steps:  # a case joins steps that follow each other
        command = planned.step.command
        if command is not None and failed in (line.strip() for line in command.script.split("\n")):
            return planned
    return plan.step_called(name) or plan.step_called(f"Run {name}")


def _likeness(leg: JobLeg, case: ActionCase) -> int:
    values = {str(value) for value in leg.leg.values.values()}
    asked = re.search(r" \((\w+)\)$", case.failed)
    return 2 * bool(asked and asked[1] in values) + (case.python in values)


@dataclass(frozen=True, slots=True)
class Outside:
    """A case's own commands in an environment outside of Fixpoint; what they make is kept.

    Attributes:
        case: The case.
        folder: Where its environment is.
        helper: Folder of `pclocal.py`, which some setups use.
    """

    case: ActionCase
    folder: Path
    helper: Path

    def prepare(self, tree: Path) -> None:
        """Make the environment, once.

        Raises:
            Failed: When a setup command fails; the text is its last words.
        """
        if (self.folder / "ready").exists():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._must(f"uv venv -q --seed --python {_python(self.case.python)} {self._venv}", tree)
        script = f'#!/bin/sh\nexec {shutil.which("python3")} {self.helper}/pclocal.py "$@"\n'
        (self._venv / "bin" / "pclocal").write_text(script)
        (self._venv / "bin" / "pclocal").chmod(0o755)
        for command in self.case.setup:
            self._must(command, tree)
        (self.folder / "ready").touch()

    def check(self, tree: Path) -> tuple[str, str]:
        """Run the checks up to the failed step; return the line that failed, or "", and its output."""
        said: list[str] = []
        if (tree / "script" / "bootstrap").exists() and not (tree / "env").exists():
            (tree / "env").symlink_to(self._venv)  # where such scripts make theirs
        for step, script in self.case.checks:
            for line in script.splitlines():
                done = self._run(line, tree)
                if step == self.case.failed:
                    said.append(done.stdout)
                if done.returncode and step == self.case.failed:
                    return line, self._as_on_the_runner("".join(said), tree)
            if step == self.case.failed:
                break
        return "", ""

    @property
    def _venv(self) -> Path:
        return self.folder / "venv"

    def _as_on_the_runner(self, output: str, tree: Path) -> str:
        name = self.case.name
        return output.replace(str(tree), f"/home/runner/work/{name}/{name}").replace(
            str(self._venv), f"/opt/hostedtoolcache/Python/{self.case.python}.18/x64"
        )

    def _must(self, command: str, tree: Path) -> None:
        done = self._run(command, tree)
        if done.returncode:
            raise Failed(f"{self.case.id}: {command}: {done.stdout[-2000:]}")

    def _run(self, command: str, tree: Path) -> subprocess.CompletedProcess[str]:
        environment = {
            **without_settings(),
            **_QUIET,
            "PATH": f"{self._venv}/bin:{os.environ['PATH']}:{Path(sys.executable).parent}",
            "VIRTUAL_ENV": str(self._venv),
            "VENV_NAME": str(self._venv),  # where some projects' scripts look for theirs
            "CIBENCH": str(self.folder),
            "UV_EXCLUDE_NEWER": self.case.exclude_newer,
        }
        return subprocess.run(
            ("bash", "-c", command),
            cwd=tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=_LONGEST,
        )


def _python(version: str) -> str:
    """Return a Python of pyenv, or the version for uv to find."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted((root / "versions").glob(f"{version}.*/bin/python"))
    return str(found[-1]) if found else version


def ended(case: ActionCase) -> tuple[datetime, datetime]:
    """Return when the failed job began and ended, as GitHub's API tells."""
    return case.moment - timedelta(minutes=5), case.moment + timedelta(seconds=1)
