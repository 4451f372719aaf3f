"""Keep the telling parts of a log of any length: its head, its tail, and what speaks of errors."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from bot.reporting.reasons import job_target

HEAD = 256 * 1024
"""Bytes kept from the beginning: the runner, its image, and the first steps."""

TAIL = 1024 * 1024
"""Bytes kept from the end."""

REGIONS = 512 * 1024
"""Bytes kept between the two: lines about errors with those around them."""

AROUND = 8
"""Lines kept before and after a line that speaks of an error."""

LINE = 4096
"""Longest line that is kept whole, in bytes."""

_TELLING = re.compile(
    rb"##\[(?:error|group\]Run )|\b(?:FAILED|FAIL|ERROR|Error|error|panicked|Traceback)\b"
)


@dataclass
class LogWindow:
    """A log on its way in, piece by piece; it never holds more than about two megabytes.

    Attributes:
        size: Bytes seen so far.
    """

    size: int = 0
    _rest: bytes = b""
    _head: list[bytes] = field(default_factory=list)
    _head_size: int = 0
    _regions: list[bytes] = field(default_factory=list)
    _regions_size: int = 0
    _wanted: int = 0
    _gap: bool = False
    _before: deque[bytes] = field(default_factory=lambda: deque(maxlen=AROUND))
    _tail: deque[bytes] = field(default_factory=deque)
    _tail_size: int = 0

    def feed(self, piece: bytes) -> None:
        """Take the next bytes."""
        self.size += len(piece)
        *lines, rest = (self._rest + piece).split(b"\n")
        self._rest = rest[:LINE]  # of an endless line the beginning is enough
        for line in lines:
            self._line(line[:LINE])

    def text(self) -> str:
        """Return what was kept, with a line in each place where something is left out."""
        if self._rest:
            self._line(self._rest)
            self._rest = b""
        kept = [*self._head, *self._regions]
        if self._gap:
            kept.append(job_target.log_left_out(self.size).encode())
        return b"\n".join([*kept, *self._tail]).decode("utf-8", "replace")

    def _line(self, line: bytes) -> None:
        if self._head_size < HEAD:
            self._head.append(line)
            self._head_size += len(line) + 1
            return
        self._tail.append(line)
        self._tail_size += len(line) + 1
        while self._tail_size > TAIL:
            pushed = self._tail.popleft()
            self._tail_size -= len(pushed) + 1
            self._middle(pushed)

    def _middle(self, line: bytes) -> None:
        """Keep a line between head and tail when it speaks of an error, or stands near one."""
        if _TELLING.search(line):
            if self._gap and self._before:
                self._keep(job_target.LINES_LEFT_OUT.encode())
            for earlier in self._before:
                self._keep(earlier)
            self._before.clear()
            self._wanted = AROUND + 1
        if self._wanted > 0 and self._keep(line):
            self._wanted -= 1
            self._gap = False
            return
        self._gap = True
        self._before.append(line)

    def _keep(self, line: bytes) -> bool:
        if self._regions_size + len(line) > REGIONS:
            return False
        self._regions.append(line)
        self._regions_size += len(line) + 1
        return True
