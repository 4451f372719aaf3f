"""Put together what one sandbox may reach, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.base import Network
from sandbox.egress.inside import trust_environment
from sandbox.egress.operator import Operator
from sandbox.egress.policy import Policy
from sandbox.egress.registries import Registries


@dataclass(frozen=True, slots=True)
class WayOut:
    """What one sandbox may reach, and how this host reaches it.

    Attributes:
        policy: What it may reach.
        operator: How this host reaches the internet.
        registries: Which of them the gate stands for.
    """

    policy: Policy
    operator: Operator
    registries: Registries = field(default_factory=Registries)

    @property
    def ends_tls(self) -> bool:
        """Whether the sandbox has to trust the gate, which stands for registries."""
        return self.registries.end_tls(self.policy)

    @property
    def environment(self) -> dict[str, str]:
        """Variables that tell clients in the sandbox whom to trust."""
        return trust_environment() if self.ends_tls else {}


def way_out(network: Network, operator: Operator, registries: Registries) -> WayOut:
    """Return the way out of a sandbox: private registries that do not serve it are as any host."""
    served = registries.private_for(network.project)
    return WayOut(Policy(network, operator.named | served), operator, registries)
