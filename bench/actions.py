"""Give real failures of GitHub Actions to the whole server, and see what it makes of them.

    python -m bench.actions CASES.json --mirrors DIR --work DIR [--only ID] [--jobs N]

For each case the log of the failed job is made first, by the case's own commands outside of
Fixpoint. Then the real `fixpoint serve` gets a signed delivery about the failed check of a pull
request, without a model, and works until its verdict. A published repair is checked once more
outside: the step that failed has to pass there. Clones are `owner+name` below --mirrors;
environments, logs and reports are kept below --work, and made anew only when they are missing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.action_cases import (
    ActionCase,
    FailedJob,
    Outside,
    check_out,
    ended,
    find_failed_job,
    load_action_cases,
)
from bench.case import mirror_of, run_git
from bench.processes import Failed, without_settings
from bench.tables import print_machine, print_table
from bot.model import Report
from bot.storage.runs import RunStatus
from bot.storage.stored_json import dump_report, load_report
from demo.serving import serve
from tests.fakes.github import GitHubServer, GitHubState, Issue, Repository
from tests.fakes.github.ci_model import Step

_CONFIG = "checks: {auto: all, settle: 0, red_on_base: true}\n"
_ENDED = frozenset({RunStatus.DONE, RunStatus.WAITING})
_LONGEST = 3600.0
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case.

    Attributes:
        case: The case.
        verdict: Of the run, or "no run".
        reason: Of the verdict, a sentence.
        cause: Of the reproduction: `real`, `not reproduced`, `infrastructure` ...
        here: What failed here.
        passes_outside: Whether the failed step passes outside with what was published; None when
            nothing was.
        seconds: From the delivery to the verdict.
    """

    case: ActionCase
    verdict: str
    reason: str
    cause: str = ""
    here: tuple[str, ...] = ()
    passes_outside: bool | None = None
    seconds: float = 0.0

    @property
    def reproduced(self) -> bool:
        """Whether it went past the reproduction."""
        return self.cause == "real"

    def row(self) -> tuple[str, ...]:
        """Return it for the table."""
        outside = {None: "", True: "passes", False: "FAILS"}[self.passes_outside]
        name = f"{self.case.repo} {self.case.id}"
        return (name, self.case.failed, self.cause, self.verdict, outside, f"{self.seconds:.0f}")


