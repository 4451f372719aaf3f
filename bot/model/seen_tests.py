"""How tests ended on the commits that were looked at: what is kept of each, and what it comes to. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

HERE = ""
"""In the place of a check's name: in a sandbox of ours."""


@dataclass(frozen=True, slots=True)
class SeenResult:
    """How a test ended on a commit.

    Attributes:
        test: Its id, as a runner or tool names it.
        commit: 40 hex digits.
        branch: That had it as its head.
        pull: Number of the pull request; None without one.
        where: Name of GitHub's check; `HERE` for a sandbox.
        failed: Whether it failed there, else it passed.
        message: Of the failure, untrusted; "" where it passed.
        seen_at: UTC.
        owner: Who looks after the test; "" where that is not known.
    """

    test: str
    commit: str
    branch: str
    pull: int | None
    where: str
    failed: bool
    message: str
    seen_at: datetime
    owner: str = ""


@dataclass(frozen=True, slots=True)
class RememberedTest:
    """What is remembered of a test.

    Attributes:
        test: Its id.
        commits: For each commit on which it was seen, the oldest first, whether it failed there at least once.
        pulls: The pull requests on which it failed.
        branches: The branches likewise.
        checks: Where it failed: names of checks; `HERE` for a sandbox.
        first_failed: When it was first seen failing, UTC.
        last_failed: When it was last seen failing, UTC.
        message: Of the last failure, untrusted.
        owner: Who looks after it, as known last; "" where that is not known.
    """

    test: str
    commits: tuple[bool, ...]
    pulls: tuple[int, ...]
    branches: tuple[str, ...]
    checks: tuple[str, ...]
    first_failed: datetime
    last_failed: datetime
    message: str
    owner: str = ""

    @property
    def failed(self) -> int:
        """On how many commits it failed."""
        return sum(self.commits)


def remembered(results: Iterable[SeenResult]) -> tuple[RememberedTest, ...]:
    """Return what results come to, test by test: what failed on most commits first.

    What was never seen failing is left out.
    """
    by_test: dict[str, list[SeenResult]] = {}
    for result in sorted(results, key=lambda each: each.seen_at):
        by_test.setdefault(result.test, []).append(result)
    found = [_of(test, seen) for test, seen in by_test.items() if any(r.failed for r in seen)]
    return tuple(sorted(found, key=lambda each: (-each.failed, -each.last_failed.timestamp())))


def _of(test: str, seen: list[SeenResult]) -> RememberedTest:
    commits: dict[str, bool] = {}
    for result in seen:
        commits[result.commit] = commits.get(result.commit, False) or result.failed
    red = [result for result in seen if result.failed]
    return RememberedTest(
        test,
        tuple(commits.values()),
        tuple(sorted({result.pull for result in red if result.pull is not None})),
        tuple(dict.fromkeys(result.branch for result in red)),
        tuple(dict.fromkeys(result.where for result in red)),
        red[0].seen_at,
        red[-1].seen_at,
        red[-1].message,
        next((result.owner for result in reversed(seen) if result.owner), ""),
    )
