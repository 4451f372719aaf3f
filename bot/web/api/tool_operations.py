"""The tools that the agent has: all of them described, and the search of code for programs, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from bot.errors import UsageError
from bot.model.repository import Repo
from bot.model.tool_rules import ToolRisk
from bot.repair.proposers.agent.code_grep import SearchCode, SearchKind
from bot.repair.proposers.agent.tool_schemas import all_tools, risks_of
from bot.runs.commit_search import CommitSearch, NoSuchCommit, NotSearched, NotYet
from bot.web.api.exchange import answer, given
from bot.web.api.models import RepositoryName
from bot.web.api.operation import PREFIX, Operation
from bot.web.caller import CALLER, Caller, Scope
from bot.web.problems import ApiProblem

_AGAIN_SECONDS = 15


class ToolPart(BaseModel):
    """A tool as a model is told of it."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="By which it is called, and by which the repo config names it.")
    description: str = Field(description="What a model reads of it.")
    arguments: dict[str, Any] = Field(description="JSON Schema of its arguments.")
    risks: tuple[ToolRisk, ...] = Field(
        description="What its calls can do, the least first; the repo config allows, asks about or "
        "denies each."
    )


class ToolsPart(BaseModel):
    """All tools of the agent itself; those of MCP servers are the server's to list."""

    model_config = ConfigDict(frozen=True)

    tools: tuple[ToolPart, ...] = Field(
        description="In the order in which a model is told of them."
    )


class NewSearch(BaseModel):
    """What to look for in a repository, as the agent's tool `search_code` takes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    repository: RepositoryName
    commit: str = Field(
        "",
        pattern=r"^([0-9a-f]{40})?$",
        description="Id of a commit, 40 hex digits; without it, the newest of the default branch.",
    )
    query: str = Field(
        "",
        max_length=1_000,
        pattern=r"^[^\r\n\x00]*$",
        description="A name such as `parse_amount`, or a regular expression; not for an outline.",
        examples=["parse_amount"],
    )
    kind: SearchKind = Field(
        SearchKind.SYMBOL,
        strict=False,
        description="`symbol`: where a name is defined, used and mentioned. `text`: the lines that "
        "match a regular expression (Perl's). `outline`: what the file `path` defines.",
    )
    path: str = Field(
        "",
        max_length=1_000,
        pattern=r"^[^\r\n\x00]*$",
        description="Folder or file, from the root of the repository; without it, all of it.",
    )

    def search(self) -> SearchCode:
        """Return it as the tool's call.

        Raises:
            ApiProblem: When it names no place in the repository, or nothing to look for.
        """
        path = self.path.removeprefix("./").rstrip("/")
        if {"", "..", "."} & set(path.split("/")) and path:
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"path: {self.path[:140]!r} is no path from the root of the repository.",
            )
        if self.kind is SearchKind.OUTLINE:
            return SearchCode("", self.kind, path)
        if not self.query.strip():
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "query: Say what to look for: a name, or with kind text a regular expression.",
            )
        return SearchCode(self.query, self.kind, path)


class SearchPart(BaseModel):
    """What was found."""

    model_config = ConfigDict(frozen=True)

    repository: str = Field(description="`owner/name`.")
    commit: str = Field(description="Id of the commit that was searched.")
    answer: str = Field(
        description="What `search_code` tells a model: lines as `path:line (in definition): text`, "
        "by whether the name is defined, used or mentioned there."
    )


class ToolOperations:
    """Answers what the tools are, and searches code as the agent does."""

    def __init__(
        self, searching: CommitSearch, installed: Callable[[str, Caller], Awaitable[Repo]]
    ) -> None:
        self._searching = searching
        self._installed = installed

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/tools", self.list_tools, Scope.READ,
                "List the tools of the agent, with their schemas and risks.",
                None, ToolsPart,
            ),
            Operation(
                "POST", f"{PREFIX}/search", self.search_code, Scope.READ,
                "Search the code of a repository at a commit, as the agent's tool search_code does.",
                NewSearch, SearchPart, creates=False,
                problems=(
                    HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY,
                ),
            ),
        )  # fmt: skip

    async def list_tools(self, request: web.Request) -> web.Response:
        """List them."""
        request[CALLER].demand(Scope.READ)
        parts = (
            ToolPart(
                name=tool.name,
                description=tool.description,
                arguments=dict(tool.schema),
                risks=risks_of(tool.name),
            )
            for tool in all_tools()
        )
        return answer(ToolsPart(tools=tuple(parts)))

    async def search_code(self, request: web.Request) -> web.Response:
        """Search a commit."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        wanted = await given(request, NewSearch)
        search = wanted.search()
        # asked of GitHub each time: where the App was taken away, nothing is read any more
        repo = await self._installed(wanted.repository, caller)
        try:
            found = await self._searching.answer(repo, wanted.commit, search)
        except NotYet as error:
            headers = {"Retry-After": str(_AGAIN_SECONDS)}
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers) from error
        except NoSuchCommit as error:
            raise ApiProblem(HTTPStatus.NOT_FOUND, str(error)) from error
        except NotSearched as error:
            raise ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        except UsageError as error:
            raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
        return answer(
            SearchPart(repository=repo.full_name, commit=found.commit, answer=found.answer)
        )
