"""Tell a failure for want of a network by the words of those who needed one. Pure.

The texts are extended regular expressions as grep and Python read them alike.
"""

from __future__ import annotations

import re

UNRESOLVED = (
    "Temporary failure in name resolution|Name or service not known"  # glibc
    "|nodename nor servname provided"  # macOS
    "|Could(n't| not) resolve (host|proxy)"  # curl, git
    r"|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b"  # Node.js
    "|Network is unreachable|No route to host"  # Linux
    "|failed to lookup address"  # Rust
)
"""What resolvers and kernels say of a host that can't be reached."""

_CLIENTS = (
    "CONNECT tunnel failed|Proxy CONNECT aborted|unable to access .https?://"  # curl, git
    "|Tunnel connection failed|Failed to establish a new connection"  # Python, urllib3
    "|tunneling socket could not be established|[Pp]roxy-?[Cc]onnection-?[Ff]ailed"  # Node.js
    "|client error .Connect|dns error"  # uv, cargo
)

UNREACHABLE = f"{UNRESOLVED}|{_CLIENTS}|ECONNREFUSED"
"""What package clients say when an index can't be reached, the machine's own included."""

# A command that reaches for its own machine says `Connection refused` too, so that does not count.
_WORDS = re.compile(
    f"{UNRESOLVED}|{_CLIENTS}"
    r"|Received HTTP code 40[37] from proxy"
    r"|dial tcp: lookup .{1,300}?(?:no such host|server misbehaving)"  # Go
    r"|java\.net\.UnknownHostException|Could not transfer artifact"
    r"|Max retries exceeded with url|Could not fetch URL"  # urllib3, pip
    r"|An unexpected error has occurred: CalledProcessError: command: \('?/?\S*git'?, 'fetch'"
    r"|[Ff]ailed to (?:fetch|download):? ?`?https?://",
)


def lacks_network(text: str) -> bool:
    """Whether a text speaks of a host that could not be reached."""
    return _WORDS.search(text) is not None
