"""Who may use the dashboard and the API: whoever has the admin token, or a process beside us."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import secrets
import time
from dataclasses import dataclass

from aiohttp import web
from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

COOKIE = "fixpoint_session"
SESSION_SECONDS = 12 * 3600
_LONGEST_COOKIE = 2_000
_SHORT_OF_TOKEN = 43
"""Length of base64url text of 32 bytes."""


@dataclass(frozen=True, slots=True)
class Session:
    """A person in front of the dashboard.

    Attributes:
        key: Names the session; random.
        csrf: What every form of the session has to carry.
    """

    key: str
    csrf: str


SESSION: web.RequestKey[Session] = web.RequestKey("session", Session)
"""Of a request that a person sent from the dashboard."""


class AdminAccess:
    """Decides who may, from the settings alone: no table of people or sessions."""

    def __init__(self, token: SecretStr | None, host: str) -> None:
        """Say who may.

        Args:
            token: The admin token; without it, whoever reaches a server on a loopback address may.
            host: Address that the server listens on.
        """
        self._token = None if token is None else token.get_secret_value().encode()
        self._loopback = is_loopback(host)
        # without a token, sessions end with the process
        seed = self._token or secrets.token_bytes(32)
        self._csrf_key = hashlib.sha256(b"csrf " + seed).digest()
        self._fernet = Fernet(_fernet_key(hashlib.sha256(b"session " + seed).digest()))

    @property
    def is_open(self) -> bool:
        """Whether the dashboard and the API are on at all."""
        return self._token is not None or self._loopback

    @property
    def asks_for_token(self) -> bool:
        """Whether a person has to log in."""
        return self._token is not None

    def reaches(self, request: web.Request) -> bool:
        """Whether a request may get so far as to be asked for a token.

        Without a token only names of this machine are answered: a page of somebody else's that has
        its own name point to this machine, or a proxy that others reach, is none of them.
        """
        if self._token is not None:
            return True
        name = request.host.rpartition(":")[0] if _has_port(request.host) else request.host
        return self._loopback and is_loopback(name.strip("[]"))

    def is_token(self, given: str) -> bool:
        """Whether that is the admin token; takes as long for any other."""
        wanted = self._token
        return wanted is not None and hmac.compare_digest(given.encode(), wanted)

    def new_session(self) -> str:
        """Return the value of a cookie for somebody who logged in."""
        return self._fernet.encrypt(secrets.token_urlsafe(32).encode()).decode()

    def session(self, request: web.Request) -> Session | None:
        """Return the session of a request; None for strangers and those who logged in long ago."""
        if self._token is None:
            return self._session_of("local")
        cookie = request.cookies.get(COOKIE, "")
        if not cookie or len(cookie) > _LONGEST_COOKIE or not cookie.isascii():
            return None
        try:
            key = self._fernet.decrypt(cookie.encode(), ttl=SESSION_SECONDS).decode()
        except InvalidToken:
            return None
        return self._session_of(key) if len(key) == _SHORT_OF_TOKEN else None

    def _session_of(self, key: str) -> Session:
        csrf = hmac.new(self._csrf_key, key.encode(), hashlib.sha256).hexdigest()
        return Session(key, csrf)

    def from_our_form(self, session: Session, given: str) -> bool:
        """Whether a form or script of our own pages sent this."""
        return hmac.compare_digest(given.encode(), session.csrf.encode())


class FailedLogins:
    """Slows down who guesses the token: a few tries at once, then one in a while."""

    def __init__(self, most: int = 10, window: float = 60.0) -> None:
        self._most = most
        self._window = window
        self._times: list[float] = []

    def too_many(self) -> bool:
        """Whether so many failed lately that the next has to wait."""
        now = time.monotonic()
        self._times = [one for one in self._times if now - one < self._window]
        return len(self._times) >= self._most

    def note(self) -> None:
        """Count one that failed."""
        self._times.append(time.monotonic())


def bearer_token(request: web.Request) -> str | None:
    """Return the token that a program shows, or None: https://www.rfc-editor.org/rfc/rfc6750."""
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else None


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and (host.count(":") == 1 or "]:" in host)


def _fernet_key(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data)
