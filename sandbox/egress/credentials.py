"""Credentials of private registries: added on the way out, so that no sandbox has them. No IO."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

from sandbox.egress.request import Wanted

_PORTS = {"http": 80, "https": 443}
_READING = frozenset({"GET", "HEAD"})
_OWN = frozenset({"authorization", "x-http-method", "x-http-method-override", "x-method-override"})
"""Headers of a client that have no place beside credentials that are not its own."""

_PROJECT = re.compile(r"[\w.*?-]+(?:/[\w.*?-]+)?")
"""An owner, or `owner/name`, with wildcards as in a shell."""

_DEVIOUS = re.compile(r"\.\.|//|\\|%2e|%2f|%5c|[\x00-\x20]", re.IGNORECASE)
"""What may make a server find another path than the one that is written."""


class OnlyReading(Exception):
    """A sandbox wants to change something with credentials that are not its own."""


@dataclass(frozen=True, slots=True)
class RegistryCredential:
    """What a private registry asks for.

    Attributes:
        scheme: `https` or `http`.
        host: As policies know it.
        port: TCP.
        path: Below which it is given.
        authorization: Value of the header; nobody else sees it.
        projects: Patterns of `owner/name` that it is given to; none means everybody.
    """

    scheme: str
    host: str
    port: int
    path: str
    authorization: str = field(repr=False)
    projects: tuple[str, ...] = ()

    def serves(self, project: str) -> bool:
        """Whether sandboxes of a project get it; a project without a name is nobody's."""
        if not self.projects:
            return True
        return bool(project) and any(
            fnmatchcase(project.lower(), pattern) for pattern in self.projects
        )

    def fits(self, path: str) -> bool:
        """Whether a path, with its query, is what the credential is for."""
        path = path.partition("?")[0]
        below = path == self.path.rstrip("/") or path.startswith(f"{self.path.rstrip('/')}/")
        return below and not _DEVIOUS.search(path)


def registry_credential(url: str) -> RegistryCredential:
    """Read `https://user:password@host/path`; a user alone is a token.

    What stands before it and a `=` limits whom it serves: `acme,beta/app=https://...` serves every
    repository of acme, and one of beta.

    Raises:
        ValueError: It is no such address. The text does not quote it.
    """
    listed, limited, _ = url.partition("://")[0].rpartition("=")
    projects = tuple(word.strip().lower() for word in listed.split(",") if word.strip())
    if limited:
        url = url[len(listed) + 1 :]
    if limited and (not projects or not all(map(_PROJECT.fullmatch, projects))):
        raise ValueError("must list owners or owner/name before the =, separated by commas")
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        port = None
    if port is None or parts.scheme not in _PORTS or not parts.hostname or not parts.username:
        raise ValueError("must be addresses such as https://user:password@host/path")
    user = unquote(parts.username)
    if parts.password is None:
        authorization = f"Bearer {user}"
    else:
        pair = f"{user}:{unquote(parts.password)}".encode()
        authorization = f"Basic {base64.b64encode(pair).decode()}"
    host = parts.hostname.lower().rstrip(".")
    patterns = tuple(one if "/" in one else f"{one}/*" for one in projects)
    return RegistryCredential(parts.scheme, host, port, parts.path or "/", authorization, patterns)


def of_host(
    credentials: Sequence[RegistryCredential], wanted: Wanted, project: str = ""
) -> tuple[RegistryCredential, ...]:
    """Return the credentials for a host that serve a project, whatever the path."""
    place = (wanted.scheme, wanted.host, wanted.port)
    return tuple(
        one
        for one in credentials
        if (one.scheme, one.host, one.port) == place and one.serves(project)
    )


def authorization(credentials: Sequence[RegistryCredential], method: str, path: str) -> str | None:
    """Return the `Authorization` for a path, of the longest one that fits; None where none does.

    Raises:
        OnlyReading: When the request would change something there.
    """
    fitting = [one for one in credentials if one.fits(path)]
    if not fitting:
        return None
    best = max(fitting, key=lambda one: len(one.path))
    if method not in _READING:
        raise OnlyReading(f"{best.host} is a private registry, which is read-only here.")
    return best.authorization


def may_stay(header: str) -> bool:
    """Whether a client's header has a place beside credentials that are not its own."""
    return header.lower() not in _OWN