def main() -> None:
    """Run the cases, print the table; exit with 1 when a published repair fails outside."""
    options = _options()
    cases = [case for case in load_action_cases(options.file) if _wanted(case, options.only)]
    results = asyncio.run(_run_all(cases, options))
    _print(results)
    sys.exit(any(result.passes_outside is False for result in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.actions", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is kept")
    parser.add_argument("--only", action="append", metavar="ID", help="id or repo; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    return parser.parse_args()


def _wanted(case: ActionCase, only: list[str] | None) -> bool:
    return not only or case.id in only or case.repo in only


async def _run_all(cases: list[ActionCase], options: argparse.Namespace) -> list[Result]:
    free = asyncio.Semaphore(options.jobs)

    async def one(case: ActionCase) -> Result:
        async with free:
            try:
                result = await _run(case, options)
            except Failed as error:
                result = Result(case, "no run", str(error))
            said = (*result.row(), result.reason[:600], "; ".join(result.here[:5]))
            print(" | ".join(said), file=sys.stderr, flush=True)
            return result

    return await asyncio.gather(*(one(case) for case in cases))


def _print(results: list[Result]) -> None:
    print_machine()
    head = ("Case", "Failed step", "Cause", "Verdict", "Outside", "Seconds")
    print_table("Failed jobs of public projects", head, [result.row() for result in results])
    reproduced = sum(result.reproduced for result in results)
    repaired = sum(result.passes_outside is True for result in results)
    print(f"\n{len(results)} cases: {reproduced} reproduced, {repaired} repaired and published.")


async def _run(case: ActionCase, options: argparse.Namespace) -> Result:
    kept = options.work.absolute() / case.id
    helper = options.file.absolute().parent
    with tempfile.TemporaryDirectory(prefix="fixpoint-action-") as name:
        scratch = Path(name)
        mirror = mirror_of(case.fetch, options.mirrors.absolute())
        tree = check_out(mirror, case.sha, scratch / "w")
        outside = Outside(case, kept, helper)
        job, said = await asyncio.to_thread(_failure, outside, tree)
        async with _Story(case, job, job.log(case, said), scratch, mirror).told() as story:
            started = time.perf_counter()
            await story.check_fails()
            report = await story.report()
            seconds = time.perf_counter() - started
        result = _result(case, report, seconds)
        (kept / "report.json").write_bytes(dump_report(report))
        shutil.copy(scratch / "server.log", kept / "server.log")
        if (commit := story.published()) is None:
            return result
        there = check_out(story.repository.git.path, commit, scratch / "after")
        await asyncio.to_thread(outside.prepare, there)
        line, _ = await asyncio.to_thread(outside.check, there)
        (kept / "repair.diff").write_text(run_git(there, "diff", case.sha, "HEAD"))
        return replace(result, passes_outside=not line)


def _failure(outside: Outside, tree: Path) -> tuple[FailedJob, str]:
    """Return the failed job and what its step printed, kept from an earlier time if it was."""
    file = outside.folder / "failure.json"
    if file.exists():
        line, said = json.loads(file.read_text())
    else:
        outside.prepare(tree)
        line, said = outside.check(tree)
        if not line:
            raise Failed(f"{outside.case.id}: the step does not fail outside of Fixpoint.")
        run_git(tree, "clean", "-qfdx")
        run_git(tree, "checkout", "--quiet", "--force", "HEAD")
        file.write_text(json.dumps((line, said)))
    return find_failed_job(outside.case, tree, line), said


class _Story:
    """A pull request whose check fails, on a GitHub of this machine, and the server beside it."""

    def __init__(
        self, case: ActionCase, job: FailedJob, log: bytes, folder: Path, mirror: Path
    ) -> None:
        self._case = case
        self._job = job
        self._log = log
        self._folder = folder
        self._state = GitHubState(folder / "github")
        self.repository = self._repository(mirror)
        self._pull: Issue = self._state.open_pull_request(
            self.repository, "ada", "A change", head="feature"
        )
        self._state.install(self.repository.owner.login)
        self._github = GitHubServer(self._state)
        self._webhook = ""

    @asynccontextmanager
    async def told(self) -> AsyncIterator[_Story]:
        """Run GitHub and the server while the block lasts."""
        async with self._github:
            environment = without_settings() | self._settings()
            async with serve(environment, self._folder / "server.log") as process:
                self._webhook = f"{process.url}/webhook"
                yield self

    async def check_fails(self) -> None:
        """GitHub Actions ran the job on the head of the pull request, and it failed."""
        ci, case = self._state.ci, self._case
        event = "pull_request" if self._job.plan.event.name.startswith("pull") else "push"
        run = ci.workflow_run(self.repository, case.sha, "feature", name="CI", event=event)
        run.path, run.created_at = case.workflow, ended(case)[0]
        check = ci.job(
            self.repository,
            run,
            self._name(),
            conclusion="failure",
            steps=self._steps(),
            log=self._log,
        )
        run.jobs[0].started_at, run.jobs[0].completed_at = ended(case)
        for sent in self._github.check_events(self.repository, check):
            await self._github.deliver(sent, self._webhook)

    async def report(self) -> Report:
        """Return the run's report, once there is one.

        Raises:
            Failed: When there is none in time, or the run ended without.
        """
        file = self._folder / "data" / "fixpoint.db"
        deadline = time.monotonic() + _LONGEST
        while time.monotonic() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
            with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
                rows = database.execute("select status, reason, report from runs").fetchall()
            for status, reason, report in rows:
                if status in _ENDED:
                    if report is None:
                        raise Failed(f"{self._case.id}: {reason}")
                    return load_report(report)
        raise Failed(f"{self._case.id}: no verdict in time.")

    def published(self) -> str | None:
        """Return the commit that Fixpoint's pull request offers, or None."""
        git = self.repository.git
        pulls = [issue for issue in self.repository.issues.values() if issue.pull is not None]
        ours = [pull.pull for pull in pulls if pull is not self._pull and pull.pull is not None]
        return git.resolve(ours[0].head_ref) if ours else None

    def _repository(self, mirror: Path) -> Repository:
        """Return a repository with the failing commit, and the one before it as its base."""
        repo = self._state.add_repository(self._case.repo, roles={"ada": "admin"})
        objects = run_git(mirror, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        (repo.git.path / "objects/info/alternates").write_text(objects)
        before = repo.git.resolve(f"{self._case.sha}^") or self._case.sha
        config: dict[str, str | bytes | None] = {".github/fixpoint.yml": _CONFIG}
        self._state.push(repo, "main", config, onto=before)
        repo.git.set_reference("refs/heads/feature", self._case.sha)
        return repo

    def _name(self) -> str:
        """Return what the check is called; GitHub knows the values of every matrix."""
        name = self._job.plan.name
        return (
            name.replace("(*)", f"({self._case.python})") if self._job.plan.target.unknown else name
        )

    def _steps(self) -> list[Step]:
        steps, conclusion = [Step("Set up job", "success")], "success"
        for planned in self._job.plan.steps:
            failed = planned is self._job.step
            steps.append(Step(planned.step.title, "failure" if failed else conclusion))
            conclusion = "skipped" if failed else conclusion
        return steps

    def _settings(self) -> dict[str, str]:
        app = self._state.app
        return {
            "HOME": str(self._folder),
            "HOST": "127.0.0.1",
            "PORT": "0",
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_PRIVATE_KEY": app.private_key,
            "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
            "GITHUB_API_URL": self._github.api_url,
            "GITHUB_URL": self._github.web_url,
            "FIXPOINT_DATA": str(self._folder / "data"),
            "FIXPOINT_SANDBOX": "bubblewrap",
        }


def _result(case: ActionCase, report: Report, seconds: float) -> Result:
    seen = report.reproduction
    observed = seen.observation if seen else None
    return Result(
        case,
        report.verdict.value,
        report.reason,
        seen.cause.value if seen else "",
        tuple(failure.test for failure in observed.failing) if observed else (),
        seconds=seconds,
    )


if __name__ == "__main__":
    main()
