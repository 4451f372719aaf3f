"""A server of the Model Context Protocol with a few tools: over stdin and stdout, or over HTTP.

It needs nothing but Python, so that it can run in a sandbox; `python mcp_server.py [PORT]`.
https://modelcontextprotocol.io/specification/2025-06-18
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_NUMBERS = {"a": {"type": "integer"}, "b": {"type": "integer"}}
_ANY = {"type": "object"}
TOOLS: list[Json] = [
    {"name": "add", "description": "Add.", "inputSchema": {**_ANY, "properties": _NUMBERS}},
    {"name": "surroundings", "description": "Say what the server sees.", "inputSchema": _ANY},
    {"name": "close ticket", "description": "", "inputSchema": _ANY},
    {"name": "die", "description": "", "inputSchema": {"type": "array"}},
]


def answer(message: Json) -> Json | None:
    """Return what is answered to a message; None to a notification."""
    if "id" not in message:
        return None
    params = message.get("params") or {}
    match message.get("method"):
        case "initialize" if params.get("protocolVersion") == "2025-06-18":
            server = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            result: Json | None = {**server, "serverInfo": {"name": "fake", "version": "1"}}
        case "tools/list":
            result = {"tools": TOOLS}
        case "tools/call":
            result = _called(params["name"], params.get("arguments") or {})
        case _:
            result = None
    if result is None:
        error = {"code": -32602, "message": "There is nothing like that."}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _called(name: str, given: Json) -> Json | None:
    match name:
        case "add":
            text = str(given["a"] + given["b"])
        case "surroundings":
            text = " ".join(_surroundings())
        case "close ticket":
            with Path(os.environ["TICKETS"]).open("a", encoding="utf-8") as file:
                file.write("closed\n")
            text = "It is closed."
        case "die":
            sys.exit("the server dies")
        case _:
            return None
    return {"content": [{"type": "text", "text": text}]}


def _surroundings() -> Iterator[str]:
    yield "our-secret" if "ANTHROPIC_API_KEY" in os.environ else "no-secret-of-ours"
    yield "its-token" if os.environ.get("TOKEN") == "t0ken" else "no-token"
    try:
        socket.create_connection(("127.0.0.1", int(Path("port.txt").read_text())), timeout=1)
    except (OSError, ValueError):
        yield "reaches-nothing"
    else:
        yield "reaches-the-host"


class Http(BaseHTTPRequestHandler):
    """Streamable HTTP with sessions: the greeting opens one, and everything else needs it."""

    def do_POST(self) -> None:
        """Take a message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        opens = message.get("method") == "initialize"
        known = opens or self.headers.get("Mcp-Session-Id") == "session-1"
        if not known or self.headers.get("Authorization") != "Bearer t0ken":
            self._say(401, {})
            return
        said = answer(message)
        session = {"Mcp-Session-Id": "session-1"} if opens else {}
        if said is None:
            self._say(202, session)
        elif message["method"] == "tools/call":
            body = f"event: message\ndata: {json.dumps(said)}\n\n"
            self._say(200, session | {"Content-Type": "text/event-stream"}, body)
        else:
            self._say(200, session | {"Content-Type": "application/json"}, json.dumps(said))

    def do_DELETE(self) -> None:
        """End the session."""
        self._say(200, {})

    def _say(self, status: int, headers: dict[str, str], body: str = "") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Http)
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
    for line in sys.stdin:
        reply = answer(json.loads(line))
        if reply is not None:
            sys.stdout.write(f"{json.dumps(reply)}\n")
            sys.stdout.flush()
