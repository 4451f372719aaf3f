"""Call GitHub's REST API with one credential: versioned, cached, patient, errors in our words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import gidgethub
import stamina
import uritemplate
from gidgethub import sansio
from pydantic import SecretStr

from bot.github.downloads import Sink
from bot.github.pace import QUERY, READS, Pace
from bot.github.refusals import (
    FAILURES,
    MOST_DOUBTS,
    GitHubCall,
    GitHubRetries,
    Unanswered,
    is_doubtful,
    rate_limit_wait,
    refusal,
    wait_before_repeating,
)
from bot.github.wire import Variable, Wire
from bot.model.quota import Urgency
from bot.model.repository import Repo

PER_PAGE = 100

T = TypeVar("T")
S = TypeVar("S", bound=Sink)


def address(repo: Repo) -> tuple[str, Mapping[str, str]]:
    """Return the path of a repository as a URI template, and the variables of it.

    By its id, as GitHub's own redirects and pages of lists name it: another repository may have the
    name by now. https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    if repo.id is None:
        return "/repos/{owner}/{repo}", {"owner": repo.owner, "repo": repo.name}
    return "/repositories/{repository}", {"repository": str(repo.id)}


class TokenSource(Protocol):
    """Where the token of a connection comes from."""

    async def token(self) -> SecretStr:
        """Return a token that is still good."""
        ...

    def forget(self, token: SecretStr) -> None:
        """Take note that GitHub did not accept the token."""
        ...


