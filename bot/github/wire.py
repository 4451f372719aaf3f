"""Speak HTTP with GitHub: gidgethub's client, with what it leaves out."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import gidgethub
import gidgethub.aiohttp
import jwt
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import BytesPayload
from cachetools import LRUCache
from gidgethub import sansio
from pydantic import SecretStr

from bot.github.downloads import PIECE, Sink

API_VERSION = "2022-11-28"
"""The version that github.com and every supported GitHub Enterprise Server speak."""

REQUESTER = "fixpoint"
CACHED_ANSWERS = 128

JWT_SECONDS = 540
"""How long a token of the App itself is good: GitHub takes ten minutes at most.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
"""
JWT_BACKDATED = 60
"""Seconds, as the same page recommends."""

DOWNLOAD_SECONDS = 300.0
"""Longest time of one download."""

_OF_TOKENS = ("/access_tokens", "/installation/token")
"""What mints and revokes tokens, which nobody sees."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})

Variable = str | int | Sequence[str]
S = TypeVar("S", bound=Sink)


class Wire(gidgethub.aiohttp.GitHubAPI):
    """gidgethub's client with what it leaves out: API version, time limit, pages one by one."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        base_url: str,
        timeout: float,
        app_id: str | None = None,
        private_key: SecretStr | None = None,
        saw: Callable[[Mapping[str, str]], None] | None = None,
        may_write: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Say where GitHub is, and who asks.

        Args:
            session: For every request.
            base_url: Of the API.
            timeout: Seconds for one request.
            app_id: Of the App, for requests as itself.
            private_key: Of the App.
            saw: Told the headers of every answer.
            may_write: Awaited before each request that changes something, and again before the
                first byte of it is sent.
        """
        self._may_write = may_write
        super().__init__(
            session,
            REQUESTER,
            base_url=base_url,
            cache=LRUCache(CACHED_ANSWERS),
            app_id=app_id,
            private_key=private_key.get_secret_value() if private_key else None,
        )
        self._skew = 0.0
        self._app_token: tuple[str, float] | None = None
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._saw = saw

    async def page(
        self, url: str, variables: Mapping[str, Variable], token: str | None
    ) -> tuple[Any, str | None]:
        """Return one page and the URL of the next one."""
        data, following, _ = await self._make_request(
            "GET", url, variables, b"", sansio.accept_format(), oauth_token=token
        )
        return data, following

    async def download(
        self, url: str, variables: Mapping[str, Variable], token: str | None, sink: S
    ) -> S:
        """Feed a download into `sink`: GitHub names a signed address, which gets no token."""
        address = await self._address(url, variables, token)
        if urlsplit(address).scheme not in {"http", "https"}:
            raise gidgethub.GitHubBroken(HTTPStatus.BAD_GATEWAY, "no download address")
        limit = aiohttp.ClientTimeout(total=DOWNLOAD_SECONDS, sock_read=self._timeout.total)
        headers = {"User-Agent": self.requester}
        async with self._session.get(address, headers=headers, timeout=limit) as response:
            if response.status >= HTTPStatus.BAD_REQUEST:
                broken = response.status >= HTTPStatus.INTERNAL_SERVER_ERROR
                kind = gidgethub.GitHubBroken if broken else gidgethub.BadRequest
                raise kind(HTTPStatus(response.status), "download refused")
            async for piece in response.content.iter_chunked(PIECE):
                sink.feed(piece)
        return sink

    async def _address(self, url: str, variables: Mapping[str, Variable], token: str | None) -> str:
        """Return where GitHub keeps what is to be downloaded."""
        headers = sansio.create_headers(self.requester, oauth_token=token)
        async with self._session.get(
            sansio.format_url(url, variables, base_url=self.base_url),
            headers={**headers, "X-GitHub-Api-Version": API_VERSION},
            timeout=self._timeout,
            allow_redirects=False,
        ) as response:
            if self._saw is not None:
                self._saw(response.headers)
            if response.status in REDIRECTS:
                return response.headers.get("Location", "")
            sansio.decipher_response(response.status, response.headers, await response.read())
            raise gidgethub.GitHubBroken(HTTPStatus.BAD_GATEWAY, "no download address")

    async def manage_rate_limit(self, *, method: str, url: str) -> None:  # noqa: ARG002 - gidgethub's hook
        """Ask nothing while GitHub would refuse it: insisting gets an App banned."""
        limit = self.rate_limit  # gidgethub has counted this call already
        if limit is not None and limit.remaining < 0 and datetime.now(UTC) < limit.reset_datetime:
            raise gidgethub.RateLimitExceeded(limit)

    def _get_app_jwt(self) -> str | None:
        """Return the App's own token, dated by GitHub's clock: it refuses what is dated by a wrong one."""
        if self.app_id is None or self.private_key is None:
            return None
        now = time.monotonic()
        if self._app_token is None or now >= self._app_token[1]:
            issued = int(time.time() + self._skew) - JWT_BACKDATED
            claims = {"iat": issued, "exp": issued + JWT_SECONDS, "iss": self.app_id}
            token = jwt.encode(claims, self.private_key, algorithm="RS256")
            self._app_token = token, now + JWT_SECONDS / 2
        return self._app_token[0]

    def _see_the_time(self, headers: Mapping[str, str]) -> None:
        """Take note of how far our clock is off."""
        with contextlib.suppress(KeyError, ValueError):
            skew = parsedate_to_datetime(headers["Date"]).timestamp() - time.time()
            if abs(skew - self._skew) > JWT_BACKDATED / 2:
                self._skew, self._app_token = skew, None

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        data: bytes | _FencedBody = body
        if self._may_write is not None and method != "GET" and not url.endswith(_OF_TOKENS):
            await self._may_write()
            data = _FencedBody(body, self._may_write)
        async with self._session.request(
            method,
            url,
            headers={**headers, "X-GitHub-Api-Version": API_VERSION},
            data=data,
            timeout=self._timeout,
        ) as response:
            answer = response.status, response.headers, await response.read()
        self._see_the_time(response.headers)
        if self._saw is not None:
            self._saw(response.headers)
        if response.status == HTTPStatus.NOT_MODIFIED:  # gidgethub counts it, GitHub does not
            self.rate_limit = sansio.RateLimit.from_http(response.headers)
        return answer


class _FencedBody(BytesPayload):
    """Leaves only once it may: between the request's beginning and a connection much can pass.

    aiohttp keeps the head of a request back until the body comes.
    """

    def __init__(self, value: bytes, may_write: Callable[[], Awaitable[None]]) -> None:
        super().__init__(value)
        self._may_write = may_write

    async def write_with_length(
        self, writer: AbstractStreamWriter, content_length: int | None
    ) -> None:
        """Send it."""
        await self._may_write()
        await super().write_with_length(writer, content_length)
