"""The page of one repository: how its runs went, its flaky jobs, and its config."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from aiohttp import web

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.storage.names import NameStore
from bot.storage.run_figures import RepositoryFigures, RunFigures
from bot.storage.run_lists import RunLists, RunQuery
from bot.storage.runs import RunRecord
from bot.web.caller import CALLER, Caller, Scope
from bot.web.pages.figures import charts
from bot.web.pages.frame import Frame
from bot.web.problems import ApiProblem
from bot.web.repository_config import RepositoryConfigs
from bot.web.streams import send, stream


@dataclass(frozen=True, slots=True)
class FlakyJob:
    """A job, or what a person asked about.

    Attributes:
        name: Of the check; of a run that a person asked for, its command or where they asked.
        times: How many runs found it flaky.
        last: The youngest of them.
    """

    name: str
    times: int
    last: RunRecord


def flaky_jobs(runs: Iterable[RunRecord]) -> tuple[FlakyJob, ...]:
    """Return the jobs, the most frequent first.

    Args:
        runs: That ended as flaky, the youngest first.
    """
    found: dict[str, FlakyJob] = {}
    for run in runs:
        for name in _names(run):
            known = found.get(name)
            times = 1 if known is None else known.times + 1
            found[name] = FlakyJob(name, times, run if known is None else known.last)
    return tuple(sorted(found.values(), key=lambda item: -item.times))


def _names(run: RunRecord) -> tuple[str, ...]:
    request = run.request
    if request.failed is not None and request.failed.checks:
        return tuple(dict.fromkeys(check.name for check in request.failed.checks))
    if request.options.test:
        return (request.options.test,)
    return (f"asked in #{request.number}" if request.number is not None else "asked here",)


_MOST_RUNS = 10
_NAME = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", re.ASCII)


class KnownRepositories:
    """Finds the repository that an address names."""

    def __init__(self, names: NameStore, github: GitHub) -> None:
        self._names = names
        self._github = github

    async def of(self, request: web.Request) -> Repo:
        """Return the repository that the address of a page names; see `named`."""
        return await self.named("{owner}/{name}".format(**request.match_info), request[CALLER])

    async def named(self, name: str, caller: Caller) -> Repo:
        """Return a repository that had a run, or on which the App is installed.

        Raises:
            ApiProblem: When there is none that the caller sees.
        """
        caller.demand(Scope.READ)
        found = await self._names.named(name, caller.sees)
        if found is None and caller.sees != frozenset() and _NAME.fullmatch(name):
            try:
                found = await self._github.installed_on(name)
            except GitHubError as error:
                raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
        if found is None or not caller.may_see(found.identity):
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"The App isn't installed on {name[:140]}.")
        return found


class RepositoryView:
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
        repo = await self._known.of(request)
        only = frozenset({repo.identity})
        figures, days, flaky, page, places = await asyncio.gather(
            self._figures.repositories(only),
            self._figures.days(only),
            self._lists.flaky(repo),
            self._lists.page(RunQuery(among=only, limit=_MOST_RUNS)),
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
        repo = await self._known.of(request)
        async with stream(request) as response:
            await self._configs.of(repo)
            await send(response, {}, event="over")
        return response
