"""Sessions of people in front of the dashboard, kept in their own cookies and nowhere else.

A cookie is encrypted and signed with a key that is derived from the server's secrets, so what a
person's session holds (with GitHub: a token of theirs) is in clear only while a request is answered.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web
from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

COOKIE = "fixpoint_session"
SESSION_SECONDS = 12 * 3600
_LONGEST_COOKIE = 3_000


@dataclass(frozen=True, slots=True)
class LoginSession:
    """A person in front of the dashboard.

    Attributes:
        key: Names the session; random.
        csrf: What every form of the session has to carry.
        token: With which the App is that person at GitHub; None for who has the admin token.
    """

    key: str
    csrf: str
    token: SecretStr | None = None


SESSION: web.RequestKey[LoginSession] = web.RequestKey("session", LoginSession)
"""Of a request that a person sent from the dashboard."""


class Sessions:
    """Makes and reads the cookies; no table of people or sessions."""

    def __init__(self, secret: bytes | None) -> None:
        """Derive the keys.

        Args:
            secret: Of the server; another one ends all sessions. None makes one up, so that
                sessions end with the process.
        """
        seed = secret or secrets.token_bytes(32)
        self._csrf_key = hashlib.sha256(b"csrf " + seed).digest()
        self._seed = seed

    def begin(
        self,
        request: web.Request,
        response: web.StreamResponse,
        token: SecretStr | None = None,
        seconds: float = SESSION_SECONDS,
    ) -> None:
        """Give somebody who logged in a cookie.

        Args:
            request: With which they logged in.
            response: That they get.
            token: Theirs at GitHub, or None.
            seconds: That the session lasts.
        """
        data = {"key": secrets.token_urlsafe(32)}
        if token is not None:
            data["token"] = token.get_secret_value()
        self.keep(request, response, COOKIE, data, min(seconds, SESSION_SECONDS))

    def read(self, request: web.Request) -> LoginSession | None:
        """Return the session of a request; None for strangers and those who logged in long ago."""
        data = self.kept(request, COOKIE, SESSION_SECONDS)
        if data is None:
            return None
        token = data.get("token")
        return self._session(data["key"], None if token is None else SecretStr(token))

    def local(self) -> LoginSession:
        """Return the session of whoever is on this machine, where nobody has to log in."""
        return self._session("local", None)

    def from_our_form(self, session: LoginSession, given: str) -> bool:
        """Whether a form or script of our own pages sent this."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), session.csrf.encode())

    def keep(
        self,
        request: web.Request,
        response: web.StreamResponse,
        name: str,
        data: Mapping[str, str],
        seconds: float,
    ) -> None:
        """Have a browser keep something that only we can read and write."""
        response.set_cookie(
            name,
            self._fernet(name).encrypt(json.dumps(dict(data)).encode()).decode(),
            max_age=int(seconds),
            httponly=True,
            samesite="Lax",
            secure=is_secure(request),
        )

    def kept(self, request: web.Request, name: str, seconds: int) -> dict[str, str] | None:
        """Return what a browser kept for us, unless that was longer ago than so many seconds."""
        cookie = request.cookies.get(name, "")
        if not cookie or len(cookie) > _LONGEST_COOKIE or not cookie.isascii():
            return None
        try:
            text = self._fernet(name).decrypt(cookie.encode(), ttl=seconds)
        except InvalidToken:
            return None
        data: dict[str, str] = json.loads(text)
        return data

    def _fernet(self, name: str) -> Fernet:
        """Return the key of one cookie: what was kept as one of them is never read as another."""
        purpose = name.removeprefix("fixpoint_").encode()
        key = hashlib.sha256(purpose + b" " + self._seed).digest()
        return Fernet(base64.urlsafe_b64encode(key))

    def _session(self, key: str, token: SecretStr | None) -> LoginSession:
        csrf = hmac.new(self._csrf_key, key.encode(), hashlib.sha256).hexdigest()
        return LoginSession(key, csrf, token)


def is_secure(request: web.Request) -> bool:
    """Whether a browser asks over https, perhaps through a proxy that says so."""
    return request.secure or request.headers.get("X-Forwarded-Proto", "") == "https"
