"""Which repositories the submodules of a commit are, as its `.gitmodules` names them.

Whoever wrote the commit wrote these addresses. So none of them is ever given to git: a repository
is what comes of one, by its owner and name on the same GitHub, or a reason why there is none.

Format: https://git-scm.com/docs/gitmodules; relative addresses: https://git-scm.com/docs/git-submodule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

MOST = 50
"""Submodules of a commit that are fetched, those of submodules included."""

DEEPEST = 3
"""Levels of submodules below each other."""

_PART = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
"""A name of an account or a repository."""

_SSH = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/].*)")
"""The short form of an address for ssh, such as `git@github.com:acme/lib.git`."""

_SCHEMES = frozenset({"https", "http", "ssh", "git"})


class SubmoduleRefusal(Enum):
    """Why a submodule is not fetched."""

    NO_ADDRESS = "no address"
    OTHER_HOST = "other host"
    ODD_ADDRESS = "odd address"
    TOO_MANY = "too many"


@dataclass(frozen=True, slots=True)
class Submodule:
    """A submodule of a commit.

    Attributes:
        path: In the work tree of the commit.
        commit: Of the other repository.
        repository: `owner/name`, or why there is none.
    """

    path: str
    commit: str
    repository: str | SubmoduleRefusal


def submodules_of(
    gitlinks: Mapping[str, str], settings: Mapping[str, str], *, below: str, host: str
) -> Iterator[Submodule]:
    """Yield the submodules of a commit.

    Args:
        gitlinks: Commits by path, as its tree has them.
        settings: What its `.gitmodules` says, as `git config --list` prints keys and values.
        below: `owner/name` of the repository, from which relative addresses start.
        host: Of GitHub, with its port if that is unusual.
    """
    addresses = dict(_addresses(settings))
    for path, commit in gitlinks.items():
        address = addresses.get(path)
        found = (
            SubmoduleRefusal.NO_ADDRESS if address is None else repository_of(address, below, host)
        )
        yield Submodule(path, commit, found)


def _addresses(settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, path in settings.items():
        if key.startswith("submodule.") and key.endswith(".path"):
            address = settings.get(f"{key.removesuffix('.path')}.url")
            if address is not None:
                yield path, address


def repository_of(address: str, below: str, host: str) -> str | SubmoduleRefusal:
    """Return the `owner/name` that an address means on this GitHub, or why it means none."""
    if not address.isprintable() or "::" in address or address.startswith("-"):
        return SubmoduleRefusal.ODD_ADDRESS
    if address.startswith(("./", "../")):
        return _named(_relative(address, below))
    if "://" not in address and (short := _SSH.fullmatch(address)):
        name, _, _ = host.partition(":")
        return _named(short["path"]) if short["host"] == name else SubmoduleRefusal.OTHER_HOST
    return _at_address(address, host)


def _at_address(address: str, host: str) -> str | SubmoduleRefusal:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return SubmoduleRefusal.ODD_ADDRESS
    if parts.scheme not in _SCHEMES or parts.query or parts.fragment or parts.password:
        return SubmoduleRefusal.ODD_ADDRESS
    named = parts.hostname or ""
    if (named if port is None else f"{named}:{port}") != host:
        return SubmoduleRefusal.OTHER_HOST
    return _named(parts.path.lstrip("/"))


def _relative(address: str, below: str) -> str:
    """Return the path that a relative address leads to; "" where it leads out of the host."""
    here = below.split("/")
    parts = address.rstrip("/").split("/")
    while parts and parts[0] in {".", ".."}:
        if parts.pop(0) == "..":
            if not here:
                return ""
            here.pop()
    return "/".join((*here, *parts))


def _named(path: str) -> str | SubmoduleRefusal:
    parts = path.rstrip("/").removesuffix(".git").split("/")
    if len(parts) != len(("owner", "name")) or not all(map(_PART.fullmatch, parts)):
        return SubmoduleRefusal.ODD_ADDRESS
    return "/".join(parts)
