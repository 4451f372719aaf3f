"""Start, stop, answer and repeat runs for people on a page and for programs."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from urllib.parse import urlsplit
from uuid import uuid4

from bot.errors import Conflict, GitHubError, NotPermitted
from bot.github.github import GitHub
from bot.intake.approval_answers import Approvals
from bot.model import Verdict
from bot.model.given_test import GivenTest
from bot.model.questions import Question
from bot.model.repository import Repo
from bot.model.request import FixRequest, Options
from bot.reporting.series import series
from bot.storage.approvals import ApprovalAnswer
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.stores import Stores
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem
from bot.web.rights import Rights

LONGEST_PROMPT = 20_000
ADDRESS = (
    r"^(?:https?://([A-Za-z0-9.:-]{1,200})/)?"
    r"([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})/?$"
)
"""Host, if it is an address, and name of a repository; also for JSON Schema."""

_ADDRESS = re.compile(ADDRESS, re.ASCII)
_FROM_API = "api"


@dataclass(frozen=True, slots=True)
class RunParameters:
    """What somebody wants to have fixed.

    Attributes:
        repository: `owner/name`, or its address; or the repository itself, where that is known.
        prompt: What is wrong, in words.
        number: Of the issue or pull request that it is about, or None.
        test: The failing command, or None.
        budget_usd: Money for model calls, or None.
        given_test: A new test file that has to pass in the end, or None.
        key: Names the question: asked twice by one caller, it is one run. "" makes one up.
        session: Session that it is a part of, or None. Then `key` is the same for all callers.
    """

    repository: str | Repo
    prompt: str = ""
    number: int | None = None
    test: str | None = None
    budget_usd: Decimal | None = None
    given_test: GivenTest | None = None
    key: str = ""
    session: str | None = None


class RunControl:
    """Acts on runs. Every method raises `ApiProblem` with a sentence when it can't."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        approvals: Approvals,
        rights: Rights,
        web_url: str,
    ) -> None:
        """Say what to act on.

        Args:
            github: To find repositories and issues.
            stores: Of runs.
            start: Starts a run that is stored.
            approvals: Takes answers to runs that wait.
            rights: Knows who may do what in a repository.
            web_url: Of GitHub: addresses of repositories elsewhere are refused.
        """
        self._github = github
        self._host = urlsplit(web_url).netloc.lower()
        self._runs = stores.runs
        self._start = start
        self._approvals = approvals
        self._rights = rights

    async def ask(self, ask: RunParameters, caller: Caller) -> str:
        """Start the run that answers; return its id."""
        caller.demand(Scope.RUN)
        if not (ask.prompt.strip() or ask.number or ask.test or ask.given_test):
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "Say what is wrong: give a prompt, an issue number, a failing command, or a test.",
            )
        if len(ask.prompt) > LONGEST_PROMPT:
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"The prompt has {len(ask.prompt):,} characters; at most {LONGEST_PROMPT:,} are "
                "allowed. Shorten it.",
            )
        repo = await self.installed(ask.repository, caller)
        await self._may_start(caller, repo, ask.number)
        is_pull = False
        if ask.number is not None:
            with _github_errors():
                is_pull = (await self._github.issue(repo, ask.number)).is_pull_request
        request = FixRequest(
            repository=repo.full_name,
            installation_id=repo.installation_id,
            repository_id=repo.id,
            number=ask.number,
            is_pull_request=is_pull,
            actor=caller.login,
            comment_id=None,
            asked_at=datetime.now(UTC),
            instructions=ask.prompt.strip(),
            options=Options(test=ask.test or None, budget_usd=ask.budget_usd),
            asked_through=_asked_through(ask, caller),
            given_test=ask.given_test,
            asked_by=caller.name,
            session=ask.session,
        )
        return await self._begin(request)

    async def installed(self, repository: str | Repo, caller: Caller) -> Repo:
        """Return a repository that the App is installed on, and that the caller sees."""
        if isinstance(repository, Repo):
            name, find = repository.full_name, self._github.whereabouts(repository)
        else:
            name = repository_of(repository, self._host)
            find = self._github.installed_on(name)
        with _github_errors():
            repo = await find
        if repo is None or not caller.may_see(repo.identity):
            raise ApiProblem(
                HTTPStatus.NOT_FOUND,
                f"The App isn't installed on {name}. Install it there, or check the name.",
            )
        return repo

    async def again(self, run_id: str, caller: Caller) -> str:
        """Start a run with the same question; return its id."""
        run = await self.run(run_id, caller)
        if run.repo.id is None:
            raise ApiProblem(
                HTTPStatus.CONFLICT,
                f"Run {run_id} is from a time when only the name of its repository was kept, which "
                "another one may have by now. Start a new run.",
            )
        await self._may_start(caller, repo_of(run), run.request.number)
        if run.status is not RunStatus.DONE:
            raise ApiProblem(
                HTTPStatus.CONFLICT, f"Run {run_id} hasn't ended yet. Stop it before you retry it."
            )
        return await self._begin(
            replace(
                run.request,
                actor=caller.login or run.request.actor,
                asked_through=uuid4().hex,
                asked_at=datetime.now(UTC),
                asked_by=caller.name,
                continues=None,
                repository=run.repo.full_name,
                repository_id=run.repo.id,
            )
        )

    async def stop(self, run_id: str, caller: Caller) -> None:
        """Ask a run to stop."""
        run = await self.run(run_id, caller)
        await self._rights.demand(caller, Scope.RUN, repo_of(run))
        if run.status is RunStatus.WAITING:  # nothing works on it that would hear of a stop
            await self._approvals.end(run, ApprovalAnswer.REJECTED, caller.name)
        elif not await self._runs.request_stop(run.id):
            raise ApiProblem(HTTPStatus.CONFLICT, f"Run {run_id} has already ended.")

    async def may_answer(self, run_id: str, caller: Caller, *, approved: bool) -> RunRecord:
        """Return a run whose questions the caller may answer so.

        As in comments, people may reject what they may stop.
        """
        run = await self.run(run_id, caller)
        scope = Scope.RUN if caller.login and not approved else Scope.APPROVE
        await self._rights.demand(caller, scope, repo_of(run))
        return run

    async def answer(self, run_id: str, caller: Caller, question: str, *, approved: bool) -> None:
        """Answer the question of that id, which a run asks."""
        run = await self.may_answer(run_id, caller, approved=approved)
        questions = await self._approvals.open_of(run)
        if not questions:
            raise ApiProblem(HTTPStatus.CONFLICT, f"Run {run_id} isn't waiting for an answer.")
        asked = next((item for item in questions if item.id == question), None)
        if asked is None:
            opened = series([f"{item.id}, about {item.about or 'the run'}" for item in questions])
            raise ApiProblem(
                HTTPStatus.CONFLICT,
                f"Question {question[:40]!r} isn't open, so nothing was answered. Open: {opened}.",
            )
        answer = ApprovalAnswer.APPROVED if approved else ApprovalAnswer.REJECTED
        await self._approvals.answer(asked, answer, caller.name)

    async def allowed(self, run: RunRecord, caller: Caller) -> frozenset[Scope]:
        """Return what a caller may do with a run, as far as a page shows buttons for it."""
        return await self._rights.shown(caller, repo_of(run))

    async def questions(self, run: RunRecord) -> tuple[Question, ...]:
        """Return what a person's answer is wanted to."""
        return await self._approvals.open_of(run)

    async def run(self, run_id: str, caller: Caller) -> RunRecord:
        """Return a run with its report; one that the caller may not see does not exist."""
        caller.demand(Scope.READ)
        found = await self._runs.get(run_id)
        if found is None or not caller.may_see(found.repo.identity):
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"There is no run {run_id[:40]!r}.")
        return found

    async def _may_start(self, caller: Caller, repo: Repo, number: int | None) -> None:
        """Raise `ApiProblem` if a caller may not start a run there.

        As in comments, people may start one behind a budget that was spent only if they may
        approve of more.
        """
        await self._rights.demand(caller, Scope.RUN, repo)
        if caller.login and number is not None:
            latest = await self._runs.latest(repo, number)
            if latest is not None and latest.verdict is Verdict.BUDGET_SPENT:
                await self._rights.demand(caller, Scope.APPROVE, repo)

    async def _begin(self, request: FixRequest) -> str:
        if not await self._runs.create(request, _FROM_API):
            await self._require_same(request)
        await self._start(request)
        return request.run_id

    async def _require_same(self, request: FixRequest) -> None:
        """Refuse a key that named another question before."""
        earlier = await self._runs.get(request.run_id)
        if (
            earlier is None
            or replace(request, asked_at=earlier.request.asked_at) == earlier.request
        ):
            return
        if request.session is not None:
            raise ApiProblem(HTTPStatus.CONFLICT, "Another prompt of this session came first.")
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "This Idempotency-Key was used for another question. Use a new one for each.",
        )


def repo_of(run: RunRecord) -> Repo:
    """Return the repository of a run, as the App sees it."""
    return run.repo


def _asked_through(ask: RunParameters, caller: Caller) -> str:
    """Return what names a question: those of different callers never are the same by accident."""
    if ask.session is not None:
        return ask.key
    return caller.question(ask.key) if ask.key else uuid4().hex


@contextmanager
def _github_errors() -> Iterator[None]:
    """Say what GitHub says: that something is not there, or that it does not answer."""
    try:
        yield
    except (NotPermitted, Conflict) as error:
        raise ApiProblem(HTTPStatus.NOT_FOUND, str(error)) from error
    except GitHubError as error:
        raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error


def repository_of(text: str, host: str) -> str:
    """Return `owner/name` of a name, or of an address at `host`.

    Raises:
        ApiProblem: When it is neither.
    """
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or (found[1] or host).lower() not in {host, f"www.{host}"}:
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"The repository must look like owner/name or https://{host}/owner/name.",
        )
    return found[2].removesuffix(".git")
