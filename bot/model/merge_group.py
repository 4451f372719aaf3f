"""A merge group of a merge queue: the pull requests that are to be merged together, and why it fails.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#merge_group
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.model.culprit import RunCounts

QUEUE = "gh-readonly-queue/"
"""Begins the names of branches that merge queues make."""

MOST_ENTRIES = 32
"""Of a group; a longer one begins with the newest of them, on a base that has the others."""

_BRANCH = re.compile(
    rf"{QUEUE}(?P<base>\S{{1,240}})/pr-(?P<number>\d{{1,12}})-(?P<sha>[0-9a-f]{{40}})"
)


@dataclass(frozen=True, slots=True)
class QueueBranch:
    """What the name of a merge queue's branch says.

    Attributes:
        base: Branch that the queue merges into.
        number: Of the pull request that was added last.
        parent: Commit that it was added to, 40 hex digits.
    """

    base: str
    number: int
    parent: str


def queue_branch(name: str) -> QueueBranch | None:
    """Return what a branch's name says; None for one that no merge queue made."""
    found = _BRANCH.fullmatch(name)
    return QueueBranch(found["base"], int(found["number"]), found["sha"]) if found else None


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A pull request in a merge queue, with those before it.

    Attributes:
        number: Of the pull request.
        parent: Commit that it was added to: the head of the entry before it, or the group's base.
        head: Commit with it, 40 hex digits.
        pull_head: Newest commit of the pull request itself; "" where nobody asked.
        title: Of the pull request, untrusted.
        is_fork: Whether it comes from somebody else's repository.
    """

    number: int
    parent: str
    head: str
    pull_head: str = ""
    title: str = ""
    is_fork: bool = False


@dataclass(frozen=True, slots=True)
class MergeGroup:
    """Pull requests that a merge queue has merged one on top of the other.

    Attributes:
        base_branch: That the queue merges into.
        entries: The first one first; at least one.
    """

    base_branch: str
    entries: tuple[QueueEntry, ...]

    @property
    def branch(self) -> str:
        """Return the branch that the queue made for it."""
        last = self.entries[-1]
        return f"{QUEUE}{self.base_branch}/pr-{last.number}-{last.parent}"

    @property
    def base(self) -> str:
        """Return the commit that the first one was added to."""
        return self.entries[0].parent

    @property
    def commits(self) -> tuple[str, ...]:
        """Return the states of the queue: the base, and the commit with each further entry."""
        return (self.base, *(entry.head for entry in self.entries))

    @property
    def is_fork(self) -> bool:
        """Whether it has somebody else's commits."""
        return any(entry.is_fork for entry in self.entries)


def group_of(
    base_branch: str, last: QueueEntry, known: Iterable[QueueEntry], merged: str = ""
) -> MergeGroup:
    """Return the group that ends with an entry: those whose heads it was added to, as far as they are known.

    Args:
        base_branch: That the queue merges into.
        last: The entry.
        known: Entries of the queue, those included that were merged since.
        merged: Newest commit of the base branch that the entry has; "" where that is not known.
    """
    by_head = {entry.head: entry for entry in known}
    found = [last]
    while found[-1].parent != merged and len(found) < MOST_ENTRIES:
        before = by_head.pop(found[-1].parent, None)
        if before is None:
            break
        found.append(before)
    return MergeGroup(base_branch, tuple(reversed(found)))


@dataclass(frozen=True, slots=True)
class EntryCause:
    """Entries of a group with which tests fail.

    Attributes:
        entries: Their places in the group, from 0; several where it can't be told which of them it is.
        tests: Ids of the failing tests; empty in the plan.
        with_it: Runs with them.
        without_it: Runs without them.
        is_sure: Whether these prove it.
        rest_passes: Whether the group without them is proven to pass.
        suffices: Whether the tests fail with the entry alone on the group's base; None where nobody
            could see that.
        alone: Runs with it alone.
        together_with: Place of an entry before it without which it passes; None for none.
    """

    entries: tuple[int, ...]
    tests: tuple[str, ...] = ()
    with_it: RunCounts = field(default_factory=RunCounts)
    without_it: RunCounts = field(default_factory=RunCounts)
    is_sure: bool = False
    rest_passes: bool = False
    suffices: bool | None = None
    alone: RunCounts = field(default_factory=RunCounts)
    together_with: int | None = None


@dataclass(frozen=True, slots=True)
class GroupFinding:
    """Why a group's tests fail.

    Attributes:
        causes: The entries that they come from.
        on_base: Tests that fail without any of them.
        unsteady: Tests that failed and passed on the same tree.
        open: Tests of which it could not be told.
    """

    causes: tuple[EntryCause, ...] = ()
    on_base: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    def joined(self, other: GroupFinding) -> GroupFinding:
        """Return this with what was found of other tests."""
        return GroupFinding(
            self.causes + other.causes,
            self.on_base + other.on_base,
            self.unsteady + other.unsteady,
            self.open + other.open,
        )

    def cleared(self, size: int) -> frozenset[int]:
        """Return the entries of a group of some size that are shown to be no part of the cause.

        What is left of the group without the causes passes, and each cause fails without the others:
        alone on the base, or at least before those behind it were added.
        """
        if not self.causes or self.on_base or self.open or not all(c.is_sure for c in self.causes):
            return frozenset()
        shown = {test for cause in self.causes if cause.rest_passes for test in cause.tests}
        if shown != {test for cause in self.causes for test in cause.tests}:
            return frozenset()
        needing = [max(cause.entries) for cause in self.causes if not cause.suffices]
        part = {place for cause in self.causes for place in cause.entries}
        return frozenset(range(max(needing, default=-1) + 1, size)) - part
