"""The real `fixpoint serve` in a process of its own, between a GitHub and a model of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.processes import Failed, clean_environment
from bench.task import FILES, MODEL, TASK
from demo.serving import Serving, serve, tail
from tests.fakes.github import GitHubServer, GitHubState
from tests.fakes.model import ModelServer

_PATIENCE = 120.0
_POLL_SECONDS = 0.02


class FixpointServer:
    """A server with the embedded defaults: SQLite, bubblewrap, every step kept.

    Attributes:
        github: What people do on GitHub.
        repository: The only one there.
        process: Of the server.
    """

    process: Serving

    def __init__(
        self,
        folder: Path,
        model: ModelServer | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """Keep all in `folder`; `more` are further variables of the server."""
        folder.mkdir(parents=True)
        self.folder = folder
        state = GitHubState(folder / "github")
        self.repository = state.add_repository("acme/app", dict(FILES), roles={"ada": "admin"})
        state.install("acme")
        self.github = GitHubServer(state)
        self._model = model
        self._more = dict(more or {})
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.github)
        started = serve(clean_environment(self._settings()), self.folder / "server.log")
        self.process = await self._stack.enter_async_context(started)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    @property
    def webhook(self) -> str:
        """Where it takes deliveries."""
        return f"{self.process.url}/webhook"

    @property
    def database(self) -> Path:
        """The file that deliveries are kept in."""
        return self.folder / "data" / "fixpoint.db"

    async def fix_an_issue(self, *, patience: float = _PATIENCE) -> None:
        """Somebody opens an issue and comments `/fix`; return once that is answered with a rocket.

        Args:
            patience: Seconds until it counts as failed.

        Raises:
            Failed: When it is not.
        """
        issue = self.github.state.open_issue(self.repository, "ada", TASK, "It should say right.")
        event = self.github.comment(issue, "ada", "/fix")
        asked = issue.comments[-1]
        await self.github.deliver(event, self.webhook)
        try:
            async with asyncio.timeout(patience):
                while all(reaction.content != "rocket" for reaction in asked.reactions):  # noqa: ASYNC110 - of another server
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError as error:
            raise Failed(f"The issue was not fixed. {tail(self.process.log)}") from error

    def _settings(self) -> dict[str, str]:
        settings = settings_of(self.github, self.folder)
        if self._model is not None:
            settings |= {"OPENAI_BASE_URL": self._model.openai_url, "OPENAI_MODEL": MODEL}
        return settings | self._more


def settings_of(github: GitHubServer, folder: Path) -> dict[str, str]:
    """Return the settings of a server for a GitHub of this machine, which keeps all in a folder."""
    app = github.state.app
    return {
        "HOME": str(folder),
        "HOST": "127.0.0.1",
        "PORT": "0",
        "GITHUB_APP_ID": str(app.id),
        "GITHUB_PRIVATE_KEY": app.private_key,
        "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
        "GITHUB_API_URL": github.api_url,
        "GITHUB_URL": github.web_url,
        "FIXPOINT_DATA": str(folder / "data"),
        "FIXPOINT_SANDBOX": "bubblewrap",
    }
