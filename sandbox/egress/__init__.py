"""The one way out of a sandbox: a proxy on the host that asks a policy for every host."""

from sandbox.egress.credentials import RegistryCredential, registry_credential
from sandbox.egress.gate import Gate, gate
from sandbox.egress.operator import Operator, operator
from sandbox.egress.policy import Policy
from sandbox.egress.registries import Registries
from sandbox.egress.way_out import WayOut, way_out

__all__ = [
    "Gate",
    "Operator",
    "Policy",
    "Registries",
    "RegistryCredential",
    "WayOut",
    "gate",
    "operator",
    "registry_credential",
    "way_out",
]
