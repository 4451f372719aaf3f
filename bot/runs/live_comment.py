"""Keep what people watch up to date while a run works, at the pace that GitHub allows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Self

import structlog

from bot.errors import GitHubError
from bot.model.progress import CommandOutput, Progress
from bot.redaction import Redactor
from bot.reporting.answer_instructions import AnswerBy
from bot.reporting.progress_comment import render
from bot.reporting.progress_view import ProgressView, advance, at_moment

EDIT_SECONDS = 10.0
"""Between two edits. GitHub allows about 80 requests a minute that create content.

Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""


class KeptUp:
    """Shows the newest state after each change, never more often than allowed."""

    def __init__(self, show: Callable[[], Awaitable[None]], every: float) -> None:
        """Await `show` after changes, with so many seconds between two times."""
        self._show = show
        self._every = every
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Say that there is something new to show."""
        self._changed.set()

    async def __aenter__(self) -> Self:
        """Begin to show."""
        self._task = asyncio.create_task(self._keep_up())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop showing; the last words are the workflow's."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _keep_up(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._show()
            except GitHubError as error:
                # Progress is a courtesy: the run continues, and its end is posted as a step.
                structlog.get_logger().warning("progress not shown", error=str(error))
            await asyncio.sleep(self._every)


class ProgressComment:
    """A listener that edits a comment: the newest state, never more often than allowed."""

    def __init__(
        self,
        view: ProgressView,
        mark: str,
        edit: Callable[[str], Awaitable[None]],
        *,
        by: AnswerBy = AnswerBy.COMMENT,
        every: float = EDIT_SECONDS,
        redactor: Redactor,
    ) -> None:
        self._redactor = redactor
        self.view = view
        self._mark = mark
        self._edit = edit
        self._by = by
        self._keeping = KeptUp(self._show, every)

    def __call__(self, event: Progress, /) -> None:
        """Take note of the event; the comment follows."""
        view = advance(self.view, self._redactor.frozen(event))
        self.view = at_moment(self.view, view, datetime.now(UTC))
        if not isinstance(event, CommandOutput):
            self._keeping.changed()

    async def __aenter__(self) -> Self:
        """Begin to edit."""
        await self._keeping.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop editing; the comment's last words are the workflow's."""
        await self._keeping.__aexit__()

    async def _show(self) -> None:
        await self._edit(render(self.view, datetime.now(UTC), self._mark, self._by))
