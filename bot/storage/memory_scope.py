"""Which entries of memory a repository may read: its own, and those that others share with it."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, false, or_

from bot.model.memory_sharing import Sharing, SharingScope
from bot.model.repository import Repo
from bot.storage.tables import memory_entries as entries


def own(repo: Repo | str) -> ColumnElement[bool]:
    """Return what picks a repository's own entries; a name means those of all installations."""
    if isinstance(repo, str):
        return entries.c.repository == repo.lower()
    return and_(
        entries.c.identity == repo.identity,
        entries.c.installation_id == repo.installation_id,
    )


def of_owner(repo: Repo, reach: SharingScope | None, sharing: Sharing) -> ColumnElement[bool]:
    """Return what picks entries that other repositories of the same owner share with this one.

    An installation is one account's. The name has to agree as well: a repository that was
    transferred leaves what it remembered under the installation that it had.
    """
    if sharing is Sharing.NONE or reach is None:
        return false()
    shared = entries.c.reach == SharingScope.PUBLIC.value
    if reach is SharingScope.OWNER:
        shared = entries.c.reach.is_not(None)
    return and_(
        entries.c.repository.startswith(f"{repo.owner.lower()}/", autoescape=True),
        entries.c.installation_id == repo.installation_id,
        entries.c.identity != repo.identity,
        shared,
    )


def of_others(repo: Repo, reach: SharingScope | None, sharing: Sharing) -> ColumnElement[bool]:
    """Return what picks entries that any other repository shares with this one."""
    theirs = of_owner(repo, reach, sharing)
    if sharing is not Sharing.PUBLIC or reach is None:
        return theirs
    elsewhere = or_(
        entries.c.identity != repo.identity,
        entries.c.installation_id != repo.installation_id,
    )
    return or_(theirs, and_(entries.c.reach == SharingScope.PUBLIC.value, elsewhere))
