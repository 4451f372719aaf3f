"""The dashboard's pages: rendered here, refreshed by a small script, useful without it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp_jinja2
import jinja2
from aiohttp import web

from bot import __version__
from bot.model import Verdict
from bot.model.events import EventType
from bot.model.given_test import GivenTest
from bot.model.money.caps import Caps
from bot.reporting.figures import count, duration, money
from bot.settings.environment import ServerSettings
from bot.settings.shown import ShownSetting, shown_settings
from bot.storage.events import EventStore
from bot.storage.ledger import Ledger
from bot.storage.run_lists import RunLists, days, repositories
from bot.storage.runs import RunRecord, RunStatus
from bot.web.access import COOKIE, SESSION, SESSION_SECONDS, AdminAccess, FailedLogins, Session
from bot.web.api import run_query
from bot.web.given_cases import cases_test, file_test
from bot.web.health import look
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl, RunParameters
from bot.web.shown_text import diff, prose, terminal
from bot.web.streams import pulse, send, stream
from bot.web.timeline import timeline

STATIC = Path(__file__).parent / "static"
_ASSETS = {"style.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}
_CHART_DAYS = 30
_PULSE_SECONDS = 15.0
_PAUSE_SECONDS = 0.25
"""Between two times that a list of runs is told to be stale."""

Context = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageData:
    """What pages show."""

    control: RunControl
    events: EventStore
    lists: RunLists
    ledger: Ledger
    caps: Caps
    settings: ServerSettings
    github_url: str


class Pages:
    """Answers browsers."""

    def __init__(self, access: AdminAccess, data: PageData) -> None:
        self._access = access
        self._data = data
        self._failed = FailedLogins()

    def add_to(self, app: web.Application) -> None:
        """Route every page."""
        environment = aiohttp_jinja2.setup(
            app,
            loader=jinja2.PackageLoader("bot.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {
            "terminal": terminal,
            "diff": diff,
            "prose": prose,
            "money": _money,
            "duration": duration,
            "count": count,
            "when": _when,
            "moment": _moment,
        }
        router = app.router
        router.add_get("/", self.runs)
        router.add_get("/live", self.runs_live)
        router.add_get("/runs/{id}", self.run)
        router.add_get("/runs/{id}/live", self.run_live)
        router.add_post("/runs/{id}/{action:stop|approve|reject|retry}", self.act)
        router.add_get("/new", self.new)
        router.add_post("/new", self.create)
        router.add_get("/repositories", self.repositories)
        router.add_get("/money", self.money)
        router.add_get("/status", self.status)
        router.add_get("/settings", self.settings)
        router.add_get("/health", self.health)
        router.add_get("/health/detailed", self.health_detailed)
        router.add_get("/login", self.login)
        router.add_post("/login", self.log_in)
        router.add_post("/logout", self.log_out)
        router.add_get("/static/{name}", _asset)

    # --- runs ---

    async def runs(self, request: web.Request) -> web.Response:
        """List runs."""
        try:
            query = run_query(request)
        except ApiProblem as problem:
            return self._failed_page(request, problem)
        page, places, standing = await asyncio.gather(
            self._data.lists.page(query),
            self._data.lists.queue(),
            self._data.lists.by_status(),
        )
        wanted = {name: value for name, value in request.query.items() if name != "offset"}
        context = {
            "page": page,
            "query": query,
            "places": places,
            "standing": {status.value: standing.get(status, 0) for status in RunStatus},
            "statuses": [one.value for one in RunStatus],
            "verdicts": [one.value.replace(" ", "_") for one in Verdict],
            "chosen_verdict": query.verdict.replace(" ", "_") if query.verdict else "",
            "earlier": _offset(wanted, query.offset - query.limit) if query.offset else None,
            "later": _offset(wanted, query.offset + query.limit)
            if query.offset + len(page.runs) < page.total
            else None,
        }
        return self._page(request, "runs.html", "Runs", context)

    async def runs_live(self, request: web.Request) -> web.StreamResponse:
        """Tell, as it happens, that the list of runs is stale."""
        async with stream(request) as response:
            with self._data.events.signals.heard() as news:
                while True:
                    news.clear()
                    try:
                        async with asyncio.timeout(_PULSE_SECONDS):
                            await news.wait()
                    except TimeoutError:
                        await pulse(response)
                        continue
                    await send(response, {}, event="stale")
                    await asyncio.sleep(_PAUSE_SECONDS)
        return response

    async def run(self, request: web.Request) -> web.Response:
        """Show one run."""
        try:
            run = await self._data.control.run(request.match_info["id"])
        except ApiProblem as problem:
            return self._failed_page(request, problem)
        events, output, waits = await asyncio.gather(
            self._data.events.without_output(run.id),
            self._data.events.last_output(run.id),
            self._data.control.waits(run),
        )
        numbers = [one.number for one in (*events, *output)]
        context = {
            "run": run,
            "entries": timeline(events),
            "output": "".join(str(one.data["text"]) for one in output),
            "last": max(numbers, default=0),
            "waits": waits,
            "thread": self._thread(run),
            "repository_url": f"{self._data.github_url}/{run.request.repository}",
            "place": (await self._data.lists.queue()).get(run.id),
        }
        return self._page(request, "run.html", f"Run {run.id}", context)

    async def run_live(self, request: web.Request) -> web.StreamResponse:
        """Tell the events of a run as they happen: output in full, of others that they came."""
        run = await self._data.control.run(request.match_info["id"])
        after = request.headers.get("Last-Event-ID") or request.query.get("after", "0")
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else 0  # noqa: PLR2004 - fits a number of SQL
        async with stream(request) as response:
            async for batch in self._data.events.follow(run.id, number, pulse=_PULSE_SECONDS):
                if not batch:
                    await pulse(response)
                for event in batch:
                    at = event.at.timestamp()
                    if event.type is EventType.OUTPUT:
                        html = str(terminal(str(event.data["text"])))
                        data = {"html": html, "at": at}
                        await send(response, data, event="output", number=event.number)
                    else:
                        await send(response, {"at": at}, event="stale", number=event.number)
            await send(response, {}, event="over")
        return response

    async def act(self, request: web.Request) -> web.Response:
        """Stop, answer or repeat a run."""
        control, run_id = self._data.control, request.match_info["id"]
        await self._checked_form(request)
        try:
            match request.match_info["action"]:
                case "stop":
                    await control.stop(run_id)
                case "retry":
                    run_id = await control.again(run_id)
                case action:
                    await control.answer(run_id, approved=action == "approve")
        except ApiProblem as problem:
            return self._failed_page(request, problem)
        raise web.HTTPSeeOther(f"/runs/{run_id}")

    # --- new ---

    async def new(self, request: web.Request) -> web.Response:
        """Show the form for a new run."""
        given = {name: request.query.get(name, "") for name in _FIELDS}
        return self._page(request, "new.html", "New run", {"given": given, "problem": ""})

    async def create(self, request: web.Request) -> web.Response:
        """Start the run that the form describes."""
        form = await self._checked_form(request)
        given = {name: form.get(name, "").strip("\r\n\t ") for name in _FIELDS}
        try:
            run_id = await self._data.control.ask(_asked(given))
        except ApiProblem as problem:
            context = {"given": given, "problem": problem.detail}
            return self._page(request, "new.html", "New run", context, problem.status)
        raise web.HTTPSeeOther(f"/runs/{run_id}")

    # --- figures ---

    async def repositories(self, request: web.Request) -> web.Response:
        """Show how runs went, by repository and by day."""
        ended = await self._data.lists.ended()
        context = {
            "repositories": repositories(ended),
            "days": days(ended, datetime.now(UTC).date(), _CHART_DAYS),
            "fixed": Verdict.FIXED,
        }
        return self._page(request, "repositories.html", "Repositories", context)

    async def money(self, request: web.Request) -> web.Response:
        """Show what was spent."""
        today = datetime.now(UTC).date()
        ended, balances = await asyncio.gather(
            self._data.lists.ended(),
            self._data.ledger.listed(self._data.caps, name=None, day=today.isoformat()),
        )
        context = {"days": days(ended, today, _CHART_DAYS), "balances": balances}
        return self._page(request, "money.html", "Money", context)

    async def status(self, request: web.Request) -> web.Response:
        """Show how well the server is."""
        health, standing = await asyncio.gather(
            look(self._data.lists), self._data.lists.by_status()
        )
        context = {
            "health": health,
            "standing": {status.value: standing.get(status, 0) for status in RunStatus},
            "concurrency": self._data.settings.fixpoint_concurrency,
        }
        return self._page(request, "status.html", "Health", context)

    async def settings(self, request: web.Request) -> web.Response:
        """Show the settings in force, never a secret."""
        shown: tuple[ShownSetting, ...] = shown_settings(self._data.settings)
        return self._page(request, "settings.html", "Settings", {"settings": shown})

    async def health(self, _: web.Request) -> web.Response:
        """Answer that the server answers."""
        return web.json_response({"status": "ok", "version": __version__})

    async def health_detailed(self, _: web.Request) -> web.Response:
        """Answer how well the server is."""
        health, standing = await asyncio.gather(
            look(self._data.lists), self._data.lists.by_status()
        )
        return web.json_response(
            {
                "score": health.score,
                "version": __version__,
                "runs": {status.value: standing.get(status, 0) for status in RunStatus},
                "checks": [asdict(one) for one in health.checks],
            }
        )

    # --- people ---

    async def login(self, request: web.Request) -> web.Response:
        """Show the form that asks for the token."""
        if self._access.session(request) is not None:
            raise web.HTTPSeeOther("/")
        return self._page(request, "login.html", "Log in", {"problem": ""})

    async def log_in(self, request: web.Request) -> web.Response:
        """Take the token."""
        form = await request.post()
        if self._failed.too_many():
            problem = "Too many attempts failed. Wait a minute and try again."
        elif self._access.is_token(str(form.get("token", ""))):
            response = web.HTTPSeeOther("/")
            response.set_cookie(
                COOKIE,
                self._access.new_session(),
                max_age=SESSION_SECONDS,
                httponly=True,
                samesite="Lax",
                secure=_is_secure(request),
            )
            raise response
        else:
            self._failed.note()
            problem = "That isn't the admin token. It's the value of FIXPOINT_ADMIN_TOKEN."
        context = {"problem": problem}
        return self._page(request, "login.html", "Log in", context, HTTPStatus.FORBIDDEN)

    async def log_out(self, request: web.Request) -> web.Response:
        """Forget the session."""
        await self._checked_form(request)
        response = web.HTTPSeeOther("/login")
        response.del_cookie(COOKIE)
        raise response

    # --- all pages ---

    async def _checked_form(self, request: web.Request) -> Mapping[str, str]:
        """Return the fields of a form that one of our own pages sent."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        session: Session | None = request.get(SESSION)
        if session is None or not self._access.from_our_form(session, form.get("csrf", "")):
            raise ApiProblem(
                HTTPStatus.FORBIDDEN, "This form is out of date. Reload the page and try again."
            )
        return form

    def _page(
        self,
        request: web.Request,
        template: str,
        title: str,
        context: Context,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> web.Response:
        session: Session | None = request.get(SESSION)
        common: Context = {
            "title": title,
            "path": request.path,
            "csrf": session.csrf if session is not None else "",
            "can_log_out": self._access.asks_for_token and session is not None,
            "version": __version__,
            "now": datetime.now(UTC),
        }
        response = aiohttp_jinja2.render_template(template, request, {**common, **context})
        response.set_status(status)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _failed_page(self, request: web.Request, problem: ApiProblem) -> web.Response:
        context = {"detail": problem.detail}
        return self._page(request, "problem.html", problem.status.phrase, context, problem.status)

    def _thread(self, run: RunRecord) -> tuple[str, str] | None:
        """Return the words and the address of what a run is about; None without a place."""
        base, request = f"{self._data.github_url}/{run.request.repository}", run.request
        if request.number is not None:
            kind = "pull" if request.is_pull_request else "issues"
            return f"#{request.number}", f"{base}/{kind}/{request.number}"
        if run.head is not None:
            return run.head[:7], f"{base}/commit/{run.head}"
        return None


_FIELDS = (
    "repository", "prompt", "number", "test", "budget_usd", "function", "cases", "test_path",
    "test_content",
)  # fmt: skip


def _asked(given: Mapping[str, str]) -> RunParameters:
    """Return what a form asks for.

    Raises:
        ApiProblem: When a field can't be read.
    """
    number = given["number"].removeprefix("#")
    if number and not (number.isascii() and number.isdigit() and 0 < int(number[:10]) < 2**31):
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "The issue must be a number, such as 12, or empty."
        )
    budget: Decimal | None = None
    if given["budget_usd"]:
        try:
            budget = Decimal(given["budget_usd"].removeprefix("$"))
        except InvalidOperation:
            budget = None
        if budget is None or not (budget.is_finite() and budget > 0):
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "The budget must be an amount in dollars, such as 0.50, or empty.",
            )
    return RunParameters(
        repository=given["repository"],
        prompt=given["prompt"],
        number=int(number) if number else None,
        test=given["test"] or None,
        budget_usd=budget,
        given_test=_given_test(given),
    )


