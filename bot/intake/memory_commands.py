"""Answer `/fix memory`, `/fix remember` and `/fix forget`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import assert_never

from bot.config.memory import MemorySection
from bot.intake.commands import Forget, MemoryCommand, Remember, ShowMemory
from bot.intake.comment_values import CommentEvent
from bot.model.memory import Lesson, LessonState
from bot.reporting import memory_messages as messages
from bot.storage.lessons import LessonStore, lesson_id
from bot.storage.memory import MemoryStore
from bot.storage.seen_tests import SeenTestStore

LISTED = 10
"""Attempts that `/fix memory` lists."""

Message = Callable[[str], str]
"""Takes the marker."""


class MemoryCommands:
    """Shows and changes what is remembered of a repository."""

    def __init__(self, entries: MemoryStore, lessons: LessonStore, tests: SeenTestStore) -> None:
        self._tests = tests
        self._entries = entries
        self._lessons = lessons

    async def take(
        self, event: CommentEvent, command: MemoryCommand, section: MemorySection
    ) -> Message:
        """Do what a person who may start runs asks for; return the answer."""
        match command:
            case Forget(ids):
                return await self._forget(event, ids)
            case ShowMemory():
                return await self._show(event, enabled=section.enabled)
            case Remember() if not section.enabled:
                return messages.is_off
            case Remember(text) if text:
                return await self._add(event, text, section)
            case Remember():
                return await self._confirm(event)
            case _:
                assert_never(command)

    async def _show(self, event: CommentEvent, *, enabled: bool) -> Message:
        lessons = await self._lessons.list(event.repo)
        entries = await self._entries.list(event.repo, LISTED)
        counts = await self._entries.counts(event.repo)
        return lambda mark: messages.memory(lessons, entries, counts, mark, enabled=enabled)

    async def _add(self, event: CommentEvent, text: str, section: MemorySection) -> Message:
        lesson = Lesson(
            id=lesson_id(event.repo, event.comment.id),
            text=text,
            url=event.comment.url,
            author=event.sender.login,
            state=LessonState.CONFIRMED,
            made_at=datetime.now(UTC),
            confirmed_by=event.sender.login,
            pull_request=event.thread.number,
        )
        most = section.limits.lessons
        new = await self._lessons.propose(event.repo, lesson, event.comment.id, most)
        kept = await self._lessons.of_comment(event.repo, event.comment.id)
        if kept is None and not new:
            return lambda mark: messages.no_room(most, mark)
        return lambda mark: messages.confirmed((kept or lesson,), mark)

    async def _confirm(self, event: CommentEvent) -> Message:
        """Confirm what was proposed from the comment that is answered, or in the pull request."""
        answered = event.comment.answers
        one = None if answered is None else await self._lessons.of_comment(event.repo, answered)
        proposed = (
            (one,)
            if one is not None
            else await self._lessons.of_pull_request(event.repo, event.thread.number)
        )
        ids = tuple(lesson.id for lesson in proposed)
        await self._lessons.confirm(event.repo, ids, event.sender.login)
        counting = tuple(item for item in await self._lessons.list(event.repo) if item.id in ids)
        if not counting:
            return messages.nothing_proposed
        return lambda mark: messages.confirmed(counting, mark)

    async def _forget(self, event: CommentEvent, ids: tuple[str, ...]) -> Message:
        lessons = entries = 0
        for item in ids or (None,):
            lessons += await self._lessons.forget(event.repo, item)
            entries += await self._entries.forget(event.repo, item)
        if not ids:  # how tests ended is forgotten with the rest
            await self._tests.forget(event.repo)
        return lambda mark: messages.forgotten(ids, lessons, entries, mark)
