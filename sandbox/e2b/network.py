"""Say in E2B's rules what a sandbox may reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.base import Network

if TYPE_CHECKING:
    from e2b import SandboxNetworkOpts

_ALL = "0.0.0.0/0"
_PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")


def network_rules(
    network: Network | None, more: SandboxNetworkOpts | None
) -> SandboxNetworkOpts | None:
    """Return the rules for a sandbox; None where none are needed.

    At E2B what is allowed wins over what is denied, so that a few hosts are those hosts and a
    denial of everything else: https://e2b.dev/docs/sandbox/internet-access.

    Args:
        network: What it may reach.
        more: The operator's own rules, which come in addition.
    """
    if network is None:
        return None
    rules: SandboxNetworkOpts = {**more} if more else {}
    if network.everything and "deny_out" not in rules:
        rules["deny_out"] = list(_PRIVATE)
    if not network.everything:
        allowed, hosts = rules.get("allow_out") or [], network.hosts
        if callable(allowed):
            choose = allowed
            rules["allow_out"] = lambda context: [*choose(context), *hosts]
        else:
            rules["allow_out"] = [*dict.fromkeys((*allowed, *hosts))]
        rules["deny_out"] = [_ALL]
    return rules
