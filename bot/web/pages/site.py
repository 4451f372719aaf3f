"""Every page, and the address that each has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.github.github import GitHub
from bot.model.money.caps import Caps
from bot.settings.environment import ServerSettings
from bot.storage.approvals import ApprovalStore
from bot.storage.events import EventStore
from bot.storage.ledger import Ledger
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists
from bot.web.access import AdminAccess
from bot.web.diffs import Diffs
from bot.web.health import ServiceHealth
from bot.web.memory_control import MemoryControl
from bot.web.pages.api_page import ApiPage
from bot.web.pages.figures import FigurePages
from bot.web.pages.frame import Frame, set_up_templates
from bot.web.pages.github_login import CALLBACK, GitHubLogin, GitHubLoginPages
from bot.web.pages.login import LoginPage
from bot.web.pages.memory_page import MemoryPage
from bot.web.pages.new_run import NewRunPage
from bot.web.pages.repository import KnownRepositories, RepositoryView
from bot.web.pages.run_list import RunListPage
from bot.web.pages.run_page import RunView
from bot.web.pages.server_pages import ServerPages
from bot.web.problems import ApiProblem
from bot.web.repository_config import RepositoryConfigs
from bot.web.run_control import RunControl
from bot.web.sessions import Sessions

STATIC = Path(__file__).parent.parent / "static"
_ASSETS = {"style.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class PageData:
    """What pages show."""

    control: RunControl
    memory: MemoryControl
    events: EventStore
    lists: RunLists
    figures: RunFigures
    known: KnownRepositories
    approvals: ApprovalStore
    ledger: Ledger
    caps: Caps
    settings: ServerSettings
    github: GitHub
    services: ServiceHealth
    api: Callable[[], Mapping[str, Any]]


class Pages:
    """Answers browsers."""

    def __init__(
        self, access: AdminAccess, sessions: Sessions, login: GitHubLogin | None, data: PageData
    ) -> None:
        diffs = Diffs()
        self._frame = frame = Frame(access, sessions, diffs.prepare)
        self._run_list = RunListPage(frame, data.lists, data.events, data.services)
        url = data.settings.github_url
        self._run = RunView(
            frame, data.control, data.events, data.lists, data.approvals, diffs, url
        )
        configs = RepositoryConfigs(data.github)
        self._repository = RepositoryView(frame, data.known, data.lists, data.figures, configs, url)
        self._memory = MemoryPage(frame, data.known, data.memory)
        self._new_run = NewRunPage(frame, data.control)
        self._figures = FigurePages(frame, data.figures, data.ledger, data.caps)
        self._server = ServerPages(frame, data.lists, data.figures, data.settings, data.services)
        self._api = ApiPage(frame, data.api)
        self._login = LoginPage(frame, access, sessions, with_github=login is not None)
        self._github_login = GitHubLoginPages(frame, sessions, login, self._login)

    def problem(self, request: web.Request, problem: ApiProblem) -> web.Response:
        """Return a page that says what is wrong, where there is no page."""
        return self._frame.problem(request, problem)

    def add_to(self, app: web.Application) -> None:
        """Route every page."""
        set_up_templates(app)
        for method, path, handler in (
            ("GET", "/", self._run_list.show),
            ("GET", "/live", self._run_list.live),
            ("GET", "/runs/{id}", self._run.show),
            ("GET", "/runs/{id}/live", self._run.live),
            ("POST", "/runs/{id}/{action:stop|approve|reject|retry}", self._run.act),
            ("GET", "/new", self._new_run.show),
            ("POST", "/new", self._new_run.create),
            ("GET", "/repositories", self._figures.repositories),
            ("GET", "/repositories/{owner}/{name}", self._repository.show),
            ("GET", "/repositories/{owner}/{name}/live", self._repository.live),
            ("GET", "/repositories/{owner}/{name}/memory", self._memory.show),
            ("POST", "/repositories/{owner}/{name}/memory", self._memory.forget),
            ("GET", "/money", self._figures.money),
            ("GET", "/status", self._server.status),
            ("GET", "/settings", self._server.settings),
            ("GET", "/api/docs", self._api.show),
            ("GET", "/login", self._login.show),
            ("POST", "/login", self._login.log_in),
            ("GET", "/login/github", self._github_login.leave),
            ("GET", CALLBACK, self._github_login.come_back),
            ("POST", "/logout", self._github_login.log_out),
        ):
            app.router.add_route(method, path, self._frame.guarded(handler))
        app.router.add_get("/static/{name}", asset)


async def asset(request: web.Request) -> web.StreamResponse:
    """Answer with a file that pages use."""
    name = request.match_info["name"]
    if name not in _ASSETS:
        raise ApiProblem(HTTPStatus.NOT_FOUND, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=3600", "Content-Type": _ASSETS[name]}
    return web.FileResponse(STATIC / name, headers=headers)
