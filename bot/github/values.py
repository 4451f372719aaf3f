"""What GitHub tells us, reduced to the fields that we use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Permission(StrEnum):
    """A person's role in a repository, as the collaborators API names it."""

    ADMIN = "admin"
    MAINTAIN = "maintain"
    WRITE = "write"
    TRIAGE = "triage"
    READ = "read"
    NONE = "none"

    @property
    def may_write(self) -> bool:
        """Whether it allows pushing."""
        return self in {Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE}


@dataclass(frozen=True, slots=True)
class IssueComment:
    """A comment of an issue or pull request.

    Attributes:
        id: Unique on its GitHub.
        author: Login of who wrote it first.
        author_association: Of the author.
        body: Markdown, untrusted.
        written_by: Login of who wrote the present text: the author, or who edited it last.
        written_at: When it got that text, UTC.
    """

    id: int
    author: str
    author_association: str
    body: str
    written_by: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue or a pull request's conversation.

    `written_by` and `written_at` are of the body's present text: its author, or who edited it last.
    """

    number: int
    title: str
    body: str
    author: str
    is_pull_request: bool
    url: str
    written_by: str
    written_at: datetime
    comments: tuple[IssueComment, ...] = ()


_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
    r"((?:[\w.-]+/[\w.-]+)?#\d+|https?://\S+/issues/\d+)",
    re.IGNORECASE,
)
"""What links an issue, so that merging closes it.

https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
"""


_UPDATE_BOTS = frozenset({"dependabot[bot]", "renovate[bot]"})
_UPDATE_BRANCHES = ("dependabot/", "renovate/")


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request. `head_repository` is None when the fork was deleted.

    `merge_commit` is the one by which it was merged: of the merge, squashed, or the last rebased.
    `mergeable` is False when it conflicts with its base, and None while GitHub does not know; lists
    don't tell. `body` is untrusted.
    """

    number: int
    title: str
    url: str
    state: str
    draft: bool
    head_ref: str
    head_sha: str
    head_repository: str | None
    base_ref: str
    is_fork: bool
    maintainer_can_modify: bool
    author: str = ""
    by_bot: bool = False
    labels: tuple[str, ...] = ()
    merged: bool = False
    merge_commit: str = ""
    mergeable: bool | None = None
    body: str = ""

    @property
    def is_update(self) -> bool:
        """Whether a bot opened it that updates packages: Dependabot or Renovate, also a renamed one.

        Both name their branches so by default: `dependabot/pip/werkzeug-2.1.0`, `renovate/werkzeug-2.x`.
        https://docs.github.com/en/code-security/dependabot/working-with-dependabot/dependabot-options-reference
        and https://docs.renovatebot.com/configuration-options/#branchprefix.
        """
        named = self.author.lower() in _UPDATE_BOTS
        return self.by_bot and (named or self.head_ref.startswith(_UPDATE_BRANCHES))

    @property
    def closes(self) -> tuple[str, ...]:
        """The issues that merging it closes, as they stand there: `#7`, `owner/name#7`, addresses."""
        return tuple(_CLOSES.findall(f"{self.title}\n\n{self.body}"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a commit has and another one has not.

    Attributes:
        parted: The commit (hex) where their histories parted.
        authors: Logins of who wrote the commits; "ghost" where GitHub knows no account.
        complete: Whether the authors of all of them are known.
        files: Paths that differ, 300 at most; of what was renamed, both.
    """

    parted: str
    authors: frozenset[str]
    complete: bool
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What the repository itself says; `size` is in bytes, and may be hours old."""

    full_name: str
    default_branch: str
    private: bool
    archived: bool
    size: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path of a commit to make through the API.

    Attributes:
        path: In the work tree.
        mode: `100644`, `100755`, `120000` or `160000`; None deletes the path.
        content: The blob's bytes (a link's target for `120000`); for `160000` the commit's hex.
    """

    path: str
    mode: str | None
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Publication:
    """A branch and a pull request to publish; publishing the same twice changes nothing.

    Attributes:
        branch: New branch.
        base: Branch that the pull request goes into.
        parent: Commit (hex) that the new commit builds on.
        changes: What the commit changes.
        commit_message: Title, blank line, body.
        title: Of the pull request.
        body: Of the pull request, Markdown.
        labels: Added when they exist or can be made.
        draft: Opened as a draft where the plan allows drafts, else as a normal one.
        marker: Hidden HTML comment in the body that names the run.
        reviewers: Logins of those whose review is requested, as far as GitHub takes them.
        assignees: Logins of those whom it is assigned to, as far as GitHub takes them.
        otherwise: Branch where the first is there with another commit; "" where its name is the run's
            alone.
    """

    branch: str
    base: str
    parent: str
    changes: tuple[FileChange, ...]
    commit_message: str
    title: str
    body: str
    labels: tuple[str, ...]
    draft: bool
    marker: str
    reviewers: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Advance:
    """One more commit for a branch that people work on; making the same twice changes nothing.

    Attributes:
        branch: Its name.
        parent: Commit (hex) that must be its head.
        changes: What the commit changes.
        message: Title, blank line, body.
        merges: Commit (hex) that it merges into the branch, and whose tree is changed; else None,
            and the parent's is.
    """

    branch: str
    parent: str
    changes: tuple[FileChange, ...]
    message: str
    merges: str | None = None

    @property
    def parents(self) -> tuple[str, ...]:
        """Of the commit, in order."""
        return (self.parent,) if self.merges is None else (self.parent, self.merges)


@dataclass(frozen=True, slots=True)
class RemarkAtLine:
    """What somebody said in a review about a line.

    Attributes:
        path: Of the file.
        line: None for a whole file.
        body: Markdown, untrusted.
        id: Of the review comment.
        by: Login of who wrote the present text.
    """

    path: str
    line: int | None
    body: str
    id: int
    by: str


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A remark at lines of a pull request's head commit.

    Attributes:
        path: Of the file.
        start: First line, counted from 1.
        end: Last line; it is in the same shown hunk.
        body: Markdown.
    """

    path: str
    start: int
    end: int
    body: str


@dataclass(frozen=True, slots=True)
class Review:
    """Remarks at a pull request that neither approve nor ask for changes.

    Attributes:
        commit: Head commit (hex) whose lines are meant.
        body: Markdown; it contains `marker`.
        comments: At lines that the pull request shows.
        marker: Hidden text by which the review is found again.
    """

    commit: str
    body: str
    comments: tuple[ReviewComment, ...]
    marker: str


@dataclass(frozen=True, slots=True)
class Published:
    """A pull request that is there now."""

    number: int
    url: str
    commit: str
    branch: str


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Who the App is.

    Attributes:
        slug: As in `https://github.com/apps/<slug>`.
        bot_login: The author of everything it posts, `<slug>[bot]`.
        owner: Login of the account that owns the App.
    """

    slug: str
    bot_login: str
    owner: str


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One attempt of GitHub to deliver a webhook.

    Attributes:
        id: Of this attempt; what a redelivery asks for.
        guid: Of the event; every attempt to deliver it has the same.
        event: `issue_comment`, ...
        action: `created`, ..., or None.
        delivered_at: When it was tried, UTC.
        status_code: What our server answered; 0 when it could not be reached.
    """

    id: int
    guid: str
    event: str
    action: str | None
    delivered_at: datetime
    status_code: int

    @property
    def arrived(self) -> bool:
        """Whether our server took it."""
        return 200 <= self.status_code < 300  # noqa: PLR2004 - HTTP's own range of success
