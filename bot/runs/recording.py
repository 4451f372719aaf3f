"""Keep what happens in a run while it happens, without keeping the run waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Self

import structlog

from bot.errors import StorageError
from bot.model.events import EventType, RunEvent
from bot.model.progress import CommandOutput, Noticed, Progress
from bot.redaction import Redactor
from bot.reporting.reasons import run_life
from bot.reporting.told_events import told
from bot.storage.events import EventStore, Keys, Named

EVERY_SECONDS = 0.1
"""Between two writes: what people see is no older, and a busy command is not one write per line."""

_LINE_SECONDS = 1.0
"""How long a line that has not ended is kept back: a secret is not cut in two."""

_PIECE = 16_000
"""Characters of output in one event; of what comes faster, the middle is left out."""

_MOST_OUTPUT = 4_000_000
"""Characters of output that are kept of one run by one process."""

_MOST_WAITING = 5_000
"""Events that wait while the database is away."""

_log = structlog.get_logger(__name__)


class Recorder:
    """A listener that keeps the events of one run. Output is joined, bounded, and redacted.

    To take note of an event costs next to nothing: all work on it is done when it is written.
    """

    def __init__(self, store: EventStore, run_id: str, redactor: Redactor) -> None:
        self._store = store
        self._run_id = run_id
        self._redactor = redactor
        self._keys = Keys()
        self._heard: list[Progress] = []
        self._unkept: list[Named] = []
        self._line = ""
        self._line_since = 0.0
        self._kept_output = 0
        self._said_so = False
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, event: Progress, /) -> None:
        """Take note of the event; it is kept soon."""
        if isinstance(event, CommandOutput):
            if self._kept_output > _MOST_OUTPUT:
                return
            self._kept_output += len(event.text)
        self._heard.append(event)
        self._news.set()

    async def __aenter__(self) -> Self:
        """Begin to write."""
        self._task = asyncio.create_task(self._keep_writing())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Write what is left."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._write(to_the_end=True)

    async def _keep_writing(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            self._news.clear()
            await asyncio.sleep(EVERY_SECONDS)
            late = loop.time() - self._line_since > _LINE_SECONDS
            await self._write(to_the_end=bool(self._line) and late)
            if self._line or self._unkept:
                loop.call_later(_LINE_SECONDS, self._news.set)

    async def _write(self, *, to_the_end: bool) -> None:
        """Keep what was heard; where the database is away, it waits on."""
        named = [*self._unkept, *map(self._named, self._told(to_the_end=to_the_end))]
        self._unkept = []
        if not named:
            return
        try:
            await self._store.append(self._run_id, named)
        except StorageError as error:
            _log.warning("events not kept yet", problem=str(error))
            self._unkept = named[-_MOST_WAITING:]
        except asyncio.CancelledError:  # told again at the end; what is there already stays once
            self._unkept = named
            raise

    def _named(self, event: RunEvent) -> Named:
        return Named(self._keys.of(event), event)

    def _told(self, *, to_the_end: bool) -> Iterator[RunEvent]:
        """Yield what was heard as events, output joined; a line that has not ended is kept back."""
        heard, self._heard = self._heard, []
        said = self._line
        for event in heard:
            if isinstance(event, CommandOutput):
                said += event.text
                continue
            yield from self._output(said)
            said = ""
            yield told(event, self._redactor)
        left_out = self._kept_output > _MOST_OUTPUT
        end = len(said) if to_the_end or left_out else said.rfind("\n") + 1
        yield from self._output(said[:end])
        if said[end:] != self._line:
            self._line_since = asyncio.get_running_loop().time()
        self._line = said[end:]
        if left_out and not self._said_so:
            self._said_so = True
            yield told(Noticed(run_life.output_left_out()), self._redactor)

    def _output(self, text: str) -> Iterator[RunEvent]:
        if not text:
            return
        if len(text) > _PIECE:
            half = _PIECE // 2
            text = f"{text[:half]}\n[...]\n{text[-half:]}"
        yield RunEvent(EventType.OUTPUT, {"text": self._redactor.text(text)})
