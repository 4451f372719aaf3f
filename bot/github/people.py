"""Read what a person and the App both see, with a token that the person allowed the App to have."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.github.client import Connection
from bot.github.values import Permission
from bot.model.repository import identity_of

MOST_REPOSITORIES = 5_000
"""Of one person: more take more than fifty requests, each time that they are read."""

_LEVELS = (
    ("admin", Permission.ADMIN),
    ("maintain", Permission.MAINTAIN),
    ("push", Permission.WRITE),
    ("triage", Permission.TRIAGE),
    ("pull", Permission.READ),
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at GitHub.

    Attributes:
        login: Their name there, as it is now.
        repositories: Those that they may see and on which the App is installed, by identity, with
            their role there.
        is_cut_off: Whether there are more than are read.
    """

    login: str
    repositories: Mapping[str, Permission]
    is_cut_off: bool = False


async def read_person(connection: Connection) -> Person:
    """Return whose token the connection has, and what they see; raises `GitHubError`."""
    user, installations = await asyncio.gather(
        connection.get("/user"),
        connection.get_all("/user/installations", items="installations"),
    )
    found: dict[str, Permission] = {}
    for installation in installations:
        left = MOST_REPOSITORIES - len(found)
        if left <= 0:
            break
        listed = await connection.get_all(
            "/user/installations/{installation}/repositories",
            items="repositories",
            enough=lambda some, left=left: len(some) >= left,  # type: ignore[misc] # bound in the loop
            installation=int(installation["id"]),
        )
        found |= {identity_of(item["full_name"], item["id"]): _role(item) for item in listed}
    return Person(str(user["login"]), found, len(found) >= MOST_REPOSITORIES)


def _role(repository: Mapping[str, Any]) -> Permission:
    """Return the highest role that the list shows; a custom role counts as what it builds on."""
    may = repository.get("permissions") or {}
    return next((role for name, role in _LEVELS if may.get(name)), Permission.READ)
