"""How a run on GitHub begins: it is announced, the request is read, the evidence is gathered."""

from __future__ import annotations

from dataclasses import replace

from bot.ci.evidence import JobEvidence
from bot.config.repo_config import PATH as CONFIG_PATH
from bot.errors import HeadMoved, NotPermitted, RepoConfigError, UsageError
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.model.money.caps import Caps
from bot.model.request import FixRequest
from bot.redaction import Redactor
from bot.reporting import messages
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import progress_marker
from bot.reporting.reasons import run_life
from bot.runs.check_evidence import Gathering
from bot.runs.display import Display, RunDisplay
from bot.runs.publishing.outcome_comment import CouldNotStart
from bot.runs.starting_state import Brief, write_brief
from bot.storage.runs import RunStatus, RunStore

_MOST_PARENTS = 20
"""Commits whose checks are looked at: one that is green is usually the next."""


class Beginning:
    """What comes before the repair; every method but `caps_of` is a step's act.

    A step's result is stored, and shown to a model: what looks like a secret is taken out before.
    """

    def __init__(
        self,
        github: GitHub,
        runs: RunStore,
        display: Display,
        caps: Caps,
        redactor: Redactor,
    ) -> None:
        self._github = github
        self._runs = runs
        self._display = display
        self._caps = caps
        self._redactor = redactor

    def caps_of(self, brief: Brief) -> Caps:
        """Return the server's caps, lowered where the repository asks for less."""
        return self._caps.within(brief.config.caps.within_repository)

    async def announce(self, request: FixRequest) -> RunDisplay:
        """Open the places where the progress will be shown."""
        shown = await self._display.open(request)
        await self._runs.update(request.run_id, status=RunStatus.RUNNING)
        if shown.comment is not None:
            await self._runs.update(request.run_id, progress_comment_id=shown.comment)
        return shown

    async def brief(self, request: FixRequest) -> Brief | CouldNotStart:
        """Return what the run has to know, or what to tell people when it can't start."""
        mark, by = progress_marker(request), answer_by(request)
        try:
            brief = await write_brief(self._github, request)
            brief = replace(brief, problem=self._redactor.frozen(brief.problem))
            await self._check_pace(request, brief)
            await self._runs.update(request.run_id, title=brief.problem.title)
        except RepoConfigError as error:
            text = messages.config_invalid(CONFIG_PATH, error.problems, mark, by)
            return CouldNotStart(text, run_life.config_invalid(*error.problems))
        except HeadMoved as error:
            return CouldNotStart(messages.moved_on(str(error), mark), str(error))
        except UsageError as error:
            return CouldNotStart(messages.could_not_start(str(error), mark), str(error))
        except NotPermitted as error:
            return CouldNotStart(messages.no_access(str(error), mark, by), str(error))
        return brief

    async def _check_pace(self, request: FixRequest, brief: Brief) -> None:
        """Raise `UsageError` when the repository had its runs of this hour."""
        most = self.caps_of(brief).runs_per_hour
        if most is None:
            return
        earlier = await self._runs.within_an_hour_before(request.run_id)
        if earlier >= most:
            raise UsageError(run_life.hourly_limit(most, answer_by(request)))

    async def gather(self, request: FixRequest, brief: Brief) -> tuple[JobEvidence, ...]:
        """Return what GitHub knows of the failed checks."""
        failed = request.original.failed
        if failed is None:
            return ()
        base = brief.trusted if brief.trusted != brief.commit else None
        repo = request.repo
        gathering = Gathering(self._github, repo, head=failed.sha, base=base)
        found = await gathering.all_of(failed.checks)
        return self._redactor.frozen(found)

    async def last_green(self, request: FixRequest, brief: Brief) -> str:
        """Return the newest commit of a branch at which the checks passed that failed now; "" for none.

        A pull request is compared with its base instead.
        """
        failed = request.original.failed
        if (
            failed is None
            or failed.pull_request
            or failed.group
            or not brief.config.explain.seconds
        ):
            return ""
        repo, commit = request.repo, failed.sha
        names = {check.name for check in failed.checks if check.check_run_id is not None}
        try:
            for _ in range(_MOST_PARENTS if names else 0):
                commit = await self._github.first_parent(repo, commit)
                ends = [await self._github.passed_at(repo, commit, name) for name in sorted(names)]
                if all(ends):
                    return commit
        except (NotPermitted, Gone, IndexError):  # the oldest has no parent
            pass
        return ""
