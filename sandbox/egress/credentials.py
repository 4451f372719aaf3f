"""Credentials of private registries: added on the way out, so that no sandbox has them. No IO."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

from sandbox.egress.request import PORTS, Wanted

_READING = frozenset({"GET", "HEAD"})
_MAY_STAY = frozenset(
    {
        *("accept", "accept-encoding", "accept-language", "user-agent"),
        *("if-none-match", "if-modified-since", "cache-control", "pragma"),
    }
)
"""Headers of a client that may stand beside credentials that are not its own: they choose what of
an address is answered. Others may choose another address or another method."""

_PROJECT = re.compile(r"[\w.*?-]+(?:/[\w.*?-]+)?")
"""An owner, or `owner/name`, with wildcards as in a shell."""

_PLAIN = re.compile(r"(?!.*(\.\.|//|/\./))[\x21-\x7e]+")
_DEVIOUS = frozenset("%\\;")
"""What is left of a path that was encoded twice, and what some servers read as `/` or as its end."""


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
        written = path.partition("?")[0]
        read = unquote(written, "latin-1")
        is_plain = _PLAIN.fullmatch(read) is not None and _DEVIOUS.isdisjoint(read)
        return is_plain and self._is_above(written) and self._is_above(read)

    def _is_above(self, path: str) -> bool:
        own = self.path.rstrip("/")
        return path == own or path.startswith(f"{own}/")


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
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        port = None
    if port is None or parts.scheme not in PORTS or not parts.hostname or not parts.username:
        raise ValueError("must be addresses such as https://user:password@host/path")
    user = unquote(parts.username)
    if parts.password is None:
        authorization = f"Bearer {user}"
    else:
        pair = f"{user}:{unquote(parts.password)}".encode()
        authorization = f"Basic {base64.b64encode(pair).decode()}"
    host = parts.hostname.lower().rstrip(".")
    patterns = tuple(project if "/" in project else f"{project}/*" for project in projects)
    return RegistryCredential(parts.scheme, host, port, parts.path or "/", authorization, patterns)


def of_host(
    credentials: Sequence[RegistryCredential], wanted: Wanted, project: str = ""
) -> tuple[RegistryCredential, ...]:
    """Return the credentials for a host that serve a project, whatever the path."""
    place = (wanted.scheme, wanted.host, wanted.port)
    return tuple(
        credential
        for credential in credentials
        if (credential.scheme, credential.host, credential.port) == place
        and credential.serves(project)
    )


def authorization(credentials: Sequence[RegistryCredential], method: str, path: str) -> str | None:
    """Return the `Authorization` for a path, of the longest one that fits; None where none does.

    Raises:
        OnlyReading: When the request would change something there.
    """
    fitting = [credential for credential in credentials if credential.fits(path)]
    if not fitting:
        return None
    best = max(fitting, key=lambda item: len(item.path))
    if method not in _READING:
        raise OnlyReading(f"{best.host} is a private registry, which is read-only here.")
    return best.authorization


def may_stay(header: str) -> bool:
    """Whether a client's header has a place beside credentials that are not its own."""
    return header.lower() in _MAY_STAY
