"""The page of one repository: how its runs went, its flaky jobs, and its config."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from aiohttp import web

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.storage.run_figures import RepositoryFigures, RunFigures
from bot.storage.run_lists import RunLists, RunQuery
from bot.web.caller import CALLER, Scope
from bot.web.flaky_jobs import flaky_jobs
from bot.web.pages.figures import charts
from bot.web.pages.frame import Frame
from bot.web.problems import ApiProblem
from bot.web.repository_config import RepositoryConfigs
from bot.web.streams import send, stream

_MOST_RUNS = 10


class KnownRepositories:
    """Finds the repository that an address names."""

    def __init__(self, lists: RunLists, github: GitHub) -> None:
        self._lists = lists
        self._github = github

    async def named(self, request: web.Request) -> Repo:
        """Return a repository that had a run, or on which the App is installed.

        Raises:
            ApiProblem: When there is none that the caller sees.
        """
        caller, name = request[CALLER], "{owner}/{name}".format(**request.match_info)
        caller.demand(Scope.READ)
        problem = ApiProblem(HTTPStatus.NOT_FOUND, f"The App isn't installed on {name[:140]}.")
        if not caller.may_see(name):
            raise problem
        known = await self._lists.page(RunQuery(repository=name, limit=1))
        if known.runs:
            asked = known.runs[0].request
            return Repo(asked.repository, asked.installation_id)
        try:
            found = await self._github.installed_on(name)
        except GitHubError as error:
            raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
        if found is None:
            raise problem
        return found


class RepositoryPage:
    """Answers with a repository that the caller sees."""

    def __init__(
        self,
        frame: Frame,
        known: KnownRepositories,
        lists: RunLists,
        figures: RunFigures,
        configs: RepositoryConfigs,
        url: str,
    ) -> None:
        self._frame = frame
        self._known = known
        self._lists = lists
        self._figures = figures
        self._configs = configs
        self._url = url

    async def show(self, request: web.Request) -> web.Response:
        """Show one repository."""
        repo = await self._known.named(request)
        only = frozenset({repo.full_name.lower()})
        figures, days, flaky, page, places = await asyncio.gather(
            self._figures.repositories(only),
            self._figures.days(only),
            self._lists.flaky(repo.full_name),
            self._lists.page(RunQuery(repository=repo.full_name, limit=_MOST_RUNS)),
            self._lists.queue(),
        )
        context = {
            "repository": repo.full_name,
            "figures": next(iter(figures), RepositoryFigures(repo.full_name.lower())),
            "charts": charts(days),
            "flaky": flaky_jobs(flaky),
            "page": page,
            "places": places,
            "config": self._configs.at_once(repo),
            "github": f"{self._url}/{repo.full_name}",
        }
        return self._frame.page(request, "repository.html", repo.full_name, context)

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Tell once the config is read: GitHub is asked for it, and the page doesn't wait."""
        repo = await self._known.named(request)
        async with stream(request) as response:
            await self._configs.of(repo)
            await send(response, {}, event="over")
        return response
