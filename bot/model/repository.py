"""A repository, as one installation of the App sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository as one installation of the App sees it."""

    full_name: str
    installation_id: int

    @property
    def owner(self) -> str:
        """The account before the slash."""
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        """The name behind the slash."""
        return self.full_name.partition("/")[2]
