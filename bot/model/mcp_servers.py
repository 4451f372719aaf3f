"""The MCP servers that the operator names, whose tools the agent gets."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

from bot.model.tool_rules import ToolRisk


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server of the Model Context Protocol.

    Attributes:
        name: Front of its tools' names.
        command: Starts it; it speaks over stdin and stdout. Empty for one that has an address.
        url: Of its streamable HTTP; "" for one that is started.
        outside: It is started on this machine, and not in the attempt's sandbox.
        environment: Of a server that is started outside.
        headers: Of requests to an address.
        risk: Of its tools.
        tools: Of single tools, by their names there.
        seconds: That one call may take.
        characters: Of an answer that a model is shown.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    outside: bool = False
    environment: tuple[tuple[str, SecretStr], ...] = ()
    headers: tuple[tuple[str, SecretStr], ...] = ()
    risk: ToolRisk = ToolRisk.DANGEROUS
    tools: tuple[tuple[str, ToolRisk], ...] = ()
    seconds: float = 60.0
    characters: int = 16_000

    @property
    def inside(self) -> bool:
        """Whether it runs in the attempt's sandbox."""
        return not self.url and not self.outside

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """What of it must not be shown."""
        return tuple(value for _, value in (*self.environment, *self.headers))

    def risk_of(self, tool: str) -> ToolRisk:
        """Return the risk of one of its tools."""
        return dict(self.tools).get(tool, self.risk)
