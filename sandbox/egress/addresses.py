"""Tell addresses of the internet from those that lead to this machine or its neighbours."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address

_LOCAL = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("224.0.0.0/4", "240.0.0.0/4"),
    )
)
"""From IANA's registries of special-purpose addresses (RFC 6890): this network, private ones, those
behind a provider's NAT, loopback, link-local with the metadata services of clouds, benchmarks,
multicast, reserved. Networks for documentation are not among them: they lead nowhere."""

_GLOBAL = ip_network("2000::/3")
"""All of IPv6 that is given to anybody on the internet (RFC 4291, IANA's registry of address space).
What is outside leads to this machine, its networks or nowhere, or stands for an IPv4 address."""

_TRANSLATED = tuple(ip_network(text) for text in ("64:ff9b::/96", "::ffff:0:0/96"))
"""What reaches the internet all the same: an IPv4 address in the last four bytes (RFC 6052, 4291)."""

_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")
"""Before an IPv4 address in the last four bytes, in any network (RFC 5214)."""


def is_local(text: str) -> bool:
    """Whether an address leads to this machine, its networks, or nowhere on the internet."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return _is_in_local(address)
    if address not in _GLOBAL and not any(address in network for network in _TRANSLATED):
        return True
    return any(map(_is_in_local, _embedded(address)))


def is_own(text: str) -> bool:
    """Whether an address is this machine's: also a public one leads to services of its own."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((text, 0))
        except OSError:
            return False
    return True


def _is_in_local(address: IPv4Address) -> bool:
    return any(address in network for network in _LOCAL)


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses to which an IPv6 address is translated on its way."""
    yield from address.teredo or ()
    if address.sixtofour is not None:
        yield address.sixtofour
    if address not in _GLOBAL or address.packed[8:12] in _ISATAP:
        yield IPv4Address(address.packed[12:])


def as_address(host: str) -> str | None:
    """Return an address that stands in place of a name, in its usual spelling; None for a name."""
    try:
        return str(ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return None
