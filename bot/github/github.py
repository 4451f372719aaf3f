"""All that Fixpoint asks of GitHub, each with a token that can do no more than that."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

import aiohttp
from cachetools import LRUCache
from pydantic import SecretStr

from bot.errors import GitHubError
from bot.github import (
    checks,
    contents,
    conversation,
    deliveries,
    jobs,
    lfs,
    overview,
    payloads,
    pull_requests,
    review_threads,
    reviews,
)
from bot.github.auth import (
    CHECK,
    CLONE,
    EVIDENCE,
    PUBLISH,
    PUSH,
    READ,
    RERUN,
    TALK,
    WATCH,
    Access,
    Fixed,
    InstallationTokens,
    TokenFor,
    access_for,
)
from bot.github.authorship import Writing, read_writings
from bot.github.check_values import CommitChecks
from bot.github.checks import read_checks
from bot.github.client import Connection, address
from bot.github.contents import advance_branch
from bot.github.downloads import Archive, Sink
from bot.github.graphql import base_of
from bot.github.jobs import ArtifactFacts, WorkflowFacts, WorkflowJob
from bot.github.lfs import LfsPointer
from bot.github.overview import InstallationFacts, ListedComment, ListedRepository
from bot.github.pace import OwnBook, Pace, QuotaBook
from bot.github.people import Person, read_person
from bot.github.refusals import GitHubRetries, Gone
from bot.github.review_threads import ReviewThread
from bot.github.values import (
    Advance,
    AppIdentity,
    Comparison,
    DeliveryAttempt,
    Issue,
    Permission,
    Publication,
    Published,
    PullRequest,
    RemarkAtLine,
    RepositoryFacts,
    Review,
)
from bot.github.wire import Wire
from bot.model.check_report import Annotation, CheckReport
from bot.model.quota import Urgency, WritePace
from bot.model.repository import Repo

S = TypeVar("S", bound=Sink)

CONNECTIONS = 64
"""Connections remembered, each with its cache of answers; an older one is made anew."""

PACES = 1024
"""Installations whose limits are remembered."""

_PERSON_SECONDS = 15.0
"""Longest time of a request that somebody waits for in front of a page."""


class CloneSource(NamedTuple):
    """Where to clone from, and the password of the user `x-access-token` there."""

    url: str
    token: SecretStr


class GitHub:
    """GitHub as one App sees it.

    Every method raises `bot.errors.GitHubError`: `NotPermitted` when the App may not, `Conflict`
    when what is there stands against it. Methods that write can be repeated after a crash.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        app_id: str,
        private_key: SecretStr,
        api_url: str = "https://api.github.com",
        web_url: str = "https://github.com",
        patience: GitHubRetries | None = None,
        scrub: Callable[[str], str] = str,
        quotas: QuotaBook | None = None,
        writes: WritePace | None = None,
        token_looked_up: Callable[[bool], None] = lambda _: None,
        may_write: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Describe the App and its GitHub.

        Args:
            session: For every request.
            app_id: Of the App.
            private_key: Of the App, PEM.
            api_url: Of GitHub's REST API.
            web_url: Of GitHub's pages and repositories.
            patience: How long to insist.
            scrub: Takes secrets out of every text before it is posted.
            quotas: Where all servers of the App note what GitHub grants it; its own if None.
            writes: How often something is created or changed for one installation.
            token_looked_up: Hears of each token that is asked for whether it was at hand.
            may_write: Awaited before each request that changes something.
        """
        self._may_write = may_write
        self._scrub = scrub
        self._session = session
        self._api_url = api_url
        self._web_url = web_url.removesuffix("/")
        self._patience = patience or GitHubRetries()
        self._app = Connection(self._wire(app_id, private_key), self._patience)
        self._tokens = InstallationTokens(self._app, token_looked_up, self.whereabouts)
        self._connections: LRUCache[tuple[Repo, Access], Connection] = LRUCache(CONNECTIONS)
        self._quotas = quotas or OwnBook()
        self._writes = writes or WritePace()
        self._paces: LRUCache[int, Pace] = LRUCache(PACES)
        self._moved: LRUCache[Repo, Repo] = LRUCache(PACES)
        self._identity: AppIdentity | None = None
        self._identifying = asyncio.Lock()

    # --- the App ---

    async def app_identity(self) -> AppIdentity:
        """Return who we are; asked once."""
        async with self._identifying:
            if self._identity is None:
                self._identity = payloads.identity(await self._app.get("/app"))
            return self._identity

    async def missed_deliveries(self, since: datetime) -> tuple[DeliveryAttempt, ...]:
        """Return events that never reached us although GitHub tried since then, oldest first."""
        return await deliveries.missed_deliveries(self._app, since)

    async def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to deliver that event once more."""
        await deliveries.redeliver(self._app, delivery_id)

    async def person(self, token: SecretStr) -> Person:
        """Return whose token that is, and which repositories they and the App both see.

        Raises:
            Rejected: When the token is no longer good.
            GitHubError: When GitHub gives no answer; it is asked twice, because a person waits.
        """
        hurry = GitHubRetries(attempts=2, first_wait=0.2, longest_wait=0.0, timeout=_PERSON_SECONDS)
        connection = Connection(self._wire(hurry=hurry), hurry, credential=Fixed(token))
        return await read_person(connection)

    async def installed_on(self, full_name: str) -> Repo | None:
        """Return the repository with the installation that covers it; None where there is none."""
        return await overview.whereabouts(self._app, self._tokens, Repo(full_name, 0))

    # --- all of it ---

    async def installations(self) -> tuple[InstallationFacts, ...]:
        """Return where the App is installed."""
        return await overview.list_installations(self._app)

    async def repositories(self, installation: int) -> tuple[ListedRepository, ...]:
        """Return what an installation covers."""
        return await overview.list_repositories(self._app, self._tokens, installation)

    async def comments_since(self, repo: Repo, since: datetime) -> tuple[ListedComment, ...]:
        """Return comments of a repository that were written or edited since then, oldest first."""
        return await overview.list_comments(self._on(repo, READ, Urgency.PROGRESS), since)

    async def writings(self, repo: Repo, nodes: Sequence[str]) -> dict[str, Writing]:
        """Return by global id how comments read now, and who wrote that; see `read_writings`."""
        return await read_writings(self._on_graphql(repo, READ), nodes)

    async def open_pull_requests(self, repo: Repo) -> tuple[PullRequest, ...]:
        """Return the open pull requests of a repository."""
        answers = await self._on(repo, READ, Urgency.PROGRESS).get_all("/pulls?state=open")
        return tuple(payloads.pull_request(answer) for answer in answers)

    async def whereabouts(self, repo: Repo) -> Repo | None:
        """Return a repository under its name of today; None where the App can't see it any more.

        Whoever asks for it under the old name from then on is led to the new one.
        """
        found = await overview.whereabouts(self._app, self._tokens, repo)
        if found is not None:
            self._moved[repo] = found
        return found

    # --- reading ---

    async def facts(self, repo: Repo) -> RepositoryFacts:
        """Return what the repository says of itself."""
        return payloads.facts(await self._on(repo, READ).get(""))

    async def permission(self, repo: Repo, login: str) -> Permission:
        """Return a person's role; NONE for an account that GitHub does not know."""
        try:
            answer = await self._on(repo, READ).get(
                "/collaborators/{login}/permission", login=login
            )
        except Gone:
            return Permission.NONE
        return payloads.permission(answer)

    async def issue(self, repo: Repo, number: int) -> Issue:
        """Return an issue or pull request with all its comments, oldest first."""
        connection, graphql = self._on(repo, READ), self._on_graphql(repo, READ)
        return await conversation.read_issue(connection, graphql, number)

    async def pull_request(
        self, repo: Repo, number: int, urgency: Urgency = Urgency.ORDINARY
    ) -> PullRequest:
        """Return a pull request."""
        answer = await self._on(repo, READ, urgency).get("/pulls/{number}", number=number)
        return payloads.pull_request(answer)

    async def compared(self, repo: Repo, base: str, head: str) -> Comparison:
        """Return what one commit has and another one, the base, has not."""
        answer = await self._on(repo, READ).get("/compare/{base}...{head}", base=base, head=head)
        return payloads.comparison(answer)

    async def recent_messages(self, repo: Repo, branch: str) -> tuple[str, ...]:
        """Return the messages of the last commits of a branch, 50 at most, the newest first."""
        answer = await self._on(repo, READ).get(
            "/commits{?sha,per_page}", sha=branch, per_page="50"
        )
        return tuple(str(commit["commit"]["message"]) for commit in answer)

    async def first_parent(self, repo: Repo, commit: str) -> str:
        """Return the commit (hex) that a commit was made on: of a merge, the base."""
        answer = await self._on(repo, READ).get("/git/commits/{commit}", commit=commit)
        return str(answer["parents"][0]["sha"])

    async def author(self, repo: Repo, commit: str) -> str:
        """Return the login of the person who wrote a commit; "" where GitHub knows none."""
        return await pull_requests.author(self._on(repo, READ), commit)

    async def branch_head(self, repo: Repo, branch: str) -> str:
        """Return the commit (hex) of a branch."""
        return await pull_requests.branch_head(self._on(repo, READ), branch)

    async def read_file(self, repo: Repo, path: str, ref: str) -> bytes | None:
        """Return a file's bytes at a ref; None when there is no file of that name."""
        return await contents.read_file(self._on(repo, READ), path, ref)

    async def paths(self, repo: Repo, commit: str) -> frozenset[str]:
        """Return the files of a commit; of a very large one, those that GitHub lists."""
        return frozenset(await self.modes(repo, commit))

    async def modes(self, repo: Repo, commit: str) -> dict[str, str]:
        """Return the files of a commit with their modes, as far as `paths` has them."""
        path = "/git/trees/{commit}?recursive=1"
        answer = await self._on(repo, READ).get(path, commit=commit)
        return {item["path"]: item["mode"] for item in answer["tree"] if item["type"] == "blob"}

    async def read_public_file(self, full_name: str, path: str, ref: str) -> bytes | None:
        """Return a file of any repository as anybody may read it; None where nobody may.

        No token goes along: what a commit names must not open what is private elsewhere. GitHub
        answers 60 such requests an hour.
        """
        owner, _, name = full_name.partition("/")
        anybody = Connection(
            self._wire(),
            self._patience,
            prefix="/repos/{owner}/{repo}",
            variables={"owner": owner, "repo": name},
        )
        return await contents.read_file(anybody, path, ref)

    # --- checks ---

    async def commit_checks(self, repo: Repo, sha: str) -> CommitChecks:
        """Return how the checks of a commit stand."""
        return await read_checks(self._on(repo, WATCH), sha)

    async def pull_requests_of(self, repo: Repo, sha: str) -> tuple[PullRequest, ...]:
        """Return the open pull requests that have the commit as their head."""
        answers = await self._on(repo, WATCH).get_all("/commits/{sha}/pulls", sha=sha)
        found = (payloads.pull_request(answer) for answer in answers)
        return tuple(pull for pull in found if pull.state == "open" and pull.head_sha == sha)

    async def open_pull_requests_by(self, repo: Repo, author: str) -> int:
        """Return how many pull requests of an author are open."""
        answers = await self._on(repo, READ).get_all("/pulls?state=open")
        return sum(payloads.login(answer["user"]) == author for answer in answers)

    # --- talking ---

    async def react(
        self, repo: Repo, *, comment_id: int | None, issue_number: int, content: str
    ) -> None:
        """React to the comment, or without one to the issue itself.

        Args:
            repo: Where.
            comment_id: The comment, or None.
            issue_number: The issue or pull request.
            content: `+1`, `-1`, `laugh`, `confused`, `heart`, `hooray`, `rocket` or `eyes`.
        """
        await conversation.react(self._on(repo, TALK), comment_id, issue_number, content)

    async def find_comment(self, repo: Repo, number: int, marker: str) -> int | None:
        """Return the id of our own comment with that hidden marker."""
        us = await self.app_identity()
        return await conversation.find_comment(self._on(repo, TALK), number, marker, us.bot_login)

    async def post_comment(self, repo: Repo, number: int, body: str, marker: str) -> int:
        """Return the id of our comment with that marker, posting it if it is not there yet."""
        us = await self.app_identity()
        return await conversation.post_comment(
            self._on(repo, TALK), number, self._scrub(body), marker, us.bot_login
        )

    async def remove_doubles(
        self, repo: Repo, number: int, markers: Callable[[str], str | None], kept: int
    ) -> int:
        """Delete comments of ours whose markers others have too; return how many."""
        us = await self.app_identity()
        connection = self._on(repo, TALK, Urgency.PROGRESS)
        return await conversation.remove_doubles(connection, number, markers, us.bot_login, kept)

    async def edit_comment(
        self, repo: Repo, comment_id: int, body: str, urgency: Urgency = Urgency.ORDINARY
    ) -> None:
        """Replace the text of a comment of ours."""
        connection = self._on(repo, TALK, urgency)
        await conversation.edit_comment(connection, comment_id, self._scrub(body))

    async def comment_text(self, repo: Repo, comment_id: int) -> str | None:
        """Return what a comment says; None where it was deleted."""
        found = await self.comment_in(repo, comment_id)
        return None if found is None else found[1]

    async def comment_time(self, repo: Repo, comment_id: int) -> datetime | None:
        """Return when a comment was changed last, by GitHub's clock; None where it was deleted."""
        try:
            answer = await self._on(repo, READ).get(
                "/issues/comments/{comment}", comment=comment_id
            )
        except Gone:
            return None
        return datetime.fromisoformat(answer["updated_at"])

    async def comment_in(self, repo: Repo, comment_id: int) -> tuple[int, str] | None:
        """Return in which issue a comment stands and what it says; None where it was deleted."""
        connection = self._on(repo, READ, Urgency.PROGRESS)
        try:
            answer = await connection.get("/issues/comments/{comment}", comment=comment_id)
        except Gone:
            return None
        return int(answer["issue_url"].rpartition("/")[2]), str(answer["body"] or "")

    async def shown_issue(self, repo: Repo, number: int) -> payloads.Json:
        """Return an issue or pull request as GitHub shows it, and as webhooks do."""
        shown: payloads.Json = await self._on(repo, READ).get("/issues/{number}", number=number)
        return shown

    async def shown_lines(self, repo: Repo, number: int) -> dict[str, list[range]]:
        """Return by path which lines of its head commit a pull request shows."""
        return await reviews.read_shown_lines(self._on(repo, READ), number)

    async def review_comments(
        self, repo: Repo, number: int, review: int
    ) -> tuple[RemarkAtLine, ...]:
        """Return what a review says at lines of a pull request, in order."""
        connection, graphql = self._on(repo, TALK), self._on_graphql(repo, TALK)
        return await reviews.read_review_comments(connection, graphql, number, review)

    async def post_review(self, repo: Repo, number: int, review: Review) -> int:
        """Return the id of our review with its marker, posting it if it is not there yet."""
        us = await self.app_identity()
        comments = tuple(
            replace(comment, body=self._scrub(comment.body)) for comment in review.comments
        )
        scrubbed = replace(review, body=self._scrub(review.body), comments=comments)
        connection = self._on(repo, TALK, Urgency.PUBLICATION)
        return await reviews.post_review(connection, number, scrubbed, us.bot_login)

    async def review_threads(self, repo: Repo, number: int) -> tuple[ReviewThread, ...]:
        """Return what people began to say at lines of a pull request, in order."""
        connection = self._on_graphql(repo, READ)
        return await review_threads.read_review_threads(connection, await self._named(repo), number)

    async def reply_in_thread(
        self, repo: Repo, number: int, thread: ReviewThread, body: str, marker: str
    ) -> int:
        """Return the id of our reply with that marker, posting it if it is not there yet."""
        us = await self.app_identity()
        connection, first = self._on(repo, TALK, Urgency.PUBLICATION), thread.comments[0]
        return await review_threads.reply(
            connection, number, first, self._scrub(body), marker, us.bot_login
        )

    async def resolve_thread(self, repo: Repo, thread: ReviewThread) -> None:
        """Mark a review thread as resolved.

        GitHub lets those do it who may push, and the author of the pull request.
        """
        await review_threads.resolve(self._on_graphql(repo, PUBLISH), thread.id)

    async def open_issue(
        self, repo: Repo, title: str, body: str, labels: tuple[str, ...], marker: str
    ) -> int:
        """Return the number of our issue with that marker, opening it if it is not there yet."""
        us = await self.app_identity()
        connection = self._on(repo, TALK, Urgency.PUBLICATION)
        return await conversation.open_issue(
            connection, self._scrub(title), self._scrub(body), labels, marker, us.bot_login
        )

    async def close_issue(self, repo: Repo, number: int) -> None:
        """Close an issue of ours, or a pull request; closing it again changes nothing."""
        connection = self._on(repo, TALK, Urgency.PUBLICATION)
        await connection.patch("/issues/{number}", {"state": "closed"}, number=number)

    # --- publishing ---

    async def publish(self, repo: Repo, publication: Publication) -> Published:
        """Make branch, commit and pull request, or return those that are there already."""
        scrubbed = replace(
            publication,
            title=self._scrub(publication.title),
            body=self._scrub(publication.body),
            commit_message=self._scrub(publication.commit_message),
        )
        connection = self._on(repo, access_for(publication.changes), Urgency.PUBLICATION)
        return await pull_requests.publish(connection, await self._named(repo), scrubbed)

    async def advance(self, repo: Repo, advance: Advance) -> str:
        """Return the commit that a branch has on top of its head now, making it if need be.

        Raises:
            HeadMoved: When the branch's head is another commit than the one to build on.
        """
        scrubbed = replace(advance, message=self._scrub(advance.message))
        connection = self._on(repo, access_for(advance.changes), Urgency.PUBLICATION)
        return await advance_branch(connection, scrubbed)

    async def describe(self, repo: Repo, number: int, body: str) -> None:
        """Replace the description of a pull request of ours."""
        connection = self._on(repo, TALK, Urgency.PUBLICATION)
        await connection.patch("/pulls/{number}", {"body": self._scrub(body)}, number=number)

    async def find_pull_request(self, repo: Repo, branch: str) -> PullRequest | None:
        """Return the newest pull request from a branch of the repository, open or closed."""
        connection = self._on(repo, READ)
        return await pull_requests.find_pull_request(connection, await self._named(repo), branch)

    async def create_check_run(self, repo: Repo, report: CheckReport) -> int:
        """Return the id of the check run with the report's external id, creating it if need be."""
        us = await self.app_identity()
        return await checks.create_check_run(self._on(repo, CHECK), report, us.slug)

    async def update_check_run(
        self,
        repo: Repo,
        check_run: int,
        report: CheckReport,
        urgency: Urgency = Urgency.ORDINARY,
    ) -> None:
        """Make a check run say what the report says."""
        await checks.update_check_run(self._on(repo, CHECK, urgency), check_run, report)

    async def change_summary(
        self, repo: Repo, check_run: int, change: Callable[[str], str]
    ) -> None:
        """Change what a check run of ours says first, and nothing else of it."""
        await checks.change_summary(self._on(repo, CHECK), check_run, change)

    async def check_run_is_over(self, repo: Repo, check_run: int) -> bool:
        """Return whether a check run has ended; one that is gone has."""
        connection = self._on(repo, EVIDENCE, Urgency.PROGRESS)
        try:
            answer = await connection.get("/check-runs/{check_run}", check_run=check_run)
        except Gone:
            return True
        return bool(answer["status"] == "completed")

    # --- failed checks ---

    async def workflow_job(self, repo: Repo, job_id: int) -> WorkflowJob:
        """Return a job of GitHub Actions with its steps."""
        return await jobs.read_job(self._on(repo, EVIDENCE), job_id)

    async def workflow_facts(self, repo: Repo, run_id: int) -> WorkflowFacts:
        """Return a run of GitHub Actions."""
        return await jobs.read_run(self._on(repo, EVIDENCE), run_id)

    async def rerun_failed_jobs(self, repo: Repo, run_id: int) -> None:
        """Start the failed jobs of a run of GitHub Actions once more; twice is not as once."""
        await jobs.rerun_failed(self._on(repo, RERUN), run_id)

    async def annotations(self, repo: Repo, check_run: int) -> tuple[Annotation, ...]:
        """Return the first hundred annotations of a check run."""
        return await jobs.read_annotations(self._on(repo, EVIDENCE), check_run)

    async def check_output(self, repo: Repo, check_run: int) -> str:
        """Return title, summary and text of a check run."""
        return (await jobs.read_output(self._on(repo, EVIDENCE), check_run)).text

    async def passed_at(self, repo: Repo, commit: str, check: str) -> bool | None:
        """Return whether a check passed at a commit; None when it did not run there."""
        return await jobs.passed_at(self._on(repo, EVIDENCE), commit, check)

    async def job_log(self, repo: Repo, job_id: int, make: Callable[[], S]) -> S:
        """Return a job's log, fed into what `make` returns; raises `Gone` when it is not kept."""
        return await jobs.read_log(self._on(repo, EVIDENCE), job_id, make)

    async def run_logs(self, repo: Repo, run_id: int) -> Archive:
        """Return the logs of all jobs of a workflow run."""
        return await jobs.read_run_logs(self._on(repo, EVIDENCE), run_id)

    async def artifacts(self, repo: Repo, run_id: int) -> tuple[ArtifactFacts, ...]:
        """Return what a workflow run left."""
        return await jobs.list_artifacts(self._on(repo, EVIDENCE), run_id)

    async def artifact(self, repo: Repo, artifact: ArtifactFacts) -> Archive:
        """Return an artifact's files."""
        return await jobs.read_artifact(self._on(repo, EVIDENCE), artifact)

    # --- addresses ---

    def clone_url(self, repo: Repo) -> str:
        """Return where git reads the repository, without any credential."""
        return f"{self._web_url}/{self._today(repo).full_name}.git"

    def comment_url(self, repo: Repo, number: int, comment_id: int | None) -> str:
        """Return the page of a conversation, at a comment of it when there is one."""
        page = f"{self._web_url}/{self._today(repo).full_name}/issues/{number}"
        return page if comment_id is None else f"{page}#issuecomment-{comment_id}"

    def commit_url(self, repo: Repo, commit: str) -> str:
        """Return the page of a commit."""
        return f"{self._web_url}/{self._today(repo).full_name}/commit/{commit}"

    # --- tokens that leave this class ---

    async def clone_source(self, repo: Repo) -> CloneSource:
        """Return where to clone from, with a token of its own that only reads; revoke it after."""
        minted = await self._tokens.mint(await self._named(repo), CLONE)
        return CloneSource(self.clone_url(repo), minted.token)

    async def push_source(self, repo: Repo, fork: str) -> CloneSource:
        """Return where to push to in a fork of the repository; revoke the token after.

        The token is the repository's: GitHub lets it push to the branch of a fork whose author allows
        edits by maintainers, by git alone. Its API refuses that.
        """
        minted = await self._tokens.mint(await self._named(repo), PUSH)
        return CloneSource(f"{self._web_url}/{fork}.git", minted.token)

    def scrubbed(self, text: str) -> str:
        """Return a text without secrets, as everything is that this class sends itself."""
        return self._scrub(text)

    async def fetch_lfs(self, repo: Repo, wanted: Sequence[LfsPointer], folder: Path) -> None:
        """Put objects of the repository's LFS into a folder, as far as they can be had."""
        source = await self.clone_source(repo)
        try:
            await lfs.read_objects(self._session, *source, wanted, folder)
        finally:
            with contextlib.suppress(GitHubError):  # it expires within the hour anyway
                await self.revoke(source.token)

    async def revoke(self, token: SecretStr) -> None:
        """Make a token useless now."""
        await self._tokens.revoke(token)

    async def revoke_tokens(self, repo: Repo) -> None:
        """Make the remembered tokens of a repository useless; the next call mints new ones."""
        for item in {repo, self._today(repo)}:
            await self._tokens.revoke_all(item)

    async def revoke_unused(self, since: float) -> None:
        """Make the remembered tokens useless that no call took since that Unix time."""
        await self._tokens.revoke_unused(since)

    def _today(self, repo: Repo) -> Repo:
        """Return a repository under the newest name that is known of it."""
        return self._moved.get(repo, repo)

    async def _named(self, repo: Repo) -> Repo:
        """Return a repository under its name of today, for what takes no id: git, GraphQL, filters."""
        today = self._today(repo)
        if today.id is not None:
            found = await self.facts(today)
            today = self._moved[repo] = replace(today, full_name=found.full_name)
        return today

    def _on(self, repo: Repo, access: Access, urgency: Urgency = Urgency.ORDINARY) -> Connection:
        repo = self._today(repo)
        key = (repo, access)
        connection = self._connections.get(key)
        if connection is None:
            pace = self._pace_of(repo.installation_id)
            prefix, variables = address(repo)
            connection = self._connections[key] = Connection(
                self._wire(saw=pace.saw),
                self._patience,
                credential=TokenFor(self._tokens, repo, access),
                prefix=prefix,
                variables=variables,
                shown=f"/repos/{repo.full_name}",
                pace=pace,
            )
        return connection if urgency is Urgency.ORDINARY else connection.for_the(urgency)

    def _on_graphql(self, repo: Repo, access: Access) -> Connection:
        """Return a connection to GraphQL: it counts limits of its own, so their news are not ours."""
        repo = self._today(repo)
        return Connection(
            self._wire(base_url=base_of(self._api_url)),
            self._patience,
            credential=TokenFor(self._tokens, repo, access),
            pace=self._pace_of(repo.installation_id),
            urgency=Urgency.PUBLICATION,
        )

    def _pace_of(self, installation: int) -> Pace:
        pace = self._paces.get(installation)
        if pace is None:
            longest = self._patience.longest_wait
            pace = self._paces[installation] = Pace(
                installation, self._quotas, self._writes, longest
            )
        return pace

    def _wire(
        self,
        app_id: str | None = None,
        private_key: SecretStr | None = None,
        saw: Callable[[Mapping[str, str]], None] | None = None,
        hurry: GitHubRetries | None = None,
        base_url: str = "",
    ) -> Wire:
        return Wire(
            self._session,
            base_url=base_url or self._api_url,
            timeout=(hurry or self._patience).timeout,
            app_id=app_id,
            private_key=private_key,
            saw=saw,
            may_write=self._may_write,
        )
