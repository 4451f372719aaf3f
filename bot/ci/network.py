"""Tell a failure for want of a network by the words of those who needed one. Pure."""

from __future__ import annotations

import re

# A command that reaches for its own machine says `Connection refused` too, so that does not count.
_WORDS = re.compile(
    r"Temporary failure in name resolution|Name or service not known"  # glibc
    r"|nodename nor servname provided"  # macOS
    r"|Could(?: not|n't) resolve (?:host|proxy)|CONNECT tunnel failed"  # curl, git
    r"|Received HTTP code 40[37] from proxy|Tunnel connection failed: 40[37]"  # curl, Python
    r"|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b"  # Node.js
    r"|Network is unreachable|No route to host"
    r"|dial tcp: lookup \S+.{0,80}(?:no such host|server misbehaving)"  # Go
    r"|failed to lookup address information|dns error"  # Rust
    r"|java\.net\.UnknownHostException|Could not transfer artifact"
    r"|Failed to establish a new connection|Max retries exceeded with url"  # urllib3
    r"|Could not fetch URL|An unexpected error has occurred: CalledProcessError: command: \('?/?\S*git'?, 'fetch'"
    r"|unable to access 'https?://"  # git
    r"|[Ff]ailed to (?:fetch|download):? ?`?https?://",
)


def lacks_network(text: str) -> bool:
    """Whether a text speaks of a host that could not be reached."""
    return _WORDS.search(text) is not None
