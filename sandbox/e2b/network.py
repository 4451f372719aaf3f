"""Say in E2B's rules what a sandbox may reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandbox.base import Network
from sandbox.egress.credentials import RegistryCredential

if TYPE_CHECKING:
    from e2b import SandboxNetworkOpts

_ALL = "0.0.0.0/0"
_PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")


def is_limited(credential: RegistryCredential) -> bool:
    """Whether a credential is for a part of a host: E2B's rules know hosts alone.

    `SandboxNetworkRule` of E2B's SDK 2 has neither a path nor a method.
    """
    return credential.path.rstrip("/") != ""


def network_rules(
    network: Network | None,
    more: SandboxNetworkOpts | None,
    credentials: Sequence[RegistryCredential] = (),
) -> SandboxNetworkOpts | None:
    """Return the rules for a sandbox; None where none are needed.

    At E2B what is allowed wins over what is denied, so that a few hosts are those hosts and a
    denial of everything else: https://e2b.dev/docs/sandbox/internet-access.

    Args:
        network: What it may reach.
        more: The operator's own rules, which come in addition.
        credentials: Of private registries: E2B's proxy adds them outside of the sandbox, to every
            request to that host, whatever its path and method. So one for a path is left out; see
            `is_limited`.
    """
    if network is None:
        return None
    credentials = [
        credential
        for credential in credentials
        if credential.serves(network.project) and not is_limited(credential)
    ]
    rules: SandboxNetworkOpts = {**more} if more else {}
    if network.everything and "deny_out" not in rules:
        rules["deny_out"] = list(_PRIVATE)
    if not network.everything:
        private = (credential.host for credential in credentials)
        allowed, hosts = rules.get("allow_out") or [], (*network.hosts, *private)
        if callable(allowed):
            choose = allowed
            rules["allow_out"] = lambda context: [*choose(context), *hosts]
        else:
            rules["allow_out"] = [*dict.fromkeys((*allowed, *hosts))]
        rules["deny_out"] = [_ALL]
    if credentials:
        rules["rules"] = {
            **(rules.get("rules") or {}),
            **{
                credential.host: [
                    {"transform": {"headers": {"Authorization": credential.authorization}}}
                ]
                for credential in credentials
            },
        }
    return rules
