"""The Model Context Protocol as values: requests into lines, answers into tools and text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.llm.base import Tool
from bot.model.mcp_servers import McpServer
from bot.model.tool_rules import ToolRisk
from bot.model.untrusted import clip, reveal_hidden, strip_hidden
from bot.repair.proposers.agent.actions import MCP_PREFIX

PROTOCOL = "2025-06-18"
"""Of the revisions that servers speak, the newest whose handshake all of them know."""

GREETING_ID, REQUEST_ID = 770001, 770002
"""Of our two requests; a server begins its own with small numbers."""

_MOST_TOOLS = 40
_DESCRIPTION_CHARACTERS = 1_000
_LONGEST_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_SCHEMA_CHARACTERS = 8_000


class McpError(Exception):
    """A server did not do what was asked; the text says why, for a model to read."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a server.

    Attributes:
        name: As models call it.
        server: Whose it is.
        there: Its name at the server.
        risk: Of it.
        tool: As models are told of it.
    """

    name: str
    server: str
    there: str
    risk: ToolRisk
    tool: Tool


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What a tool gave back; an error is for the model to read, too."""

    text: str
    is_error: bool = False


def greeting() -> str:
    """Return the request that opens a session."""
    client = {"name": "fixpoint", "version": "1"}
    params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    return _line({"id": GREETING_ID, "method": "initialize", "params": params})


def greeted() -> str:
    """Return the notification that the session is open."""
    return _line({"method": "notifications/initialized"})


def request(method: str, params: Mapping[str, Any]) -> str:
    """Return the request itself."""
    return _line({"id": REQUEST_ID, "method": method, "params": params})


def _line(message: Mapping[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"))


def result_in(lines: Iterable[str], wanted: int = REQUEST_ID) -> Mapping[str, Any]:
    """Return the result of our request among what a server said.

    Raises:
        McpError: When there is none.
    """
    for line in lines:
        message = _read(line)
        if message.get("id") != wanted:
            continue
        if isinstance(error := message.get("error"), dict):
            raise McpError(str(error.get("message", "it gave no reason"))[:_DESCRIPTION_CHARACTERS])
        if isinstance(result := message.get("result"), dict):
            return result
    raise McpError("the server ended without an answer")


def has_answer(line: str, wanted: int) -> bool:
    """Whether a line answers our request."""
    return _read(line).get("id") == wanted


def _read(line: str) -> Mapping[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def tools_in(server: McpServer, result: Mapping[str, Any]) -> tuple[McpTool, ...]:
    """Return the tools that a server offers; what has no usable name or schema is left out.

    Their descriptions are other people's text: hidden characters are taken out of them, and a model
    is told whose they are.
    """
    found: dict[str, McpTool] = {}
    listed = result.get("tools")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict) and isinstance(there := item.get("name"), str) and there:
            made = _tool(server, there, item)
            found.setdefault(made.name, made)
    return tuple(found.values())[:_MOST_TOOLS]


def _tool(server: McpServer, there: str, entry: Mapping[str, Any]) -> McpTool:
    name = _NOT_IN_NAMES.sub("_", f"{MCP_PREFIX}{server.name}__{there}")[:_LONGEST_NAME]
    said = strip_hidden(str(entry.get("description") or ""))[:_DESCRIPTION_CHARACTERS].strip()
    told = f"Tool {there} of the MCP server {server.name}. {said}".strip()
    schema = entry.get("inputSchema")
    is_usable = isinstance(schema, dict) and schema.get("type") == "object"
    if not is_usable or len(json.dumps(schema)) > _SCHEMA_CHARACTERS:
        schema = {"type": "object", "properties": {}}
    return McpTool(name, server.name, there, server.risk_of(there), Tool(name, told, schema or {}))


def answer_in(server: McpServer, result: Mapping[str, Any]) -> McpAnswer:
    """Return what a call gave back, as text that a model may read."""
    content = result.get("content")
    parts = (
        [_text(item) for item in content if isinstance(item, dict)]
        if isinstance(content, list)
        else []
    )
    if not any(parts) and result.get("structuredContent") is not None:
        parts = [json.dumps(result["structuredContent"], ensure_ascii=False)]
    text = reveal_hidden("\n".join(filter(None, parts)))
    return McpAnswer(clip(text, server.characters) or "(no output)", result.get("isError") is True)


def _text(block: Mapping[str, Any]) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource_link", "uri": str(uri)}:
            return uri
        case {"type": str(kind)}:
            return f"({kind}, not shown)"
        case _:
            return ""


def data_lines(events: Sequence[str]) -> list[str]:
    """Return the messages in the lines of a stream of server-sent events."""
    return [line[5:].strip() for line in events if line.startswith("data:")]
