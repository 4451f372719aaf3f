"""Git over HTTP: clone, fetch and push against the bare repositories, by git's own programs."""

from __future__ import annotations

import asyncio

from aiohttp import hdrs, web

from tests.fakes.github.credentials import AsInstallation, BadCredentials, caller
from tests.fakes.github.model import Repository
from tests.fakes.github.repository import environment
from tests.fakes.github.state import GitHubState

SERVICES = {"git-upload-pack": "read", "git-receive-pack": "write"}


class SmartHttp:
    """The two requests of the smart protocol (https://git-scm.com/docs/http-protocol)."""

    def __init__(self, state: GitHubState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """Return its routes."""
        return [
            web.get("/{owner}/{repo}/info/refs", self.advertise),
            web.post("/{owner}/{repo}/{service:git-(upload|receive)-pack}", self.exchange),
        ]

    async def advertise(self, request: web.Request) -> web.Response:
        """Answer the first request: which references there are."""
        service = request.query.get("service", "")
        if self._state.faults.strike(request.method, request.path) is not None:
            raise web.HTTPBadGateway
        repo = self._repository(request, service)
        announcement = f"# service={service}\n"
        head = f"{len(announcement) + 4:04x}{announcement}0000".encode()
        body = await self._run(request, repo, service, "--http-backend-info-refs", b"")
        if "version=2" in request.headers.get("Git-Protocol", ""):
            head = b""
        return _reply(head + body, f"application/x-{service}-advertisement")

    async def exchange(self, request: web.Request) -> web.Response:
        """Answer the second request: packs."""
        service = request.match_info["service"]
        repo = self._repository(request, service)
        body = await self._run(request, repo, service, "--stateless-rpc", await request.read())
        if service == "git-receive-pack":
            await asyncio.to_thread(self._state.refresh_pull_heads, repo)
        return _reply(body, f"application/x-{service}-result")

    def _repository(self, request: web.Request, service: str) -> Repository:
        """Return the repository, unless the caller may not do that with it."""
        level = SERVICES.get(service)
        name = request.match_info["repo"].removesuffix(".git")
        repo = self._state.repositories.get(f"{request.match_info['owner']}/{name}")
        if level is None:
            raise web.HTTPForbidden(text="Please upgrade your git client.")
        try:
            who = caller(self._state, request.headers.get(hdrs.AUTHORIZATION))
        except BadCredentials as error:
            raise _asks_for_password() from error
        if isinstance(who, AsInstallation):
            if repo is None or (repo.private and not who.may(repo, "contents", "read")):
                raise web.HTTPNotFound(text="Repository not found.")
            if level == "write" and not who.may(repo, "contents", "write"):
                raise web.HTTPForbidden(text="Write access to repository not granted.")
            return repo
        if repo is None or repo.private or level == "write":
            raise _asks_for_password()
        return repo

    @staticmethod
    async def _run(
        request: web.Request, repo: Repository, service: str, mode: str, data: bytes
    ) -> bytes:
        process = await asyncio.create_subprocess_exec(
            "git",
            service.removeprefix("git-"),
            "--stateless-rpc",
            *([mode] if mode != "--stateless-rpc" else []),
            str(repo.git.path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**environment(), "GIT_PROTOCOL": request.headers.get("Git-Protocol", "")},
        )
        output, _ = await process.communicate(data)
        return output


def _asks_for_password() -> web.HTTPUnauthorized:
    challenge = {"WWW-Authenticate": 'Basic realm="GitHub"'}
    return web.HTTPUnauthorized(headers=challenge, text="Repository not found.")


def _reply(body: bytes, content_type: str) -> web.Response:
    return web.Response(body=body, content_type=content_type, headers={"Cache-Control": "no-cache"})
