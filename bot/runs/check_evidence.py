"""Gather from GitHub what is known of a commit's failed checks; what is unavailable is said."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Iterable
from dataclasses import replace
from typing import TypeVar

from bot.ci.evidence import CheckAnnotation, JobEvidence, StepFacts
from bot.ci.evidence_reader import (
    Collected,
    understand_apart,
)
from bot.ci.joblog.window import LogWindow
from bot.ci.workflow.actions import is_known
from bot.ci.workflow.spec.referenced_workflows import (
    ActionOfRepository,
    WorkflowOfRepository,
    actions_named,
    is_composite,
)
from bot.errors import GitHubError, NotPermitted
from bot.github.downloads import TooLarge
from bot.github.github import GitHub
from bot.github.jobs import ReferencedWorkflow, WorkflowFacts, WorkflowJob
from bot.github.refusals import Gone
from bot.model.check_report import Annotation
from bot.model.repository import Repo
from bot.model.request import FailedCheck
from bot.reporting.reasons import job_target

_MOST_CALLED = 20
"""Reusable workflows; GitHub's own limit for one run."""

_MOST_ACTIONS = 10
"""Of one commit: GitHub answers strangers 60 times an hour, and an action may take two questions."""


class FilesElsewhere:
    """Asks for what anybody may read, each file once."""

    def __init__(self, github: GitHub, repo: Repo, head: str) -> None:
        """Describe where to ask.

        Args:
            github: The App's GitHub.
            repo: The repository whose runs are meant.
            head: Their commit.
        """
        self._github = github
        self._repo = repo
        self._head = head
        self._actions: dict[ActionOfRepository, tuple[str, str] | None] = {}

    async def of_run(self, facts: WorkflowFacts, missing: list[str]) -> tuple[tuple[str, str], ...]:
        """Return what a run used of other repositories, by how `uses` names it; add what is missing."""
        called = await self._workflows(facts.referenced, missing)
        own = await self._github.read_file(self._repo, facts.path, self._head)
        texts = [*(text for _, text in called), (own or b"").decode("utf-8", "replace")]
        return (*called, *await self._composites(texts, missing))

    async def _workflows(
        self, referenced: tuple[ReferencedWorkflow, ...], missing: list[str]
    ) -> list[tuple[str, str]]:
        """Return the called workflows, as the run had them."""
        found: list[tuple[str, str]] = []
        for workflow in referenced[:_MOST_CALLED]:
            place = WorkflowOfRepository.parse(workflow.path)
            if place is None or place.repository == self._repo.full_name:
                continue
            what = job_target.called_workflow(workflow.path)
            try:
                text = await self._public(place.repository, place.path, workflow.sha)
            except GitHubError as error:  # as when it has answered strangers often enough
                missing.append(job_target.forbidden(what, str(error)))
                continue
            if text is None:
                missing.append(job_target.gone(what))
            else:
                found.append((workflow.path, text))
        return found

    async def _composites(self, texts: Iterable[str], missing: list[str]) -> list[tuple[str, str]]:
        """Return the composite actions that texts name, and those that these name.

        What is known otherwise needs no file. One that is no composite is a program that comes with
        files of its own.
        """
        found: dict[str, str] = {}
        waiting = [action for text in texts for action in actions_named(text)]
        while waiting:
            action = waiting.pop(0)
            if is_known(action.uses):
                continue
            if action not in self._actions and len(self._actions) < _MOST_ACTIONS:
                try:
                    self._actions[action] = await self._file(action)
                except GitHubError as error:
                    what = job_target.action(action.uses)
                    missing.append(job_target.forbidden(what, str(error)))
                    self._actions[action] = None
            read = self._actions.get(action)
            if read is not None and read[0] not in found:
                found[read[0]] = read[1]
                waiting += actions_named(read[1], action)
        return list(found.items())

    async def _file(self, action: ActionOfRepository) -> tuple[str, str] | None:
        for path in action.files:
            text = await self._public(action.repository, path, action.ref)
            if text is not None:
                return (action.place(path), text) if is_composite(text) else None
        return None

    async def _public(self, repository: str, path: str, ref: str) -> str | None:
        data = await self._github.read_public_file(repository, path, ref)
        return None if data is None else data.decode("utf-8", "replace")


MOST_CHECKS = 12
"""Failed checks of one commit that are looked at."""

_REPORTS = re.compile(r"junit|test|report|result|surefire|coverage", re.IGNORECASE)
_MOST_ARTIFACTS = 5
_LARGEST_ARTIFACT = 32 * 2**20
_JUNIT = re.compile(rb"<testsuites?\b")

T = TypeVar("T")


