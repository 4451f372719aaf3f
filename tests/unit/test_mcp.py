"""MCP servers as the operator names them, and what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import SettingsError
from bot.model.mcp_servers import McpServer
from bot.model.tool_rules import ToolRisk
from bot.redaction import redactor_of
from bot.repair.proposers.agent.mcp.messages import (
    McpAnswer,
    McpError,
    answer_in,
    data_lines,
    request,
    result_in,
    tools_in,
)
from bot.settings.environment import load_local_settings

DOCS = {"command": "python -m docs", "args": ["--fast"], "tools": {"drop": "dangerous"}}
TICKETS = {"url": "https://tickets.test/mcp", "headers": {"Authorization": "Bearer s3cret-one"}}
LOCAL = {"command": "tickets", "outside": True, "env": {"TOKEN": "s3cret-two"}, "risk": "network"}


def servers(**named: object) -> tuple[McpServer, ...]:
    text = json.dumps({"mcpServers": named})
    return load_local_settings({"FIXPOINT_MCP": text}).fixpoint_mcp


def test_servers_are_named_in_the_form_of_other_clients(tmp_path: Path) -> None:
    """What stays in the sandbox is harmless by default, what reaches out is not."""
    docs, tickets, local = servers(docs=DOCS, tickets=TICKETS, local=LOCAL)
    assert (docs.command, docs.inside, docs.risk) == (
        ("python", "-m", "docs", "--fast"),
        True,
        ToolRisk.WRITE,
    )
    assert (docs.risk_of("drop"), docs.risk_of("find")) == (ToolRisk.DANGEROUS, ToolRisk.WRITE)
    assert (tickets.inside, tickets.risk) == (False, ToolRisk.DANGEROUS)
    assert (local.inside, local.risk) == (False, ToolRisk.NETWORK)
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"docs": DOCS}}))
    assert load_local_settings({"FIXPOINT_MCP": str(file)}).fixpoint_mcp == (docs,)


def test_their_secrets_are_redacted() -> None:
    """What a server is given to log in stands in no log and no report."""
    text = json.dumps({"mcpServers": {"tickets": TICKETS, "local": LOCAL}})
    settings = load_local_settings({"FIXPOINT_MCP": text})
    shown = redactor_of(settings).text("it sent s3cret-two and Bearer s3cret-one")
    assert "s3cret" not in shown
    assert "s3cret" not in repr(settings)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{", "must be valid JSON"),
        ("{}", "must be an object"),
        ("/no/such/file", "must be the path of a readable JSON file, or JSON"),
        ({"a b": DOCS}, "must name servers with letters"),
        ({"a": {}}, "has a wrong server a: needs either a command or a url"),
        ({"a": {**DOCS, "env": {"TOKEN": "s3cret"}}}, "the sandbox gets no secrets"),
        ({"a": {**TICKETS, "outside": True}}, "has a url"),
        ({"a": {**DOCS, "risk": "some"}}, "has a wrong server a: risk must be 'read', 'write'"),
        ({"a": {**DOCS, "colour": "red"}}, "has a wrong server a: colour Extra inputs"),
    ],
)
def test_what_is_wrong_is_said_without_the_value(value: object, said: str) -> None:
    """It may hold a secret."""
    text = value if isinstance(value, str) else json.dumps({"mcpServers": value})
    with pytest.raises(SettingsError) as caught:
        load_local_settings({"FIXPOINT_MCP": text})
    assert said in str(caught.value)
    assert "s3cret" not in str(caught.value)


SERVER = McpServer("docs", tools=(("get page", ToolRisk.READ),), characters=200)


def test_tools_get_names_that_every_provider_takes() -> None:
    """Two names that become the same are one tool; what is no tool is left out."""
    listed = [
        {"name": "get page", "description": "Get\u200b it.", "inputSchema": {"type": "object"}},
        {"name": "get_page"},
        {"name": "x" * 90, "inputSchema": {"type": "array"}},
        {"name": 7},
        "none",
    ]
    page, long = tools_in(SERVER, {"tools": listed})
    assert (page.name, page.there, page.risk) == ("mcp__docs__get_page", "get page", ToolRisk.READ)
    assert page.tool.description == "Tool get page of the MCP server docs. Get it."
    assert len(long.name) == 64
    assert (long.risk, long.tool.schema["type"]) == (ToolRisk.DANGEROUS, "object")
    assert tools_in(SERVER, {"tools": "none"}) == ()


def test_the_answer_is_found_among_what_a_server_says() -> None:
    """Log messages, notifications and requests of its own are passed over."""
    said = ["starting up", '{"method": "log"}', '{"id": 770002, "result": {"a": 1}}', "[]"]
    assert result_in(said) == {"a": 1}
    assert json.loads(request("tools/list", {}))["id"] == 770002
    assert data_lines(["event: message\n", 'data: {"id": 1}\n', ": ping\n"]) == ['{"id": 1}']
    for lines in ([], ["{}"], ['{"id": 770002}']):
        with pytest.raises(McpError, match="ended without an answer"):
            result_in(lines)
    with pytest.raises(McpError, match="no such tool"):
        result_in(['{"id": 770002, "error": {"message": "no such tool"}}'])


def test_what_a_tool_gives_back_is_text() -> None:
    """Whatever kind it is; long text is cut, and hidden characters are shown."""
    parts = [
        {"type": "text", "text": "a\u200b"},
        {"type": "image", "data": "…"},
        {"type": "resource", "resource": {"uri": "x", "text": "b"}},
        {"type": "resource_link", "uri": "https://c.test"},
        {},
    ]
    text = answer_in(SERVER, {"content": parts}).text
    assert text.splitlines()[1:] == ["(image, not shown)", "b", "https://c.test"]
    assert "\u200b" not in text
    assert answer_in(SERVER, {"structuredContent": {"n": 1}}).text == '{"n": 1}'
    assert answer_in(SERVER, {"isError": True}) == McpAnswer("(no output)", is_error=True)
    assert len(answer_in(SERVER, {"content": [{"type": "text", "text": "x" * 900}]}).text) < 400


def test_secret_values_stay_wrapped() -> None:
    """A server in a log shows its names alone."""
    server = McpServer("a", environment=(("TOKEN", SecretStr("s3cret")),))
    assert "s3cret" not in repr(server)
