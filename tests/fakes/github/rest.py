"""The way of every REST call: faults, credentials, rate limit, permission, body, answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from aiohttp import hdrs, web
from pydantic import ValidationError

from tests.fakes.github import (
    apps,
    checks,
    ci,
    ci_files,
    git_data,
    graphql,
    issues,
    people,
    pulls,
    repos,
    reviews,
)
from tests.fakes.github.credentials import (
    Anonymous,
    AsApp,
    AsClient,
    AsInstallation,
    AsUser,
    BadCredentials,
    Caller,
    caller,
)
from tests.fakes.github.endpoint import Call, Endpoint, Refusal, Reply, not_found
from tests.fakes.github.faults import Fault, Trouble
from tests.fakes.github.model import Exchange, Repository
from tests.fakes.github.state import GitHubState
from tests.fakes.github.views import Views

ENDPOINTS: tuple[Endpoint, ...] = (
    *apps.ENDPOINTS,
    *people.ENDPOINTS,
    *repos.ENDPOINTS,
    *issues.ENDPOINTS,
    *ci.ENDPOINTS,
    *ci_files.ENDPOINTS,
    *checks.ENDPOINTS,  # before pulls and git data: nothing here shadows them
    *reviews.ENDPOINTS,
    *pulls.ENDPOINTS,
    *git_data.ENDPOINTS,
)
_BY_NAME, _BY_ID = "/repos/{owner}/{repo}", "/repositories/{repository}"
"""How documents name a repository, and how redirects and pages of lists do."""

WILD = ("path", "ref", "branch")
"""Parameters that may contain slashes."""

HOUR = 3600
DOCUMENTATION = "https://docs.github.com/rest"
SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as it came, read whole."""

    request: web.Request
    endpoint: Endpoint
    path: str
    raw: bytes
    parameters: dict[str, str]


