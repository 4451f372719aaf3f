"""Play a story: a GitHub of this machine, the real server, one signed delivery, and what comes of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

from pydantic import SecretStr

from bot.model.repository import Repo
from bot.storage.database import open_database
from bot.storage.runs import RunRecord, RunStatus, RunStore
from demo.ending import Ending
from demo.reading import progress
from demo.screen import Screen
from demo.serving import DemoFailed, Serving, serve, tail
from demo.stories import Story
from demo.surroundings import server_environment
from tests.fakes.github import GitHubServer, GitHubState, Issue
from tests.fakes.github.model import Role

OWNER = "acme"

_UPDATE = "dependabot/pip/update"

_POLL_SECONDS = 0.1
_STORY_SECONDS = 1800.0
"""A run's own time limit ends it long before."""

_AGO = timedelta(hours=1)
"""When the projects were committed: a release of another day is not to blame for what is so young."""

_REACTIONS = {"eyes": "👀", "rocket": "🚀", "confused": "😕"}


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that a story needs."""

    github: GitHubServer
    server: Serving
    runs: RunStore
    screen: Screen

    async def play(self, story: Story) -> Ending:
        """Set the scene, let somebody comment, and watch until the run is over.

        Raises:
            DemoFailed: When the server refuses the delivery, dies, or takes forever.
        """
        issue = self._set_scene(story)
        started = time.monotonic()
        event = self.github.comment(issue, story.maintainer, story.comment)
        self.screen.event(0, f"{story.maintainer} comments: {story.comment}")
        delivery = await self.github.deliver(event, f"{self.server.url}/webhook")
        self.screen.event(
            time.monotonic() - started,
            f"GitHub delivers it, signed; answered {delivery.status_code} "
            f"in {delivery.duration * 1000:.0f} ms",
        )
        if delivery.status_code != HTTPStatus.ACCEPTED:
            raise DemoFailed(f"The server did not accept the delivery.\n{tail(self.server.log)}")
        run = await self._watch(issue, started)
        return self._ending(story, issue, run, time.monotonic() - started)

    def _set_scene(self, story: Story) -> Issue:
        state = self.github.state
        roles: dict[str, Role] = {story.maintainer: "admin"}
        if story.update is None:
            roles[story.reporter] = "read"
        repository = state.add_repository(f"{OWNER}/{story.project}", story.files(), roles=roles)
        if story.update is None:
            issue = state.open_issue(repository, story.reporter, story.issue, story.body)
        else:
            bot = state.account(story.reporter, kind="Bot")
            state.push(repository, _UPDATE, story.updated(), author=bot.login)
            issue = state.open_pull_request(
                repository, bot, story.issue, head=_UPDATE, body=story.body
            )
        self.screen.issue(repository.full_name, issue)
        return issue

    async def _watch(self, issue: Issue, started: float) -> RunRecord:
        """Tell what becomes visible on GitHub, until the database says that the run is over."""
        told: set[str] = set()
        with self.screen.waiting() as waiting:
            while (elapsed := time.monotonic() - started) < _STORY_SECONDS:
                self.server.check()
                run = await self.runs.latest(_as_ours(issue), issue.number)
                for line in self._visible(issue, run):
                    if line not in told:
                        told.add(line)
                        self.screen.event(elapsed, line)
                waiting(elapsed)
                if run is not None and run.status is RunStatus.DONE:
                    return await self._whole(run)
                await asyncio.sleep(_POLL_SECONDS)
        raise DemoFailed(f"The run was not over in time.\n{tail(self.server.log)}")

    def _visible(self, issue: Issue, run: RunRecord | None) -> list[str]:
        """Return what GitHub shows of the run by now, a line each."""
        shown = run.progress_comment_id if run is not None else None
        return [
            *(line for said in issue.comments if said.id == shown for line in progress(said.body)),
            *(
                f"{pull.author.login} opens pull request #{pull.number}"
                for pull in issue.repo.pulls()
                if pull is not issue
            ),
            *(
                f"{reaction.user.login} reacts with {_REACTIONS.get(reaction.content, reaction.content)}"
                for said in issue.comments
                for reaction in said.reactions
            ),
        ]

    async def _whole(self, run: RunRecord) -> RunRecord:
        found = await self.runs.get(run.id)
        if found is None or found.report is None:
            raise DemoFailed(f"The run ended without a report: {run.verdict}. {run.reason}")
        return found

    def _ending(self, story: Story, issue: Issue, run: RunRecord, seconds: float) -> Ending:
        bot = self.github.state.app.bot
        said = [comment for comment in issue.comments if comment.author is bot][-1]
        pull = issue.repo.issues.get(run.pull_request) if run.pull_request else None
        page = f"{self.github.web_url}/{issue.repo.full_name}/issues/{issue.number}"
        url = run.pull_request_url or f"{page}#issuecomment-{said.id}"
        return Ending(story, run, pull, _diff(pull), said, seconds, url)


def _as_ours(issue: Issue) -> Repo:
    # runs are found by the id alone
    return Repo(issue.repo.full_name, 0, issue.repo.id)


def _diff(pull: Issue | None) -> str:
    if pull is None or pull.pull is None:
        return ""
    return pull.repo.git.text("diff", f"{pull.pull.base_ref}...{pull.pull.head_ref}")


@asynccontextmanager
async def open_stage(
    folder: Path, environ: Mapping[str, str], screen: Screen
) -> AsyncIterator[Stage]:
    """Start GitHub and the server in an empty folder.

    Raises:
        DemoFailed: When the server does not start.
    """
    state = GitHubState(folder / "github", history=datetime.now(UTC) - _AGO)
    state.install(OWNER)
    data = folder / "fixpoint"
    async with GitHubServer(state) as github:
        screen.fact("GitHub", github.web_url, "the stand-in: REST, git and webhooks")
        environment = server_environment(environ, github, data)
        async with serve(environment, folder / "server.log") as server:
            screen.fact("fixpoint serve", server.url, f"ready after {server.started_in:.1f} s")
            database = await open_database(SecretStr(f"sqlite:///{data / 'fixpoint.db'}"))
            async with database:
                yield Stage(github, server, RunStore(database), screen)
