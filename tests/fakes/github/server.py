"""GitHub on a local port: REST below `/api/v3`, git, pages, and webhooks on their way out."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
import uuid
from email.utils import format_datetime
from types import TracebackType
from typing import Literal, Self

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from tests.fakes.github import ci_events, events, review_events
from tests.fakes.github.account_views import stamp
from tests.fakes.github.ci_model import CommitStatus
from tests.fakes.github.lfs import Lfs
from tests.fakes.github.manifest import ManifestPages
from tests.fakes.github.merge_queue import QueuedPull, enqueue, merge_group_event
from tests.fakes.github.model import (
    EVENTS,
    Account,
    CheckRun,
    Comment,
    Delivery,
    Event,
    Issue,
    Repository,
)
from tests.fakes.github.oauth import Oauth
from tests.fakes.github.rest import Rest
from tests.fakes.github.smart_http import SmartHttp
from tests.fakes.github.state import GitHubState
from tests.fakes.github.storage import Storage
from tests.fakes.github.views import Views

API = "/api/v3"
"""As on GitHub Enterprise Server, so that no client gets away with absolute paths."""

LARGEST_PUSH = 2**30
UNREACHABLE = 502
"""The status that GitHub notes for a webhook that nobody answered."""


class GitHubServer:
    """Shows one state over HTTP and delivers its webhooks.

        async with GitHubServer(state) as github:
            GitHub(session, api_url=github.api_url, web_url=github.web_url, ...)
            await github.deliver(github.comment(issue, "ada", "/fix"), url)

    With `webhook_url` set, what the App itself does (its own comments) and redeliveries that it
    asks for are delivered there in the background.
    """

    def __init__(
        self, state: GitHubState, *, host: str = "127.0.0.1", webhook_url: str | None = None
    ) -> None:
        self.state = state
        self.webhook_url = webhook_url
        self.web_url = ""
        self.api_url = ""
        self._host = host
        self._views = Views(state, "", "")
        self._storage = Storage(state.storage)
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._sending: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Start on a free port."""
        app = web.Application(client_max_size=LARGEST_PUSH)
        app.add_routes(Rest(self.state, self._views).routes(API))
        app.add_routes(Oauth(self.state).routes())
        app.add_routes(ManifestPages(self.state).routes())
        git = SmartHttp(self.state)
        app.add_routes([*git.routes(), *Lfs(self.state, git, self._views).routes()])
        app.add_routes([web.get("/{owner}/{repo}/{kind:issues|pull}/{number}", self._page)])
        app.middlewares.append(self._after)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, 0)
        await site.start()
        self.at(f"http://{self._host}:{self._runner.addresses[0][1]}")
        self._views.storage = await self._storage.start(self._host)
        self._session = aiohttp.ClientSession()
        return self

    def at(self, web_url: str) -> None:
        """Take an address, as payloads shall show it; starting does it by itself."""
        self.web_url = self._views.web = web_url
        self.api_url = self._views.api = web_url + API

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; webhooks on their way are given up."""
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()
        await self._storage.stop()

    # --- what people do, and the webhooks of it ---

    def comment(self, issue: Issue, author: str, body: str) -> Event:
        """Write a comment and return its webhook."""
        comment = self.state.add_comment(issue, author, body)
        return events.comment_event(self._views, issue, comment, "created")

    def edit(
        self, issue: Issue, comment: Comment, body: str, by: str | Account | None = None
    ) -> Event:
        """Edit a comment, as its author unless somebody else does, and return its webhook."""
        editor = self.state.account(by) if isinstance(by, str) else by or comment.author
        self.state.edit_comment(comment, body, editor)
        return events.comment_event(self._views, issue, comment, "edited", sender=editor)

    def edit_remark(self, pull: Issue, place: int, body: str, by: str) -> None:
        """Edit the review comment at that place among those of a pull request."""
        assert pull.pull is not None
        remark = pull.pull.remarks[place]
        thread = pull.pull.thread_of(remark["id"])
        assert thread is not None
        at = self.state.now()
        thread.edits[remark["id"]] = (self.state.account(by), at)
        remark |= {"body": body, "updated_at": stamp(at)}

    def rename(self, repo: Repository, full_name: str, by: str) -> Event:
        """Give a repository another name of the same owner, and return its webhook."""
        before = repo.name
        self.state.rename(repo, full_name)
        context = events.context(self._views, repo, self.state.account(by))
        changes = {"repository": {"name": {"from": before}}}
        return Event("repository", {"action": "renamed", "changes": changes, **context})

    def event(self, issue: Issue, action: events.PullAction = "opened") -> Event:
        """Return the webhook of an issue or pull request."""
        if issue.pull is None and (action in {"opened", "closed", "reopened"}):
            return events.issue_event(self._views, issue, action)
        return events.pull_request_event(self._views, issue, action)

    def review_comment(
        self, pull: Issue, author: str, body: str, answers: int | None = None
    ) -> Event:
        """Return the webhook of a remark at a line of a pull request."""
        by = self.state.account(author)
        return review_events.review_comment_event(self._views, pull, by, body, answers)

    def review(
        self,
        pull: Issue,
        author: str,
        body: str,
        state: str = "commented",
        *remarks: str | tuple[str, str],
    ) -> Event:
        """Return the webhook of a review of a pull request; a remark may be `(path, remark)`."""
        by = self.state.account(author)
        return review_events.review_event(self._views, pull, by, body, state, remarks)

    def merged(self, issue: Issue, by: str) -> Event:
        """Merge a pull request and return its webhook."""
        self.state.merge(issue, by)
        return events.pull_request_event(self._views, issue, "closed")

    def queued(
        self, issue: Issue, behind: QueuedPull | None = None, *, method: str = "squash"
    ) -> tuple[QueuedPull, Event]:
        """Add a pull request to a merge queue, and return it with its webhook."""
        queued = enqueue(self.state, issue, behind, method=method)
        return queued, merge_group_event(self._views, queued)

    def dequeued(
        self, queued: QueuedPull, reason: Literal["merged", "invalidated", "dequeued"]
    ) -> Event:
        """Take a queue's branch away, and return its webhook."""
        event = merge_group_event(self._views, queued, "destroyed", reason)
        queued.issue.repo.git.text("update-ref", "-d", f"refs/heads/{queued.branch}")
        return event

    def pushed(self, repo: Repository, branch: str, by: str) -> Event:
        """Return the webhook of the newest commit of a branch."""
        return events.push_event(self._views, repo, branch, self.state.account(by))

    def installed(self, account: str, action: Literal["created", "deleted"] = "created") -> Event:
        """Return the webhook of the App's installation on an account."""
        installation = next(
            item for item in self.state.installations.values() if item.account.login == account
        )
        return events.installation_event(self._views, installation, action)

    def check_events(self, repo: Repository, run: CheckRun) -> list[Event]:
        """Return the webhooks of a check run that is over, in the order that GitHub sends them."""
        views, ci = self._views, self.state.ci
        suites = {suite.id: suite for suite in ci.suites(repo, run.head_sha)}
        sent = [ci_events.check_run_event(views, repo, run)]
        for workflow in repo.workflow_runs.values():
            for job in workflow.jobs:
                if job.id == run.id:
                    sent.append(ci_events.workflow_job_event(views, repo, workflow, job))
                    if workflow.status == "completed":
                        sent += [
                            ci_events.check_suite_event(views, repo, suites[workflow.suite_id]),
                            ci_events.workflow_run_event(views, repo, workflow),
                        ]
        return sent

    def status_event(self, repo: Repository, status: CommitStatus) -> Event:
        """Return the webhook of a commit status."""
        return ci_events.status_event(self._views, repo, status)

    def button(self, repo: Repository, run: CheckRun, by: str, button: str) -> Event:
        """Return the webhook of a button of a check run that somebody pressed."""
        sender = self.state.account(by)
        return ci_events.check_run_event(
            self._views, repo, run, "requested_action", sender=sender, button=button
        )

    def rerequested(self, repo: Repository, run: CheckRun, by: str) -> Event:
        """Return the webhook of GitHub's own *Re-run* of a check run."""
        sender = self.state.account(by)
        return ci_events.check_run_event(self._views, repo, run, "rerequested", sender=sender)

    def labelled(self, issue: Issue, name: str, by: str) -> Event:
        """Label a pull request and return its webhook."""
        label = self.state.label(issue.repo, name)
        issue.labels.append(label)
        sender = self.state.account(by)
        return ci_events.labeled_event(self._views, issue, label, sender, "labeled")

    def unlabelled(self, issue: Issue, by: str) -> Event:
        """Take the newest label off a pull request and return its webhook."""
        label, sender = issue.labels.pop(), self.state.account(by)
        return ci_events.labeled_event(self._views, issue, label, sender, "unlabeled")

    def ping(self) -> Event:
        """Return the webhook of a new hook."""
        return events.ping_event(self._views)

    async def deliver(
        self, event: Event, url: str | None = None, *, guid: str | None = None
    ) -> Delivery:
        """POST a signed delivery to `url` (or the webhook URL) and note what was answered.

        A `guid` makes it a redelivery of that event.
        """
        target = url or self.webhook_url
        if target is None:
            raise ValueError("no URL to deliver to")
        body = json.dumps(event.payload).encode()
        delivery_guid = guid or str(uuid.uuid1())
        started = time.monotonic()
        status = await self._post(target, body, self.headers(event.name, body, delivery_guid))
        delivery = Delivery(
            id=self.state.next_id(),
            guid=delivery_guid,
            event=event.name,
            payload=event.payload,
            delivered_at=self.state.now(),
            status_code=status,
            redelivery=guid is not None,
            duration=time.monotonic() - started,
        )
        self.state.deliveries.append(delivery)
        return delivery

    async def settled(self) -> None:
        """Wait until no webhook is on its way."""
        while self._sending:
            await asyncio.wait(self._sending)

    def headers(self, event: str, body: bytes, guid: str) -> dict[str, str]:
        """Return a delivery's headers; both signatures, as GitHub still sends them."""
        secret = self.state.app.webhook_secret.encode()
        return {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/4c1bd77",
            "X-GitHub-Delivery": guid,
            "X-GitHub-Event": event,
            "X-GitHub-Hook-ID": str(self.state.app.id),
            "X-GitHub-Hook-Installation-Target-ID": str(self.state.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": f"sha1={hmac.new(secret, body, hashlib.sha1).hexdigest()}",
            "X-Hub-Signature-256": f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}",
        }

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> int:
        assert self._session is not None
        # GitHub waits ten seconds for an answer; this machine may have more to do
        limit = aiohttp.ClientTimeout(total=600)
        try:
            async with self._session.post(
                url, data=body, headers=headers, timeout=limit
            ) as response:
                return response.status
        except (aiohttp.ClientError, TimeoutError):
            return UNREACHABLE

    # --- behind the scenes ---

    @web.middleware
    async def _after(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        if not response.prepared:
            response.headers["Date"] = format_datetime(self.state.now(), usegmt=True)
        if self.webhook_url is not None and (self.state.outbox or self.state.redeliveries):
            task = asyncio.create_task(self._send_waiting())
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return response

    async def _send_waiting(self) -> None:
        while self.state.redeliveries:
            again = self.state.redeliveries.pop(0)
            await self.deliver(Event(again.event, again.payload), guid=again.guid)
        while self.state.outbox:
            event = self.state.outbox.pop(0)
            if event.name in EVENTS:
                await self.deliver(event)

    async def _page(self, request: web.Request) -> web.Response:
        """Show an issue or pull request as a person would read it, as plain text."""
        name = f"{request.match_info['owner']}/{request.match_info['repo']}"
        repo = self.state.repositories.get(name)
        issue = repo.issues.get(int(request.match_info["number"])) if repo else None
        if issue is None:
            raise web.HTTPNotFound
        return web.Response(text=_as_text(issue))


def _as_text(issue: Issue) -> str:
    kind = "issue" if issue.pull is None else "pull request"
    labels = ", ".join(label.name for label in issue.labels)
    head = f"{issue.title}\n{kind} #{issue.number} by {issue.author.login}, {issue.state}"
    if issue.pull is not None:
        draft = ", draft" if issue.pull.draft else ""
        head += f"{draft}: {issue.pull.head_ref} -> {issue.pull.base_ref}"
    parts = [head + (f"\nlabels: {labels}" if labels else ""), issue.body or ""]
    for comment in issue.comments:
        reactions = " ".join(reaction.content for reaction in comment.reactions)
        parts.append(f"--- {comment.author.login} {reactions}\n{comment.body}")
    return "\n\n".join(parts) + "\n"
