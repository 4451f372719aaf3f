"""Decide whether a sandbox may reach a host. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.base import Network
from sandbox.egress.addresses import as_address, is_local

PORTS = frozenset({80, 443})
"""Of hosts that are allowed by name alone."""

_NAME = re.compile(
    r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What one sandbox may reach.

    Attributes:
        network: What the run asks for; never an address of this machine or its networks.
        trusted: Host and port of the operator's own registries, which may be in a private network.
        by_path: Those of `trusted` of which only what is below a registry's path may be read.
    """

    network: Network
    trusted: frozenset[tuple[str, int]] = frozenset()
    by_path: frozenset[tuple[str, int]] = frozenset()

    @property
    def elsewhere(self) -> Policy:
        """What holds for all paths that are not a registry's."""
        return Policy(self.network, self.trusted - self.by_path)


@dataclass(frozen=True, slots=True)
class Pass:
    """The host may be reached, at addresses that `admits`."""

    anywhere: bool
    """Whether its address may be a local one."""

    no_other: bool = True
    """Whether other hosts may not be reached, so that a connection has to stay with this one."""

    def admits(self, address: str) -> bool:
        """Whether the connection may go to this address of the host."""
        return self.anywhere or not is_local(address)


def decide(policy: Policy, host: str, port: int) -> Pass | None:
    """Return the pass for a host, in lower case and without a final dot; None when it has none."""
    if (host, port) in policy.trusted:
        return Pass(anywhere=True)
    address = as_address(host)
    if address is None and not _NAME.fullmatch(host):
        return None
    if address is not None and is_local(address):
        return None
    if policy.network.everything:
        return Pass(anywhere=False, no_other=False)
    if port in PORTS and any(matches(host, allowed) for allowed in policy.network.hosts):
        return Pass(anywhere=False)
    return None


def matches(host: str, allowed: str) -> bool:
    """Whether a name is the allowed one, or is below it if that begins with `*.`."""
    allowed = allowed.lower()
    if allowed.startswith("*."):
        return host.endswith(allowed[1:]) and len(host) > len(allowed) - 1
    return host == allowed


def plain(host: str) -> str:
    """Return a host's name as policies know it."""
    return host.lower().strip("[]").rstrip(".")