class Gathering:
    """Asks for one failed check after the other."""

    def __init__(self, github: GitHub, repo: Repo, *, head: str, base: str | None) -> None:
        """Describe where to ask.

        Args:
            github: The App's GitHub.
            repo: The repository.
            head: The failing commit.
            base: Commit that the failing one is compared with, or None.
        """
        self._github = github
        self._repo = repo
        self._base = base
        self._elsewhere = FilesElsewhere(github, repo, head)

    async def all_of(self, checks: tuple[FailedCheck, ...]) -> tuple[JobEvidence, ...]:
        """Return the evidence of each check, in order; an outage of GitHub is raised."""
        return tuple([await self.of(check) for check in checks[:MOST_CHECKS]])

    async def of(self, check: FailedCheck) -> JobEvidence:
        """Return everything that is known of one failed check.

        Raises:
            GitHubError: In an outage; what is missing or forbidden is said in the evidence.
        """
        missing: list[str] = []
        bare = JobEvidence(check)
        log: str | None = None
        reports: tuple[bytes, ...] = ()
        if check.job_id is not None:
            job = await _had(
                self._github.workflow_job(self._repo, check.job_id),
                job_target.JOB_STEPS,
                missing,
            )
            bare = await self._with_job(bare, job, missing)
            log = await self._log(check.job_id, job, missing)
            reports = await self._reports(job, missing)
        summary = ""
        if check.check_run_id is not None:
            bare = await self._with_remarks(bare, check.check_run_id, missing)
            if log is None:
                output = self._github.check_output(self._repo, check.check_run_id)
                summary = await _had(output, job_target.CHECK_OUTPUT, missing) or ""
        if log is None and not summary and not bare.remarks:
            missing.append(job_target.UNEXPLAINED)
        told = Collected(log, reports, summary, self._repo.full_name)
        return await understand_apart(replace(bare, missing=tuple(missing)), told)

    async def _with_job(
        self, bare: JobEvidence, job: WorkflowJob | None, missing: list[str]
    ) -> JobEvidence:
        run_id = job.run_id if job else bare.check.workflow_run_id
        if run_id is None:
            return bare
        facts = await _had(
            self._github.workflow_facts(self._repo, run_id), job_target.WORKFLOW_RUN, missing
        )
        steps = [
            StepFacts(step.name, step.number, step.conclusion, step.started, step.ended)
            for step in (job.steps if job else ())
        ]
        called = await self._elsewhere.of_run(facts, missing) if facts else ()
        return replace(
            bare,
            called=called,
            run_id=run_id,
            workflow=facts.path if facts else "",
            event=facts.event if facts else "",
            job=job.name if job else "",
            labels=job.labels if job else (),
            attempt=job.attempt if job else 1,
            steps=tuple(steps),
        )

    async def _with_remarks(
        self, bare: JobEvidence, check_run: int, missing: list[str]
    ) -> JobEvidence:
        told = await _had(
            self._github.annotations(self._repo, check_run),
            job_target.CHECK_ANNOTATIONS,
            missing,
        )
        passed = None
        if self._base is not None:
            at_base = self._github.passed_at(self._repo, self._base, bare.check.name)
            passed = await _had(at_base, job_target.CHECK_ON_BASE, missing)
        remarks = tuple(_remark(annotation) for annotation in told or ())
        return replace(bare, remarks=remarks, passed_on_base=passed)

    async def _log(self, job_id: int, job: WorkflowJob | None, missing: list[str]) -> str | None:
        """Return the job's log, out of the archive of its run where it is not kept alone."""
        try:
            window = await self._github.job_log(self._repo, job_id, LogWindow)
            return window.text()
        except Gone:
            pass
        except NotPermitted as error:
            missing.append(job_target.log_forbidden(str(error)))
            return None
        if job is not None:
            archive = await _had(self._github.run_logs(self._repo, job.run_id), "", [])
            wanted = re.compile(rf"(?:\d+_)?{re.escape(_file_name(job.name))}\.txt")
            for name, data in (archive.files(".txt") if archive else {}).items():
                if wanted.fullmatch(name):
                    window = LogWindow()
                    window.feed(data)
                    return window.text()
        missing.append(job_target.LOG_EXPIRED)
        return None

    async def _reports(self, job: WorkflowJob | None, missing: list[str]) -> tuple[bytes, ...]:
        """Return the JUnit files among the artifacts whose names speak of tests."""
        if job is None:
            return ()
        listed = await _had(self._github.artifacts(self._repo, job.run_id), "", []) or ()
        wanted = [facts for facts in listed if _REPORTS.search(facts.name) and not facts.expired]
        found: list[bytes] = []
        for artifact in wanted[:_MOST_ARTIFACTS]:
            if artifact.size > _LARGEST_ARTIFACT:
                missing.append(job_target.artifact_too_large(artifact.name))
                continue
            told = job_target.artifact(artifact.name)
            archive = await _had(self._github.artifact(self._repo, artifact), told, missing)
            files = archive.files(".xml") if archive else {}
            found += [data for data in files.values() if _JUNIT.search(data[:4096])]
        return tuple(found)


async def _had(asking: Awaitable[T], what: str, missing: list[str]) -> T | None:
    """Return the answer; where GitHub has none or forbids it, None, and a sentence about it."""
    try:
        return await asking
    except Gone:
        missing.append(job_target.gone(what))
    except NotPermitted as error:
        missing.append(job_target.forbidden(what, str(error)))
    except TooLarge as error:
        missing.append(str(error))
    return None


def _remark(annotation: Annotation) -> CheckAnnotation:
    return CheckAnnotation(
        annotation.path, annotation.start_line, annotation.level, annotation.message
    )


def _file_name(job: str) -> str:
    """Return a job's name as it stands in the archive: without what file names can't have."""
    return re.sub(r'[<>:"/\\|?*]', "", job)
