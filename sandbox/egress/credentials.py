"""Credentials of private registries: added on the way out, so that no sandbox has them. No IO."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

from sandbox.egress.request import Wanted

_PORTS = {"http": 80, "https": 443}
_READING = frozenset({"GET", "HEAD"})
_OWN = re.compile(rb"(?i)(?:authorization|x-http-method(?:-override)?|x-method-override)\s*:")
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

    def fits(self, wanted: Wanted) -> bool:
        """Whether a request, already decrypted, is for what the credential is for."""
        path = wanted.path.partition("?")[0]
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


def authorized(wanted: Wanted, credentials: Sequence[RegistryCredential]) -> Wanted:
    """Return a request with the credential for its path, the longest one, in place of its own.

    Raises:
        OnlyReading: When it would change something there.
    """
    fitting = [one for one in credentials if one.fits(wanted)]
    if not fitting:
        return wanted
    if wanted.method not in _READING:
        raise OnlyReading(f"{wanted.host} is a private registry, which is read-only here.")
    best = max(fitting, key=lambda one: len(one.path))
    return replace(
        wanted,
        head=_with(wanted.head, best.authorization),
        head_for_proxy=_with(wanted.head_for_proxy, best.authorization),
    )


def _with(head: bytes, authorization: str) -> bytes:
    if not head:
        return head
    line, *headers = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    kept = [header for header in headers if not _OWN.match(header)]
    own = f"Authorization: {authorization}".encode()
    return b"\r\n".join([line, *kept, own, b"", b""])
