"""Read the config of a repository as it is on its default branch."""

from __future__ import annotations

import asyncio

from cachetools import TTLCache

from bot.apart import Allowance, TooMuch, apart
from bot.config.repo_config import PATH
from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.web.shown_config import ConfigShown, shown

KNOWN_SECONDS = 60.0
_READING = Allowance(seconds=2)

_PATIENCE = 5.0
"""Seconds that GitHub gets for its answers."""


class RepositoryConfigs:
    """Reads configs, and remembers them for a minute."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._known: TTLCache[Repo, ConfigShown] = TTLCache(1_000, KNOWN_SECONDS)
        self._reading: dict[Repo, asyncio.Task[ConfigShown]] = {}

    async def of(self, repo: Repo) -> ConfigShown:
        """Return the config of a repository, or why it can't be had."""
        found = self._known.get(repo)
        return await asyncio.shield(self._asked(repo)) if found is None else found

    def at_once(self, repo: Repo) -> ConfigShown | None:
        """Return the same if it is known, or None; then it is being read for who asks again."""
        found = self._known.get(repo)
        if found is None:
            self._asked(repo)
        return found

    def _asked(self, repo: Repo) -> asyncio.Task[ConfigShown]:
        """Return what reads a config, one for all who ask meanwhile."""
        task = self._reading.get(repo)
        if task is None:
            task = self._reading[repo] = asyncio.create_task(self._read(repo))
            task.add_done_callback(lambda _: self._reading.pop(repo))
        return task

    async def _read(self, repo: Repo) -> ConfigShown:
        found = self._known[repo] = await self._fetched(repo)
        return found

    async def _fetched(self, repo: Repo) -> ConfigShown:
        try:
            async with asyncio.timeout(_PATIENCE):
                facts = await self._github.facts(repo)
                content = await self._github.read_file(repo, PATH, facts.default_branch)
            return await apart(shown, content, allowance=_READING)
        except TimeoutError:
            return ConfigShown(problem=f"GitHub didn't answer within {_PATIENCE:.0f} seconds.")
        except (GitHubError, TooMuch) as error:
            return ConfigShown(problem=str(error))
