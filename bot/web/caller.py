"""Who sent a request, and what they may see and do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import assert_never

from aiohttp import web

from bot.web.problems import ApiProblem


class Scope(StrEnum):
    """What a caller may do; none of them includes another."""

    READ = "read"
    """Look at runs, their events, patches and figures, and search the code."""
    RUN = "run"
    """Start, stop and retry runs; forget what is remembered."""
    APPROVE = "approve"
    """Answer runs that wait for a person."""
    ADMIN = "admin"
    """Look at the server: settings, health, metrics, the accounts of all; manage keys."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sent a request that got in.

    Attributes:
        name: As people read it, and as it is stored with approvals.
        sees: Identities of repositories; None for all there are.
        scopes: What they may do there.
        login: Of a person at GitHub, who may do in each repository what its own rules say (see
            `bot/web/rights.py`); "" for all others.
    """

    name: str
    sees: frozenset[str] | None
    scopes: frozenset[Scope]
    login: str = ""

    def may_see(self, identity: str) -> bool:
        """Whether a repository, and all that belongs to it, exists for them."""
        return self.sees is None or identity in self.sees

    def question(self, key: str) -> str:
        """Return what names a question that they may repeat; no other caller's is the same.

        Args:
            key: The caller's own, such as an `Idempotency-Key`.
        """
        return json.dumps([self.name, key])

    def may(self, scope: Scope) -> bool:
        """Whether they have a scope."""
        return scope in self.scopes

    def demand(self, scope: Scope) -> None:
        """Go on if they have a scope.

        Raises:
            ApiProblem: With what they lack.
        """
        if scope not in self.scopes:
            raise ApiProblem(HTTPStatus.FORBIDDEN, _lacking(self.name, scope))


ADMINISTRATOR = Caller("an administrator", None, frozenset(Scope))
"""Who has the admin token, or is on the same machine where there is none."""

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)
"""Of every request that got in, except for a log-in and what belongs to its page."""


def _lacking(name: str, scope: Scope) -> str:
    match scope:
        case Scope.READ:
            act = "look at runs, or search code"
        case Scope.RUN:
            act = "start, stop or retry runs, or forget what is remembered"
        case Scope.APPROVE:
            act = "answer runs that wait for a person"
        case Scope.ADMIN:
            act = "administer this server"
        case _:
            assert_never(scope)
    return f"This requires the scope `{scope}`: {name} may not {act}."
