"""The page of one repository: how its runs went, its flaky jobs, and its config."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from aiohttp import web

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.storage.run_figures import RepositoryFigures, repositories
from bot.storage.run_lists import RunLists, RunQuery
from bot.web.caller import CALLER, Caller, Scope
from bot.web.flaky_jobs import flaky_jobs
from bot.web.pages.figures import charts, month
from bot.web.pages.frame import Frame
from bot.web.problems import ApiProblem
from bot.web.repository_config import RepositoryConfigs

_MOST_RUNS = 10


class RepositoryPage:
    """Answers with a repository that the caller sees."""

    def __init__(
        self, frame: Frame, lists: RunLists, github: GitHub, configs: RepositoryConfigs, url: str
    ) -> None:
        self._frame = frame
        self._lists = lists
        self._github = github
        self._configs = configs
        self._url = url

    async def show(self, request: web.Request) -> web.Response:
        """Show one repository."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        name = f"{request.match_info['owner']}/{request.match_info['name']}"
        repo = await self._repo(name, caller)
        only = frozenset({repo.full_name.lower()})
        ended, flaky, page, places, config = await asyncio.gather(
            self._lists.ended(among=only),
            self._lists.flaky(repo.full_name),
            self._lists.page(RunQuery(repository=repo.full_name, limit=_MOST_RUNS)),
            self._lists.queue(),
            self._configs.of(repo),
        )
        context = {
            "repository": repo.full_name,
            "figures": next(iter(repositories(ended)), _nothing(repo)),
            "charts": charts(month(ended)),
            "flaky": flaky_jobs(flaky),
            "page": page,
            "places": places,
            "config": config,
            "github": f"{self._url}/{repo.full_name}",
        }
        return self._frame.page(request, "repository.html", repo.full_name, context)

    async def _repo(self, name: str, caller: Caller) -> Repo:
        """Return a repository that had a run, or on which the App is installed."""
        problem = ApiProblem(HTTPStatus.NOT_FOUND, f"The App isn't installed on {name[:140]}.")
        if not caller.may_see(name):
            raise problem
        known = await self._lists.page(RunQuery(repository=name, limit=1))
        if known.runs:
            request = known.runs[0].request
            return Repo(request.repository, request.installation_id)
        try:
            found = await self._github.installed_on(name)
        except GitHubError as error:
            raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
        if found is None:
            raise problem
        return found


def _nothing(repo: Repo) -> RepositoryFigures:
    return RepositoryFigures(repo.full_name, 0, 0, 0, None, None)