def _given_test(given: Mapping[str, str]) -> GivenTest | None:
    """Return the test that a form gives: a file, or cases with one line each."""
    if given["test_content"]:
        return file_test(given["test_path"], given["test_content"])
    if not (given["function"] or given["cases"]):
        return None
    cases = [_case(line) for line in given["cases"].splitlines() if line.strip()]
    return cases_test(given["function"], cases)


def _case(line: str) -> tuple[str, str]:
    before, arrow, behind = line.rpartition("=>")
    if not arrow:
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "Write each test case as INPUT => EXPECTED, such as 1, 2 => 3.",
        )
    return before, behind


def _offset(wanted: Mapping[str, str], offset: int) -> str:
    return "/?" + urlencode({**wanted, "offset": str(max(0, offset))})


def _money(amount: Decimal | float | None) -> str:
    return money(Decimal(str(amount)) if isinstance(amount, float) else amount)


def _when(moment: datetime, now: datetime) -> str:
    """Return how long ago something was."""
    seconds = (now - moment).total_seconds()
    day = 86_400
    return (
        f"{count(int(seconds // day), 'day')} ago" if seconds > day else f"{duration(seconds)} ago"
    )


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _is_secure(request: web.Request) -> bool:
    return request.secure or request.headers.get("X-Forwarded-Proto", "") == "https"


async def _asset(request: web.Request) -> web.StreamResponse:
    name = request.match_info["name"]
    if name not in _ASSETS:
        raise ApiProblem(HTTPStatus.NOT_FOUND, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=3600", "Content-Type": _ASSETS[name]}
    return web.FileResponse(STATIC / name, headers=headers)
