"""Git over HTTP: clone, fetch and push against the bare repositories, by git's own programs."""

from __future__ import annotations

import asyncio
import contextlib
import re

from aiohttp import hdrs, web

from tests.fakes.github.credentials import AsInstallation, BadCredentials, caller
from tests.fakes.github.model import Repository
from tests.fakes.github.repository import environment
from tests.fakes.github.state import GitHubState

_PIECE = 2**18

_PUSHED = re.compile(rb"[0-9a-f]{40} [0-9a-f]{40} refs/heads/([^\0\n]+)\0")
"""The command of a push, with the branch's name."""

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

    async def advertise(self, request: web.Request) -> web.StreamResponse:
        """Answer the first request: which references there are."""
        service = request.query.get("service", "")
        if self._state.faults.strike(request.method, request.path) is not None:
            raise web.HTTPBadGateway
        repo = self.repository(request, service)
        announcement = f"# service={service}\n"
        head = f"{len(announcement) + 4:04x}{announcement}0000".encode()
        if "version=2" in request.headers.get("Git-Protocol", ""):
            head = b""
        kind = f"application/x-{service}-advertisement"
        return await self._answer(request, repo, service, kind, head)

    async def exchange(self, request: web.Request) -> web.StreamResponse:
        """Answer the second request: packs."""
        service = request.match_info["service"]
        repo = self.repository(request, service)
        who = caller(self._state, request.headers.get(hdrs.AUTHORIZATION))
        if service == "git-receive-pack" and isinstance(who, AsInstallation):
            pushed = {name.decode() for name in _PUSHED.findall(await request.read())}
            if not who.may(repo, "contents", "write") and pushed - self._lent(who, repo):
                raise web.HTTPForbidden(text="Write access to repository not granted.")
        return await self._answer(request, repo, service, f"application/x-{service}-result")

    def repository(self, request: web.Request, service: str) -> Repository:
        """Return the repository, unless the caller may not do that with it."""
        level = SERVICES.get(service)
        name = request.match_info["repo"].removesuffix(".git")
        full_name = f"{request.match_info['owner']}/{name}"
        repo = self._state.repository_named(full_name) or self._state.old_names.get(full_name)
        if level is None:
            raise web.HTTPForbidden(text="Please upgrade your git client.")
        try:
            who = caller(self._state, request.headers.get(hdrs.AUTHORIZATION))
        except BadCredentials as error:
            raise _asks_for_password() from error
        if isinstance(who, AsInstallation):
            if repo is None or (repo.private and not who.may(repo, "contents", "read")):
                raise web.HTTPNotFound(text="Repository not found.")
            may = who.may(repo, "contents", "write") or self._lent(who, repo)
            if level == "write" and not may:
                raise web.HTTPForbidden(text="Write access to repository not granted.")
            return repo
        if repo is None or repo.private or level == "write":
            raise _asks_for_password()
        return repo

    def _lent(self, who: AsInstallation, repo: Repository) -> set[str]:
        """Return the branches of a fork that its owner lets those push to who may push to its base.

        https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/working-with-forks/allowing-changes-to-a-pull-request-branch-created-from-a-fork
        """
        if repo.owner.kind != "User":
            return set()
        return {
            issue.pull.head_ref
            for base in self._state.repositories.values()
            if who.may(base, "contents", "write")
            for issue in base.pulls()
            if issue.state == "open" and issue.pull and issue.pull.head_repo is repo
            and issue.pull.maintainer_can_modify
        }  # fmt: skip

    async def _answer(
        self, request: web.Request, repo: Repository, service: str, kind: str, head: bytes = b""
    ) -> web.StreamResponse:
        """Answer with what git says, piece by piece: a pack may be larger than memory."""
        asks = request.method == "GET"
        process = await asyncio.create_subprocess_exec(
            *("git", service.removeprefix("git-"), "--stateless-rpc"),
            *(("--http-backend-info-refs",) if asks else ()),
            str(repo.git.path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**environment(), "GIT_PROTOCOL": request.headers.get("Git-Protocol", "")},
        )
        try:
            given = b"" if asks else await request.read()
            output = await self._piped(process, given)
            if service == "git-receive-pack":  # whoever pushed finds the pull request moved
                head, output = head + await output.read(), asyncio.StreamReader()
                output.feed_eof()
                await asyncio.to_thread(self._state.refresh_pull_heads, repo)
            return await _reply(request, kind, head, output)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            raise
        finally:
            await process.wait()

    @staticmethod
    async def _piped(process: asyncio.subprocess.Process, given: bytes) -> asyncio.StreamReader:
        """Give a program its input, and return where its output comes."""
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(given)
            await process.stdin.drain()
        process.stdin.close()
        return process.stdout


def _asks_for_password() -> web.HTTPUnauthorized:
    challenge = {"WWW-Authenticate": 'Basic realm="GitHub"'}
    return web.HTTPUnauthorized(headers=challenge, text="Repository not found.")


async def _reply(
    request: web.Request, kind: str, head: bytes, output: asyncio.StreamReader
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Cache-Control": "no-cache"})
    response.content_type = kind
    await response.prepare(request)
    await response.write(head)
    while piece := await output.read(_PIECE):
        await response.write(piece)
    await response.write_eof()
    return response
