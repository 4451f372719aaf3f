"""The tools that the agent has, for whoever decides what it may do with them."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from bot.model.tool_rules import ToolRisk
from bot.repair.proposers.agent.tool_schemas import all_tools, risks_of
from bot.web.api.exchange import answer
from bot.web.api.operation import PREFIX, Operation
from bot.web.caller import CALLER, Scope


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


class ToolOperations:
    """Answers with what does not change while a server runs."""

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/tools", self.list_tools, Scope.READ,
                "List the tools of the agent, with their schemas and risks.",
                None, ToolsPart,
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
