"""Keep what happens in a run while it happens, without keeping the run waiting."""

from __future__ import annotations

import asyncio
from typing import Self

import structlog

from bot.errors import StorageError
from bot.model.events import EventType, RunEvent
from bot.model.progress import CommandOutput, Noticed, Progress
from bot.redaction import Redactor
from bot.reporting.reasons import run_life
from bot.reporting.told_events import told
from bot.storage.events import EventStore, Keys, Named

EVERY_SECONDS = 0.05
"""Between two writes: what people see is no older, and a busy command is not one write per line."""

_LINE_SECONDS = 1.0
"""How long a line that has not ended is kept back: a secret is not cut in two."""

_PIECE = 16_000
"""Characters of output in one event; of what comes faster, the middle is left out."""

_MOST_OUTPUT = 4_000_000
"""Characters of output that are kept of one run by one process."""

_MOST_PENDING = 5_000
"""Events that wait while the database is away."""

_log = structlog.get_logger(__name__)


class Recorder:
    """A listener that keeps the events of one run. Output is joined, bounded, and redacted."""

    def __init__(self, store: EventStore, run_id: str, redactor: Redactor) -> None:
        self._store = store
        self._run_id = run_id
        self._redactor = redactor
        self._keys = Keys()
        self._pending: list[Named] = []
        self._output = ""
        self._output_since = 0.0
        self._kept_output = 0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, event: Progress, /) -> None:
        """Take note of the event; it is kept soon."""
        if isinstance(event, CommandOutput):
            self._hear(event.text)
        else:
            self._end_output(whole=True)
            self._add(told(event, self._redactor))
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
        self._end_output(whole=True)
        await self._write()

    def _hear(self, text: str) -> None:
        if self._kept_output > _MOST_OUTPUT:
            return
        if not self._output:
            self._output_since = asyncio.get_running_loop().time()
        self._output += text
        self._kept_output += len(text)
        if self._kept_output > _MOST_OUTPUT:
            self._end_output(whole=True)
            self._add(told(Noticed(run_life.output_left_out()), self._redactor))

    def _end_output(self, *, whole: bool) -> None:
        """Make an event of the output so far: of all of it, or of the lines that have ended."""
        end = len(self._output) if whole else self._output.rfind("\n") + 1
        text, self._output = self._output[:end], self._output[end:]
        if not text:
            return
        self._output_since = asyncio.get_running_loop().time()
        if len(text) > _PIECE:
            half = _PIECE // 2
            text = f"{text[:half]}\n[...]\n{text[-half:]}"
        self._add(RunEvent(EventType.OUTPUT, {"text": self._redactor.text(text)}))

    def _add(self, event: RunEvent) -> None:
        self._pending.append(Named(self._keys.of(event), event))
        if len(self._pending) > _MOST_PENDING:
            del self._pending[0]

    async def _keep_writing(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            self._news.clear()
            await asyncio.sleep(EVERY_SECONDS)
            late = loop.time() - self._output_since > _LINE_SECONDS
            self._end_output(whole=late)
            await self._write()
            if self._output and not late:
                loop.call_later(_LINE_SECONDS, self._news.set)

    async def _write(self) -> None:
        """Keep what waits; where the database is away, it waits on."""
        batch, self._pending = self._pending, []
        if not batch:
            return
        try:
            await self._store.append(self._run_id, batch)
        except StorageError as error:
            _log.warning("events not kept yet", problem=str(error))
            self._pending = [*batch, *self._pending]
            asyncio.get_running_loop().call_later(_LINE_SECONDS, self._news.set)
