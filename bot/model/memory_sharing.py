"""Who else may read what is remembered of a repository: nobody, unless the operator says so. Pure."""

from __future__ import annotations

from enum import StrEnum


class Sharing(StrEnum):
    """What the operator lets repositories share with each other; each includes the one before."""

    NONE = "none"
    """Nothing: each repository of each installation has its own memory."""
    OWNER = "owner"
    """Repositories of one owner share; what is private stays among the private ones."""
    PUBLIC = "public"
    """Public repositories share with everybody, too."""


class SharingScope(StrEnum):
    """Who may read what is remembered of a repository besides itself, as far as the operator shares."""

    OWNER = "owner"
    """Private repositories of the same owner."""
    PUBLIC = "public"
    """Everybody."""


def may_read(reader: SharingScope | None, origin: SharingScope | None, *, same_owner: bool) -> bool:
    """Return whether a repository may read what another one shares, both as they are now."""
    if reader is None or origin is None:
        return False
    return origin is SharingScope.PUBLIC or (same_owner and reader is SharingScope.OWNER)
