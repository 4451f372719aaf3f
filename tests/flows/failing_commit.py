"""A commit whose checks failed, as GitHub would have it, and a run that is about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.model.request import FailedCheck, FailedCommit, FixRequest
from tests.fakes.github import Issue
from tests.fakes.github.ci_model import Step
from tests.flows.world import World

CI = """\
name: CI
on: [push, pull_request]
env: {LEVEL: workflow}
jobs:
  test:
    runs-on: ubuntu-latest
    env: {WANTED: right}
    steps:
      - uses: actions/checkout@v5
      - name: Prepare
        run: echo "PREPARED=yes" >> "$GITHUB_ENV"
      - name: Check
        run: sh check.sh
"""

CHECK = """\
#!/bin/sh
# Fails unless app.txt says what the job wants; names what fails as pytest would.
[ "$PREPARED" = yes ] || exit 9
grep -qx "$WANTED" app.txt && exit 0
echo "=========== short test summary info ==========="
echo "FAILED checks.py::app - app.txt says $(head -n 1 app.txt)"
exit 1
"""

FILES: dict[str, str | bytes] = {
    "app.txt": "right\n",
    "check.sh": CHECK,
    ".github/workflows/ci.yml": CI,
}

SAID = """\
=========== short test summary info ===========
FAILED checks.py::app - app.txt says wrong
"""


def runner_log(
    script: str, output: str = SAID, *, code: int = 1, errors: Sequence[str] = ()
) -> bytes:
    """Return a job's log as GitHub's runner writes it."""
    lines = [
        "##[group]Runner Image",
        "Image: ubuntu-24.04",
        "##[endgroup]",
        "##[group]Run actions/checkout@v5",
        "##[endgroup]",
        f"##[group]Run {script.splitlines()[0]}",
        *(f"\x1b[36;1m{line}\x1b[0m" for line in script.splitlines()),
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
        *output.splitlines(),
        *(f"##[error]{error}" for error in errors),
        *([f"##[error]Process completed with exit code {code}."] if code else []),
    ]
    return "\n".join(f"2026-11-20T10:00:00.0000000Z {line}" for line in lines).encode()


@dataclass
class FailingCommit:
    """A pull request whose head has failed checks."""

    world: World
    pull: Issue
    sha: str
    checks: list[FailedCheck]

    def job_fails(
        self,
        name: str = "test",
        *,
        step: str = "Check",
        script: str = "sh check.sh",
        log: bytes | None = b"",
        conclusion: str = "failure",
        days_ago: int = 0,
        skipped: Sequence[str] = (),
    ) -> None:
        """GitHub Actions ran a job of `ci.yml` on the head, and it failed; None drops its log.

        Steps behind the failed one are `skipped`.
        """
        world, ci = self.world, self.world.state.ci
        run = ci.workflow_run(world.repository, self.sha, "feature", event="pull_request")
        steps = [Step("Set up job", "success"), Step(step, "failure")]
        steps += [Step(item, "skipped") for item in skipped]
        text = runner_log(script) if log == b"" else log
        made = ci.job(world.repository, run, name, conclusion=conclusion, steps=steps, log=text)
        run.jobs[-1].started_at -= timedelta(days=days_ago)
        self.checks.append(
            FailedCheck(
                name,
                "github-actions",
                conclusion,
                check_run_id=made.id,
                workflow_run_id=run.id,
                job_id=made.id,
                url=f"https://github.test/acme/app/runs/{made.id}",
            )
        )

    def request(self) -> FixRequest:
        """Return the request of a run about these checks."""
        world = self.world
        installation = world.state.installation_of(world.repository)
        assert installation is not None
        return FixRequest(
            repository="acme/app",
            installation_id=installation.id,
            number=self.pull.number,
            is_pull_request=True,
            actor="",
            comment_id=None,
            asked_at=datetime.now(UTC),
            failed=FailedCommit(self.sha, "feature", "main", self.pull.number, tuple(self.checks)),
        )

    async def repaired(self) -> None:
        """Start the run as the trigger does, and wait for its end."""
        request = self.request()
        await self.world.server.runs.create(request, "delivery")
        await self.world.server.admission.start(request)
        await self.world.settled()


def failing_commit(world: World, changes: Mapping[str, str | bytes | None]) -> FailingCommit:
    """Open a pull request with these changes."""
    sha = world.state.push(world.repository, "feature", changes)
    opened = (issue for issue in world.pulls() if issue.pull and issue.pull.head_ref == "feature")
    pull = next(opened, None) or world.state.open_pull_request(
        world.repository, "wes", "A feature", head="feature"
    )
    return FailingCommit(world, pull, sha, [])
