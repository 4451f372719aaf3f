"""One endpoint of the REST API: how a call comes in, what it needs, how an answer goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict

from tests.fakes.github.credentials import AsClient, AsUser, Caller
from tests.fakes.github.model import Issue, Repository
from tests.fakes.github.state import GitHubState
from tests.fakes.github.views import Json, Views

Needs = tuple[Mapping[str, str], ...]
"""Alternatives, each permission -> level; an empty tuple means the App itself must call."""

Body = TypeVar("Body", bound=BaseModel)


class Fields(BaseModel):
    """A request body: unknown fields and wrong types are refused, as GitHub does."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Refusal(Exception):
    """GitHub says no."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Json | str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = list(errors)
        self.headers = dict(headers or {})


def not_found() -> Refusal:
    """Return what GitHub says of everything that is missing or hidden."""
    return Refusal(404, "Not Found")


def invalid(resource: str, name: str, code: str, message: str | None = None) -> Refusal:
    """Return a 422 about one field."""
    error: Json = {"resource": resource, "field": name, "code": code}
    if message is not None:
        error["message"] = message
    return Refusal(422, "Validation Failed", errors=[error])


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; a body of None is no body."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that may be made, ready to be done."""

    state: GitHubState
    views: Views
    caller: Caller
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    accept: str
    body: Any
    url: str

    @property
    def repo(self) -> Repository:
        """The repository of the path; raises `Refusal`."""
        name = f"{self.parameters['owner']}/{self.parameters['repo']}"
        repo = self.state.repository_named(name)
        if repo is None:
            raise not_found()
        return repo

    def number(self, name: str) -> int:
        """Return a number of the path; raises `Refusal`."""
        value = self.parameters[name]
        if not value.isdecimal():
            raise not_found()
        return int(value)

    @property
    def issue(self) -> Issue:
        """The issue or pull request of the path; raises `Refusal`."""
        issue = self.repo.issues.get(self.number("issue_number"))
        if issue is None:
            raise not_found()
        return issue

    def given(self, kind: type[Body]) -> Body:
        """Return the body, read as `kind`."""
        assert isinstance(self.body, kind)
        return self.body

    def page(self, items: Sequence[Any], show: Callable[[Any], Json], key: str = "") -> Reply:
        """Answer with one page of the items and a Link header; `key` wraps them in an object."""
        size = min(max(int(self.query.get("per_page", "30")), 1), 100)
        number = max(int(self.query.get("page", "1")), 1)
        shown = [show(item) for item in items[(number - 1) * size : number * size]]
        last = max(1, -(-len(items) // size))
        links = []
        if number < last:
            links += [self._link(number + 1, "next"), self._link(last, "last")]
        if number > 1:
            links += [self._link(number - 1, "prev"), self._link(1, "first")]
        headers = {"Link": ", ".join(links)} if links else {}
        body = {"total_count": len(items), key: shown} if key else shown
        return Reply(200, body, headers)

    def _link(self, page: int, relation: str) -> str:
        query = urlencode({**self.query, "page": page})
        return f'<{self.url}?{query}>; rel="{relation}"'


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the API.

    Attributes:
        method: GET, POST, ...
        route: As GitHub documents it.
        handle: Does it; runs in a thread, one call at a time.
        needs: What the token must be allowed.
        body: Shape of the request's JSON, or None.
        public: Whether anybody may call it for a public repository.
        by: Who alone may call it, where that is no installation and not the App.
    """

    method: str
    route: str
    handle: Callable[[Call], Reply]
    needs: Needs = ()
    body: type[BaseModel] | None = None
    public: bool = False
    by: type[AsUser | AsClient] | None = None
