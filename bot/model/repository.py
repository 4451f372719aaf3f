"""A repository, as one installation of the App sees it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository as one installation of the App sees it.

    Two values are the same repository where installation and `identity` agree, whatever their names:
    people rename repositories, and others take the names that become free.

    Attributes:
        full_name: `owner/name` when this was read. It is shown, and nothing is found by it.
        installation_id: Of the App there.
        id: GitHub's number, which stays through renames and transfers and is never given again; None
            for what a version stored that knew names alone.
        identity: What everything is kept under: `id` in decimal, or without one the name in lower
            case. A name has a slash, so that the two are never equal.
    """

    full_name: str = field(compare=False)
    installation_id: int
    id: int | None = field(default=None, compare=False)
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "identity", identity_of(self.full_name, self.id))

    @property
    def owner(self) -> str:
        """The account before the slash."""
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        """The name behind the slash."""
        return self.full_name.partition("/")[2]


def identity_of(full_name: str, number: int | None) -> str:
    """Return what everything of a repository is kept under; see `Repo.identity`."""
    return full_name.lower() if number is None else str(number)
