"""Read `FIXPOINT_MCP`: the MCP servers whose tools the agent gets."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from bot.model.mcp_servers import McpServer
from bot.model.tool_rules import ToolRisk

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,23}")
Risk = Literal["read", "write", "network", "dangerous"]


class _Entry(BaseModel):
    """One server, in the form that other clients of the protocol have, and ours besides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, SecretStr] = Field(default_factory=dict)
    url: str | None = Field(None, pattern=r"^https?://[^\s]+$")
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    outside: bool = False
    risk: Risk | None = None
    tools: dict[str, Risk] = Field(default_factory=dict)
    seconds: float = Field(60.0, gt=0, le=3600)
    characters: int = Field(16_000, ge=200, le=200_000)

    @model_validator(mode="after")
    def _whole(self) -> _Entry:
        if (self.command is None) == (self.url is None):
            raise ValueError("needs either a command or a url")
        if self.url is not None and (self.outside or self.env or self.args):
            raise ValueError("has a url, so outside, env and args mean nothing")
        if self.url is None and self.headers:
            raise ValueError("has no url, so headers mean nothing")
        if self.env and not self.outside:
            raise ValueError("must have `outside` for env: the sandbox gets no secrets")
        return self

    def server(self, name: str) -> McpServer:
        """Return it in the words of a run; what stays in the sandbox is harmless by default."""
        reaches = self.url is not None or self.outside
        default = ToolRisk.DANGEROUS if reaches else ToolRisk.WRITE
        return McpServer(
            name,
            command=(*shlex.split(self.command or ""), *self.args),
            url=self.url or "",
            outside=self.outside,
            environment=tuple(self.env.items()),
            headers=tuple(self.headers.items()),
            risk=default if self.risk is None else ToolRisk(self.risk),
            tools=tuple((tool, ToolRisk(risk)) for tool, risk in self.tools.items()),
            seconds=self.seconds,
            characters=self.characters,
        )


def _mcp_servers(value: object) -> tuple[McpServer, ...]:
    if isinstance(value, tuple):
        return value
    text = str(value).strip()
    entries = _entries(text if text.startswith("{") else _content(text)) if text else {}
    return tuple(_server(name, entry) for name, entry in entries.items())


def _content(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError):
        raise ValueError("must be the path of a readable JSON file, or JSON") from None


def _entries(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # its words may quote a secret
        raise ValueError("must be valid JSON") from None
    servers = found.get("mcpServers") if isinstance(found, dict) else None
    if isinstance(servers, dict):
        return servers
    raise ValueError('must be an object {"mcpServers": {"name": {...}}}')


def _server(name: str, entry: object) -> McpServer:
    if not _NAME.fullmatch(name):
        raise ValueError("must name servers with letters, digits and hyphens, at most 24")
    try:
        return _Entry.model_validate(entry).server(name)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ")
        raise ValueError(
            f"has a wrong server {name}: {where} {said}".replace(":  ", ": ")
        ) from None


McpServers = Annotated[tuple[McpServer, ...], BeforeValidator(_mcp_servers)]
