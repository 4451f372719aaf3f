"""As much of a webhook as it takes to know whether it is worth keeping."""

from __future__ import annotations

from bot.intake.payloads import BRANCHES, COMMENTS, WANTS_CHANGES, Commit, Payload

COMPLETED = ("check_run", "check_suite", "workflow_job", "workflow_run")
"""Events whose `completed` tells how something ended; each has an object of the same name."""

OF_A_BOT = "of a bot"
"""Whose pull request a comment belongs to."""


class _Outcome(Payload):
    conclusion: str | None = None


class _Said(Payload):
    body: str | None = None
    state: str | None = None


class _Author(Payload):
    type: str = "User"


class _Thread(Payload):
    user: _Author | None = None
    pull_request: dict[str, object] | None = None


class _Place(Payload):
    id: int = 0


class Peek(Payload):
    """As much of a payload as it takes to know whether it is worth keeping."""

    action: str | None = None
    state: str | None = None
    check_run: _Outcome | None = None
    check_suite: _Outcome | None = None
    workflow_job: _Outcome | None = None
    workflow_run: _Outcome | None = None
    comment: _Said | None = None
    review: _Said | None = None
    issue: _Thread | None = None
    commits: list[Commit] | None = None
    ref: str | None = None
    deleted: bool = False
    repository: _Place | None = None

    @property
    def pushed_to(self) -> tuple[str, str] | None:
        """The repository's identity and the branch that has new commits; None without any."""
        ref, place = self.ref or "", self.repository
        if self.commits is None or self.deleted or place is None or not ref.startswith(BRANCHES):
            return None
        return str(place.id), ref.removeprefix(BRANCHES)

    @property
    def says(self) -> str | None:
        """What the comment, review or commits say that it speaks of; None without any."""
        if self.commits is not None:
            return "\n".join(commit.message for commit in self.commits)
        said = self.comment or self.review
        return None if said is None else said.body or ""

    @property
    def _is_on_a_bots_pull_request(self) -> bool:
        thread = self.issue
        is_pull = thread is not None and thread.pull_request is not None
        return (
            is_pull and thread is not None and thread.user is not None and thread.user.type == "Bot"
        )

    def outcome(self, name: str) -> str | None:
        """Return how the event's own object ended; None where the event tells no such thing.

        Of a comment on a pull request that a bot opened: `OF_A_BOT`.
        """
        if name == "status":
            return self.state
        if name == "pull_request_review":  # the outcomes that count without a word: lines have them
            state = None if self.review is None else self.review.state
            return state if state in {WANTS_CHANGES, COMMENTS} else None
        if name == "issue_comment":
            return (
                OF_A_BOT if self.action == "created" and self._is_on_a_bots_pull_request else None
            )
        about = getattr(self, name) if name in COMPLETED else None
        return about.conclusion if isinstance(about, _Outcome) else None