class Rest:
    """Serves the endpoints over one state; calls are done one at a time, as transactions are."""

    def __init__(self, state: GitHubState, views: Views) -> None:
        self._state = state
        self._views = views
        self._turn = asyncio.Lock()
        self._writes: defaultdict[str, deque[float]] = defaultdict(deque)

    def routes(self, prefix: str) -> list[web.RouteDef]:
        """Return aiohttp's routes; longer ones first, so that wild parameters don't swallow."""
        ordered = sorted(
            ENDPOINTS, key=lambda endpoint: (-endpoint.route.count("/"), endpoint.route)
        )
        found = [
            web.route(endpoint.method, prefix + _pattern(route), self._handler(endpoint, prefix))
            for endpoint in ordered
            for route in (endpoint.route, endpoint.route.replace(_BY_NAME, _BY_ID))[
                : 2 if endpoint.route.startswith(_BY_NAME) else 1
            ]
        ]
        # beside the REST API, as on GitHub Enterprise Server: `/api/graphql`, `/api/v3`
        beside = prefix.removesuffix("/v3")
        handle = self._handler(graphql.ENDPOINT, beside)
        found.append(web.post(beside + graphql.ENDPOINT.route, handle))
        return [*found, web.route("*", prefix + "/{anything:.*}", self._unknown)]

    def _handler(self, endpoint: Endpoint, prefix: str) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            incoming = self._incoming(request, endpoint, prefix, raw)
            if incoming is None:
                return await self._unknown(request)
            await asyncio.sleep(self._state.faults.latency)
            fault = self._state.faults.strike(request.method, incoming.path)
            if fault is None:
                return self._led_on(incoming) or await self._answer(incoming)
            if fault.trouble.comes_after:
                await self._answer(incoming)
            await fault.meet()
            return await self._fail(request, fault)

        return handle

    def _incoming(
        self, request: web.Request, endpoint: Endpoint, prefix: str, raw: bytes
    ) -> Incoming | None:
        """Return a request; one that names its repository by id as if it named it by name."""
        path, parameters = request.path.removeprefix(prefix), dict(request.match_info)
        if (number := parameters.pop("repository", None)) is not None:
            repo = self._state.repository_of(number)
            if repo is None:
                return None
            path = path.replace(f"/repositories/{number}", f"/repos/{repo.full_name}", 1)
            parameters |= {"owner": repo.owner.login, "repo": repo.name}
        return Incoming(request, endpoint, path, raw, parameters)

    def _led_on(self, incoming: Incoming) -> web.Response | None:
        """Return where a repository is that had the name of the path before.

        GitHub's own answer names it by id: `/repositories/ID/...`.
        """
        found = incoming.parameters
        old = f"{found.get('owner')}/{found.get('repo')}"
        if self._state.repository_named(old) or old not in self._state.old_names:
            return None
        today = self._state.old_names[old].full_name
        place = incoming.request.rel_url.raw_path_qs.replace(f"/repos/{old}", f"/repos/{today}", 1)
        status = 301 if incoming.endpoint.method == "GET" else 307
        return web.json_response(
            {"message": "Moved Permanently"}, status=status, headers={"Location": place}
        )

    @staticmethod
    async def _unknown(_request: web.Request) -> web.StreamResponse:
        return _json(404, {"message": "Not Found", "documentation_url": DOCUMENTATION})

    async def _answer(self, incoming: Incoming) -> web.Response:
        headers: dict[str, str] = {}
        who: Caller = Anonymous()
        try:
            who = self._identify(incoming)
            headers = self._count(who)
            self._count_write(incoming, who)
            call = self._admit(incoming, who)
            async with self._turn:
                reply = await asyncio.to_thread(incoming.endpoint.handle, call)
        except Refusal as refusal:
            reply = _refused(refusal)
        response = self._respond(incoming, reply, headers)
        if response.status == HTTPStatus.NOT_MODIFIED:
            self._state.used[_reservations(who)] -= 1  # as GitHub does
        self._note(incoming, reply, response.status)
        return response

    def _identify(self, incoming: Incoming) -> Caller:
        if not incoming.request.headers.get(hdrs.USER_AGENT):
            raise Refusal(403, "Request forbidden by administrative rules.")
        try:
            return caller(self._state, incoming.request.headers.get(hdrs.AUTHORIZATION))
        except BadCredentials as error:
            raise Refusal(401, str(error)) from error

    def _count(self, who: Caller) -> dict[str, str]:
        """Count the call and return the rate limit's headers; raises `Refusal` at its end."""
        name = _reservations(who)
        used = self._state.used[name] = self._state.used.get(name, 0) + 1
        now = int(self._state.now().timestamp())
        allowed = self._state.calls_allowed
        headers = limit_headers(allowed, max(0, allowed - used), (now // HOUR + 1) * HOUR)
        if used > allowed:
            raise Refusal(403, "API rate limit exceeded", headers=headers)
        return headers

    def _count_write(self, incoming: Incoming, who: Caller) -> None:
        """Raise `Refusal` when an installation changes too much in too little time."""
        allowed = self._state.writes_allowed
        if (
            allowed is None
            or incoming.endpoint.method == "GET"
            or not isinstance(who, AsInstallation)
        ):
            return
        most, window = allowed
        times, now = self._writes[_reservations(who)], time.monotonic()
        while times and times[0] <= now - window:
            times.popleft()
        if len(times) >= most:
            self._state.refused_writes += 1
            raise Refusal(403, SECONDARY, headers={"Retry-After": str(math.ceil(window))})
        times.append(now)

    def _admit(self, incoming: Incoming, who: Caller) -> Call:
        """Return the call if this caller may make it; raises `Refusal`."""
        request, endpoint = incoming.request, incoming.endpoint
        call = Call(
            state=self._state,
            views=self._views,
            caller=who,
            parameters=incoming.parameters,
            query=dict(request.query),
            accept=request.headers.get(hdrs.ACCEPT, ""),
            body=None,
            url=f"{self._views.api}{incoming.path}",
        )
        match who:
            case AsUser() | AsClient():
                if not isinstance(who, endpoint.by or type(None)):
                    raise Refusal(403, "Resource not accessible by integration")
            case AsApp() | AsInstallation() if endpoint.by is not None:
                raise Refusal(403, "Resource not accessible by integration")
            case Anonymous() if endpoint.public:
                if "{repo}" in endpoint.route and call.repo.private:
                    raise not_found()
            case Anonymous():
                raise Refusal(401, "Requires authentication")
            case AsApp() if endpoint.needs:
                raise Refusal(403, "Resource not accessible by integration")
            case AsInstallation() if not endpoint.needs:
                raise Refusal(401, "A JSON web token could not be decoded")
            case AsInstallation() if "{repo}" in endpoint.route:
                _permit(call.repo, who, endpoint)
            case _:
                pass
        return Call(**{**_fields(call), "body": _body(endpoint, incoming.raw)})

    def _note(self, incoming: Incoming, reply: Reply, status: int) -> None:
        self._state.exchanges.append(
            Exchange(
                method=incoming.endpoint.method,
                route=incoming.endpoint.route,
                path=incoming.path,
                status=status,
                request=json.loads(incoming.raw) if incoming.raw else None,
                response=reply.body,
            )
        )

    def _respond(self, incoming: Incoming, reply: Reply, limits: dict[str, str]) -> web.Response:
        headers = {"X-GitHub-Media-Type": "github.v3; format=json", **limits, **reply.headers}
        if reply.body is None:
            return web.Response(status=reply.status, headers=headers)
        body = json.dumps(reply.body).encode()
        if incoming.request.method == "GET" and reply.status == HTTPStatus.OK:
            headers["ETag"] = f'W/"{hashlib.sha256(body).hexdigest()}"'
            if incoming.request.headers.get(hdrs.IF_NONE_MATCH) == headers["ETag"]:
                return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        return web.Response(
            status=reply.status,
            body=body,
            headers={**headers, "Content-Type": "application/json; charset=utf-8"},
        )

    async def _fail(  # noqa: C901, PLR0911 - one case per trouble
        self, request: web.Request, fault: Fault
    ) -> web.StreamResponse:
        wait = {"Retry-After": str(fault.seconds)}
        match fault.trouble:
            case Trouble.BAD_GATEWAY | Trouble.LOST_ANSWER:
                return _json(502, {"message": "Server Error"})
            case Trouble.SECONDARY_LIMIT:
                return _json(403, {"message": SECONDARY}, wait)
            case Trouble.TOO_MANY:
                return _json(429, {"message": SECONDARY}, wait)
            case Trouble.PRIMARY_LIMIT:
                reset = int(self._state.now().timestamp()) + fault.seconds
                limits = limit_headers(self._state.calls_allowed, 0, reset)
                return _json(403, {"message": "API rate limit exceeded"}, limits)
            case Trouble.NOT_JSON:
                return web.Response(text="{<html>", content_type="application/json")
            case Trouble.TRUNCATED:
                return await _truncated(request)
            case Trouble.UNAUTHORIZED:
                return _json(401, {"message": "Bad credentials"})
            case Trouble.NOT_FOUND:
                return _json(404, {"message": "Not Found"})
            case Trouble.CONFLICT:
                return _json(409, {"message": "Git Repository is unavailable."})
            case Trouble.INVALID:
                return _json(422, {"message": "Validation Failed"})
            case Trouble.RESET | Trouble.RESET_AFTER:
                if request.transport is not None:  # else the caller is gone already
                    request.transport.abort()
                return web.Response()


async def _truncated(request: web.Request) -> web.StreamResponse:
    """Promise more than is sent."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = 1000
    await response.prepare(request)
    await response.write(b'{"id": ')
    if request.transport is not None:
        request.transport.close()  # what is written goes out first
    return response


def _reservations(who: Caller) -> str:
    """Return the name under which a caller's calls are counted."""
    match who:
        case AsInstallation(token):
            return str(token.installation.id)
        case AsUser(person):
            return person.account.login
        case _:
            return "app"


def limit_headers(allowed: int, remaining: int, reset: int) -> dict[str, str]:
    """Return the headers of the primary rate limit; `reset` is a Unix time."""
    return {
        "X-RateLimit-Limit": str(allowed),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Used": str(allowed - remaining),
        "X-RateLimit-Reset": str(reset),
        "X-RateLimit-Resource": "core",
    }


def _permit(repo: Repository, who: AsInstallation, endpoint: Endpoint) -> None:
    """Hold the token to its repositories and permissions, even where the public may read."""
    if not who.token.covers(repo) and repo.private:
        raise not_found()
    for alternative in endpoint.needs:
        if all(who.may(repo, permission, level) for permission, level in alternative.items()):
            break
    else:
        accepted = "; ".join(
            ",".join(f"{name}={level}" for name, level in alternative.items())
            for alternative in endpoint.needs
        )
        raise Refusal(
            403,
            "Resource not accessible by integration",
            headers={"X-Accepted-GitHub-Permissions": accepted},
        )
    if repo.archived and endpoint.method != "GET":
        raise Refusal(403, "Repository was archived so is read-only.")


def _body(endpoint: Endpoint, raw: bytes) -> Any:
    """Read the request's JSON as the endpoint's shape; raises `Refusal`."""
    if endpoint.body is None:
        return None
    try:
        return endpoint.body.model_validate_json(raw or b"{}")
    except ValidationError as error:
        problems = [
            _problem(item["type"], ".".join(map(str, item["loc"])), item["msg"])
            for item in error.errors()
        ]
        if any(item["type"] == "json_invalid" for item in error.errors()):
            raise Refusal(400, "Problems parsing JSON") from error
        raise Refusal(422, "Invalid request.\n\n" + "\n".join(problems)) from error


def _problem(kind: str, name: str, message: str) -> str:
    match kind:
        case "extra_forbidden":
            return f'"{name}" is not a permitted key.'
        case "missing":
            return f'"{name}" wasn\'t supplied.'
        case _:
            return f"For '{name}': {message}"


def _fields(call: Call) -> dict[str, Any]:
    return {name: getattr(call, name) for name in Call.__dataclass_fields__}


def _refused(refusal: Refusal) -> Reply:
    body: dict[str, Any] = {
        "message": refusal.message,
        "documentation_url": DOCUMENTATION,
        "status": str(refusal.status),
    }
    if refusal.errors:
        body["errors"] = refusal.errors
    return Reply(refusal.status, body, refusal.headers)


def _json(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response(body, status=status, headers=headers)


def _pattern(route: str) -> str:
    for name in WILD:
        route = route.replace(f"{{{name}}}", f"{{{name}:.+}}")
    return route
