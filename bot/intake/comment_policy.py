"""Decide what a comment may start: first without, then with what GitHub knows about its author.

`screen` needs only the event, so that the many comments without a command cost no request.
`candidate` reads the comment, which takes time that its author chooses. `decide` needs the actor's
permission, the repo config's `who` and the runs of the thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self, assert_never

from bot.config.repo_config import Role, WhoSection
from bot.github.values import Permission
from bot.intake.commands import (
    Approve,
    Auto,
    BadCommand,
    Command,
    Explain,
    Fix,
    Forget,
    Help,
    Reject,
    Remember,
    Retry,
    ShowMemory,
    Status,
    Stop,
    chosen,
    may_hold_command,
    new_commands,
    parse,
)
from bot.intake.comment_values import CommentCreated, CommentEdited, CommentEvent
from bot.intake.decisions import (
    AnswerRun,
    AskMemory,
    CommandCandidate,
    CommentReply,
    Decision,
    EndWaiting,
    Ignore,
    IgnoredReason,
    Refusal,
    Refuse,
    ReplyKind,
    StartRun,
    StopRun,
    Switch,
)
from bot.intake.permissions import may_approve, may_ask
from bot.model.questions import Question, meant
from bot.model.request import FixRequest, Options
from bot.reporting.reasons import fix_commands


@dataclass(frozen=True, slots=True)
class Identity:
    """Who we are on GitHub.

    Attributes:
        slug: Of the App; its comments are by `<slug>[bot]`.
    """

    slug: str

    @property
    def login(self) -> str:
        """The login that our own comments have."""
        return f"{self.slug}[bot]"


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """When a comment asked for something; GitHub may deliver the later one first.

    Attributes:
        at: When it was written or edited, UTC, in whole seconds.
        comment_id: Grows with every comment, in the same second as well.
    """

    at: datetime
    comment_id: int

    @classmethod
    def by(cls, event: CommentEvent) -> Self:
        """Return when the comment of an event asked."""
        return cls(event.comment.updated_at, event.comment.id)


@dataclass(frozen=True, slots=True)
class ThreadRuns:
    """The runs of a thread.

    Attributes:
        active: Id of the run that has not ended, or None.
        latest: What the youngest run was asked, ended or not, or None.
        stopped: The last `/fix stop` of the thread, or None.
        questions: That people may answer: of runs that wait for it, or of the youngest one, if it is
            over and could be continued.
        spent: Whether the youngest one ended because its budget was spent.
    """

    active: str | None = None
    latest: FixRequest | None = None
    stopped: Asked | None = None
    questions: tuple[Question, ...] = ()
    spent: bool = False


def screen(event: CommentEvent, identity: Identity) -> Ignore | None:
    """Return why a comment asks for nothing, or None when it has to be read for that."""
    if (
        event.sender.login.lower() == identity.login.lower()
        or event.comment.via_app == identity.slug
    ):
        return Ignore(IgnoredReason.OURSELVES)
    if (
        event.sender.is_bot
        or event.sender.login.endswith("[bot]")
        or event.comment.via_app is not None
    ):
        return Ignore(IgnoredReason.BOT)
    if event.thread.locked:
        return Ignore(IgnoredReason.LOCKED)
    if not may_hold_command(event.comment.body):
        return Ignore(IgnoredReason.NO_COMMAND)
    return None


def candidate(event: CommentEvent) -> CommandCandidate | Ignore:
    """Return the command to answer, or why there is none; see `commands.parse` for what it takes."""
    commands, reason = _commands(event)
    command = chosen(commands)
    return Ignore(reason) if command is None else CommandCandidate(event, command)


def _commands(event: CommentEvent) -> tuple[Sequence[Command], IgnoredReason]:
    match event:
        case CommentCreated():
            return parse(event.comment.body), IgnoredReason.NO_COMMAND
        case CommentEdited():
            return new_commands(event.previous_body, event.comment.body), IgnoredReason.NOTHING_NEW
        case _:
            assert_never(event)


def decide(
    candidate: CommandCandidate, *, permission: Permission, who: WhoSection, standing: ThreadRuns
) -> Decision:
    """Return what becomes of a command.

    A closed issue makes no difference: a person asked.

    Args:
        candidate: From `screen`.
        permission: Of the event's sender in the repository.
        who: Of the repo config; the default one when the config can't be read.
        standing: The runs of the thread.
    """
    if not may_ask(candidate.event.sender.login, permission, who):
        return Refuse(Refusal.NO_PERMISSION, who.permission)
    may = may_approve(candidate.event.sender.login, permission, who)
    return _answer(candidate, standing, None if may else who.approve)


def _decided(
    command: Approve | Reject, at: datetime, standing: ThreadRuns, lacking: Role | None
) -> Decision:
    """Return what becomes of an answer that was written at that moment."""
    approved = isinstance(command, Approve)
    if approved and lacking is not None and standing.questions:
        return Refuse(Refusal.MAY_NOT_APPROVE, lacking)
    found = meant(standing.questions, command.question, at)
    if isinstance(found, Question):
        return AnswerRun(found, approved)
    return Refuse(Refusal.NOT_ANSWERED, command.question, found, standing.questions)


def _answer(candidate: CommandCandidate, standing: ThreadRuns, lacking: Role | None) -> Decision:  # noqa: PLR0911 - one case per command
    """Return what becomes of a command; `lacking` is the role that approving takes, if any."""
    command = candidate.command
    match command:
        case Help() | Status():
            return _reply(command, standing)
        case Stop():
            return _stop(standing)
        case Auto():
            return _switch(command, candidate)
        case BadCommand():
            return Refuse(Refusal.BAD_COMMAND, command.problem)
        case Approve() | Reject():
            at = candidate.event.comment.updated_at
            return _decided(command, at, standing, lacking)
        case ShowMemory() | Remember() | Forget():
            return AskMemory(command)
        case Fix():
            request = _request(candidate.event, command.instructions, command.options)
            return _start(request, standing, lacking, Asked.by(candidate.event))
        case Explain(options, of_flaky):
            request = _request(candidate.event, "", options)
            request = replace(request, only_explains=True, of_flaky=of_flaky)
            return _start(request, standing, None, Asked.by(candidate.event))  # it costs no money
        case Retry():
            request = _request(candidate.event, command.instructions, command.options)
            latest = standing.latest
            request = request if latest is None else request.again(latest)
            return _start(request, standing, lacking, Asked.by(candidate.event))
        case _:
            assert_never(command)


def _reply(command: Help | Status, standing: ThreadRuns) -> Decision:
    if isinstance(command, Help):
        return CommentReply(ReplyKind.HELP)
    return CommentReply(ReplyKind.STATUS, standing.active)


def _switch(command: Auto, candidate: CommandCandidate) -> Decision:
    if candidate.event.thread.is_pull_request:
        return Switch(command.on)
    return Refuse(Refusal.BAD_COMMAND, fix_commands.ONLY_ON_PULL_REQUESTS)


def _stop(standing: ThreadRuns) -> Decision:
    if standing.active is None:
        return Refuse(Refusal.NOTHING_TO_STOP)
    if any(question.run_id == standing.active for question in standing.questions):
        return EndWaiting(standing.active)
    return StopRun(standing.active)


def _start(
    request: FixRequest, standing: ThreadRuns, lacking: Role | None, asked: Asked
) -> Decision:
    """Start a run, unless another one is active or it was stopped before it came here.

    The same one again is no other.

    Where a budget is used up, a new run requires an approval, whichever command asks for it.
    """
    if standing.active is not None and standing.active != request.run_id:
        return Refuse(Refusal.ALREADY_RUNNING, standing.active)
    same = standing.latest is not None and standing.latest.run_id == request.run_id
    if not same and standing.stopped is not None and asked < standing.stopped:
        return Refuse(Refusal.STOPPED_SINCE)
    if standing.spent and lacking is not None and not same:
        return Refuse(Refusal.SPENT, lacking)
    return StartRun(request)


def _request(event: CommentEvent, instructions: str, options: Options) -> FixRequest:
    return FixRequest(
        repository=event.repo.full_name,
        installation_id=event.repo.installation_id,
        repository_id=event.repo.id,
        number=event.thread.number,
        is_pull_request=event.thread.is_pull_request,
        actor=event.sender.login,
        comment_id=event.comment.id,
        asked_at=event.comment.updated_at,
        instructions=instructions,
        options=options,
        in_review=event.comment.in_review,
        remarks=event.comment.remarks,
    )
