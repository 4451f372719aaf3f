"""Ask a running server through its API, on this machine or another."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from bot.errors import UsageError

URL_VARIABLE = "FIXPOINT_URL"
KEY_VARIABLE = "FIXPOINT_API_KEY"
TOKEN_VARIABLE = "FIXPOINT_ADMIN_TOKEN"  # noqa: S105 - its name
DEFAULT_URL = "http://127.0.0.1:8080"

_API = "/api/v1"
_PATIENCE = httpx.Timeout(30.0, read=60.0)
_AGAIN_SECONDS = 1.0
_TRIES = 30
"""How often in a row a stream is taken up again that ended early."""


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event, as the API tells it.

    Attributes:
        number: Its place in its run.
        type: What kind of thing happened.
        at: When, as ISO 8601.
        data: Depends on the type; untrusted.
    """

    number: int
    type: str
    at: str
    data: Mapping[str, Any]


class NotAllowed(UsageError):
    """The key lacks a scope; the text names it."""


class RemoteServer:
    """A server, as its API shows it. Every method raises `UsageError` with what to do."""

    def __init__(self, environ: Mapping[str, str], url: str | None = None) -> None:
        """Say where it is.

        Args:
            environ: Has the address, and the key or admin token, which never is an argument.
            url: Goes before the address there.
        """
        self._url = (url or environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL).rstrip("/")
        token = (environ.get(KEY_VARIABLE, "") or environ.get(TOKEN_VARIABLE, "")).strip()
        self._shows_token = bool(token)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            self._client = httpx.Client(
                base_url=self._url, headers=headers, timeout=_PATIENCE, trust_env=True
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise UsageError(f"{self._url} isn't an address: {error}.") from error

    def runs(self, *, limit: int = 20, **wanted: str) -> dict[str, Any]:
        """Return the youngest runs, as `GET /api/v1/runs` does."""
        given = {name: value for name, value in wanted.items() if value}
        return self._get("/runs", {**given, "limit": str(limit)})

    def run(self, run_id: str) -> dict[str, Any]:
        """Return a run."""
        return self._get(f"/runs/{run_id}", {})

    def health(self) -> dict[str, Any] | None:
        """Return how well the server is; None where the key does not allow to ask."""
        try:
            return self._json("/health/detailed", {})
        except NotAllowed:
            return None

    def logs(self, run_id: str) -> Iterator[str]:
        """Yield the output of a run's commands; untrusted text."""
        with self._answer("GET", f"{_API}/runs/{run_id}/logs") as answer:
            yield from answer.iter_text()

    def follow(self, run_id: str) -> Iterator[ToldEvent]:
        """Yield what happened in a run and what happens, until it is over."""
        last, tries = 0, 0
        while tries < _TRIES:
            try:
                for event in self._events(run_id, last):
                    last, tries = event.number, 0
                    yield event
                    if event.type == "status" and event.data.get("status") == "done":
                        return
            except httpx.HTTPError:
                pass  # the next try says what is wrong, if it still is
            if self.run(run_id)["status"] == "done" and not self._more(run_id, last):
                return
            tries += 1
            time.sleep(_AGAIN_SECONDS)
        raise UsageError(f"The connection to {self._url} was lost. Run the command again.")

    def _more(self, run_id: str, last: int) -> bool:
        return bool(self._get(f"/runs/{run_id}/events", {"after": str(last)})["events"])

    def _events(self, run_id: str, last: int) -> Iterator[ToldEvent]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        path = f"{_API}/runs/{run_id}/events"
        with self._answer("GET", path, headers=headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    told = json.loads(line.removeprefix("data: "))
                    yield ToldEvent(told["number"], told["type"], told["at"], told["data"])

    def _get(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        return self._json(f"{_API}{path}", query)

    def _json(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        with self._answer("GET", path, params=dict(query)) as answer:
            answer.read()
            try:
                found: dict[str, Any] = answer.json()
            except ValueError as error:
                raise UsageError(f"{self._url} isn't a Fixpoint server.") from error
            return found

    @contextlib.contextmanager
    def _answer(self, method: str, path: str, **more: Any) -> Iterator[httpx.Response]:
        try:
            with self._client.stream(method, path, **more) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    raise self._refusal(answer)
                yield answer
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise UsageError(
                f"No server answers at {self._url}. Start it with `fixpoint serve`, or set "
                f"{URL_VARIABLE}."
            ) from error

    def _refusal(self, answer: httpx.Response) -> UsageError:
        try:
            said = str(answer.json()["detail"])
        except (ValueError, KeyError, TypeError):
            said = f"{self._url} answered with status {answer.status_code}."
        match answer.status_code:
            case httpx.codes.UNAUTHORIZED if not self._shows_token:
                return UsageError(
                    f"{self._url} wants a key. Set {KEY_VARIABLE} to one that "
                    "`fixpoint keys create` printed."
                )
            case httpx.codes.UNAUTHORIZED:
                return UsageError(f"{self._url} refused the key. {said}")
            case httpx.codes.FORBIDDEN:
                return NotAllowed(said)
            case _:
                return UsageError(said)
