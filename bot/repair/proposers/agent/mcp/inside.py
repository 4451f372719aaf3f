"""A server in the attempt's sandbox: started for each call, with everything that it may reach there.

One command starts it, opens a session, asks, and ends: what a call does is an act like any other,
so a killed run knows which calls are done, and a lost sandbox is remade with them.
"""

from __future__ import annotations

import shlex

from bot.model.mcp_servers import McpServer
from bot.repair.proposers.agent.mcp.messages import GREETING_ID, REQUEST_ID

REQUESTS = "/tmp/.fixpoint-mcp-{}"  # noqa: S108 - in the attempt's own sandbox
_ENDED = "The server ended:"


def session_command(server: McpServer, requests: str) -> str:
    """Return the command that plays a session and prints what the server said.

    Args:
        server: To start.
        requests: File in the sandbox: the greeting in the first line, then the rest.
    """
    start = shlex.join(server.command)
    return f"""\
d=$(mktemp -d) && mkfifo "$d/in" && : > "$d/out" || exit 1
{{ {start}; : > "$d/end"; }} < "$d/in" > "$d/out" 2> "$d/err" &
exec 3> "$d/in"
answered() {{
  until grep -q "\\"id\\": *$1 *[,}}]" "$d/out"; do [ -e "$d/end" ] && return 1; sleep 0.02; done
}}
head -n 1 {requests} >&3
answered {GREETING_ID} && tail -n +2 {requests} >&3 && answered {REQUEST_ID}
cat "$d/out"
[ -e "$d/end" ] && {{ echo "{_ENDED}"; tail -c 1000 "$d/err"; }}
exit 0"""


def why_ended(output: str) -> str:
    """Return what a server wrote to its standard error before it ended, or ""."""
    return output.partition(f"{_ENDED}\n")[2].strip()
