"""Who calls, and what that caller may do: each kind of token is checked for real."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import jwt

from tests.fakes.github.model import Repository, Token, UserToken, private_key
from tests.fakes.github.state import GitHubState

LEVELS = {"read": 1, "write": 2, "admin": 3}
LONGEST_JWT = 600
"""Seconds between now and a JWT's end that GitHub takes at most."""


class BadCredentials(Exception):
    """401; the text is GitHub's message."""


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Nobody: no credentials came."""


@dataclass(frozen=True, slots=True)
class AsApp:
    """The App itself, by a JWT."""


@dataclass(frozen=True, slots=True)
class AsInstallation:
    """The App on one account, by a token."""

    token: Token

    def may(self, repo: Repository, permission: str, level: str) -> bool:
        """Whether the token covers the repository and has the permission at that level."""
        granted = self.token.permissions.get(permission)
        return self.token.covers(repo) and granted is not None and LEVELS[granted] >= LEVELS[level]


@dataclass(frozen=True, slots=True)
class AsUser:
    """The App as a person who allowed that."""

    token: UserToken


@dataclass(frozen=True, slots=True)
class AsClient:
    """The App as an OAuth client, by its client secret."""


Caller = Anonymous | AsApp | AsInstallation | AsUser | AsClient


def caller(state: GitHubState, authorization: str | None) -> Caller:
    """Read an Authorization header; raises `BadCredentials`."""
    if not authorization:
        return Anonymous()
    scheme, _, value = authorization.partition(" ")
    match scheme.lower():
        case "basic":
            user, password = _pair(value)
            if user == state.app.client_id and password == state.app.client_secret:
                return AsClient()
            if user != "x-access-token":
                raise BadCredentials("Bad credentials")
            return _by_token(state, password)
        case "token" | "bearer" if value in state.user_tokens:
            return _by_user_token(state, state.user_tokens[value])
        case "token" | "bearer" if value.count(".") == 2:
            return _by_jwt(state, value)
        case "token" | "bearer":
            return _by_token(state, value)
        case _:
            raise BadCredentials("Bad credentials")


def _pair(value: str) -> tuple[str, str]:
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise BadCredentials("Bad credentials") from error
    return user, password


def _by_user_token(state: GitHubState, token: UserToken) -> AsUser:
    if token.revoked or token.expires_at <= state.now():
        raise BadCredentials("Bad credentials")
    return AsUser(token)


def _by_token(state: GitHubState, value: str) -> AsInstallation:
    token = state.tokens.get(value)
    if token is None or token.revoked or token.expires_at <= state.now():
        raise BadCredentials("Bad credentials")
    return AsInstallation(token)


def _by_jwt(state: GitHubState, value: str) -> AsApp:
    try:
        claims = jwt.decode(
            value,
            private_key().public_key(),
            algorithms=["RS256"],
            options={"require": ["iat", "exp", "iss"], "verify_exp": False, "verify_iat": False},
        )
    except jwt.InvalidTokenError as error:
        raise BadCredentials("A JSON web token could not be decoded") from error
    now = state.now().timestamp()
    if claims["exp"] <= now:
        raise BadCredentials(
            "'Expiration time' claim ('exp') must be a numeric value in the future"
        )
    if claims["exp"] > now + LONGEST_JWT:
        raise BadCredentials("'Expiration time' claim ('exp') is too far in the future")
    if claims["iat"] > now:
        raise BadCredentials("'Issued at' claim ('iat') must be an Integer in the past")
    if str(claims["iss"]) not in {str(state.app.id), state.app.client_id}:
        raise BadCredentials("Integration not found")
    return AsApp()