class Connection:
    """Calls below one path with one credential.

    Paths are URI templates relative to `prefix`, as the API's documentation writes them. Every
    method raises `bot.errors.GitHubError` or one of its kinds, and nothing else.
    """

    def __init__(
        self,
        wire: Wire,
        patience: GitHubRetries,
        *,
        credential: TokenSource | None = None,
        prefix: str = "",
        variables: Mapping[str, Variable] | None = None,
        shown: str = "",
        pace: Pace | None = None,
        urgency: Urgency = Urgency.ORDINARY,
    ) -> None:
        """Say where to, as whom and how fast.

        Args:
            wire: Speaks HTTP.
            patience: How long to insist.
            credential: Where tokens come from; None for nobody, or the App itself.
            prefix: Of every path.
            variables: For every template.
            shown: How messages show the prefix; "" as it is.
            pace: Of the installation whose limits the requests use up; None without one.
            urgency: What the requests are for.
        """
        self.patience = patience
        self._wire = wire
        self._credential = credential
        self._prefix = prefix
        self._variables = dict(variables or {})
        self._shown = shown
        self._pace = pace
        self._urgency = urgency
        self._reading: dict[tuple[str, str], asyncio.Task[Any]] = {}

    def borrowed(self, credential: TokenSource) -> Connection:
        """Return the same connection with another credential, which no limit of ours holds for."""
        return Connection(
            self._wire,
            self.patience,
            credential=credential,
            prefix=self._prefix,
            variables=self._variables,
            shown=self._shown,
        )

    def for_the(self, urgency: Urgency) -> Connection:
        """Return the same connection for requests that can wait longer, or less long."""
        return Connection(
            self._wire,
            self.patience,
            credential=self._credential,
            prefix=self._prefix,
            variables=self._variables,
            shown=self._shown,
            pace=self._pace,
            urgency=urgency,
        )

    async def get(self, path: str, *, media: str | None = None, **variables: Variable) -> Any:
        """Return the answer to a GET, from the cache when GitHub says that it still holds.

        Whoever asks the same while it is under way gets the same answer, unless something was
        changed in between.
        """
        accept = sansio.accept_format(media=media)
        url, values = self._place(path, variables)
        call = self._call("GET", url, values, repeatable=True)
        key = (call.path, accept)
        if key not in self._reading:
            reading = asyncio.create_task(
                self._ask(
                    call,
                    lambda token: self._wire.getitem(url, values, accept=accept, oauth_token=token),
                )
            )
            self._reading[key] = reading
            reading.add_done_callback(lambda done: self._forget(key, done))
        # shielded: one that is cancelled must not take the answer from the others
        return await asyncio.shield(self._reading[key])

    def _forget(self, key: tuple[str, str], reading: asyncio.Task[Any]) -> None:
        if self._reading.get(key) is reading:
            del self._reading[key]
        if not reading.cancelled():
            reading.exception()  # those who asked have it, if any are left

    async def get_all(
        self,
        path: str,
        *,
        items: str | None = None,
        enough: Callable[[list[Any]], bool] | None = None,
        **variables: Variable,
    ) -> list[Any]:
        """Return the items of all pages, in order.

        Args:
            path: Its query, if any, already has the filter; pages are asked for here.
            items: Key of the list when the answer is an object.
            enough: Told the items so far after each page; True stops.
            variables: For the template.
        """
        url, values = self._place(path, variables)
        url += f"{'&' if '?' in url else '?'}per_page={PER_PAGE}"
        found: list[Any] = []
        following: str | None = url
        while following:
            answer, following = await self._page(following, values)
            found += answer[items] if items else answer
            if enough is not None and enough(found):
                break
            if following is not None:
                # only its query: behind a proxy GitHub names a host that we may not know
                following = f"{url.partition('?')[0]}?{urlsplit(following).query}"
        return found

    async def _page(self, url: str, values: Mapping[str, Variable]) -> tuple[Any, str | None]:
        return await self._ask(
            self._call("GET", url, values, repeatable=True),
            lambda token: self._wire.page(url, values, token),
        )

    async def download(self, path: str, make: Callable[[], S], **variables: Variable) -> S:
        """Return a download, fed into what `make` returns; a broken one begins anew.

        Raises what a sink raises, besides `GitHubError`.
        """
        url, values = self._place(path, variables)
        return await self._ask(
            self._call("GET", url, values, repeatable=True),
            lambda token: self._wire.download(url, values, token, make()),
        )

    async def post(
        self,
        path: str,
        data: Any,
        *,
        repeatable: bool = False,
        reads: bool = False,
        **variables: Variable,
    ) -> Any:
        """POST and return the answer.

        Args:
            path: Where.
            data: JSON.
            repeatable: Whether doing it twice is as good as once. Otherwise a lost answer raises
                `Unanswered`, and the caller looks at what is there.
            reads: Whether it changes nothing.
            variables: For the template.
        """
        url, values = self._place(path, variables)
        return await self._ask(
            self._call(QUERY if reads else "POST", url, values, repeatable=repeatable or reads),
            lambda token: self._wire.post(url, values, data=data, oauth_token=token),
        )

    async def patch(self, path: str, data: Any, **variables: Variable) -> Any:
        """PATCH and return the answer; setting the same twice is as good as once."""
        url, values = self._place(path, variables)
        return await self._ask(
            self._call("PATCH", url, values, repeatable=True),
            lambda token: self._wire.patch(url, values, data=data, oauth_token=token),
        )

    async def delete(self, path: str, **variables: Variable) -> None:
        """DELETE."""
        url, values = self._place(path, variables)
        await self._ask(
            self._call("DELETE", url, values, repeatable=True),
            lambda token: self._wire.delete(url, values, oauth_token=token),
        )

    def _place(
        self, path: str, variables: Mapping[str, Variable]
    ) -> tuple[str, dict[str, Variable]]:
        return self._prefix + path, {**self._variables, **variables}

    def _call(
        self, method: str, url: str, values: Mapping[str, Variable], *, repeatable: bool
    ) -> GitHubCall:
        path = uritemplate.expand(url, dict(values)).removeprefix(self._wire.base_url)
        if self._shown:
            path = path.replace(uritemplate.expand(self._prefix, dict(values)), self._shown, 1)
        return GitHubCall(method, path, repeatable=repeatable)

    async def _ask(self, call: GitHubCall, send: Callable[[str | None], Awaitable[T]]) -> T:
        """Send until it is answered or patience ends."""
        patience = self.patience
        if call.method not in READS:
            self._reading.clear()  # who asks from now on shall see what this changes

        doubts = 0

        def wait(failure: Exception) -> float | bool:
            nonlocal doubts
            if is_doubtful(call, failure):
                doubts += 1
                return doubts <= MOST_DOUBTS
            return wait_before_repeating(call, failure, patience, datetime.now(UTC))

        try:
            async for attempt in stamina.retry_context(
                on=wait,
                attempts=patience.attempts,
                timeout=None,
                wait_initial=patience.first_wait,
                wait_jitter=patience.first_wait,
            ):
                with attempt:
                    return await self._send_in_turn(call, send)
        except FAILURES as failure:
            raise refusal(call, failure, datetime.now(UTC)) from failure
        raise AssertionError("stamina ends with a result or an exception")

    async def _send_in_turn(
        self, call: GitHubCall, send: Callable[[str | None], Awaitable[T]]
    ) -> T:
        """Send when the installation's limits allow it, and learn from a refusal."""
        if self._pace is None:
            return await self._send(send)
        if self._credential is not None and call.method not in READS:
            await self._credential.token()  # a turn is not spent on waiting for a new one
        await self._pace.before(call.method, call.path, self._urgency)
        try:
            return await self._send(send)
        except gidgethub.HTTPException as failure:
            seconds = rate_limit_wait(failure, datetime.now(UTC))
            if seconds is not None:
                await self._pace.refused(seconds)
            raise

    async def _send(self, send: Callable[[str | None], Awaitable[T]]) -> T:
        """Send with the credential's token; once more with a new one if it was revoked."""
        if self._credential is None:
            return await send(None)
        token = await self._credential.token()
        try:
            return await send(token.get_secret_value())
        except gidgethub.BadRequest as failure:
            if failure.status_code != HTTPStatus.UNAUTHORIZED:
                raise
            self._credential.forget(token)
        return await send((await self._credential.token()).get_secret_value())


async def ensure(
    find: Callable[[], Awaitable[T | None]],
    create: Callable[[], Awaitable[T]],
    patience: GitHubRetries,
) -> T:
    """Return what `find` sees, else what `create` makes; look again when an answer was lost."""
    async for attempt in stamina.retry_context(
        on=Unanswered,
        attempts=patience.attempts,
        timeout=None,
        wait_initial=patience.first_wait,
        wait_jitter=patience.first_wait,
    ):
        with attempt:
            found = await find()
            return await create() if found is None else found
    raise AssertionError("stamina ends with a result or an exception")
