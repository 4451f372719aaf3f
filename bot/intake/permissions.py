"""Who may start runs, and who may approve what waits: by roles at GitHub and the repo config. Pure."""

from __future__ import annotations

from bot.config.repo_config import Role, WhoSection
from bot.github.values import Permission

_RANKS = (Permission.WRITE, Permission.MAINTAIN, Permission.ADMIN)


def may_ask(login: str, permission: Permission, who: WhoSection) -> bool:
    """Return whether a person may start, stop and retry runs.

    Write access is always needed. Named users need nothing else, others the config's role.
    """
    if not permission.may_write:
        return False
    named = login.lower() in {user.lower().removeprefix("@") for user in who.users}
    return named or _RANKS.index(permission) >= _RANKS.index(_permission(who.permission))


def may_approve(login: str, permission: Permission, who: WhoSection) -> bool:
    """Return whether a person may approve what waits: who may ask, and has the role for it."""
    if not may_ask(login, permission, who):
        return False
    return _RANKS.index(permission) >= _RANKS.index(_permission(who.approve))


def _permission(role: Role) -> Permission:
    return Permission(role.value)
