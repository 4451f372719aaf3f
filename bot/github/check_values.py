"""How the checks of a commit stand, as values."""

from __future__ import annotations

from dataclasses import dataclass

ACTIONS = "github-actions"

FAILURES = frozenset({"failure", "timed_out", "error", "startup_failure"})
"""Conclusions of something that could be repaired. `cancelled`, `skipped`, `stale` and
`action_required` are somebody's decision.

https://docs.github.com/en/rest/guides/using-the-rest-api-to-interact-with-checks
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a commit, as it is now.

    Attributes:
        name: As people see it.
        app: Slug of the App that made it, "" for a commit status.
        conclusion: GitHub's word; None while it runs.
        check_run_id: None for a commit status.
        workflow_run_id: Of GitHub Actions, else None.
        url: Where a person reads about it.
    """

    name: str
    app: str = ""
    conclusion: str | None = None
    check_run_id: int | None = None
    workflow_run_id: int | None = None
    url: str = ""

    @property
    def failed(self) -> bool:
        """Whether it ended as something that could be repaired."""
        return self.conclusion in FAILURES


@dataclass(frozen=True, slots=True)
class CommitChecks:
    """The checks of one commit.

    Attributes:
        checks: The newest of each name, in GitHub's order.
        running: Names of workflows of GitHub Actions that are under way.
    """

    checks: tuple[Check, ...] = ()
    running: tuple[str, ...] = ()
