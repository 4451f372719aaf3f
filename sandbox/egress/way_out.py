"""Put together what one sandbox may reach, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.base import Network
from sandbox.egress.inside import trust_environment
from sandbox.egress.operator import Operator
from sandbox.egress.policy import Policy
from sandbox.egress.registries import Registries

MOST_CONNECTIONS = 128
"""Of one sandbox at once. Package clients open a few dozen; each costs this process up to four
descriptors: the client's, both ends of what reads it, and the host's."""


@dataclass(slots=True)
class Connections:
    """Counts the connections of one sandbox that are open, through whichever of its gates."""

    open: int = 0

    @property
    def are_too_many(self) -> bool:
        """Whether the last one is told that there are too many."""
        return self.open > MOST_CONNECTIONS

    @property
    def are_far_too_many(self) -> bool:
        """Whether not even that can be told to another one."""
        return self.open >= 2 * MOST_CONNECTIONS


@dataclass(frozen=True, slots=True)
class WayOut:
    """What one sandbox may reach, and how this host reaches it.

    Attributes:
        policy: What it may reach.
        operator: How this host reaches the internet.
        registries: Which of them the gate stands for.
        connections: Those that the sandbox has now.
    """

    policy: Policy
    operator: Operator
    registries: Registries = field(default_factory=Registries)
    connections: Connections = field(default_factory=Connections)

    @property
    def ends_tls(self) -> bool:
        """Whether the sandbox has to trust the gate, which stands for registries."""
        return self.registries.end_tls(self.policy)

    @property
    def environment(self) -> dict[str, str]:
        """Variables that tell clients in the sandbox whom to trust."""
        return trust_environment() if self.ends_tls else {}


def way_out(network: Network, operator: Operator, registries: Registries) -> WayOut:
    """Return the way out of a sandbox: private registries that do not serve it are as any host.

    Of those that do, it reaches what is below their paths, or all that settings of clients name.
    """
    served = registries.private_for(network.project)
    policy = Policy(network, operator.named | served, by_path=served - operator.named)
    return WayOut(policy, operator, registries)
