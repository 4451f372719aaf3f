"""Comments are read beside the event loop, and only so long."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from bot.github.values import Permission
from bot.intake.commands import BadCommand, Fix
from bot.intake.comment_dispatch import read_comment
from bot.intake.comment_values import CommentCreated, EventComment, Sender, Thread
from bot.intake.decisions import CommandCandidate, Ignore, IgnoredReason
from bot.limited_process import Allowance
from bot.model.repository import Repo

WRITTEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
HOSTILE = "/fix" + "[" * 65_000 + "\n\n/fix"
NO_ROOM = Allowance(seconds=1, memory=2**20)


def comment(body: str) -> CommentCreated:
    """Return a new comment."""
    return CommentCreated(
        repo=Repo("octo/widgets", 7),
        thread=Thread(12, is_pull_request=True, title="It crashes", is_open=True, locked=False),
        sender=Sender("ada", is_bot=False),
        comment=EventComment(501, "ada", "NONE", body, None, WRITTEN, WRITTEN),
    )


async def test_the_event_loop_turns_while_a_comment_is_read() -> None:
    """65,000 brackets take a second."""
    turns = 0
    reading = asyncio.create_task(read_comment(comment(HOSTILE), Permission.NONE))
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 5
    found = await reading
    assert found in (CommandCandidate(comment(HOSTILE), Fix()), Ignore(IgnoredReason.UNREADABLE))


async def test_what_takes_too_much_is_told_to_who_may_start_runs() -> None:
    """A stranger's comment is left alone."""
    event = comment("/fix\n\n" + "- a\n" * 15_000)
    assert await read_comment(event, Permission.READ, NO_ROOM) == Ignore(IgnoredReason.UNREADABLE)
    told = await read_comment(event, Permission.WRITE, NO_ROOM)
    assert isinstance(told, CommandCandidate)
    assert isinstance(told.command, BadCommand)
    assert "takes too long" in told.command.problem
