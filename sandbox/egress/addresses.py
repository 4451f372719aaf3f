"""Tell addresses of the internet from those that lead to this machine or its neighbours."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

_LOCAL = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("224.0.0.0/4", "240.0.0.0/4"),
        *("::/127", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "64:ff9b:1::/48"),
    )
)
"""From IANA's registries of special-purpose addresses (RFC 6890): this network, private ones, those
behind a provider's NAT, loopback, link-local with the metadata services of clouds, benchmarks,
multicast, reserved. Networks for documentation are not among them: they lead nowhere."""

_TRANSLATED = ip_network("64:ff9b::/96")
"""An IPv4 address in its last four bytes (RFC 6052)."""


def is_local(text: str) -> bool:
    """Whether an address leads to this machine, its networks, or nowhere on the internet."""
    address = ip_address(text.partition("%")[0])
    return any(_is_in_local(each) for each in (address, *_embedded(address)))


def is_own(text: str) -> bool:
    """Whether an address is this machine's: also a public one leads to services of its own."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((text, 0))
        except OSError:
            return False
    return True


def _is_in_local(address: Address) -> bool:
    return any(address in network for network in _LOCAL)


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses to which an IPv6 address is translated on its way."""
    if isinstance(address, IPv4Address):
        return ()
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _TRANSLATED or address.packed[:12] == bytes(12):
        found.append(IPv4Address(address.packed[12:]))
    return tuple(each for each in found if each is not None)


def as_address(host: str) -> str | None:
    """Return an address that stands in place of a name, in its usual spelling; None for a name."""
    try:
        return str(ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return None
