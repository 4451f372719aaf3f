"""Work through a comment: ask what it takes to decide, act, answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import assert_never

import structlog

from bot.config.repo_config import WhoSection
from bot.errors import NotPermitted
from bot.github.github import GitHub
from bot.github.values import Permission
from bot.intake.approval_answers import Approvals
from bot.intake.check_dispatch import CheckEvents, read_memory_section, read_who
from bot.intake.commands import BadCommand, Command, Stop
from bot.intake.comment_policy import (
    Asked,
    Identity,
    ThreadRuns,
    candidate,
    decide,
    screen,
)
from bot.intake.comment_values import CommentEvent
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
from bot.intake.memory_commands import MemoryCommands
from bot.intake.payloads import SAME, seen_at, seen_ids
from bot.intake.permissions import may_ask
from bot.intake.undelivered_comments import answered_elsewhere
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model import Limits, Verdict
from bot.model.request import FixRequest
from bot.reporting import approval, messages
from bot.reporting.marker import marker
from bot.reporting.progress_view import ProgressView
from bot.reporting.reasons import deliveries as did
from bot.reporting.reasons import fix_commands
from bot.storage.approvals import ApprovalAnswer
from bot.storage.runs import RunRecord
from bot.storage.stores import Stores

_log = structlog.get_logger(__name__)

READING = Allowance(seconds=2)
"""For a comment: any that somebody would write takes milliseconds."""


class CommentEvents:
    """Does what comments ask for, and answers them."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        approvals: Approvals,
        view_of: Callable[[str], ProgressView | None],
        checks: CheckEvents,
    ) -> None:
        """Describe what comments act on.

        Args:
            github: To answer, and to ask what people may do.
            stores: All runs, and who stopped them.
            start: Starts a run.
            approvals: Takes the answers to runs that wait.
            view_of: How far a run of this process is; None for others.
            checks: Switches automatic runs on and off.
        """
        self._github = github
        self._stores = stores
        self._runs = stores.runs
        self._stops = stores.stops
        self._queue = stores.queue
        self._deliveries = stores.deliveries
        self._start = start
        self._approvals = approvals
        self._view_of = view_of
        self._checks = checks
        self._memory = MemoryCommands(stores.memory, stores.lessons, stores.tests)

    async def take(self, event: CommentEvent, delivery_id: str) -> str:
        """Do what a comment asks for; return what that was."""
        identity = Identity((await self._github.app_identity()).slug)
        ignored = screen(event, identity)
        if ignored is not None:
            return did.ignored(ignored.reason)
        permission = await self._github.permission(event.repo, event.sender.login)
        asked = await read_comment(event, permission)
        if isinstance(asked, Ignore):
            return did.ignored(asked.reason)
        if not event.comment.in_review and await self._was_seen(event, delivery_id):
            return did.HEARD_ALREADY
        if await answered_elsewhere(self._github, self._stores, event, delivery_id):
            return did.ANSWERED_ELSEWHERE
        decision = await self._decide(asked, permission)
        return await self._act(event, delivery_id, decision)

    async def ask(self, event: CommentEvent, delivery_id: str, command: Command) -> str:
        """Do what an event asks for that holds no command itself; return what that was."""
        if await answered_elsewhere(self._github, self._stores, event, delivery_id):
            return did.ANSWERED_ELSEWHERE
        permission = await self._github.permission(event.repo, event.sender.login)
        decision = await self._decide(CommandCandidate(event, command), permission)
        return await self._act(event, delivery_id, decision)

    async def _was_seen(self, event: CommentEvent, delivery_id: str) -> bool:
        """Whether what the comment says, or a later text of it, was taken up before its webhook came."""
        found = await self._deliveries.ids_beginning(seen_ids(event.comment.id))
        at = event.comment.updated_at - SAME
        return any(seen_at(item) >= at for item in found if item != delivery_id)

    async def _decide(self, asked: CommandCandidate, permission: Permission) -> Decision:
        event = asked.event
        repo, number = event.repo, event.thread.number
        who = await read_who(self._github, repo) if permission.may_write else WhoSection()
        if isinstance(asked.command, Stop) and may_ask(event.sender.login, permission, who):
            when = Asked.by(event)
            await self._stops.note(repo, number, when.at, when.comment_id)
        stopped = await self._stops.last(repo, number)
        active = await self._runs.active(repo, number)
        latest = await self._runs.latest(repo, number)
        asking = active or ((latest,) if latest is not None else ())
        questions = [question for run in asking for question in await self._approvals.open_of(run)]
        standing = ThreadRuns(
            active=active[0].id if active else None,
            latest=_repeatable(latest) if latest else None,
            stopped=Asked(*stopped) if stopped else None,
            questions=tuple(questions),
            spent=latest is not None and latest.verdict is Verdict.BUDGET_SPENT,
        )
        return decide(asked, permission=permission, who=who, standing=standing)

    async def _act(self, event: CommentEvent, delivery_id: str, decision: Decision) -> str:  # noqa: PLR0911 - one case per decision
        match decision:
            case StartRun(request):
                await self._accept(event, delivery_id, request)
                return did.started(request.run_id)
            case CommentReply(kind, run_id):
                await self._say(event, delivery_id, await self._reply(kind, run_id, event), kind)
                return did.replied(kind)
            case StopRun(run_id):
                await self._runs.request_stop(run_id)
                await self._say(event, delivery_id, messages.stopping, "stopping")
                return did.stopping(run_id)
            case Switch(on):
                await self._checks.switch(event, on=on)
                await self._say(
                    event, delivery_id, lambda mark: messages.auto_switched(on, mark), "auto"
                )
                return did.switched(on=on)
            case AnswerRun(question, approved):
                by = event.sender.login
                answer = ApprovalAnswer.APPROVED if approved else ApprovalAnswer.REJECTED
                await self._say(
                    event,
                    delivery_id,
                    lambda mark: approval.answered(by, question, approved=approved, mark=mark),
                    "answered",
                )
                await self._approvals.answer(question, answer, by)
                return did.answered(answer, question.run_id)
            case EndWaiting(run_id):
                by = event.sender.login
                await self._say(
                    event, delivery_id, lambda mark: approval.ended(by, mark), "answered"
                )
                if (run := await self._runs.get(run_id)) is not None:
                    await self._approvals.end(run, ApprovalAnswer.REJECTED, by)
                return did.answered(ApprovalAnswer.REJECTED, run_id)
            case AskMemory(command):
                section = await read_memory_section(self._github, event.repo)
                told = await self._memory.take(event, command, section)
                await self._say(event, delivery_id, told, "memory")
                return did.replied("memory")
            case Refuse():
                await self._refuse(event, delivery_id, decision)
                return did.refused(decision.refusal)
            case _:
                assert_never(decision)

    async def _accept(self, event: CommentEvent, delivery_id: str, request: FixRequest) -> None:
        """Remember the run before it is queued, and let the person see that it was heard."""
        await self._runs.create(request, delivery_id)
        if request.in_review:  # whose comments are no issue's; the progress comment says it
            await self._start(request)
            return
        try:
            await self._github.react(
                event.repo,
                comment_id=event.comment.id,
                issue_number=event.thread.number,
                content="eyes",
            )
        except NotPermitted as error:  # the run will meet the same, and end in good order
            _log.warning("could not react", problem=str(error))
        await self._start(request)

    async def _reply(
        self, kind: ReplyKind, run_id: str | None, event: CommentEvent
    ) -> Callable[[str], str]:
        match kind:
            case ReplyKind.HELP:
                return messages.help_text
            case ReplyKind.STATUS:
                run = await self._runs.get(run_id) if run_id else None
                if run is None:
                    return await self._last_run(event)
                if asked := await self._approvals.open_of(run):
                    return lambda mark: approval.still_waiting(asked, mark)
                if (at := (await self._queue.positions()).get(run.id)) is not None:
                    return lambda mark: messages.in_queue(at, mark)
                view = self._view_of(run.id) or _view_of_queued(run)
                return lambda mark: messages.status(view, datetime.now(UTC), mark)
            case _:
                assert_never(kind)

    async def _last_run(self, event: CommentEvent) -> Callable[[str], str]:
        last = await self._runs.latest(event.repo, event.thread.number)
        if last is None or last.verdict is None:
            return messages.nothing_running
        verdict, url = last.verdict, last.pull_request_url
        return lambda mark: messages.last_run(verdict, last.reason, url, mark)

    async def _refuse(self, event: CommentEvent, delivery_id: str, refuse: Refuse) -> None:
        refusal, detail = refuse.refusal, refuse.detail
        match refusal:
            case Refusal.NO_PERMISSION:
                if detail == Permission.WRITE:
                    await self._say_once(event, messages.not_allowed, "not-allowed")
                else:  # only of somebody with write access the config's role was looked at
                    await self._say_once(
                        event, lambda mark: messages.role_needed(detail, mark), "role-needed"
                    )
            case Refusal.BAD_COMMAND:
                await self._say(
                    event,
                    delivery_id,
                    lambda mark: messages.bad_command(detail, mark),
                    "bad-command",
                )
            case Refusal.ALREADY_RUNNING:
                url = await self._address(event, detail)
                await self._say(
                    event, delivery_id, lambda mark: messages.already_running(url, mark), "running"
                )
            case Refusal.NOTHING_TO_STOP:
                await self._say(event, delivery_id, messages.nothing_running, "nothing-to-stop")
            case Refusal.STOPPED_SINCE:
                await self._say(event, delivery_id, messages.stopped_since, "stopped-since")
            case Refusal.NOT_ANSWERED:
                why, asked = refuse.why, refuse.questions
                await self._say(
                    event,
                    delivery_id,
                    lambda mark: approval.not_answered(why, detail, asked, mark),
                    "not-answered",
                )
            case Refusal.MAY_NOT_APPROVE:
                await self._say(
                    event,
                    delivery_id,
                    lambda mark: approval.may_not_approve(detail, mark),
                    "may-not-approve",
                )
            case Refusal.SPENT:
                await self._say(
                    event, delivery_id, lambda mark: approval.spent(detail, mark), "spent"
                )
            case _:
                assert_never(refusal)

    async def _address(self, event: CommentEvent, run_id: str) -> str:
        """Return where the progress of a run is shown."""
        run = await self._runs.get(run_id)
        comment = run.progress_comment_id if run else None
        return self._github.comment_url(event.repo, event.thread.number, comment)

    async def _say(
        self,
        event: CommentEvent,
        delivery_id: str,
        message: Callable[[str], str],
        kind: str,
    ) -> None:
        """Answer a delivery, once."""
        mark = marker(delivery_id, kind)
        await self._github.post_comment(event.repo, event.thread.number, message(mark), mark)

    async def _say_once(
        self, event: CommentEvent, message: Callable[[str], str], kind: str
    ) -> None:
        """Answer a thread, once, whoever asks and however often."""
        mark = marker(f"thread-{event.thread.number}", kind)
        await self._github.post_comment(event.repo, event.thread.number, message(mark), mark)


async def read_comment(
    event: CommentEvent, permission: Permission, allowance: Allowance = READING
) -> CommandCandidate | Ignore:
    """Read a comment in a process apart; a stranger's that takes too much is nobody's command."""
    try:
        return await run_limited(candidate, event, allowance=allowance)
    except TooMuch:
        if not permission.may_write:
            return Ignore(IgnoredReason.UNREADABLE)
        return CommandCandidate(event, BadCommand(fix_commands.TAKES_TOO_LONG))


def _repeatable(run: RunRecord) -> FixRequest:
    """Return what asking once more would ask for; a fix that was redone is there to be changed."""
    request = run.request
    if request.redoes is None or run.verdict is not Verdict.FIXED:
        return request
    return replace(request, redoes=None, options=request.original.options)


def _view_of_queued(run: RunRecord) -> ProgressView:
    return ProgressView(run_id=run.id, started=run.created_at, limits=Limits())
