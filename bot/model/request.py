"""What a person asked for, as values that can be stored, compared and repeated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from bot.model.fair_queue import Priority
from bot.model.given_test import GivenTest
from bot.model.merge_group import MergeGroup
from bot.model.repository import Repo

MOST_INSTRUCTIONS = 8_000
"""Characters of what a person asks for that a model is told."""


class Effort(StrEnum):
    """How hard a model should think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Options:
    """Options given after `/fix`. None means the repo config or its default.

    Attributes:
        attempts: Candidate patches that may be verified.
        budget_usd: Money for model calls.
        model: An exact model, in its provider's words.
        test: The failing command.
        effort: How hard the model should think.
        timeout: Wall time of the whole run in seconds.
        draft: Whether the pull request opens as a draft.
    """

    attempts: int | None = None
    budget_usd: Decimal | None = None
    model: str | None = None
    test: str | None = None
    effort: Effort | None = None
    timeout: float | None = None
    draft: bool | None = None

    def over(self, earlier: Options) -> Options:
        """Return these options, with those that are unset taken from `earlier`."""
        return Options(
            attempts=earlier.attempts if self.attempts is None else self.attempts,
            budget_usd=earlier.budget_usd if self.budget_usd is None else self.budget_usd,
            model=earlier.model if self.model is None else self.model,
            test=earlier.test if self.test is None else self.test,
            effort=earlier.effort if self.effort is None else self.effort,
            timeout=earlier.timeout if self.timeout is None else self.timeout,
            draft=earlier.draft if self.draft is None else self.draft,
        )


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A check of a commit that did not pass.

    Attributes:
        name: As people see it: the job's name with its matrix leg, or a status's context.
        app: Slug of the App that made it (`github-actions`), or "" for a commit status.
        conclusion: GitHub's word: `failure`, `timed_out`, `error`, ...
        check_run_id: None for a commit status.
        workflow_run_id: Of GitHub Actions, else None.
        job_id: Of GitHub Actions, else None; it names the job's log.
        url: Where a person reads about it.
    """

    name: str
    app: str = ""
    conclusion: str = "failure"
    check_run_id: int | None = None
    workflow_run_id: int | None = None
    job_id: int | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class FailedCommit:
    """A head commit whose checks failed: what starts a run without a comment.

    Attributes:
        sha: 40 hex digits.
        branch: That has it as its head.
        base: Branch or commit it is compared with: the pull request's base, or the first parent on
            the default branch.
        pull_request: Number of the open pull request from `branch`, or None.
        checks: All that failed, settled; at least one.
        group: The merge group that it is the head of, or None.
    """

    sha: str
    branch: str
    base: str
    pull_request: int | None = None
    checks: tuple[FailedCheck, ...] = ()
    group: MergeGroup | None = None


@dataclass(frozen=True, slots=True)
class ConflictingRepair:
    """A repair of ours that is made again, because its pull request conflicts with its base.

    Attributes:
        asked: What the run was asked for that opened the pull request.
        opened_by: Id of that run.
        branch: Of the pull request.
        head: Its newest commit, which is ours, as all of it are: 40 hex digits.
        base_branch: Branch that it merges into.
        base: Newest commit of that, when the conflict was seen.
        parted: Commit where the two parted.
    """

    asked: FixRequest
    opened_by: str
    branch: str
    head: str
    base_branch: str
    base: str
    parted: str


@dataclass(frozen=True, slots=True)
class FixRequest:
    """An accepted `/fix`, failed checks or a conflict: everything that a run starts from.

    Attributes:
        repository: `owner/name` when it was asked.
        installation_id: Of the App there.
        number: Of the issue or pull request; None for a commit that no open pull request has.
        is_pull_request: Which of the two it is.
        actor: Login of the person who asked, with write access; "" when failed checks or a conflict
            did.
        comment_id: Of the comment that holds the command, or None.
        asked_at: When the comment was written or edited, or the checks were looked at, UTC; later
            comments are not read.
        instructions: The text behind `/fix`, without its options.
        options: The options behind `/fix`.
        failed: The commit whose checks failed; None when a comment asked.
        turn: Of the runs that the failed commit had: 0 for the first, for the second 1.
        follows: Id of the run that published the failed commit, or None.
        continues: Id of the run whose budget was spent and which this one goes on with, or None.
        asked_through: For what was asked on a page or by a program, the key that names the question;
            else "".
        given_test: A test that came with it, or None.
        asked_by: Name of who asked on a page or by a program, or "".
        session: Id of the session that it is a part of: its patch is a commit on the branch of the
            session's pull request, as soon as there is one. Else None.
        in_review: The command was in a review, and `comment_id` is an id of those.
        remarks: Ids of the review comments that it asks to act on.
        redoes: The repair that is made again on its new base, and goes onto the branch of its pull
            request, whose number is `number`; else None.
        repository_id: GitHub's number of the repository; None for what a version stored that knew
            names alone.
        only_explains: It asks what changed since the tests passed, and for no repair.
        of_flaky: It asks which tests are flaky instead.
    """

    repository: str
    installation_id: int
    number: int | None
    is_pull_request: bool
    actor: str
    comment_id: int | None
    asked_at: datetime
    instructions: str = ""
    options: Options = field(default_factory=Options)
    failed: FailedCommit | None = None
    turn: int = 0
    follows: str | None = None
    continues: str | None = None
    asked_through: str = ""
    given_test: GivenTest | None = None
    asked_by: str = ""
    session: str | None = None
    in_review: bool = False
    remarks: tuple[int, ...] = ()
    redoes: ConflictingRepair | None = None
    repository_id: int | None = None
    only_explains: bool = False
    of_flaky: bool = False

    @property
    def repo(self) -> Repo:
        """The repository, and how it is reached."""
        return Repo(self.repository, self.installation_id, self.repository_id)

    @property
    def original(self) -> FixRequest:
        """The request that says what is wrong: this one, or the one whose repair is made again."""
        return self if self.redoes is None else self.redoes.asked

    @property
    def is_automatic(self) -> bool:
        """Whether failed checks or a conflict are what it is about, rather than words of a person."""
        return self.failed is not None or self.redoes is not None

    @property
    def run_id(self) -> str:
        """Id of the run that answers this request: 12 hex digits.

        Derived from the comment and the moment of its last edit, so that the same delivery, sent
        or handled twice, names the same run, and a new command in an edited comment another one.
        For failed checks it is derived from the commit, so it has one run however many of its
        checks fail; only a person can start another. A run is continued once. A program that asks
        twice with one key asks once. Without a person, a repair is made again once for a head and a
        base.
        """
        repository = self.repo.identity
        if self.continues is not None:
            key = f"{repository}+{self.continues}"
        elif self.asked_through:
            return id_of_asked(repository, self.asked_through)
        elif self.redoes is not None and self.comment_id is None:
            key = f"{repository}#{self.number}:{self.redoes.head}+{self.redoes.base}"
        elif self.failed is None:
            key = f"{repository}/{self.comment_id}/{self.asked_at.isoformat()}"
        else:
            key = f"{repository}@{self.failed.sha}#{self.turn}"
        return _id(key)

    def again(self, earlier: FixRequest) -> FixRequest:
        """Return this request, with what it leaves unset taken from `earlier`.

        The review comments that the earlier one was about are answered again by this one. What was left over for a repair that was to be made again is no limit for a person.
        """
        return replace(
            self,
            redoes=earlier.redoes,
            only_explains=earlier.only_explains,
            of_flaky=earlier.of_flaky,
            instructions="\n\n".join(filter(None, (earlier.instructions, self.instructions))),
            remarks=self.remarks or earlier.remarks,
            options=self.options.over(earlier.original.options),
        )

    def continued(self, by: str, at: datetime) -> FixRequest:
        """Return the request that continues this one's run, as a person approved.

        Args:
            by: Login of the person.
            at: When, UTC.
        """
        return replace(self, actor=by, asked_at=at, continues=self.run_id)


def priority_of(request: FixRequest) -> Priority:
    """Return who waits for a run."""
    if request.follows is not None:
        return Priority.FOLLOW_UP
    if request.failed is not None and not request.actor:
        return Priority.CHECKS
    return Priority.PERSON


def id_of_asked(identity: str, asked_through: str) -> str:
    """Return the id of the run that answers what was asked through that key of a repository."""
    return _id(f"{identity}!{asked_through}")


def _id(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:12]
