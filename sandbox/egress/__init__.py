"""The one way out of a sandbox: a proxy on the host that asks a policy for every host."""

from sandbox.egress.gate import Gate, WayOut, gate
from sandbox.egress.operator import Operator, operator
from sandbox.egress.policy import Policy

__all__ = ["Gate", "Operator", "Policy", "WayOut", "gate", "operator"]
