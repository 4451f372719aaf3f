"""A whole Fixpoint in one process, to tell stories through.

Server, engine, sandbox and git are real; GitHub and the model are servers on this machine.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aiohttp.test_utils import TestServer

from bot.model.repository import Repo
from bot.server.serve import Server, open_server
from bot.server.services import DependedOn
from bot.settings.environment import ServerSettings, load_server_settings
from bot.storage.open_pulls import OpenPullStore
from bot.storage.proofs import ProofStore
from bot.storage.runs import RunRecord, RunStatus
from tests.fakes.github import GitHubServer, GitHubState, Issue, Repository
from tests.fakes.github.ci_model import Step as CiStep
from tests.fakes.github.conformance import check_event, check_exchanges
from tests.fakes.github.model import CheckRun, Comment, Event
from tests.fakes.model import Call, ModelServer, Request, Say, Script, Step

CHECK = """\
#!/bin/sh
# Fails unless app.txt says right; names what fails as pytest would.
grep -qx right app.txt && exit 0
echo "FAILED checks.sh::app - app.txt says $(cat app.txt)"
exit 1
"""

CONFIG = "setup: 'true'\ntest: sh check.sh\nexplain: false\n"
"""Nobody looks for what changed, which takes as long as the repair: stories about that say so."""

FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "check.sh": CHECK,
    ".github/fixpoint.yml": CONFIG,
}

SETTLE_SECONDS = 600.0
"""The end of every wait: a story that takes seconds takes minutes beside eight other programs."""

LOOK_SECONDS = 0.1
"""Between two looks at the database, which share the processor with what is waited for."""


def edit(old: str, new: str, path: str = "app.txt") -> Call:
    """The model replaces text in a file."""
    given = {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
    return Call("str_replace_based_edit_tool", given)


def bash(command: str) -> Call:
    """The model runs a command."""
    return Call("bash", {"command": command})


FIX = edit("wrong", "right")
WHY = Say("The file said wrong. It says right now.")

WRONG: list[Step] = [edit("wrong", "worse"), Say("I made it worse.")]
RIGHT: list[Step] = [bash("cat app.txt"), FIX, WHY]


def attempts(*conversations: Sequence[Step]) -> Callable[[Request], Step]:
    """Return a script that plays the n-th list of steps in the n-th conversation."""
    begun: list[str] = []

    def play(request: Request) -> Step:
        if request.first not in begun:
            begun.append(request.first)
        steps = conversations[min(begun.index(request.first), len(conversations) - 1)]
        return steps[min(request.turn - 1, len(steps) - 1)]

    return play


@dataclass
class Scene:
    """GitHub with one repository and one issue, a model, and what people see there."""

    state: GitHubState
    github: GitHubServer
    model: ModelServer | None
    repository: Repository
    issue: Issue

    def variables(self, data: Path) -> dict[str, str]:
        """Return the environment of a server that works for this GitHub and keeps its data there."""
        app = self.state.app
        variables = {
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_PRIVATE_KEY": app.private_key,
            "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_URL": self.github.web_url,
            "FIXPOINT_DATA": str(data),
            "FIXPOINT_SANDBOX": "bubblewrap",
            "FIXPOINT_EDIT_SECONDS": "0.05",
            "FIXPOINT_RETRY_SECONDS": "0.1",
            "FIXPOINT_GITHUB_WRITES_PER_MINUTE": "1000000",
            "FIXPOINT_STOP_SECONDS": "1",
            "FIXPOINT_RECONCILE_SECONDS": "86400",
        }
        if self.model is not None:
            variables |= {
                "ANTHROPIC_API_KEY": "key",
                "ANTHROPIC_BASE_URL": self.model.anthropic_url,
            }
        return variables

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(SETTLE_SECONDS):
            while not condition():  # noqa: ASYNC110 - the condition is about another server's state
                await asyncio.sleep(0.01)

    def said(self, issue: Issue | None = None) -> list[str]:
        """Return our comments, as they are now, with what differs from run to run levelled."""
        bot = self.state.app.bot
        where = issue or self.issue
        return [self.level(comment.body) for comment in where.comments if comment.author is bot]

    def pulls(self) -> list[Issue]:
        """Return the pull requests of the repository."""
        return self.repository.pulls()

    def reactions(self, comment: Comment) -> list[str]:
        """Return our reactions to a comment."""
        return [
            reaction.content
            for reaction in comment.reactions
            if reaction.user is self.state.app.bot
        ]

    def file(self, path: str, ref: str) -> str | None:
        """Return a file of the repository on GitHub."""
        entry = self.repository.git.entry(ref, path)
        return self.repository.git.blob(entry.sha).decode() if entry else None

    def repaired(self) -> str | None:
        """Return the file that was wrong, on the branch of the only pull request."""
        [pull] = self.pulls()
        assert pull.pull is not None
        return self.file("app.txt", pull.pull.head_ref)

    def level(self, text: str) -> str:
        """Replace what differs from run to run: ids, times, addresses."""
        text = text.replace(self.github.web_url, "https://github.test")
        text = re.sub(r"run=[0-9a-f-]{36}", "run=DELIVERY", text)
        text = re.sub(r"\b[0-9a-f]{40}\b", "COMMIT", text)
        text = re.sub(r"`[0-9a-f]{7}`", "`COMMIT`", text)
        text = re.sub(r"\b(moved to|now at|failed at|working on) [0-9a-f]{7}\b", r"\1 COMMIT", text)
        text = re.sub(r"\b[0-9a-f]{12}\b", "RUN", text)
        text = re.sub(r"\b(approve|reject) [0-9a-f]{6}\b", r"\1 ID", text)
        text = re.sub(r"\(`[0-9a-f]{6}`\)", "(`ID`)", text)
        text = re.sub(r"issuecomment-\d+", "issuecomment-N", text)
        text = re.sub(r"\b(\d+ min )?\d+(\.\d+)? s\b", "N s", text)
        text = re.sub(r"\b[\d,]+ tokens", "N tokens", text)
        text = re.sub(r"\b\d+% of its input", "N% of its input", text)
        text = re.sub(r"\| [\d,]{4,} \|", "| N |", text)
        text = re.sub(r"\$[1-9]\d*\.\d{4}\b", "$N.N", text)  # what is left of a cap
        text = re.sub(r"\bon \d{4}-\d\d-\d\d\b", "on DAY", text)
        text = re.sub(r"\b(at|since) \d\d:\d\d UTC", r"\1 TIME UTC", text)
        text = re.sub(r"installation \d+", "installation ID", text)
        return re.sub(r"\$0\.\d+", "$0.N", text)


@dataclass
class World(Scene):
    """Everything there is, and what people do in it."""

    server: Server
    web: TestServer
    settings: ServerSettings

    async def comment(
        self, body: str, *, by: str = "ada", issue: Issue | None = None, guid: str | None = None
    ) -> Comment:
        """Somebody reads what is there and comments, and GitHub delivers it."""
        where = issue or self.issue
        self.state.advance(1)
        event = self.github.comment(where, by, body)
        delivery = await self.github.deliver(event, self.webhook, guid=guid)
        assert delivery.status_code == 202, delivery
        return where.comments[-1]

    async def check_ends(
        self,
        name: str,
        conclusion: str = "failure",
        *,
        branch: str = "main",
        workflow: str = "CI",
        log: bytes | None = None,
        steps: list[CiStep] | None = None,
    ) -> CheckRun:
        """A job of the newest commit of a branch ends, and GitHub delivers what it sends then."""
        sha = self.head(branch)
        run = self.state.ci.workflow_run(self.repository, sha, branch, name=workflow)
        check = self.state.ci.job(
            self.repository, run, name, conclusion=conclusion, log=log, steps=steps
        )
        for event in self.github.check_events(self.repository, check):
            await self.deliver(event)
        return check

    async def check_begins(self, name: str, *, branch: str = "main", workflow: str = "CI") -> None:
        """A job of the newest commit of a branch begins."""
        run = self.state.ci.workflow_run(self.repository, self.head(branch), branch, name=workflow)
        self.state.ci.job(self.repository, run, name, status="in_progress")

    async def press(self, button: str, check: CheckRun, *, by: str = "ada") -> None:
        """Somebody presses a button of a check run of ours, by its label or its identifier."""
        actions = check.fields.get("actions", [])
        shown = {action["label"].lower(): action["identifier"] for action in actions}
        identifier = shown.get(button, button)
        await self.deliver(self.github.button(self.repository, check, by, identifier))

    async def deliver(self, event: Event) -> None:
        """GitHub delivers an event."""
        check_event(event)
        delivery = await self.github.deliver(event, self.webhook)
        assert delivery.status_code == 202, delivery

    def head(self, branch: str) -> str:
        """Return the newest commit of a branch."""
        sha = self.repository.git.resolve(branch)
        assert sha is not None
        return sha

    @property
    def repo(self) -> Repo:
        """The repository as the App sees it."""
        installation = next(iter(self.state.installations))
        return Repo(self.repository.full_name, installation, self.repository.id)

    def branches(self) -> dict[str, str]:
        """Return the newest commit of every branch and of every pull request from a fork."""
        pulls = {
            f"#{issue.number}": f"refs/pull/{issue.number}/head"
            for issue in self.pulls()
            if issue.pull is not None and issue.pull.head_repo is not self.repository
        }
        git = self.repository.git
        heads = {name: git.resolve(ref) or "" for name, ref in pulls.items()}
        return {**{name: self.head(name) for name in git.branches()}, **heads}

    async def until_started(self, runs: int = 1) -> None:
        """Wait until so many runs were begun."""
        async with asyncio.timeout(SETTLE_SECONDS):
            while len(await self.server.runs.list()) < runs:  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(LOOK_SECONDS)

    async def until_said(self, words: str) -> None:
        """Wait until a check run of ours says something."""
        await self.until(lambda: any(words in self.shown(check) for check in self.our_checks()))

    def our_checks(self, sha: str | None = None) -> list[CheckRun]:
        """Return our own check runs, oldest first."""
        runs = self.repository.check_runs.values()
        return [run for run in runs if not run.app and sha in {None, run.head_sha}]

    def shown(self, check: CheckRun) -> str:
        """Return what a check run of ours says, as people read it."""
        fields = check.fields
        end = fields.get("conclusion", fields["status"])
        buttons = " ".join(f"[{action['label']}]" for action in fields.get("actions", []))
        head = f"{fields['name']}: {end}: {fields['output']['title']} {buttons}".strip()
        parts = [head, fields["output"]["summary"], fields["output"].get("text") or ""]
        return self.level("\n\n".join(part.strip() for part in parts if part))

    @property
    def depends(self) -> DependedOn:
        """What runs depend on."""
        assert self.server.depends is not None
        return self.server.depends

    @property
    def webhook(self) -> str:
        """Where GitHub delivers to."""
        return str(self.web.make_url("/webhook"))

    async def settled(self) -> None:
        """Wait until nothing is under way any more."""
        async with asyncio.timeout(SETTLE_SECONDS):
            while await self._busy():  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(LOOK_SECONDS)

    async def _busy(self) -> bool:
        return await self._running() or not await self._quiet() or not await self._ended()

    async def _running(self) -> bool:
        """Whether a run or a proof is under way: what answers most of the looks."""
        if self.server.stopping.tasks or await ProofStore(self.server.database).active():
            return True
        active = await self.server.runs.active()
        return any(run.status is not RunStatus.WAITING for run in active)

    async def _quiet(self) -> bool:
        """Whether no delivery and no commit waits to be looked at for the first time."""
        server = self.server
        assert server.desk is not None
        if not server.desk.dispatcher.idle or await server.deliveries.pending():
            return False
        if not server.desk.settler.idle or await server.commits.due(datetime.now(UTC)):
            return False
        nothing_due = await OpenPullStore(server.database).next_due() is None
        return nothing_due and server.desk.settler.idle  # it may have taken up the last one since

    async def _ended(self) -> bool:
        """Whether no run is under way, also none that was started after `_running` was asked."""
        if await self._running():
            return False
        latest = await self.server.runs.list(1)
        return all([await self.server.durable.finished(run.id) for run in latest])

    async def run(self) -> RunRecord:
        """Return the youngest run, with its report."""
        youngest = (await self.server.runs.list(1))[0]
        run = await self.server.runs.get(youngest.id)
        assert run is not None
        return run


@asynccontextmanager
async def open_scene(
    root: Path, script: Script | None = None, *, files: Mapping[str, str | bytes] | None = None
) -> AsyncIterator[Scene]:
    """Open a GitHub with one repository, one issue and people of every role, and a model."""
    state = GitHubState(root / "github")
    repository = state.add_repository(
        "acme/app",
        dict(files or FILES),
        roles={"ada": "admin", "wes": "write", "tri": "triage", "rea": "read"},
    )
    state.install("acme")
    issue = state.open_issue(repository, "rea", "The app says wrong", "It should say right.")
    async with AsyncExitStack() as stack:
        github = await stack.enter_async_context(GitHubServer(state))
        model = await stack.enter_async_context(ModelServer(script)) if script else None
        yield Scene(state, github, model, repository, issue)
    check_exchanges(state.exchanges)


@asynccontextmanager
async def open_world(
    root: Path,
    script: Script | None = None,
    *,
    files: Mapping[str, str | bytes] | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[World]:
    """Open a scene with a Fixpoint in it."""
    async with (
        open_scene(root, script, files=files) as scene,
        entered(scene, root, environ) as world,
    ):
        yield world


@asynccontextmanager
async def entered(
    scene: Scene, root: Path, environ: Mapping[str, str] | None = None
) -> AsyncIterator[World]:
    """Open a Fixpoint in a scene; a second one after it finds the data of the first."""
    variables = scene.variables(root / "data") | dict(environ or {})
    settings = load_server_settings(variables)
    async with open_server(settings) as server, served(server) as web:
        yield World(
            scene.state,
            scene.github,
            scene.model,
            scene.repository,
            scene.issue,
            server,
            web,
            settings,
        )


@asynccontextmanager
async def served(server: Server) -> AsyncIterator[TestServer]:
    """Serve it on a free port of this machine."""
    web = TestServer(server.app)
    await web.start_server()
    try:
        yield web
    finally:
        await web.close()
